"""The text files that tools read and change: what the model has seen of them, and every check."""

from dataclasses import dataclass, field

from aoci_agent.base.errors import NotPossible, TryAgain
from aoci_agent.base.files import TextFile, Workspace, content_id
from aoci_agent.base.protected import protected_part
from aoci_agent.tools.listing import FileList

OTHERS = ".aoci"  # belongs to another program


@dataclass(slots=True)
class _Seen:
    content_id: str
    spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def add(self, first: int, last: int) -> None:
        merged: list[tuple[int, int]] = []
        for start, end in sorted([*self.spans, (first, last)]):
            if merged and start <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        self.spans = merged


class Ledger:
    """Shared by read, edit and write, so that nothing is overwritten that the model never saw.

    Lines are counted from 1. A content id is `base.files.content_id` of the bytes that were read;
    what was seen of other bytes counts for nothing.
    """

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}
        self._failures: dict[str, int] = {}

    def saw(self, path: str, content_id: str, first: int, last: int) -> None:
        """Lines `first` to `last` were shown to the model."""
        seen = self._seen.get(path)
        if seen is None or seen.content_id != content_id:
            seen = self._seen[path] = _Seen(content_id)
        seen.add(first, last)

    def wrote(self, path: str, content_id: str, lines: int) -> None:
        """The model itself wrote the whole file."""
        self._seen[path] = _Seen(content_id, [(1, lines)])
        self._failures.pop(path, None)

    def edited(self, path: str, content: tuple[str, str], line: int, shift: int) -> None:
        """One edit at `line` moved a file from the first content id to the second.

        The file grew by `shift` lines there. What was seen before and after it stays known.
        """
        before, after = content
        self._failures.pop(path, None)
        seen = self._seen.get(path)
        if seen is None or seen.content_id != before:
            return
        moved = [
            (first + shift if first > line else first, last + shift if last >= line else last)
            for first, last in seen.spans
        ]
        self._seen[path] = _Seen(after, [(first, last) for first, last in moved if first <= last])

    def known_id(self, path: str) -> str:
        """The content id the model last saw, "" when it never saw the file."""
        seen = self._seen.get(path)
        return seen.content_id if seen else ""

    def first_unseen(self, path: str, content_id: str, lines: int) -> int:
        """The first line of this content the model has not seen; 0 when it has seen all."""
        seen = self._seen.get(path)
        if seen is None or seen.content_id != content_id:
            return 1
        if not seen.spans or seen.spans[0][0] > 1:
            return 1
        end = seen.spans[0][1]
        return end + 1 if end < lines else 0

    def failed(self, path: str) -> int:
        """Count one more failed edit of a file; returns how many in a row that makes."""
        self._failures[path] = self._failures.get(path, 0) + 1
        return self._failures[path]


class Documents:
    """The workspace as seen by tools that change text files."""

    def __init__(self, workspace: Workspace, files: FileList, ledger: Ledger) -> None:
        self.workspace = workspace
        self.ledger = ledger
        self._files = files

    def changeable(self, path: str) -> str:
        """The repository path of a file, refusing what no tool may change."""
        relative = self.workspace.relative(path)
        if not relative:
            raise TryAgain("path names the workspace itself: name a file")
        parts = tuple(relative.split("/"))
        part = protected_part(parts) or next((name for name in parts if name == OTHERS), "")
        if part:
            raise NotPossible(f"{relative}: what is in {part} is not changed by tools")
        return relative

    def open(self, path: str) -> TextFile:
        """An existing text file. A missing one is answered with near names."""
        if not self.workspace.exists(path):
            raise TryAgain(f"{path} does not exist.{self._files.did_you_mean(path)}")
        if self.workspace.is_dir(path):
            raise TryAgain(f"{path} is a directory: name a file")
        return self.workspace.read_text(path)

    def shown(self, path: str) -> str:
        """A path as a person is asked about it: that other names change too is said."""
        count = self.workspace.names_of(path)
        return f"{path} (a file with {count} names)" if count > 1 else path

    def save(self, path: str, file: TextFile, expect: str) -> str:
        """Write a text as its file was encoded, if the file is still the expected one; its new id."""
        data = file.encode()
        self.workspace.write_bytes(path, data, expect=expect)
        return content_id(data)
