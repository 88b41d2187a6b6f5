"""Parameter lists as written -> names and declared types."""

import re

from aoci_agent.views.syntax.heads import pieces, unmarked

Parameters = tuple[tuple[str, str], ...]

_DEFAULT = re.compile(r"(?<![=!<>])=(?![=>])")
_PATTERN = re.compile(r"([{\[(].*?[}\])])(?=\s*(?:[:=?]|\Z))")
_FIRST_WORD = re.compile(r"\w+")
_LAST_WORD = re.compile(r"(?<![\w$#])[\w$#]++(?=\W*+\Z)")


def _without_default(piece: str) -> str:
    found = _DEFAULT.search(piece)
    return piece[: found.start()].rstrip() if found else piece


def _without_keywords(piece: str) -> str:
    found = _KEYWORDS.match(piece)
    return piece[found.end() :] if found else piece


def named(text: str, *, quoted: bool = True) -> Parameters:
    """`name: type = default`, each part but the name optional."""
    result: list[tuple[str, str]] = []
    for piece in pieces(text, quoted=quoted):
        bare = unmarked(piece).lstrip("*.&")
        if taken_apart := _PATTERN.match(bare):
            name, declared = taken_apart[1], bare[taken_apart.end() :].lstrip("?: ")
        else:
            name, _, declared = bare.partition(":")
            word = _LAST_WORD.search(_without_default(name).rstrip("? "))
            name = word[0] if word else ""
        if name:
            result.append((name, _without_default(declared).strip()))
    return tuple(result)


_TYPED = re.compile(r"(?<![$\w])([$\w]++)\s*+((?:\[[^\]]*+\]\s*+)*+)\Z")
_CALLBACK = re.compile(r"\(\s*[*&^]+\s*(\w+)\s*(?:\[[^\]]*\])?\)")
_KEYWORDS = re.compile(
    r"(?:(?:final|this|ref|out|in|params|scoped|readonly|public|private|protected|register)\s+)+"
)
_TYPES_ALONE = frozenset(
    ("void", "int", "char", "long", "short", "float", "double", "unsigned", "bool", "auto")
)


def typed(text: str) -> Parameters:
    """`type name = default`, as C and its heirs write it; a name of PHP stands without its sign."""
    result: list[tuple[str, str]] = []
    for piece in pieces(text):
        bare = _without_default(unmarked(_without_keywords(unmarked(piece))))
        if bare in ("void", "..."):
            continue
        if callback := _CALLBACK.search(bare):
            result.append((callback[1], bare))
            continue
        found = _TYPED.search(bare)
        if found is None or found[1] in _TYPES_ALONE:
            result.append(("", bare))
            continue
        declared = bare[: found.end(1) - len(found[1])].rstrip() + found[2].rstrip()
        if not declared and not found[1].startswith("$") and "$" not in text:
            result.append(("", bare))
        else:
            result.append((found[1].lstrip("$"), declared.rstrip("&") if "$" in text else declared))
    return tuple(result)


def names(text: str) -> Parameters:
    """Names alone, whatever stands after them: Ruby's."""
    return tuple((found[0], "") for piece in pieces(text) if (found := _FIRST_WORD.search(piece)))


def grouped(text: str) -> Parameters:
    """Go's: `a, b int, rest ...string`, or types alone."""
    found = [piece.partition(" ") for piece in pieces(text)]
    if not any(rest for _, _, rest in found):
        return tuple(("", name) for name, _, _ in found)
    result: list[tuple[str, str]] = []
    declared = ""
    for name, _, rest in reversed(found):
        declared = rest or declared
        result.append((name, declared))
    return tuple(reversed(result))
