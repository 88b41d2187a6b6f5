"""Questions about the code, answered from the views: what the model's tools and the command line share.

Every answer is of the files as they are now: the views follow them first, and a place whose file was
changed while the answer was made is marked stale.
"""

import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, cast

from aoci_agent.aoci.model import Index
from aoci_agent.base.errors import ForModel, NotPossible
from aoci_agent.base.files import Workspace
from aoci_agent.base.secret_paths import may_hold_secrets
from aoci_agent.tools.naming import meaning_of
from aoci_agent.tools.origins import OTHERWISE, Graph, Origins
from aoci_agent.tools.targets import target_of
from aoci_agent.views.graph.model import Symbol
from aoci_agent.views.maintain import Progress, RepositoryViews
from aoci_agent.views.navigate.answer import Answer, Navigator, Place, joined
from aoci_agent.views.navigate.static import StaticNavigator
from aoci_agent.views.retrieve.answer import retrieve
from aoci_agent.views.retrieve.material import Judge, Material
from aoci_agent.views.retrieve.plans import AUTO, plan_named
from aoci_agent.views.syntax.text import decoded


class Row(NamedTuple):
    """A place of an answer. `lines` are the first of its text; stale: its file has just changed."""

    path: str
    start: int
    end: int
    column: int = 0
    symbol: str = ""
    kind: str = ""
    score: float = 0.0
    reason: str = ""
    stale: bool = False
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """Rows in order; `how` is the plan, or where the places come from; `note` is for the reader."""

    rows: tuple[Row, ...]
    how: str
    note: str = ""
    text: str = ""  # of a hover


class Entries(Protocol):
    """The AOCI index as it is now. Satisfied by `aoci.store.IndexStore`."""

    @property
    def current(self) -> Index: ...


Navigate = Callable[[StaticNavigator], Navigator]  # puts another source beside the graph


class Lookups:
    """Search and navigation in one workspace."""

    def __init__(
        self,
        workspace: Workspace,
        views: RepositoryViews,
        entries: Entries | None = None,
        navigate: Navigate | None = None,
        judge: Judge | None = None,
        progress: Progress | None = None,
    ) -> None:
        """`navigate` is called for every question; without it the graph alone answers."""
        self._workspace = workspace
        self._views = views
        self._origins = Origins(workspace, lambda: views.tree.files)
        self._entries = entries
        self._navigate = navigate
        self._judge = judge
        self._progress = progress

    def search(self, query: str, *, plan: str = AUTO, limit: int = 10, lines: int = 0) -> Found:
        """The blocks that fit best, each with its first `lines`. Raises NotPossible, BadUsage."""
        needs = ("lexical", "dense") if plan == AUTO else plan_named(plan).needs
        there = [name for name in needs if name in self._views.held]
        with self._views.answering(*there, progress=self._progress) as now:
            started = time.perf_counter()
            answer = retrieve(query, self._material(now), plan, limit)
            source = "lexical" if now.has("lexical") else "dense"
            checked = now.checked(source, answer.hits)
            now.asked(source, time.perf_counter() - started)
        rows = [
            Row(
                hit.path, start, end, 0, hit.symbol, hit.kind, hit.score, hit.reason, not fresh,
                self._first(hit.path, start, min(end, start + lines - 1)),
            )
            for hit, start, end, fresh in checked
        ]  # fmt: skip
        return Found(tuple(rows), answer.plan)

    def symbols(self, query: str) -> Found:
        """Definitions in a file, when the query is a path of one, else by name."""
        with self._graph() as graph:
            path = self._origins.file(query)
            if path:
                return self._of_symbols(graph.symbols_in(path), "static")
            name = target_of(query).name or query
            answer = self._navigator(graph).symbols(name)
            if answer.places:
                return self._of_answer(answer)
            self._origins.refuse_path(query)
            return self._of_symbols((), "static", note=meaning_of(graph, name).note)

    def definition(self, of: str, lines: int = 0) -> Found:
        """Where it is defined, with the first lines of the definition."""
        target = target_of(of)
        with self._graph() as graph:
            if not target.path:
                symbols, note = meaning_of(graph, target.name)
                return self._of_symbols(symbols, "static", lines, note)
            found = [
                self._navigator(graph).definition(path, line, column)
                for path, line, column in self._origins.places(target)
            ]
            return self._of_answer(_together(found), lines)

    def references(self, of: str, *, calls: bool = False) -> Found:
        """Where it is used, or only where it is called. Raises TryAgain when it is not clear what."""
        with self._graph() as graph:
            navigator = self._navigator(graph)
            ask = navigator.callers if calls else navigator.references
            places, note = self._origins.of(graph, target_of(of))
            return self._of_answer(_together([ask(*place) for place in places], note), 1)

    def hover(self, of: str) -> Found:
        """Signature and documentation."""
        with self._graph() as graph:
            navigator = self._navigator(graph)
            places, note = self._origins.of(graph, target_of(of))
            return self._of_answer(_together([navigator.hover(*place) for place in places], note))

    # inside

    def _material(self, now: RepositoryViews) -> Material:
        def view(name: str) -> Any:
            return now.view(name) if now.has(name) else None

        if not now.tree.files:
            raise NotPossible(f"there is nothing to search in this folder; {OTHERWISE}")
        return Material(
            now.tree.files,
            words=view("lexical"),
            meaning=view("dense"),
            links=view("graph"),
            entries=self._entries.current if self._entries else None,
            judge=self._judge,
            read=self._text,
        )

    @contextmanager
    def _graph(self) -> Generator[Graph]:
        if "graph" not in self._views.held:
            raise NotPossible(f"this session has no graph of symbols; {OTHERWISE}")
        with self._views.answering("graph", progress=self._progress) as now:
            try:
                graph = now.view("graph")
            except NotPossible as error:
                raise NotPossible(f"{error}; {OTHERWISE}") from error
            started = time.perf_counter()
            yield cast("Graph", graph)
            now.asked("graph", time.perf_counter() - started)

    def _navigator(self, graph: Graph) -> Navigator:
        static = StaticNavigator(graph, self._views.tree.read)
        return static if self._navigate is None else self._navigate(static)

    def _of_symbols(
        self, symbols: Iterable[Symbol], how: str, lines: int = 0, note: str = ""
    ) -> Found:
        places = [Place(symbol.location, symbol.qualified, symbol.kind) for symbol in symbols]
        return Found(self._rows(places, lines), how, note)

    def _of_answer(self, answer: Answer, lines: int = 0) -> Found:
        rows = self._rows(answer.places, lines)
        return Found(rows, str(answer.provenance), answer.note, answer.text)

    def _rows(self, places: Iterable[Place], lines: int) -> tuple[Row, ...]:
        located = [_Located(place, *place.location) for place in places]
        return tuple(
            Row(
                hit.path, start, end, hit.column, hit.place.symbol, hit.place.kind, stale=not fresh,
                lines=self._first(hit.path, start, min(end, start + lines - 1)),
            )
            for hit, start, end, fresh in self._views.checked("graph", located)
        )  # fmt: skip

    def _first(self, path: str, start: int, end: int) -> tuple[str, ...]:
        if end < start:
            return ()
        if may_hold_secrets(path):
            return ("[may hold secrets: read asks the user]",)
        try:
            return tuple(self._text(path).split("\n")[start - 1 : end])
        except ForModel:  # gone meanwhile
            return ()

    def _text(self, path: str) -> str:
        return decoded(self._workspace.read_bytes(path))


class _Located(NamedTuple):
    place: Place
    path: str
    start: int
    end: int
    column: int


def _together(answers: Sequence[Answer], note: str = "") -> Answer:
    """Several answers as one, without repeats; the note comes first."""
    first = answers[0]
    if len(answers) == 1:
        return replace(first, note=joined(note, first.note)) if note else first
    places = dict.fromkeys(place for answer in answers for place in answer.places)
    texts = dict.fromkeys(answer.text for answer in answers if answer.text)
    notes = dict.fromkeys(answer.note for answer in answers)
    return Answer(
        tuple(places),
        max(answer.provenance for answer in answers),
        joined(note, *notes),
        exact=all(answer.exact for answer in answers),
        text="\n\n".join(texts),
    )
