"""Terms -> what they denote and what they are, over the whole repository, in any language."""

from collections.abc import Mapping
from typing import NamedTuple

from aoci_agent.views.graph.asking import Asking, TooDeep
from aoci_agent.views.graph.calls import Calls
from aoci_agent.views.graph.members import Members
from aoci_agent.views.graph.model import UNKNOWN, Language, Term
from aoci_agent.views.graph.overloads import Overloads
from aoci_agent.views.graph.spread import Spread
from aoci_agent.views.graph.tables import Face, Found, Key, Tables
from aoci_agent.views.graph.typenames import TypeNames
from aoci_agent.views.graph.values import (
    NOTHING,
    Class,
    Function,
    Instance,
    Me,
    MyClass,
    Outside,
    Space,
    Super,
    Value,
    Values,
    Variable,
    merged,
)

_HOPS = 8  # star imports behind star imports
_RECEIVERS = {"self": Me, "type": MyClass, "super": Super}
_TOLD = frozenset(("name", "own", "import", "seen", "only", "global", "arg", "given", *_RECEIVERS))


class Target(NamedTuple):
    """A slot something denotes, with the value it was a member of."""

    space: str
    slot: str
    receiver: Value | None = None
    arguments: tuple[Values, ...] = ()  # of the class it was found in


Targets = tuple[Target, ...]
NOWHERE: Targets = ()


class Engine:
    """Evaluates terms. Answers are kept for its life: make a new one when files change."""

    def __init__(self, tables: Tables, languages: Mapping[str, Language]) -> None:
        self.tables = tables
        self.asking = Asking()
        self.members = Members(self)
        self.calls = Calls(self)
        self.spread = Spread(self)
        self.overloads = Overloads(self)
        self.types = TypeNames(self)
        self._languages = languages
        self._numbers: dict[Key, int] = {}
        self._keys: list[Key] = []

    # what is consulted

    def entries(self, space: str, slot: str) -> tuple[Found, ...]:
        """The entries of a slot; noted."""
        self.consult(Key("slot", space, slot))
        return self.tables.entries(space, slot)

    def look(self, kind: str, face: Face, where: str, name: str) -> tuple[str, ...]:
        """Spaces a finder gives; noted."""
        key = Key(kind, where, name, face.language)
        self.consult(key)
        return self.tables.look(key)

    def homes(self, face: Face, slot: str) -> tuple[str, ...]:
        """The spaces of a file's language that define a slot; noted."""
        return self.look("homes", face, "", slot)

    def consult(self, key: Key) -> None:
        """Note that the question in hand depends on a key."""
        number = self._numbers.setdefault(key, len(self._keys))
        if number == len(self._keys):
            self._keys.append(key)
        self.asking.keys.add(number)

    def key(self, number: int) -> Key:
        """The key of a number in `asking.keys`."""
        return self._keys[number]

    def language(self, face: Face) -> Language:
        """The language of a file."""
        return self._languages[face.language]

    # what a term denotes

    def denoted(self, face: Face, term: int) -> set[tuple[str, str]]:
        """The slots a use refers to."""
        try:
            return {
                (target.space, target.slot)
                for named in self.targets(face, term)
                for target in self.overloads.all_of(named)
            }
        except TooDeep:
            return set()

    def targets(self, face: Face, term: int) -> Targets:
        """Slots a name or member denotes, imports followed."""
        if term == UNKNOWN:
            return NOWHERE
        question = ("targets", face.path, term)
        return self.asking.ask(question, lambda: self._targets(face, face.terms[term]), NOWHERE)

    def _targets(self, face: Face, node: Term) -> Targets:
        match node:
            case (".", int(base), str(name)):
                found = self.members.targets(face, self.values(face, base), name)
            case ("typed", int(base)):
                found = self.types.targets(face, base)
            case ("pick", int(base), *given):
                found = self.overloads.picked(face, base, given)
            case ("|", *places):
                several = [self.targets(face, place) for place in places if isinstance(place, int)]
                found = tuple(dict.fromkeys(target for targets in several for target in targets))
            case ("first", *places):
                tried = (self.targets(face, place) for place in places if isinstance(place, int))
                found = next((targets for targets in tried if targets), NOWHERE)
            case (str(operator), str(text), *rest):
                found = self._told_targets(face, operator, text, *map(str, rest))
            case _:
                found = NOWHERE
        return found

    def _told_targets(self, face: Face, operator: str, text: str, name: str = "") -> Targets:
        """What terms of texts alone denote."""
        match operator:
            case "name":
                found = self._named(face, text)
            case "own":
                found = self.follow(face.space, text)
            case "seen":
                found = self.spread.seen(face, text)
            case "only":
                found = self.spread.only(face, text)
            case "global":
                found = self.spread.everywhere(face, text)
            case "import":
                found = self._imported(face, text, name)
            case _:
                found = NOWHERE
        return found

    def _named(self, face: Face, name: str) -> Targets:
        if found := self.seen(face.space, name):
            return found
        for space in self.look("implicit", face, face.path, face.space):
            if found := self.seen(space, name):
                return found
        return NOWHERE

    def seen(self, space: str, name: str, through: tuple[str, ...] = ()) -> Targets:
        """A name at the top of a space, or in what that passes on whole."""
        if self.entries(space, name):
            return self.follow(space, name)
        if len(through) < _HOPS and not name.startswith("_"):
            through = (*through, space)
            passed = [
                inner
                for face, entry in self.entries(space, "*")
                for inner, slot, *_ in self.targets(face, entry.value)
                if not slot and inner not in through
            ]
            for inner in dict.fromkeys(passed):
                if found := self.seen(inner, name, through):
                    return found
        return NOWHERE

    def follow(self, space: str, slot: str) -> Targets:
        """A slot, or what its imports lead to."""
        question = ("follow", space, slot)
        return self.asking.ask(question, lambda: self._follow(space, slot), NOWHERE)

    def _follow(self, space: str, slot: str) -> Targets:
        found: list[Target] = []
        declared: list[Found] = []
        own = False
        for item in self.entries(space, slot):
            if item.entry.kind == "import":
                found += self.targets(item.face, item.entry.value)
            elif item.entry.kind == "declared":
                declared.append(item)
            else:
                own = True
        if own:
            found.insert(0, Target(space, slot))
        for face, entry in declared if not found else ():
            found += self.spread.definition(face, slot) or self.targets(face, entry.value)
        return tuple(dict.fromkeys(found))

    def _imported(self, face: Face, module: str, name: str) -> Targets:
        (space,) = self.look("find", face, face.path, module)
        if not space:
            return NOWHERE
        return self.inside(face, space, name) if name else (Target(space, ""),)

    def inside(self, face: Face, space: str, name: str) -> Targets:
        """A name of a space, or a space within it."""
        if found := self.seen(space, name):
            return found
        (inner,) = self.look("child", face, space, name)
        return (Target(inner, ""),) if inner else NOWHERE

    # what a term is

    def values(self, face: Face, term: int) -> Values:
        """What a term can turn out to be."""
        if term == UNKNOWN:
            return NOTHING
        question = ("values", face.path, term)
        return self.asking.ask(question, lambda: self._values(face, face.terms[term]), NOTHING)

    def _values(self, face: Face, node: Term) -> Values:
        operator, *rest = node
        if operator in _TOLD:
            return self._told(face, *(str(item) for item in node))
        places = [place for place in rest if isinstance(place, int)]
        match operator:
            case "lit":
                held = tuple(self.values(face, place) for place in places)
                found: Values = (Instance(str(rest[0]), held),)
            case "outside":
                held = tuple(self.values(face, place) for place in places)
                found = (Outside(str(rest[0]), held),)
            case "|":
                found = merged(self.values(face, place) for place in places)
            case "first":
                found = self._first(face, places)
            case "pick":
                found = self.overloads.values(face, places[0], places[1:])
            case "typed":
                found = self.types.values(face, places[0])
            case _ if rest and isinstance(rest[0], int):
                base = self.values(face, rest[0])
                found = self._worked_out(face, str(operator), base, rest[1:])
            case _:
                found = NOTHING
        return found

    def _told(self, face: Face, operator: str, text: str, name: str = "") -> Values:
        """Terms of texts alone."""
        space = face.space
        match operator:
            case "name":
                targets = self._named(face, text)
                found = self.held(targets) or self._outside(face, targets, text)
            case "own":
                found = self.held(self.follow(space, text)) or self._passed_on(space, text)
            case "import":
                found = self._import_values(face, text, name)
            case "seen":
                targets = self.spread.seen(face, text)
                found = self.held(targets) or self._outside(face, targets, text)
            case "only":
                found = self.held(self.spread.only(face, text))
            case "global":
                found = self.held(self.spread.everywhere(face, text))
            case "arg":
                found = (Variable(space, text, name),)
            case "given":
                found = self._given(face, text, name)
            case _:
                found = (_RECEIVERS[operator](space, text),)
        return found

    def _worked_out(self, face: Face, operator: str, base: Values, rest: list[str | int]) -> Values:
        """Terms that begin with a term."""
        calls = self.calls
        match operator:
            case ".":
                found = self.members.values(face, base, str(rest[0]))
            case "()":
                found = calls.called(face, base, calls.arguments(face, rest))
            case "[]":
                inside = tuple(self.values(face, place) for place in rest if isinstance(place, int))
                found = merged(calls.indexed(face, value, inside) for value in base)
            case "is" | "new":
                found = calls.typed(face, base)
            case "each":
                found = merged(calls.each(face, value) for value in base)
            case "await":
                found = merged(calls.awaited(face, value) for value in base)
            case "takes":
                found = merged(calls.taken(face, value, int(rest[0])) for value in base)
            case "part":
                found = merged(calls.piece(face, value, int(rest[0])) for value in base)
            case _:
                found = NOTHING
        return found

    def _first(self, face: Face, places: list[int]) -> Values:
        outside = NOTHING  # a name nothing is known of is taken for one of these
        for place in places:
            found = self.values(face, place)
            if self.targets(face, place) or any(not isinstance(v, Outside) for v in found):
                return found
            outside = outside or found
        return outside

    def _outside(self, face: Face, targets: Targets, name: str) -> Values:
        """A name that leads out of the repository: by an import, or as the language's own."""
        if passed := self._passed_on(face.space, name):
            return passed
        return (Outside(self.language(face).outside.canonical(name)),) if not targets else NOTHING

    def _passed_on(self, space: str, slot: str) -> Values:
        found = self.entries(space, slot)
        return merged(self.values(f, e.value) for f, e in found if e.kind == "import")

    def _import_values(self, face: Face, module: str, name: str) -> Values:
        (space,) = self.look("find", face, face.path, module)
        if not space:
            dotted = f"{module}.{name}" if name else module
            return (Outside(self.language(face).outside.canonical(dotted)),)
        if not name:
            return (Space(space),)
        return self.held(self.inside(face, space, name)) or self._passed_on(space, name)

    def _given(self, face: Face, name: str, asker: str) -> Values:
        """What a framework fills in for a parameter: the value of a function of that name."""
        for space in self.look("given", face, face.path, ""):
            if (space, name) == (face.space, asker):
                continue
            for found in self.entries(space, name):
                if self.calls.is_provider(found):
                    return self.calls.provided(found)
        return NOTHING

    # what a slot holds

    def held(self, targets: Targets) -> Values:
        """What these slots hold."""
        return merged(self.calls.bound(target) for target in targets)

    def slot(self, space: str, slot: str) -> Values:
        """What a slot holds, whoever asks."""
        if not slot:
            return (Space(space),)
        question = ("slot", space, slot)
        return self.asking.ask(question, lambda: self._slot(space, slot), NOTHING)

    def _slot(self, space: str, slot: str) -> Values:
        found = [item for item in self.entries(space, slot) if item.entry.kind != "setter"]
        declared = [item for item in found if item.entry.declared and not _callable(item)]
        return merged(self._holds(space, slot, item) for item in declared or found)

    def _holds(self, space: str, slot: str, found: Found) -> Values:
        face, entry = found
        if entry.kind in ("class", "interface", "enum", "type"):
            return (Class(space, slot),)
        if _callable(found):
            return self.calls.decorated(face, entry, Function(space, slot))
        values = self.values(face, entry.value)
        variable = any(isinstance(v, Instance) and v.name == "TypeVar" for v in values)
        return (Variable(space, slot),) if variable else values


def _callable(found: Found) -> bool:
    return found.entry.kind in ("function", "method", "classmethod")
