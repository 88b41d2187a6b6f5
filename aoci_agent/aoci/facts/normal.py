"""What a source says, without its formatting and comments: one hash, and a sketch that finds it again.

The hash decides whether a person's words about a file may have aged; the sketch recognises a file that
was moved and edited in one step. Both are functions of the bytes alone, the same on every machine.
"""

import hashlib
import heapq
import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from zlib import crc32

from aoci_agent.aoci.facts.languages import language_of

SKETCH = 8  # values of a sketch, 24 bits each
_LEAST_LINE = 5  # characters below which a line says nothing about its file

# What is never closed ends with its line, or the file: looking for the end again and again takes long.
_DOUBLE = r"\"(?:[^\"\\\n]|\\.)*+\"?"
_SINGLE = r"'(?:[^'\\\n]|\\.)*+'?"
_TRIPLE = r"\"\"\".*?(?:(?<!\\)\"\"\"|\Z)|'''.*?(?:(?<!\\)'''|\Z)"
_BLOCK = r"/\*.*?(?:\*/|\Z)"
_SPACE = re.compile(r"\s*([^\w\s])\s*|\s+")
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
    "text": _pieces(r"(?!)", r"(?!)"),
}  # fmt: skip
_PYTHON = re.compile(
    rf"(?P<string>{_TRIPLE}|{_DOUBLE}|{_SINGLE})|(?P<comment>\#[^\n]*)|(?P<open>[(\[{{])"
    r"|(?P<close>[)\]}])|\\\n\s*|(?P<line>\n[ \t]*)(?=[^\s#])|\n[ \t]*"
)
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
    return "".join(f"{value:06x}" for value in heapq.nsmallest(SKETCH, map(_hash24, lines)))


def likeness(one: str, other: str) -> float:
    """The estimated share of lines two sketched files have in common, 0 to 1."""
    sides = [{sketch[i : i + 6] for i in range(0, len(sketch), 6)} for sketch in (one, other)]
    union = heapq.nsmallest(SKETCH, sides[0] | sides[1])
    common = sides[0] & sides[1]
    return sum(value in common for value in union) / len(union) if union else 0.0


def _hash24(line: bytes) -> int:
    return crc32(line) & 0xFFFFFF


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
    pattern = STYLES[style]
    return lambda text: _free_form(pattern, text)


def _free_form(pattern: re.Pattern[str], text: str) -> str:
    """The text with single spaces only where words would run together; strings stand at the end."""
    strings: list[str] = []

    def replaced(found: re.Match[str]) -> str:
        if found.lastgroup == "comment":
            return " "
        strings.append(found[0][1:-1])
        return '"'

    bare = _SPACE.sub(lambda found: found[1] or " ", pattern.sub(replaced, text))
    return "\0".join((_TRAILING.sub("", bare).strip(), *strings))


def _by_line(text: str) -> str:
    return _LINES.sub("", text)


def _python(text: str) -> str:
    """As `_free_form`, but a line's indentation counts outside of brackets."""
    strings: list[str] = []
    depth = 0

    def replaced(found: re.Match[str]) -> str:
        nonlocal depth
        kind = found.lastgroup
        if kind == "string":
            quotes = 3 if found[0][:3] in ('"""', "'''") else 1
            strings.append(found[0][quotes:-quotes])
            return '"'
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(depth - 1, 0)
        elif kind == "line" and not depth:
            return f"\1{len(found[0].expandtabs()) - 1}\1"
        return found[0] if kind in ("open", "close") else " "

    bare = _SPACE.sub(lambda found: found[1] or " ", _PYTHON.sub(replaced, text))
    return "\0".join((_TRAILING.sub("", bare).strip(), *strings))


_OWN_WAY: Mapping[str, Callable[[str], str]] = {"python": _python, "lines": _by_line}
