"""Brackets, commas and strings of program text, without a grammar."""

import re

STRING = r"\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|`[^`]*`|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_COMMENT = {
    "slash": re.compile(rf"(?P<keep>{STRING})|//[^\n]*|/\*[\s\S]*?\*/"),
    "hash": re.compile(rf"(?P<keep>{STRING})|#[^\n]*"),
    "php": re.compile(rf"(?P<keep>{STRING})|(?://|\#(?!\[))[^\n]*|/\*[\s\S]*?\*/"),
}
_MARK = re.compile(rf"{STRING}|[()\[\]{{}},]")
_OPEN = "([{"
_CLOSE = ")]}"
_VALUE = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|`([^`$]*)`")
_KEY = re.compile(r"\s*(?:['\"](?P<quoted>[^'\"]+)['\"]|(?P<name>[\w$]+))\s*:\s*(?P<value>[\s\S]+)")


def without_comments(text: str, style: str = "slash") -> str:
    """The text with each comment replaced by a space."""
    return _COMMENT[style].sub(lambda found: found["keep"] or " ", text)


def closing(text: str, start: int) -> int:
    """Where the bracket at `start` closes; the end of the text if it never does."""
    depth = 0
    for found in _MARK.finditer(text, start):
        mark = found[0]
        if mark in _OPEN:
            depth += 1
        elif mark in _CLOSE:
            depth -= 1
            if depth <= 0:
                return found.start()
    return len(text)


def inside(text: str, start: int) -> str:
    """What stands between the next opening bracket from `start` and its partner."""
    found = re.compile(r"[(\[{]").search(text, start)
    return text[found.end() : closing(text, found.start())] if found else ""


def parts(text: str) -> list[str]:
    """The pieces between commas outside all brackets and strings; blank ones left out."""
    pieces: list[str] = []
    depth = start = 0
    for found in _MARK.finditer(text):
        mark = found[0]
        if mark in _OPEN:
            depth += 1
        elif mark in _CLOSE:
            depth -= 1
        elif mark == "," and depth == 0:
            pieces.append(text[start : found.start()].strip())
            start = found.end()
    return [piece for piece in (*pieces, text[start:].strip()) if piece]


def pairs(body: str) -> list[tuple[str, str]]:
    """Keys and values of an object literal's body; `...name` has the key `...`."""
    found: list[tuple[str, str]] = []
    for piece in parts(body):
        if piece.startswith("..."):
            found.append(("...", piece[3:].strip()))
        elif match := _KEY.match(piece):
            found.append((match["quoted"] or match["name"], match["value"].strip()))
    return found


def strings(text: str) -> list[str]:
    """The contents of the string literals in a piece of text."""
    return [found[1] or found[2] or found[3] or "" for found in _VALUE.finditer(text)]


def option(text: str, name: str) -> str:
    """The string value of `name: 'x'`, `name = "x"` or `name => 'x'`; "" without one."""
    found = re.search(
        rf"(?<![\w.]){name}['\"]?\s*(?:=>|[:=])\s*(?:['\"`]([^'\"`]+)['\"`]|:(\w+))", text
    )
    return (found[1] or found[2]) if found else ""
