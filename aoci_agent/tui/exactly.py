"""A command shown so that what is read is what runs: nothing invisible, nothing out of sight.

What is shown can be read back to the very characters: whatever could be taken for something else
is spelled out, and so is text that looks like such a spelling.
"""

import re
import unicodedata
from collections.abc import Sequence

from textual.content import Content

from aoci_agent.base.terminal import clean

_SPELLED = re.compile(r"\t| {12,}| +$|<(?=U\+[0-9A-F]|tab>|\d+ spaces>)|[^ -~]")
_WORD = re.compile(r"[^\W\d_]+")
# Signs that pass for one that bash obeys, beyond those that Unicode itself calls equal.
_SIGNS = frozenset("\u01c0\u02bc\u02d0\u2010\u2011\u2012\u2018\u2019\u201a\u201c\u201d\u2032\u2033\u2044\u204e\u2212\u2215\u2216\u2217\u2223\u2236\u29f5\u29f8\ua789")  # fmt: skip
_PICTURES = range(0x2400, 0x2440)  # how control characters are shown
_ALPHABETS = frozenset(
    {"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "FULLWIDTH", "MATHEMATICAL"}
)
# Letters of other alphabets that look like Latin ones.
_LOOK_LATIN = frozenset("асеорхуіјѕһԁԛԝАВСЕНІЈКМОРЅТХαικνορυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսոցհ")


def exact_command(text: str) -> Content:
    """The command line by line; what cannot be seen or misleads is spelled out."""
    return exact_lines(text.split("\n"), "$ ")


def exact_lines(lines: Sequence[str], first: str = "  ") -> Content:
    """Lines as they are, each behind a margin that no text can imitate in colour."""
    parts: list[Content] = []
    for number, line in enumerate(lines):
        parts.append(Content.styled("  " if number else first, "$muted"))
        parts.append(_spelled(line))
        parts.append(Content("\n"))
    return Content("").join(parts[:-1])


def _spelled(line: str) -> Content:
    parts: list[Content] = []
    place = 0
    for found in _SPELLED.finditer(line):
        spelling = _spelling(found[0])
        if spelling != found[0]:
            parts.append(Content.styled(line[place : found.start()], "bold"))
            parts.append(Content.styled(spelling, "$text-warning"))
            place = found.end()
    parts.append(Content.styled(line[place:], "bold"))
    return Content("").join(parts)


def _spelling(text: str) -> str:
    """How blanks or one character are shown; the character itself when it is what it looks like."""
    if text == "\t":
        return "<tab>"
    if text.isspace() and text.isascii() and text[0] == " ":
        return f"<{len(text)} spaces>"
    if unicodedata.category(text) == "Cc" and clean(text) != text:
        return clean(text)
    misleads = (
        *(text == "<", text in _SIGNS, ord(text) in _PICTURES, clean(text) != text),
        unicodedata.category(text)[0] not in "LNPS",
        unicodedata.category(text)[0] in "PS" and unicodedata.normalize("NFKC", text).isascii(),
    )
    return f"<U+{ord(text):04X}>" if any(misleads) else text


def warnings(text: str) -> list[str]:
    """What a reader could be misled by: words that mix alphabets, or pass for Latin ones."""
    words = _WORD.findall(text)
    mixed = [word for word in words if len(_alphabets(word)) > 1]
    posing = [
        w for w in words if set(w) <= _LOOK_LATIN or _alphabets(w) & {"FULLWIDTH", "MATHEMATICAL"}
    ]
    shown = [f"{word} ({'+'.join(sorted(_alphabets(word)))})" for word in [*mixed, *posing][:3]]
    return [f"⚠ letters of several alphabets: {', '.join(shown)}"] if shown else []


def _alphabets(word: str) -> set[str]:
    names = {unicodedata.name(letter, "?").split(" ")[0] for letter in word}
    return names & _ALPHABETS
