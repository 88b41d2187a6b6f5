"""From what was written to the places a navigator is asked about."""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, Protocol

from aoci_agent.aoci.facts.languages import language_of
from aoci_agent.base.errors import ForModel, NotPossible, TryAgain
from aoci_agent.base.files import Workspace
from aoci_agent.tools.naming import Named, meaning_of, one_of
from aoci_agent.tools.targets import Target, columns_on, name_at
from aoci_agent.views.graph.model import Symbol
from aoci_agent.views.navigate.static import Graph as Asked
from aoci_agent.views.syntax.text import decoded

OTHERWISE = "use grep and index"
_SAME_NAME = 5  # symbols of one name whose uses are looked up together


class Origin(NamedTuple):
    """Places of one thing: path, line, column; and what a reader should know of the choice."""

    places: list[tuple[str, int, int]]
    note: str = ""


class Graph(Named, Asked, Protocol):
    """The graph view, as far as it is asked here."""

    def symbols_in(self, path: str) -> Sequence[Symbol]: ...


class Origins:
    """Finds files, lines and names in one workspace."""

    def __init__(self, workspace: Workspace, files: Callable[[], Collection[str]]) -> None:
        """`files` gives the paths the views cover at that moment."""
        self._workspace = workspace
        self._files = files

    def file(self, query: str) -> str:
        """The query as the path of a covered file, "" when it is none."""
        try:
            path = self._workspace.relative(query.strip())
        except ForModel:
            return ""
        return path if path in self._files() else ""

    def refuse_path(self, query: str) -> None:
        """Raises TryAgain for what is written like a path, and is none of a covered file."""
        query = query.strip()
        if "/" in query or language_of(query) is not None:
            raise TryAgain(self._why_not(self._workspace.relative(query)))

    def of(self, graph: Graph, target: Target) -> Origin:
        """Places to ask about. Raises TryAgain where a line names several things."""
        if target.path:
            return Origin(self._meant(graph, target))
        symbols, note = one_of(meaning_of(graph, target.name))
        if not symbols:
            raise NotPossible(f"no symbol is called {target.name}{note and f': {note}'}")
        return Origin([_at(symbol) for symbol in symbols[:_SAME_NAME]], note)

    def _meant(self, graph: Graph, target: Target) -> list[tuple[str, int, int]]:
        """The one thing of a line: what was named, what is defined there, or all that leads anywhere."""
        places = self.places(target)
        if len(places) == 1 or target.name:
            return places
        led = {place: graph.definition(*place) for place in places}
        own = [place for place in places if any(place == _at(found) for found in led[place])]
        if own:
            return own[:1]
        leading = [place for place in places if led[place]]
        if len(leading) > 1:
            names = sorted({self._name_at(*place) for place in leading})
            where = f"{target.path}:{target.line}"
            raise TryAgain(f"say which name, as {where}:{names[0]}: {', '.join(names)}")
        return leading or places

    def places(self, target: Target) -> list[tuple[str, int, int]]:
        path = self._workspace.relative(target.path)
        if path not in self._files():
            raise TryAgain(self._why_not(path))
        if target.column is not None:
            return [(path, target.line, target.column)]
        lines = self._text(path).split("\n")
        if not 0 < target.line <= len(lines):
            raise TryAgain(f"{path} has lines 1 to {len(lines)}")
        columns = columns_on(lines[target.line - 1], target.name)
        if not columns:
            told = f"no {target.name} on" if target.name else "no name on"
            raise TryAgain(f"there is {told} {path}:{target.line}")
        return [(path, target.line, column) for column in columns]

    def _why_not(self, path: str) -> str:
        if self._workspace.is_dir(path):
            return f"{path or '.'} is a folder: name a file in it"
        if self._workspace.exists(path):
            return f"{path} is no source that is read here"
        return f"there is no file {path} (paths count from {self._workspace.root})"

    def _name_at(self, path: str, line: int, column: int) -> str:
        text = self._text(path).split("\n")[line - 1]
        return name_at(text, column)

    def _text(self, path: str) -> str:
        return decoded(self._workspace.read_bytes(path))


def _at(symbol: Symbol) -> tuple[str, int, int]:
    return symbol.path, symbol.line, symbol.column
