"""Calls, arguments and what flows through them: results, receivers, type variables, decorators."""

from functools import partial
from typing import TYPE_CHECKING

from aoci_agent.views.graph.given import Argument, Arguments, Positional, plain
from aoci_agent.views.graph.tables import Found
from aoci_agent.views.graph.values import (
    NOTHING,
    Class,
    Function,
    Instance,
    Me,
    MyClass,
    Object,
    Outside,
    Super,
    Value,
    Values,
    Variable,
    merged,
    one_of,
    replaced,
    variables_of,
)

if TYPE_CHECKING:
    from aoci_agent.views.graph.engine import Engine, Target
    from aoci_agent.views.graph.model import Entry
    from aoci_agent.views.graph.tables import Face

_DEEPEST = 6  # decorators of decorators, iterators of iterators


class Calls:
    """Works out what calls, indexing, iteration and waiting give."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    def arguments(self, face: "Face", items: list[str | int]) -> Arguments:
        """The arguments of a call term: a text names the term after it."""
        found: list[Argument] = []
        name = ""
        for item in items:
            if isinstance(item, str):
                name = item
            else:
                found.append(Argument(name, partial(self._engine.values, face, item)))
                name = ""
        return tuple(found)

    def called(self, face: "Face", base: Values, given: Arguments) -> Values:
        """What a call of any of these gives."""
        return merged(self._called(face, value, given) for value in base)

    def _called(self, face: "Face", value: Value, given: Arguments) -> Values:
        match value:
            case Class() | MyClass():
                return self._instance(value)
            case Function():
                return self._given_back(face, value, given)
            case Object() | Me():
                targets = self._engine.members.targets(face, (value,), "__call__")
                inner = self._engine.held(targets) if targets else self._beneath(face, value)
                return self.called(face, inner, given)
            case Outside() | Instance():
                outside = self._engine.language(face).outside
                held = Positional(given)
                return outside.called(value, held, lambda types: self.typed(face, types))
            case _:
                return NOTHING

    def _given_back(self, face: "Face", function: Function, given: Arguments) -> Values:
        result = self.result(function, given)
        if not function.manager:
            return result
        return (Instance(function.manager, (merged(self.each(face, v) for v in result),)),)

    # results of functions of the repository

    def result(self, function: Function, given: Arguments) -> Values:
        """What a function gives, with what the call puts in."""
        found = self._engine.entries(function.space, function.slot)
        several = [self._result(item, function, given) for item in found]
        return merged(several)

    def _result(self, found: Found, function: Function, given: Arguments) -> Values:
        face, entry = found
        if entry.kind not in ("function", "method", "classmethod", "property"):
            return NOTHING
        values = self._engine.values(face, entry.value)
        if not values:
            return NOTHING
        open_ = any(True for _ in variables_of(values))
        table = self._put_in(found, function, given) if open_ else {}
        return self._filled(values, function, table)

    def _put_in(self, found: Found, function: Function, given: Arguments) -> dict[Variable, Values]:
        """What parameters and type variables stand for in one call."""
        table = self._of_class(function)
        parameters = list(found.entry.parameters)
        receiver, method = function.receiver, found.entry.kind == "method"
        through_class = method and isinstance(receiver, Class)
        if (
            receiver is not None
            and (method or found.entry.kind != "function")
            and not through_class
        ):
            (_, declared), *parameters = parameters or [("", 0)]
            for kind in self._engine.values(found.face, declared):
                self._solve(kind, (receiver,), table)
        named = dict(parameters)
        places = iter(parameters)
        for name, values in given:
            if not name:
                name = next(places, ("", 0))[0]
            if name not in named:
                continue
            table.setdefault(Variable(function.space, function.slot, name), values())
            for kind in self._engine.values(found.face, named[name]):
                self._solve(kind, values(), table)
        return table

    def taken(self, face: "Face", value: Value, number: int) -> Values:
        """What a parameter is declared to take."""
        match value:
            case Function():
                found = self._engine.entries(value.space, value.slot)
                return merged(self._taken(item, value, number) for item in found)
            case Class():
                made = Object(value.space, value.slot, value.arguments)
                targets = self._engine.members.targets(face, (made,), "constructor")
                held = self._engine.held(targets)
                return merged(self.taken(face, item, number) for item in held)
            case Instance("func", arguments) if number < len(arguments) - 1:
                return arguments[number]
            case _:
                return NOTHING

    def _taken(self, found: Found, function: Function, number: int) -> Values:
        parameters = found.entry.parameters[found.entry.kind == "method" :]
        if number >= len(parameters):
            return NOTHING
        values = self.typed(found.face, self._engine.values(found.face, parameters[number][1]))
        return self._filled(values, function, self._of_class(function))

    def _of_class(self, function: Function) -> dict[Variable, Values]:
        if not function.arguments:
            return {}
        owner = function.slot.rpartition(".")[0]
        variables = self._engine.members.variables(function.space, owner)
        types = [self._instances_of_all(values) for values in function.arguments]
        return dict(zip(variables, types, strict=False))

    def _instances_of_all(self, types: Values) -> Values:
        return merged(self._instance(value) for value in types)

    def _instance(self, value: Value) -> Values:
        if isinstance(value, Class):
            return (Object(value.space, value.slot, value.arguments),)
        if isinstance(value, MyClass):
            return (Me(value.space, value.slot),)
        return (value,)

    def _solve(self, kind: Value, values: Values, table: dict[Variable, Values]) -> None:
        """Match a declared type with what is given."""
        if isinstance(kind, Variable):
            table.setdefault(kind, values)
        elif isinstance(kind, Outside) and kind.arguments:
            if kind.name == "type":
                values = merged(self._instance(value) for value in values)
            if kind.name in ("type", "Optional", "Union"):
                for inner in (item for several in kind.arguments for item in several):
                    self._solve(inner, values, table)
            else:
                for value in values:
                    self._solve_within(kind, value, table)

    def _solve_within(self, kind: Outside, value: Value, table: dict[Variable, Values]) -> None:
        if isinstance(value, Instance) and len(value.arguments) == len(kind.arguments):
            for types, held in zip(kind.arguments, value.arguments, strict=True):
                for inner in types:
                    self._solve(inner, held, table)

    def _filled(self, values: Values, function: Function, table: dict[Variable, Values]) -> Values:
        """Values as they are for this receiver and these arguments."""
        receiver = function.receiver
        mine = self._instance(receiver) if receiver is not None else NOTHING
        owner = function.slot.rpartition(".")[0]

        def change(value: Value) -> Values | None:
            own = isinstance(value, Me | MyClass) and value.slot == owner
            if isinstance(value, Me) and own and mine:
                return mine
            if isinstance(value, MyClass) and own and mine:
                return merged(_class_of(item) for item in mine)
            if isinstance(value, Instance) and value.name == "Self":
                return mine or (Object(function.space, owner),)
            return one_of(table, value)

        return replaced(values, change)

    # slots with a receiver

    def bound(self, target: "Target") -> Values:
        """What a slot holds, seen through the value it is a member of."""
        values = self._engine.slot(target.space, target.slot)
        receiver = target.receiver
        if receiver is None:
            return values
        found: list[Values] = []
        for value in values:
            if isinstance(value, Function) and (value.space, value.slot) == target[:2]:
                found.append((value._replace(receiver=receiver, arguments=target.arguments),))
            else:
                through = Function(target.space, target.slot, receiver, target.arguments)
                found.append(self._filled((value,), through, self._of_class(through)))
        return merged(found)

    def bound_of(self, variable: Variable) -> Values:
        """What a type variable is at least."""
        if variable.name:
            return NOTHING
        question = ("bound", variable)
        return self._engine.asking.ask(question, lambda: self._bound_of(variable), NOTHING)

    def _bound_of(self, variable: Variable) -> Values:
        found: list[Values] = []
        for face, entry in self._engine.entries(variable.space, variable.slot):
            node = face.terms[entry.value]
            if node[0] == "()" and "bound" in node:
                bound = node[node.index("bound") + 1]
                found.append(self.typed(face, self._engine.values(face, int(bound))))
        return merged(found)

    def decorated(self, face: "Face", entry: "Entry", function: Function) -> Values:
        """A function as its decorators leave it."""
        values: Values = (function,)
        for term in reversed(entry.decorators):
            several: list[Values] = []
            for decorator in self._engine.values(face, term):
                several.append(self._decorated(face, decorator, values))
            values = merged(several)
        return values

    def _decorated(self, face: "Face", decorator: Value, values: Values) -> Values:
        if isinstance(decorator, Outside | Instance):
            outside = self._engine.language(face).outside
            if kind := outside.manager(decorator):
                return tuple(v._replace(manager=kind) for v in values if isinstance(v, Function))
            return outside.decorated(decorator, values)
        found = self._called(face, decorator, plain(values))
        return merged(self._unwrapped(value, values) for value in found)

    def _unwrapped(self, value: Value, values: Values) -> Values:
        """A wrapper that says what it wraps stands for that."""
        if isinstance(value, Function):
            for face, entry in self._engine.entries(value.space, value.slot):
                for term in entry.decorators:
                    for mark in self._engine.values(face, term):
                        if isinstance(mark, Instance) and mark.name == "functools.wraps":
                            return values
        return (value,)

    # fixtures and their like

    def is_provider(self, found: Found) -> bool:
        """Whether a framework fills in parameters with what this gives."""
        outside = self._engine.language(found.face).outside
        marks = (self._engine.values(found.face, term) for term in found.entry.decorators)
        return any(outside.provides(value) for values in marks for value in values)

    def provided(self, found: Found) -> Values:
        """What it gives: an item where it gives them one by one."""
        values = self._engine.values(found.face, found.entry.value)
        return merged(
            self.each(found.face, value)
            if isinstance(value, Instance)
            and value.name in ("Iterator", "Generator", "AsyncIterator")
            else (value,)
            for value in values
        )

    # types and containers

    def instances(self, face: "Face", value: Value) -> Values:
        """Instances of a type."""
        if isinstance(value, Class | MyClass):
            return self._instance(value)
        if isinstance(value, Variable):
            return (value,)
        if isinstance(value, Outside):
            outside = self._engine.language(face).outside
            return outside.instances(value, lambda types: self.typed(face, types))
        return NOTHING

    def typed(self, face: "Face", types: Values) -> Values:
        """Instances of any of these types."""
        return merged(self.instances(face, value) for value in types)

    def indexed(self, face: "Face", value: Value, inside: tuple[Values, ...]) -> Values:
        """`value[inside]`: an item, or a type with arguments."""
        if isinstance(value, Class | Outside):
            return (value._replace(arguments=inside),)
        if isinstance(value, Function):
            return (value,)
        if isinstance(value, Instance):
            return self._engine.language(face).outside.item(value, inside)
        if isinstance(value, Object | Me | Super):
            targets = self._engine.members.targets(face, (value,), "__getitem__")
            if targets or isinstance(value, Super):
                return self.called(face, self._engine.held(targets), plain(*inside))
            beneath = self._beneath(face, value)
            return merged(self.indexed(face, item, inside) for item in beneath)
        return NOTHING

    def _beneath(self, face: "Face", value: Object | Me) -> Values:
        """What a value is besides: `class Names(list[Name])`, `type Names []Name`."""
        line = self._engine.members.line(value.space, value.slot)
        return tuple(
            Instance(item.name, tuple(self.typed(face, types) for types in item.arguments))
            for item in line
            if isinstance(item, Outside) and item.arguments
        )

    def each(self, face: "Face", value: Value, depth: int = 0) -> Values:
        """What iterating gives."""
        outside = self._engine.language(face).outside
        if isinstance(value, Instance):
            return outside.each(value)
        if isinstance(value, Object | Me) and depth < _DEEPEST:
            for name in outside.iteration:
                targets = self._engine.members.targets(face, (value,), name)
                if targets:
                    found = self.called(face, self._engine.held(targets), ())
                    if name.endswith("next__"):
                        return merged(self.awaited(face, item) for item in found)
                    others = [item for item in found if item != value]
                    if others:
                        return merged(self.each(face, item, depth + 1) for item in others)
            return merged(
                outside.each(v) for v in self._beneath(face, value) if isinstance(v, Instance)
            )
        return NOTHING

    def awaited(self, face: "Face", value: Value) -> Values:
        """What waiting for it gives; what need not be waited for is itself."""
        if isinstance(value, Instance):
            return self._engine.language(face).outside.awaited(value)
        if isinstance(value, Object | Me):
            targets = self._engine.members.targets(face, (value,), "__await__")
            given = self.called(face, self._engine.held(targets), ()) if targets else NOTHING
            ends = [v.arguments[-1] for v in given if isinstance(v, Instance) and v.arguments]
            return merged(ends)
        return NOTHING

    def piece(self, face: "Face", value: Value, number: int) -> Values:
        """Item `number` of something taken apart."""
        if isinstance(value, Instance):
            return self._engine.language(face).outside.piece(value, number)
        return self.each(face, value)


def _class_of(value: Value) -> Values:
    if isinstance(value, Object):
        return (Class(value.space, value.slot, value.arguments),)
    if isinstance(value, Me):
        return (MyClass(value.space, value.slot),)
    return NOTHING
