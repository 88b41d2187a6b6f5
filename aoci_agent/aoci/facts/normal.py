"""What a source says, without its formatting and comments: one hash, and a sketch that finds it again.

The hash decides whether a person's words about a file may have aged; the sketch recognises a file that
was moved and edited in one step. Both are functions of the bytes alone, the same on every machine.
"""

import hashlib
import heapq
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from zlib import crc32

from aoci_agent.aoci.facts.languages import language_of

SKETCH = 8  # values of a sketch, 24 bits each
_LEAST_LINE = 5  # characters below which a line says nothing about its file

# What is never closed ends with its line, or the file: looking for the end again and again takes long.
_DOUBLE = r"\"(?:[^\"\\\n]|\\.)*+\"?"
_SINGLE = r"'(?:[^'\\\n]|\\.)*+'?"
_TRIPLE = r"\"\"\"[\s\S]*?(?:(?<!\\)\"\"\"|\Z)|'''[\s\S]*?(?:(?<!\\)'''|\Z)"
_BLOCK = r"/\*.*?(?:\*/|\Z)"
_SPACE = re.compile(r" (?:(?=[^\w\s])|(?<=[^\w\s] ))")  # beside a mark
_TRAILING = re.compile(r",(?=[)\]}])")


def _pieces(strings: str, comments: str) -> re.Pattern[str]:
    return re.compile(rf"(?P<string>{strings})|(?P<comment>{comments})", re.DOTALL)


# Style -> where its strings and comments are. A string is kept to the letter, a comment is dropped.
STYLES: Mapping[str, re.Pattern[str]] = {
    "slash": _pieces(rf"`(?:[^`\\]|\\.)*+`?|{_TRIPLE}|{_DOUBLE}|{_SINGLE}", rf"//[^\n]*|{_BLOCK}"),
    "rust": _pieces(rf"r#*\"[^\"]*+\"?#*|{_DOUBLE}|'(?:[^'\\\n]|\\[^\n][^'\n]{{0,12}})'", rf"//[^\n]*|{_BLOCK}"),
    "hash": _pieces(rf"{_DOUBLE}|{_SINGLE}", r"(?<![\w$&{{\\])#[^\n]*"),
    "php": _pieces(rf"{_DOUBLE}|{_SINGLE}", rf"//[^\n]*|#(?!\[)[^\n]*|{_BLOCK}"),
    "dash": _pieces(rf"{_DOUBLE}|{_SINGLE}|`[^`]*+`?", rf"--[^\n]*|{_BLOCK}"),
    "markup": _pieces(rf"{_DOUBLE}|{_SINGLE}", r"<!--.*?(?:-->|\Z)"),
}  # fmt: skip
_PYTHON = re.compile(rf"(?P<string>{_TRIPLE}|{_DOUBLE}|{_SINGLE})|\#[^\n]*|(?P<joined>\\\n\s*)")
_ROUND = str.maketrans("[{]}", "(())")
_JOINED = "\0 "  # in place of the end of a line that goes on in the next
_LINES = re.compile(r"^[ \t]*(?:#|;)[^\n]*\n?|[ \t]+$|^[ \t]*\n", re.MULTILINE)
# Formats without a row in `languages`; everything else is compared by its words.
_PLAIN: Mapping[str, str] = {
    **dict.fromkeys((".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".properties", ".env"), "lines"),
    **dict.fromkeys((".json", ".jsonc", ".json5", ".css", ".scss", ".less", ".proto", ".gradle"), "slash"),
    **dict.fromkeys((".html", ".htm", ".xml", ".svg"), "markup"),
    ".sql": "dash", ".tf": "hash", ".graphql": "hash", ".r": "hash", ".pl": "hash", ".lua": "dash",
}  # fmt: skip
_PLAIN_NAMES = re.compile(r"(?:make|docker|container|just|proc|gem|rake)file", re.IGNORECASE)


def semantic_hash(path: str, text: str) -> str:
    """16 hex digits: equal for two texts of one file that differ in formatting or comments only."""
    normal = _normaliser(path)(text)
    return hashlib.blake2b(normal.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def sketch_of(data: bytes) -> str:
    """The smallest hashes of the distinct lines, six hex digits each (bottom-k, Broder 1997)."""
    lines = {line for raw in data.split(b"\n") if len(line := raw.strip()) >= _LEAST_LINE}
    hashes = sorted([crc32(line) & 0xFFFFFF for line in lines])
    return "".join(f"{value:06x}" for value in hashes[:SKETCH])


def likeness(one: str, other: str) -> float:
    """The estimated share of lines two sketched files have in common, 0 to 1."""
    sides = [{sketch[i : i + 6] for i in range(0, len(sketch), 6)} for sketch in (one, other)]
    union = heapq.nsmallest(SKETCH, sides[0] | sides[1])
    common = sides[0] & sides[1]
    return sum(value in common for value in union) / len(union) if union else 0.0


def style_of(path: str) -> str:
    """How a file is normalised, by its name alone."""
    language = language_of(path)
    if language is not None:
        return language.comments
    pure = PurePosixPath(path)
    named = _PLAIN_NAMES.search(pure.name)
    return "lines" if named else _PLAIN.get(pure.suffix.lower(), "text")


def _normaliser(path: str) -> Callable[[str], str]:
    style = style_of(path)
    if style in _OWN_WAY:
        return _OWN_WAY[style]
    pattern = STYLES.get(style)
    return _tight if pattern is None else lambda text: _free_form(pattern, text)


def _free_form(pattern: re.Pattern[str], text: str) -> str:
    """The text with single spaces only where words would run together; strings stand at the end."""
    strings: list[str] = []

    def replaced(found: re.Match[str]) -> str:
        if found.lastgroup == "comment":
            return " "
        strings.append(found[0][1:-1])
        return '"'

    return "\0".join((_tight(pattern.sub(replaced, text)), *strings))


def _tight(text: str) -> str:
    """Single spaces, and those only between words."""
    return _TRAILING.sub("", _SPACE.sub("", " ".join(text.split()))).strip()


def _by_line(text: str) -> str:
    return _LINES.sub("", text)


def _python(text: str) -> str:
    """As `_free_form`, but a line's indentation counts outside of brackets."""
    strings: list[str] = []

    def replaced(found: re.Match[str]) -> str:
        if found.lastgroup != "string":
            return _JOINED if found.lastgroup else " "
        quotes = 3 if found[0][:3] in ('"""', "'''") else 1
        strings.append(found[0][quotes:-quotes])
        return '"'

    bare = "".join(_indented(_PYTHON.sub(replaced, text))).replace(_JOINED, " ")
    return "\0".join((_tight(bare), *strings))


def _indented(text: str) -> Iterator[str]:
    """The lines of a text without strings, each after its indentation where no bracket is open."""
    lines = text.split("\n")
    depth = 0
    for place, (line, marks) in enumerate(
        zip(lines, text.translate(_ROUND).split("\n"), strict=True)
    ):
        said = line.lstrip(" \t")
        tells = place and said and not depth and not said[0].isspace()
        indent = line[: len(line) - len(said)]
        yield f"\1{len(indent.expandtabs())}\1{said}" if tells else f" {line}"
        depth = _depth(marks, depth)


def _depth(marks: str, depth: int) -> int:
    """How many brackets are open after a line that begins with so many; one too many closes none."""
    opened, closed = marks.count("("), marks.count(")")
    if not opened or depth >= closed:
        return max(depth + opened - closed, 0)
    for mark in marks:
        if mark in "()":
            depth = max(depth + (1 if mark == "(" else -1), 0)
    return depth


_OWN_WAY: Mapping[str, Callable[[str], str]] = {"python": _python, "lines": _by_line}
