"""The files the views cover, in one state of a repository: the work tree as it is, or a commit."""

import os
import stat
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from aoci_agent.aoci.facts.extract import why_left_out
from aoci_agent.aoci.project import project_of
from aoci_agent.aoci.scan import MAX_BYTES, Listing, by_role
from aoci_agent.aoci.versions import Versions
from aoci_agent.base.errors import ForModel, NotPossible
from aoci_agent.base.stamps import settled_stamp
from aoci_agent.base.text import content_id
from aoci_agent.views.model import Source
from aoci_agent.views.names import Names
from aoci_agent.views.snapshot import Seen
from aoci_agent.views.syntax.text import Text, decoded

if TYPE_CHECKING:
    from pathlib import Path

    from aoci_agent.base.files import Workspace
    from aoci_agent.base.git import Repository

Progress = Callable[[int, int], None]
_HELD_BYTES = 64_000_000  # of files just read, kept so that nobody reads them again or newer


class WorkTree:
    """The files of a workspace as they were at the last `look`, uncommitted changes included.

    `files` is another mapping after each look that found a change, and the same one otherwise.
    """

    def __init__(
        self,
        workspace: "Workspace",
        repository: "Repository | None",
        seen: Mapping[str, Seen] | None = None,
    ) -> None:
        """`seen` is what an earlier process knew of the files; what moved since is read again."""
        self._workspace = workspace
        self._repository = repository
        self._root = str(workspace.root)
        self.seen: dict[str, Seen] = dict(seen or {})
        self.files: Mapping[str, str] = {}
        self._findings: tuple[str, ...] = ()
        self.moved: set[str] = set()  # files that could not be read as they were at the last look
        self._names = Names(workspace, repository)
        self._paths: list[str] = []
        self._held: dict[str, bytes] = {}

    @property
    def findings(self) -> tuple[str, ...]:
        """What is to be said of the listing: submodules, unreadable folders, rules that are broken."""
        problem = (self._names.problem,) if self._names.problem else ()
        return self._findings + problem

    def look(self, progress: Progress | None = None) -> bool:
        """List, stat, and read what moved; whether `files` changed. Raises BadUsage for the first time."""
        self.moved.clear()
        self.release()
        listed = self._names.listed()
        if listed is not None:
            self._paths = listed.indexed
            self._findings = tuple(listed.findings)
        moved, gone = self._compared()
        held = 0
        for done, (path, status) in enumerate(moved, 1):
            held = self._read(path, status, held)
            if progress is not None:
                progress(done, len(moved))
        if listed is not None:
            gone = self.seen.keys() - set(self._paths)
        for path in gone:
            self.seen.pop(path, None)
        return self._renewed()

    def read(self, path: str) -> bytes:
        """The bytes of a file as it was at the last look. NotPossible: it was changed meanwhile."""
        data = self._held.get(path)
        if data is not None:
            return data
        if path not in self.files:
            raise NotPossible(f"{path} is not covered by the views")
        try:
            data = self._workspace.read_bytes(path, MAX_BYTES)
        except ForModel:
            self.moved.add(path)
            raise
        if content_id(data) != self.files[path]:
            self.moved.add(path)
            raise NotPossible(f"{path} was changed while it was read")
        return data

    def release(self) -> None:
        """Let go of the bytes kept since the last look."""
        self._held.clear()

    def compared(self, path: str, content: str) -> tuple[bool, int]:
        """Whether a file at this moment has that content, and how many lines it has if it has not.

        No lines: it is gone, or not covered any more.
        """
        known = self.seen.get(path)
        try:
            status = os.lstat(f"{self._root}/{path}")
            unmoved = known is not None and known.stamp is not None and known.stamp.fits(status)
            if known is not None and unmoved and known.content == content:
                return True, 0
            data = self._workspace.read_bytes(path, MAX_BYTES)
        except (ForModel, OSError, ValueError):
            return False, 0
        if not stat.S_ISREG(status.st_mode) or why_left_out(path, data):
            return False, 0
        return content_id(data) == content, Text(path, decoded(data)).count

    def _compared(self) -> tuple[list[tuple[str, os.stat_result]], list[str]]:
        """The files whose stamp is not the known one, and those that are no files any more."""
        moved: list[tuple[str, os.stat_result]] = []
        gone: list[str] = []
        seen, prefix, lstat = self.seen, f"{self._root}/", os.lstat
        for path in self._paths:
            try:
                status = lstat(prefix + path)
            except (OSError, ValueError):
                gone.append(path)
                continue
            known = seen.get(path)
            if known is None or known.stamp is None or not known.stamp.fits(status):
                moved.append((path, status))
        return moved, gone

    def _read(self, path: str, status: os.stat_result, held: int) -> int:
        """Read one file whose stamp moved; the number of bytes held then."""
        stamp = settled_stamp(status)  # of before the reading, so that a change meanwhile shows
        content = ""
        if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES:
            try:
                data = self._workspace.read_bytes(path, MAX_BYTES)
            except ForModel:
                self.seen[path] = Seen("", None)
                return held
            if not why_left_out(path, data):
                content = content_id(data)
                known = self.seen.get(path)
                if (known is None or known.content != content) and held <= _HELD_BYTES:
                    self._held[path] = data
                    held += len(data)
        self.seen[path] = Seen(content, stamp)
        return held

    def _renewed(self) -> bool:
        seen = self.seen
        files = {path: seen[path].content for path in self._paths if path in seen}
        files = {path: content for path, content in files.items() if content}
        if files == self.files:
            return False
        self.files = files
        return True


class Commit:
    """The files of a commit below the workspace's folder, by the rules that commit holds itself.

    Bytes are as git stores them: where a checkout converts line ends, the work tree's differ.
    """

    def __init__(self, repository: "Repository", root: "Path", revision: str) -> None:
        """Reads every file. Raises ForUser for no such commit, NotPossible for one git cannot give."""
        self._repository = repository
        self.id = Versions(repository, root).commit(revision)
        self._blobs = repository.blobs_of(self.id, root)
        self.files: Mapping[str, str] = self._covered()

    def read(self, path: str) -> bytes:
        """The bytes of a file. NotPossible: not covered, or git cannot give it."""
        return self._bytes[path] if path in self._bytes else self.read_bytes(path)

    def read_bytes(self, path: str) -> bytes:
        """The same for any file of the commit."""
        if path not in self._blobs:
            raise NotPossible(f"{path} is not in commit {self.id[:10]}")
        return next(data for _, data in self._repository.contents([self._blobs[path]]))

    def _covered(self) -> dict[str, str]:
        listed = by_role(self._blobs, project_of(self), Listing()).indexed
        small = [path for path in listed if self._blobs[path].size <= MAX_BYTES]
        contents = self._repository.contents(self._blobs[path] for path in small)
        self._bytes = {
            path: data
            for path, (_, data) in zip(small, contents, strict=True)
            if not why_left_out(path, data)
        }
        return {path: content_id(data) for path, data in self._bytes.items()}


class Counted:
    """A source that tells how many of its files were read."""

    def __init__(self, source: Source, progress: Progress) -> None:
        self.files = source.files
        self._source = source
        self._progress = progress
        self._done = 0

    def read(self, path: str) -> bytes:
        """As the source it counts for."""
        self._done += 1
        self._progress(min(self._done, len(self.files)), len(self.files))
        return self._source.read(path)
