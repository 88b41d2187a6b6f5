"""Heads of definitions as written: lists, annotations, base types, qualified names."""

import re
from collections.abc import Iterator

_STRING = r"\"(?:[^\"\\]|\\.)*\"|`[^`]*`|//[^\n]*|/\*.*?\*/"
_TOKEN = re.compile(rf"{_STRING}|[-=]>|[()\[\]{{}}<>,]", re.DOTALL)
_TOKEN_QUOTED = re.compile(
    rf"'(?:[^'\\\n]|\\.)*'|#[^\n]*|{_STRING}|[-=]>|[()\[\]{{}}<>,]", re.DOTALL
)
_OPENS, _CLOSES = frozenset("([{<"), frozenset(")]}>")
_LONGEST = 4000  # characters of a list that are looked at
_ANY = re.compile(r"[^\n]")
_BLANKS = re.compile(r"\s+")


def flat(text: str) -> str:
    """The text on one line, blanks collapsed."""
    return _BLANKS.sub(" ", text).strip()


def blanks(text: str) -> str:
    """Blanks as long as a text, its line feeds kept."""
    return _ANY.sub(" ", text)


def pieces(text: str, *, quoted: bool = True) -> Iterator[str]:
    """What stands between the commas of a list, brackets around it taken off, comments left out.

    `quoted`: whether `'` is a quote, and `#` begins a comment.
    """
    text = text[:_LONGEST].strip()
    if text[:1] in _OPENS and text[-1:] in _CLOSES:
        text = text[1:-1]
    depth = 0
    part: list[str] = []
    start = 0
    for found in (_TOKEN_QUOTED if quoted else _TOKEN).finditer(text):
        mark = found[0]
        if mark in _OPENS:
            depth += 1
        elif mark in _CLOSES:
            depth -= 1
        elif mark == "," and depth <= 0:
            part.append(text[start : found.start()])
            yield flat("".join(part))
            part, start = [], found.end()
        elif mark[0] == "#" or mark[:2] in ("//", "/*"):
            part.append(text[start : found.start()])
            start = found.end()
    part.append(text[start:])
    if last := flat("".join(part)):
        yield last


_ROUND = r"\((?:[^()\"]|\"(?:[^\"\\]|\\.)*\"|\((?:[^()\"]|\"(?:[^\"\\]|\\.)*\"|\([^()]*\))*\))*\)"
_MARKS = re.compile(
    rf"(?:@(?!interface\b)[\w.:]+(?:\s*{_ROUND})?|#?\[[^\]]*\](?=\s*[\w@\[#&]))(?!\s*[|&+*/-]*=)\s*"
)


def bracketed(text: str) -> str:
    """The first list in round brackets of a head, with them; "" for none."""
    depth, start = 0, 0
    for found in _TOKEN.finditer(text[:_LONGEST]):
        if found[0] == "(":
            start = start if depth else found.start()
            depth += 1
        elif found[0] == ")" and depth:
            depth -= 1
            if not depth:
                return text[start : found.end()]
    return ""


_WORDS = re.compile(
    r"\b(?:extends|implements|with|where|public|private|protected|virtual|sealed)\b"
)
_ARGUMENTS = re.compile(r"<[^<>]*>|\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_BASE = re.compile(r"[A-Za-z_$\\][\w$.:\\]*")


def bases(text: str) -> tuple[str, ...]:
    """Names of base types in a header's list of them, without type arguments."""
    said = _WORDS.sub(",", text[:_LONGEST]).strip(" :")
    names: list[str] = []
    for piece in pieces(said):
        if "=" in piece:
            continue  # `metaclass=...`
        bare = piece
        while (less := _ARGUMENTS.sub("", bare)) != bare:
            bare = less
        if found := _BASE.search(bare):
            names.append(found[0].lstrip("\\"))
    return tuple(dict.fromkeys(names))


def dotted(text: str) -> str:
    """A type's name as owner of its members: `*a::B<T>` -> `a.B`."""
    bare = text[:_LONGEST]
    while (less := _ARGUMENTS.sub("", bare)) != bare:
        bare = less
    return ".".join(re.findall(r"[\w$]+", bare))


def headline(head: str) -> str:
    """A definition's head on one line, without annotations before it and a bracket or colon after it."""
    return flat(unmarked(head.strip())).rstrip(":{=; ")


def unmarked(text: str) -> str:
    """The text without the annotations and attributes it begins with."""
    while text[:1] in ("@", "[", "#") and (mark := _MARKS.match(text)) is not None:
        text = text[mark.end() :]
    return text


_LAST = re.compile(r"(~?[\w$]+)\s*\Z")
_PATH = re.compile(r"<|(?<!-)>|::")


def last_of(path: str) -> tuple[str, str, int]:
    """`a::B<T>::f<U>` -> what is before the last name, the name without arguments, where it begins."""
    operator = path.rfind("operator")
    depth, start = 0, 0
    end = len(path) if operator < 0 else operator
    for found in _PATH.finditer(path, 0, end):
        if found[0] == "::":
            start = start if depth else found.end()
        else:
            depth += 1 if found[0] == "<" else -1
    if operator >= 0:
        start = operator
    elif (word := _LAST.search(path, start, _arguments(path, start))) is not None:
        return path[:start].rstrip(": \n"), word[1], word.start(1)
    return path[:start].rstrip(": \n"), flat(path[start:]), start


def _arguments(path: str, start: int) -> int:
    """Where the arguments of the last name begin, else the end."""
    place = path.find("<", start) if path.rstrip().endswith(">") else -1
    return place if place > start else len(path)
