"""The files of a workspace that are worth looking at: what git knows or would add."""

import asyncio
import difflib
import os
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from aoci_agent.base.files import STATE, Workspace

if TYPE_CHECKING:
    from aoci_agent.base.git import Repository

# Left out where there is no repository to ask: version control, dependencies, caches.
SKIPPED = frozenset(
    {".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".mypy_cache"}
    | {".pytest_cache", ".ruff_cache", "target", ".next"}
)

NEAR = 3  # files named when a path is not there


class FileList:
    """Paths relative to the workspace, forward slashes, sorted. Asked anew at each call."""

    def __init__(self, workspace: Workspace) -> None:
        self._root = workspace.root

    async def files(self, under: str = "") -> list[str]:
        """The files at or below a folder, off the event loop."""
        return await asyncio.to_thread(self.files_now, under)

    def files_now(self, under: str = "") -> list[str]:
        """The files at or below a folder ("" for all)."""
        repository = self._repository
        found = repository.files(self._root) if repository else _walk(self._root)
        if not under:
            # The index answers through its own tool; found in a search it is only noise.
            return [path for path in found if not path.startswith(f"{STATE}/")]
        return [path for path in found if path == under or path.startswith(under + "/")]

    def did_you_mean(self, path: str) -> str:
        """A sentence with files a model may have meant by a path that is not there, or ""."""
        files = self.files_now()
        lower = path.lower()
        name = PurePosixPath(lower).name
        near = [file for file in files if file.lower() == lower]
        near += [file for file in files if PurePosixPath(file.lower()).name == name]
        if len(near) < NEAR:
            near += difflib.get_close_matches(path, files[:20_000], n=NEAR, cutoff=0.75)
        near = list(dict.fromkeys(near))[:NEAR]
        return f" Did you mean {' or '.join(near)}?" if near else ""

    @cached_property
    def _repository(self) -> "Repository | None":
        # Imported here because git support is slow to load and many calls never need it.
        from aoci_agent.base.git import Repository

        return Repository.find(self._root)


def _walk(root: Path) -> list[str]:
    from pathspec import GitIgnoreSpec

    rules = root / ".gitignore"
    text = rules.read_text(encoding="utf-8", errors="replace") if rules.is_file() else ""
    ignored = GitIgnoreSpec.from_lines(text.splitlines())
    found: list[str] = []
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if name not in SKIPPED]
        base = Path(folder).relative_to(root)
        paths = [(base / name).as_posix() for name in files if (Path(folder) / name).is_file()]
        found += [path for path in paths if not ignored.match_file(path)]
    return sorted(found)
