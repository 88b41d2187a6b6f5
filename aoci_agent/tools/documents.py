"""Opening and saving the text files that tools change, with every check in one place."""

from dataclasses import dataclass, replace

from aoci_agent.base.errors import NotPossible, TryAgain
from aoci_agent.base.files import TextFile, Workspace, content_id
from aoci_agent.base.protected import protected_part
from aoci_agent.tools.ledger import Ledger
from aoci_agent.tools.lines import View
from aoci_agent.tools.listing import FileList
from aoci_agent.tools.near import did_you_mean

OTHERS = ".aoci"  # belongs to another program


@dataclass(frozen=True, slots=True)
class Saved:
    """What a save left on the disk."""

    content_id: str
    lines: int


class Documents:
    """The workspace as seen by tools that change text files."""

    def __init__(self, workspace: Workspace, files: FileList, ledger: Ledger) -> None:
        self.workspace = workspace
        self.ledger = ledger
        self._files = files

    def relative(self, path: str) -> str:
        """The repository path of a file, with the path's own sense checked."""
        relative = self.workspace.relative(path)
        if not relative or relative == ".":
            raise TryAgain("path names the workspace itself: name a file")
        return relative

    def changeable(self, path: str) -> str:
        """Like `relative`, refusing what no tool may change."""
        relative = self.relative(path)
        parts = tuple(relative.split("/"))
        part = protected_part(parts) or next((name for name in parts if name == OTHERS), "")
        if part:
            raise NotPossible(f"{relative}: what is in {part} is not changed by tools")
        return relative

    def open(self, path: str) -> TextFile:
        """An existing text file. A missing one is answered with near names."""
        self.must_exist(path)
        if self.workspace.is_dir(path):
            raise TryAgain(f"{path} is a directory: name a file")
        return self.workspace.read_text(path)

    def must_exist(self, path: str) -> None:
        """Raise TryAgain with near names for a path that is not there."""
        if not self.workspace.exists(path):
            raise TryAgain(f"{path} does not exist.{did_you_mean(path, self._files.files_now())}")

    def save(self, path: str, file: TextFile, expect: str) -> Saved:
        """Write a text as its file was encoded, if the file is still the expected one."""
        data = file.encode()
        self.workspace.write_bytes(path, data, expect=expect)
        return Saved(content_id(data), len(View.of(file.text).lines))


def with_text(file: TextFile, text: str) -> TextFile:
    """The same file with another text; its encoding and byte-order mark stay."""
    return replace(file, text=text)
