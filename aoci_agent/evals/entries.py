"""The AOCI index of commits for the measures: made as a session makes it, in a folder of its own."""

import tempfile
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from aoci_agent.aoci.model import Index
from aoci_agent.aoci.store import IndexStore
from aoci_agent.base.files import Workspace
from aoci_agent.evals.commits import Tree
from aoci_agent.views.snapshot import delta_between

if TYPE_CHECKING:
    from collections.abc import Mapping


class Entries:
    """Follows one repository from commit to commit; what was parsed once is not parsed again."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="aoci-measure-")
        self._root = Path(self._folder.name) / "tree"
        self._root.mkdir()
        self._workspace = Workspace(self._root)
        self._files: Mapping[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._workspace.close()
        self._folder.cleanup()

    def of(self, tree: Tree) -> Index:
        """The index of a commit's covered files."""
        delta = delta_between(self._files, tree.files)
        for path in delta.removed:
            (self._root / path).unlink()
        for path in delta.touched:
            place = self._root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(tree.read(path))
        self._files = tree.files
        store = IndexStore(self._workspace, None, Path(self._folder.name) / "cache")
        store.follow()
        return store.current
