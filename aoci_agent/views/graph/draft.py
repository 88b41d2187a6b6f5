"""One file while it is read: scopes and blocks entered, names bound and used; then its facts.

A reader (one a language) walks the syntax tree and calls this; terms it gets back are raw: a local
name in them is a note of who asked, where. `facts` replaces every such note by what the name stands
for at that place, so that the terms of `FileFacts` mean something without the function around them.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from aoci_agent.views.graph.model import UNKNOWN, Defined, Entry, FileFacts, Part, Use
from aoci_agent.views.graph.scopes import MOST, Binding, Block, Scope, reaching, tested
from aoci_agent.views.graph.terms import Terms

_DEEP = 80  # local names behind local names


class Place(NamedTuple):
    """Where a name stands: line from 1, column from 0 in characters; `at` orders places."""

    line: int
    column: int
    length: int
    at: int


class Read(NamedTuple):
    """A name asked for at a place."""

    name: str
    scope: Scope
    block: Block
    at: int


@dataclass(slots=True)
class _Used:
    place: Place
    kind: str
    term: int  # raw
    source: str


@dataclass(slots=True)
class _OpenPart:
    name: str
    start: int
    end: int
    kind: str = "class"  # parts open within a class, but not within a function
    uses: list[_Used] = field(default_factory=list[_Used])


class Seen(NamedTuple):
    """What a local name turned out to be."""

    term: int
    alias: int = UNKNOWN  # a definition or import the name stands for
    places: tuple[tuple[int, int], ...] = ()  # bindings that are only local


class Draft:
    """Collects what a reader sees of one file."""

    def __init__(self, language: str, space: str, lines: int) -> None:
        self.language = language
        self.space = space
        self.raw = Terms()
        self.block: Block = Block()
        self.top: Scope = Scope("module", "", "", None, self.block)
        self.scope: Scope = self.top
        self.source = ""  # qualified name of the definition whose text is read
        self.entries: list[Entry] = []  # with raw terms
        self.defined: list[Defined] = []
        # Where names of the top are imported, for languages in which an import declares its name; a
        # name leads there only where it leads nowhere else. Within scopes: bindings of these kinds.
        self.imports: dict[str, tuple[tuple[int, int], ...]] = {}
        self.imported_here: frozenset[str] = frozenset()
        self._reads: list[Read] = []
        self._parts = [_OpenPart("", 1, max(lines, 1))]
        self._slots: dict[str, int] = {}
        self._named_parts: dict[str, int] = {}
        self._statements = 0
        self._silent = 0
        self._terms = Terms()
        self._closed: dict[int, int] = {}
        self._seen: dict[int, Seen] = {}
        self._depth = 0

    # entering and leaving

    @contextmanager
    def scoped(self, kind: str, slot: str = "", qualified: str = "") -> Generator[Scope]:
        """A scope with a block of its own; `slot` and `qualified` as `define` gave them."""
        outer, block, source = self.scope, self.block, self.source
        self.source = qualified or source
        self.block = Block(block, depth=block.depth + 1)
        inner = kind == "block"
        self.scope = Scope(
            kind,
            outer.slot if inner else slot,
            outer.qualified if inner else qualified,
            outer,
            self.block,
            part=outer.part,
        )
        try:
            yield self.scope
        finally:
            self.scope, self.block, self.source = outer, block, source

    @contextmanager
    def part(self, slot: str, qualified: str, lines: tuple[int, int], kind: str) -> Generator[None]:
        """Uses from here on are of this definition: in a part of its own, unless within a callable."""
        scope, part, source = self.scope, self.scope.part, self.source
        self.source = qualified
        if self._parts[part].kind != "function":
            scope.part = len(self._parts)
            count = self._named_parts[slot] = self._named_parts.get(slot, 0) + 1
            name = f"{slot}~{count}" if count > 1 else slot
            self._parts.append(_OpenPart(name, *lines, kind))
        try:
            yield
        finally:
            scope.part, self.source = part, source

    @contextmanager
    def blocked(
        self, statement: int = -1, choice: int = 0, *, loop: bool = False
    ) -> Generator[Block]:
        """A block of statements within the scope; arms of one statement have different choices."""
        outer = self.block
        self.block = Block(outer, statement, choice, loop, depth=outer.depth + 1)
        try:
            yield self.block
        finally:
            self.block = outer

    @contextmanager
    def unnoted(self) -> Generator[None]:
        """What is read is used only for its terms: its names were noted before."""
        self._silent += 1
        try:
            yield
        finally:
            self._silent -= 1

    def statement(self) -> int:
        """A number for a statement with arms."""
        self._statements += 1
        return self._statements

    # what is seen

    def slot(self, name: str) -> str:
        """The slot of a definition in the scope here; inside functions each gets its own."""
        slot = f"{self.scope.slot}.{name}" if self.scope.slot else name
        scope: Scope | None = self.scope
        while scope is not None and scope.kind in ("class", "block"):
            scope = scope.parent
        local = scope is not None and scope.kind == "function"
        count = self._slots[slot] = self._slots.get(slot, 0) + 1
        return f"{slot}~{count}" if local and count > 1 else slot

    def qualified(self, name: str) -> str:
        """The name after those of the definitions around it."""
        return f"{self.scope.qualified}.{name}" if self.scope.qualified else name

    def bind(self, binding: Binding, scope: Scope | None = None) -> Scope:
        """A name bound in the scope here, or in another; gives the one it came to."""
        target = scope or self.scope
        target = target.elsewhere.get(binding.name, target)
        target.names.setdefault(binding.name, []).append(binding)
        return target

    def test(self, name: str, value: int, at: int, block: Block | None = None) -> None:
        """From here to the end of the block, a name is known to hold an instance of a type."""
        binding = Binding(name, "test", value, at, block or self.block)
        self.scope.tested.setdefault(name, []).append(binding)

    def read(self, name: str, at: int) -> int:
        """The raw term of a name used at a place."""
        self._reads.append(Read(name, self.scope, self.block, at))
        return self.raw.add("read", str(len(self._reads) - 1))

    def use(self, place: Place, kind: str, term: int) -> int:
        """Note a name in the text; gives the term back."""
        if not self._silent:
            self._parts[self.scope.part].uses.append(_Used(place, kind, term, self.source))
        return term

    # what it comes to

    def facts(self, problem: str = "") -> FileFacts:
        """Everything with local names replaced."""
        close = self._close
        entries = [
            entry._replace(
                value=close(entry.value),
                bases=tuple(map(close, entry.bases)),
                decorators=tuple(map(close, entry.decorators)),
                parameters=tuple((name, close(term)) for name, term in entry.parameters),
            )
            for entry in self.entries
        ]
        parts = [self._finished(part) for part in self._parts]
        defined = sorted(self.defined, key=lambda item: (item.line, item.column, item.slot))
        return FileFacts(
            self.language,
            self.space,
            tuple(self._terms.nodes),
            tuple(entries),
            tuple(defined),
            tuple(part for part in parts if part.uses or not part.name),
            problem,
        )

    def _finished(self, part: _OpenPart) -> Part:
        uses: list[Use] = []
        for used in part.uses:
            term, places = self._named(used.term)
            local = tuple((line - part.start, column) for line, column in places)
            if term != UNKNOWN or local:
                line, column, length, _ = used.place
                line -= part.start
                uses.append(Use(line, column, length, used.kind, used.source, term, local))
        uses.sort(key=lambda use: (use.line, use.column))
        return Part(part.name, part.start, part.end, tuple(uses))

    def _named(self, raw: int) -> tuple[int, tuple[tuple[int, int], ...]]:
        """What a use refers to: a term, or places of local bindings."""
        node = self.raw.nodes[raw]
        if node[0] != "read":
            return self._close(raw), ()
        seen = self._look(int(node[1]))
        if seen.places or seen.alias != UNKNOWN:
            return seen.alias, seen.places
        return seen.term, ()

    def _close(self, raw: int) -> int:
        known = self._closed.get(raw)
        if known is not None:
            return known
        node = self.raw.nodes[raw]
        if node[0] == "read":
            term = self._look(int(node[1])).term
        elif node[0] == "|":
            term = self._terms.any_of(
                [self._close(item) for item in node[1:] if isinstance(item, int)]
            )
        else:
            items = [self._close(item) if isinstance(item, int) else item for item in node]
            hollow = len(items) > 1 and items[1] == UNKNOWN and node[0] != "lit"
            term = UNKNOWN if hollow else self._terms.add(*items)
        self._closed[raw] = term
        return term

    def _look(self, number: int) -> Seen:
        known = self._seen.get(number)
        if known is not None:
            return known
        self._seen[number] = Seen(UNKNOWN)  # what a name that leads back to itself gets
        if self._depth > _DEEP:
            return self._seen[number]
        self._depth += 1
        self._seen[number] = found = self._found(self._reads[number])
        self._depth -= 1
        return found

    def _found(self, read: Read) -> Seen:
        test: Binding | None = None
        scope, crossed = read.scope.elsewhere.get(read.name, read.scope), False
        crossed = scope is not read.scope
        while scope.parent is not None:
            if self._is_bound(scope, read):
                if scope.kind == "class":
                    return Seen(self._terms.add("own", f"{scope.slot}.{read.name}"))
                bindings = scope.names[read.name]
                if not crossed:
                    bindings = reaching(bindings, read.block, read.at) or bindings
                    last = max((b.at for b in bindings if b.at <= read.at), default=-1)
                    test = tested(scope, read.name, read.block, read.at, last) or test
                return self._bound(bindings, test)
            if not crossed:
                test = test or tested(scope, read.name, read.block, read.at, -1)
            crossed = crossed or scope.kind == "function"
            scope = scope.parent
            scope = scope.elsewhere.get(read.name, scope)
        free = self._terms.add("name", read.name)
        value = self._close(test.value) if test is not None else free
        return Seen(value, free, self.imports.get(read.name, ()))

    def _is_bound(self, scope: Scope, read: Read) -> bool:
        bindings = scope.names.get(read.name)
        if not bindings or scope.kind != "class":
            return bool(bindings)
        return scope is read.scope and any(binding.at <= read.at for binding in bindings)

    def _bound(self, bindings: list[Binding], test: Binding | None) -> Seen:
        if len(bindings) > MOST:
            return Seen(UNKNOWN)
        values = [self._close(binding.value) for binding in bindings]
        aliases = [value for value, b in zip(values, bindings, strict=True) if b.alias]
        imports = self.imported_here
        places = {(b.line, b.column) for b in bindings if not b.alias or b.kind in imports}
        value = self._close(test.value) if test is not None else self._terms.any_of(values)
        return Seen(value, self._terms.any_of(aliases), tuple(sorted(places)))
