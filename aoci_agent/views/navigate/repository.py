"""Navigation over a repository's views: the graph in step with the files, and servers told what changed."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from aoci_agent.base.errors import NotPossible
from aoci_agent.views.navigate.answer import Answer, NoAnswer
from aoci_agent.views.navigate.live import FOLDER, LiveNavigator
from aoci_agent.views.navigate.policy import Navigation, Policy
from aoci_agent.views.navigate.static import Graph, StaticNavigator

if TYPE_CHECKING:
    from aoci_agent.views.maintain import RepositoryViews


class GraphNavigator:
    """A Navigator over the graph view; every answer is of the files as they are now.

    The views are held only while the graph is asked, never while a server is. `tell` gets the paths
    that changed since the last question.
    """

    def __init__(self, views: "RepositoryViews", tell: Callable[[Sequence[str]], None]) -> None:
        self._views = views
        self._tell = tell
        self._told: Mapping[str, str] | None = None

    def definition(self, path: str, line: int, column: int) -> Answer:
        """Where the graph says it is defined."""
        return self._asked(lambda graph: graph.definition(path, line, column))

    def references(self, path: str, line: int, column: int) -> Answer:
        """The uses that the graph leads to it."""
        return self._asked(lambda graph: graph.references(path, line, column))

    def hover(self, path: str, line: int, column: int) -> Answer:
        """Signature and documentation of what it is."""
        return self._asked(lambda graph: graph.hover(path, line, column))

    def symbols(self, query: str) -> Answer:
        """Definitions of that name."""
        return self._asked(lambda graph: graph.symbols(query))

    def callers(self, path: str, line: int, column: int) -> Answer:
        """The calls that the graph leads to it."""
        return self._asked(lambda graph: graph.callers(path, line, column))

    def in_step(self) -> None:
        """Look at the files, and tell which changed."""
        with self._views.answering("graph") as now:
            changed = self._changed(now.tree.files)
        self._tell(changed)

    def _asked(self, ask: Callable[[StaticNavigator], Answer]) -> Answer:
        with self._views.answering("graph") as now:
            changed = self._changed(now.tree.files)
            try:
                answer = ask(StaticNavigator(cast("Graph", now.view("graph"))))
            except NotPossible as error:
                raise NoAnswer(str(error)) from error
        self._tell(changed)
        return answer

    def _changed(self, files: Mapping[str, str]) -> list[str]:
        """The paths that are not as they were at the last question; none at the first."""
        told, self._told = self._told, files
        if told is None or told is files:
            return []
        return sorted(p for p in told.keys() | files.keys() if told.get(p) != files.get(p))


def navigation_of(
    views: "RepositoryViews", root: Path, cache: Path, policy: Policy
) -> tuple[Navigation, LiveNavigator]:
    """Navigation under a policy, and its servers, to be closed at the end.

    `cache` is the repository's folder outside of it. Choosing any policy but static is what makes the
    repository trusted: the setting `navigation`, which no repository can set.
    """
    live = LiveNavigator(
        root,
        cache / FOLDER,
        lambda: list(views.tree.files),
        trusted=policy is not Policy.STATIC,
    )
    static = GraphNavigator(views, live.tell)
    return Navigation(static, live, policy, static.in_step), live
