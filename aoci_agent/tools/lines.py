"""Lines and line ends of a text, without ever changing the ones that are not edited."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

NUMBER_MARK = "\t"  # between line number and text: the cheapest by tokens of those tried


def split(text: str) -> list[str]:
    """The lines of a text without their ends; a final line end starts no further line."""
    return View.of(text).lines


def numbered(lines: list[str], first: int) -> str:
    """Lines as the model is shown them: number, tab, text."""
    return "\n".join(f"{first + at}{NUMBER_MARK}{line}" for at, line in enumerate(lines))


def common_start(left: Sequence[str], right: Sequence[str]) -> int:
    """How many characters, or lines, are the same at the beginning of both."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(left), len(right)))


@dataclass(frozen=True, slots=True)
class View:
    """A text whose every line end is "\\n", with the way back to offsets in the real text.

    A lone carriage return ends a line only in a file that has no other line ends.
    """

    text: str
    ends: tuple[int, ...]  # positions, in `text`, of line ends that are two characters in the file

    @classmethod
    def of(cls, text: str) -> "View":
        """The view of a text."""
        if "\r" not in text:
            return cls(text, ())
        if "\n" not in text:
            return cls(text.replace("\r", "\n"), ())
        ends: list[int] = []
        at = text.find("\r\n")
        while at >= 0:
            ends.append(at - len(ends))
            at = text.find("\r\n", at + 2)
        return cls(text.replace("\r\n", "\n"), tuple(ends))

    @property
    def lines(self) -> list[str]:
        """The lines without their ends."""
        lines = self.text.split("\n")
        return lines[:-1] if lines[-1] == "" else lines

    def original(self, at: int) -> int:
        """Offset in the real text of offset `at` in the view."""
        return at + bisect_left(self.ends, at)

    def line_number(self, at: int) -> int:
        """The line, counted from 1, that holds offset `at` of the view."""
        return self.text.count("\n", 0, at) + 1


def newline_near(text: str, at: int, default: str) -> str:
    """The end of the line that holds offset `at`, else of the line before it, else `default`."""
    after = _newline_at(text, text.find("\n", at))
    return after or _newline_at(text, text.rfind("\n", 0, at)) or default


def _newline_at(text: str, at: int) -> str:
    if at < 0:
        return ""
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"
