"""Language servers beside the graph of a repository that is edited meanwhile."""

from collections.abc import Callable, Mapping
from pathlib import Path

from aoci_agent.base.box import Box
from aoci_agent.views.navigate.live import FOLDER, LiveNavigator
from aoci_agent.views.navigate.policy import Navigation, Policy
from aoci_agent.views.navigate.static import StaticNavigator


class Beside:
    """Navigation under a policy, made anew for each question; its servers are to be closed at the end.

    `files` gives the repository's files as the graph is of at that moment. `cache` is the
    repository's folder outside of it. Choosing any policy but static is what makes the
    repository trusted: the setting `navigation`, which no repository can set. Servers run in `box`.
    """

    def __init__(
        self,
        root: Path,
        cache: Path,
        policy: Policy,
        files: Callable[[], Mapping[str, str]],
        box: Box | None = None,
    ) -> None:
        trusted = policy is not Policy.STATIC
        scratch = cache / FOLDER
        self.live = LiveNavigator(root, scratch, lambda: list(files()), trusted=trusted, box=box)
        self._policy = policy
        self._files = files
        self._told: Mapping[str, str] | None = None

    def __call__(self, static: StaticNavigator) -> Navigation:
        """Both sources, the servers that run told which files changed since the last question."""
        self.live.tell(self._changed())
        return Navigation(static, self.live, self._policy)

    def _changed(self) -> list[str]:
        """The paths that are not as they were at the last question; none at the first."""
        told, files = self._told, self._files()
        self._told = files
        if told is None or told is files:
            return []
        return sorted(p for p in told.keys() | files.keys() if told.get(p) != files.get(p))
