"""A command shown so that what is read is what runs: nothing invisible, nothing out of sight."""

import re
import unicodedata

from textual.content import Content

from aoci_agent.base.terminal import clean

LONG_GAP = re.compile(r" {12,}")
WORD = re.compile(r"[^\W\d_]+")


def exact_command(text: str) -> Content:
    """The command line by line; tabs, long gaps and blanks at a line's end are spelled out."""
    parts: list[Content] = []
    for number, line in enumerate(text.split("\n")):
        parts.append(Content.styled("$ " if number == 0 else "  ", "$muted"))
        parts.append(_spelled(line))
        parts.append(Content("\n"))
    return Content("").join(parts[:-1])


def _spelled(line: str) -> Content:
    parts: list[Content] = []
    place = 0
    for gap in re.finditer(rf"\t|{LONG_GAP.pattern}| +$", line):
        parts.append(Content.styled(clean(line[place : gap.start()]), "bold"))
        blanks = "tab" if gap[0] == "\t" else f"{len(gap[0])} spaces"
        parts.append(Content.styled(f"<{blanks}>", "$text-warning"))
        place = gap.end()
    parts.append(Content.styled(clean(line[place:]), "bold"))
    return Content("").join(parts)


def warnings(text: str) -> list[str]:
    """What a reader could be misled by: words that mix alphabets."""
    mixed = [word for word in WORD.findall(text) if len(_alphabets(word)) > 1]
    shown = ", ".join(f"{word} ({'+'.join(sorted(_alphabets(word)))})" for word in mixed[:3])
    return [f"⚠ letters of several alphabets: {shown}"] if mixed else []


def _alphabets(word: str) -> set[str]:
    names = {unicodedata.name(letter, "?").split(" ")[0] for letter in word}
    return {
        name for name in names if name in ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE")
    }
