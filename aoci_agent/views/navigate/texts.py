"""Files as a language server must see them, read when they changed."""

import os
import stat
from collections import OrderedDict
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

from aoci_agent.views.navigate.answer import NoAnswer
from aoci_agent.views.navigate.columns import lines_of
from aoci_agent.views.syntax.text import decoded

TEXT_LIMIT = 2_000_000  # bytes of a file that is shown to a server
_KEPT = 128

Stamp = tuple[int, int, int]


class Text(NamedTuple):
    """A file's text and its lines, as of a moment."""

    stamp: Stamp
    text: str
    lines: list[str]

    def line(self, number: int) -> str:
        """A line by its number from 0, "" past the end."""
        return self.lines[number] if 0 <= number < len(self.lines) else ""


class Texts:
    """The files below a folder, the last few kept with the moment they were read."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._kept: OrderedDict[str, Text] = OrderedDict()

    def stamp(self, path: str) -> Stamp | None:
        """What changes whenever the file does; None for what is no regular file inside the folder."""
        try:
            real = (self.root / path).resolve()
            status = real.stat()
        except (OSError, RuntimeError, ValueError):
            return None
        if not stat.S_ISREG(status.st_mode) or not real.is_relative_to(self.root):
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def read(self, path: str) -> Text:
        """The present text of a file. NoAnswer for what is missing, too large or no file."""
        stamp = self.stamp(path)
        if stamp is None:
            raise NoAnswer(f"{path} is no file of the repository")
        kept = self._kept.get(path)
        if kept is None or kept.stamp != stamp:
            if stamp[1] > TEXT_LIMIT:
                raise NoAnswer(f"{path} is too large for a language server")
            try:
                text = decoded((self.root / path).read_bytes())
            except OSError as error:
                raise NoAnswer(f"{path} cannot be read") from error
            kept = Text(stamp, text, lines_of(text))
            self._kept[path] = kept
        self._kept.move_to_end(path)
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return kept

    def uri(self, path: str = "") -> str:
        """The address of a file, or of the folder itself, in the protocol."""
        whole = os.fsencode(self.root / path if path else self.root)
        return f"file://{quote_from_bytes(whole)}"

    def path_of(self, uri: str) -> tuple[str, bool]:
        """The path behind an address, and whether it lies in the folder; absolute outside."""
        parts = urlsplit(uri)
        if parts.scheme != "file":
            return uri[:200], False
        whole = Path(os.fsdecode(unquote_to_bytes(parts.path)))
        for candidate in (whole, _real(whole)):
            if candidate.is_relative_to(self.root):
                return candidate.relative_to(self.root).as_posix(), True
        return str(whole), False


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path
