"""Members of values: of spaces, of types over the types they build on, of what is outside."""

from typing import TYPE_CHECKING

from aoci_agent.views.graph.values import (
    Class,
    Instance,
    Me,
    MyClass,
    Object,
    Outside,
    Space,
    Super,
    Value,
    Values,
    Variable,
    merged,
    symbols_of,
)

if TYPE_CHECKING:
    from aoci_agent.views.graph.engine import Engine, Targets
    from aoci_agent.views.graph.tables import Face

Line = tuple["Class | Outside", ...]  # a type and everything it builds on, nearest first


class Members:
    """Looks members up."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    def targets(self, face: "Face", values: Values, name: str) -> "Targets":
        """The slots that `value.name` may denote."""
        found = (target for value in values for target in self._of(face, value, name))
        return tuple(dict.fromkeys(found))

    def values(self, face: "Face", values: Values, name: str) -> Values:
        """What `value.name` may turn out to be."""
        return merged(self._values(face, value, name) for value in values)

    def _values(self, face: "Face", value: Value, name: str) -> Values:
        if isinstance(value, Outside):
            whole = self._engine.language(face).outside.canonical(f"{value.name}.{name}")
            return (Outside(whole),)
        if isinstance(value, Instance):
            return self._engine.language(face).outside.member(value, name)
        targets = self._of(face, value, name)
        held = self._engine.held(targets)
        if not held and isinstance(value, Space):
            held = merged(
                self._engine.values(found.face, found.entry.value)
                for found in self._engine.entries(value.space, name)
                if found.entry.kind == "import"
            )
        return held

    def _of(self, face: "Face", value: Value, name: str) -> "Targets":
        if isinstance(value, Space):
            return self._engine.inside(face, value.space, name)
        if isinstance(value, Class | Object | Me | MyClass):
            return self._inherited(self.line(value.space, value.slot), value, name)
        if isinstance(value, Super):
            line = self.line(value.space, value.slot)[1:]
            return self._inherited(line, Me(value.space, value.slot), name)
        if isinstance(value, Variable):
            bound = self._engine.calls.bound_of(value)
            return self.targets(face, bound, name) if bound else ()
        return ()

    def _inherited(self, line: Line, receiver: Value, name: str) -> "Targets":
        from aoci_agent.views.graph.engine import Target

        given = receiver.arguments if isinstance(receiver, Class | Object) else ()
        for number, owner in enumerate(line):
            if isinstance(owner, Class):
                arguments = given if number == 0 else owner.arguments
                if found := self._engine.spread.members(owner, name):
                    return tuple(Target(*place, receiver, arguments) for place in found)
        return ()

    def line(self, space: str, slot: str) -> Line:
        """A type, then what it builds on, in the order members are looked up (C3)."""
        question = ("line", space, slot)
        first: Line = (Class(space, slot),)
        return self._engine.asking.ask(question, lambda: self._line(space, slot), first)

    def _line(self, space: str, slot: str) -> Line:
        lines: list[list[Class | Outside]] = []
        bases: list[Class | Outside] = []
        extended = [found for _, found in self._engine.spread.extensions(space, slot)]
        for face, entry in (*self._engine.entries(space, slot), *extended):
            for term in entry.bases:
                for base in self._engine.values(face, term):
                    if isinstance(base, Outside):
                        bases.append(base)
                        lines.append([base])
                    elif isinstance(base, Class | Object | Me) and base[:2] != (space, slot):
                        above = self.line(base.space, base.slot)
                        given = () if isinstance(base, Me) else base.arguments
                        kind = Class(base.space, base.slot, given)
                        bases.append(kind)
                        lines.append([kind, *above[1:]])
        return (Class(space, slot), *_linear([*lines, bases]))

    def variables(self, space: str, slot: str) -> tuple[Variable, ...]:
        """The type variables of a class, in the order its arguments are given."""
        question = ("variables", space, slot)
        return self._engine.asking.ask(question, lambda: self._variables(space, slot), ())

    def _variables(self, space: str, slot: str) -> tuple[Variable, ...]:
        found: list[Variable] = []
        for face, entry in self._engine.entries(space, slot):
            if entry.parameters:
                return tuple(Variable(space, f"{slot}.{name}") for name, _ in entry.parameters)
            for term in entry.bases:
                values = self._engine.values(face, term)
                own = list(symbols_of(values))
                if any(
                    isinstance(v, Outside) and v.name in ("Generic", "Protocol") for v in values
                ):
                    return tuple(dict.fromkeys(own))
                found += own
        return tuple(dict.fromkeys(found))


def _linear(lines: "list[list[Class | Outside]]") -> "list[Class | Outside]":
    """Merge lines so that each keeps its order; where that cannot be, the first line wins."""
    found: list[Class | Outside] = []
    known: set[tuple[str, str]] = set()
    rest = [list(line) for line in lines if line]
    while rest:
        for line in rest:
            head = _identity(line[0])
            if not any(head == _identity(item) for other in rest for item in other[1:]):
                break
        else:
            line = rest[0]
            head = _identity(line[0])
        if head not in known:
            known.add(head)
            found.append(line[0])
        rest = [[item for item in other if _identity(item) != head] for other in rest]
        rest = [other for other in rest if other]
    return found


def _identity(value: "Class | Outside") -> tuple[str, str]:
    return (value.space, value.slot) if isinstance(value, Class) else ("", value.name)
