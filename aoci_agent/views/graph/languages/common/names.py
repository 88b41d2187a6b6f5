"""A draft for languages in which a bare name may be a member of the types around it."""

from collections.abc import Iterable

from aoci_agent.views.graph.draft import Draft, Read, Seen
from aoci_agent.views.graph.model import UNKNOWN
from aoci_agent.views.graph.scopes import Scope, reaching
from aoci_agent.views.graph.terms import Terms


class Names(Draft):
    """As `Draft`; besides it knows what the types and inner modules around a name contribute.

    `free` is the term of a name that is not bound in the file's functions: `name` or `seen`;
    `free_type` the same for names of types. `implicit`: whether members are seen without a receiver.
    """

    def __init__(
        self, language: str, space: str, lines: int, free: str, free_type: str = ""
    ) -> None:
        super().__init__(language, space, lines)
        self.free = free
        self.free_type = free_type or free
        self.implicit = True
        self.receivers: dict[Scope, int] = {}  # scope of a type -> raw term of its own instance
        self.open: set[Scope] = set()  # types with members that are not in this file
        self.inner: set[Scope] = set()  # modules and namespaces within the file
        self.behind: list[int] = []  # raw terms of types all of whose members the file sees
        self.prefixes: list[str] = []  # of names from namespaces that are seen whole
        self._own: frozenset[str] | None = None
        self._types: set[tuple[str, int]] = set()  # names read as types, and where

    def first(self, *raw: int) -> int:
        """The first of these that is anything."""
        return _first(self.raw, raw)

    def read_type(self, name: str, at: int) -> int:
        """The raw term of a name where only a type can stand."""
        self._types.add((name, at))
        return self.raw.add("typed", self.read(name, at))

    def _close(self, raw: int) -> int:
        node = self.raw.nodes[raw]
        if node[0] != "first" or raw in self._closed:
            return super()._close(raw)
        term = self._first([self._close(item) for item in node[1:] if isinstance(item, int)])
        self._closed[raw] = term
        return term

    def _first(self, terms: list[int]) -> int:
        return _first(self._terms, terms)

    def _found(self, read: Read) -> Seen:
        around: list[tuple[int, bool]] = []  # terms, and whether they are sure
        scope, crossed = read.scope, False
        typed = (read.name, read.at) in self._types
        while scope.parent is not None:
            bindings = scope.names.get(read.name)
            if bindings and typed:
                bindings = [binding for binding in bindings if binding.alias]
            if bindings:
                sure = [term for term, known in around if known]
                if sure and not typed:
                    return Seen(sure[0], sure[0])
                if not crossed:
                    bindings = reaching(bindings, read.block, read.at) or bindings
                return self._bound(bindings, None)
            term, known = self._member(scope, read.name)
            if term != UNKNOWN:
                around.append((term, known))
            if known and len(around) == 1 and not typed:
                return Seen(term, term)
            crossed = crossed or scope.kind == "function"
            scope = scope.parent
        operator = self.free_type if typed else self.free
        free = self._first(
            [
                self._terms.add(operator, read.name),
                *(self._terms.add(operator, f"{prefix}.{read.name}") for prefix in self.prefixes),
            ]
        )
        behind = [self._terms.add(".", self._close(term), read.name) for term in self.behind]
        return Seen(self._first([*(term for term, _ in around), free, *behind]))

    def _member(self, scope: Scope, name: str) -> tuple[int, bool]:
        """What a type or inner module around a name has under it, and whether the file says so."""
        if scope not in self.inner and (scope not in self.receivers or not self.implicit):
            return UNKNOWN, False
        if self._own is None:
            self._own = frozenset(entry.slot for entry in self.entries)
        slot = f"{scope.slot}.{name}"
        known = slot in self._own
        if scope in self.inner:
            if known:
                return self._terms.add("own", slot), True
            return (
                (self._terms.add("seen", slot), False) if self.free == "seen" else (UNKNOWN, False)
            )
        if known or scope in self.open:
            return self._terms.add(".", self._close(self.receivers[scope]), name), known
        return UNKNOWN, False


def _first(table: Terms, terms: Iterable[int]) -> int:
    known = [term for term in dict.fromkeys(terms) if term != UNKNOWN]
    if len(known) < 2:
        return known[0] if known else UNKNOWN
    return table.add("first", *known)
