"""Answers of the graph of definitions and references."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from aoci_agent.base.errors import ForModel
from aoci_agent.views.graph.model import Reference, Symbol
from aoci_agent.views.model import Location
from aoci_agent.views.navigate.answer import Answer, Place, Provenance
from aoci_agent.views.navigate.written import written

_SYMBOLS = 100


class Graph(Protocol):
    """What is asked of the graph view."""

    def definition(self, path: str, line: int, column: int) -> Sequence[Symbol]: ...

    def named(self, name: str) -> Sequence[Symbol]: ...

    def references(self, symbol: Symbol) -> Sequence[Reference]: ...


@dataclass(frozen=True, slots=True)
class StaticNavigator:
    """A Navigator over the graph.

    A definition is exact when it is the only one. References are never called exact: a use whose
    type nobody can tell leads nowhere, and what leads nowhere may be one of them.
    """

    graph: Graph
    read: Callable[[str], bytes]  # a file as the graph is of; ForModel where it is gone

    def definition(self, path: str, line: int, column: int) -> Answer:
        """Where the graph says it is defined."""
        symbols = self.graph.definition(path, line, column)
        return Answer(_places(symbols), Provenance.STATIC, exact=len(symbols) == 1)

    def references(self, path: str, line: int, column: int) -> Answer:
        """The uses that the graph leads to it."""
        return self._uses(path, line, column)

    def callers(self, path: str, line: int, column: int) -> Answer:
        """The calls that the graph leads to it; `symbol` is the calling definition."""
        return self._uses(path, line, column, "call")

    def hover(self, path: str, line: int, column: int) -> Answer:
        """Signature and documentation of what it is."""
        symbols = self.graph.definition(path, line, column)
        text = "\n\n".join(self._written(symbol) for symbol in symbols)
        return Answer(_places(symbols), Provenance.STATIC, exact=len(symbols) == 1, text=text)

    def symbols(self, query: str) -> Answer:
        """Definitions of that name, the exact ones first."""
        found = self.graph.named(query)[:_SYMBOLS]
        return Answer(_places(found), Provenance.STATIC, exact=bool(found))

    def _written(self, symbol: Symbol) -> str:
        try:
            return written(symbol, self.read(symbol.path))
        except ForModel:
            return "\n".join(filter(None, (symbol.signature, symbol.doc)))

    def _uses(self, path: str, line: int, column: int, kind: str = "") -> Answer:
        symbols = self.graph.definition(path, line, column)
        found = {
            Place(reference.location, reference.source, reference.kind)
            for symbol in symbols
            for reference in self.graph.references(symbol)
            if kind in ("", reference.kind) and not _is_itself(symbol, reference)
        }
        note = f"uses of {len(symbols)} possible definitions" if len(symbols) > 1 else ""
        return Answer(tuple(sorted(found)), Provenance.STATIC, note)


def _is_itself(symbol: Symbol, reference: Reference) -> bool:
    """Whether a use is the definition: a variable is defined by being written."""
    where = reference.location
    return (where.path, where.start, where.column) == (symbol.path, symbol.line, symbol.column)


def _places(symbols: Sequence[Symbol]) -> tuple[Place, ...]:
    """Where the names of symbols stand: on their line, not on the decorators above."""
    return tuple(
        Place(
            Location(
                symbol.path, symbol.line, max(symbol.line, symbol.location.end), symbol.column
            ),
            symbol.qualified,
            symbol.kind,
        )
        for symbol in symbols
    )
