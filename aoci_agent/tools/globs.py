"""Path patterns: `**`, `*`, `?`, `[a-z]`, `{a,b}`; without a slash they match at any depth."""

import re
from functools import cache

from aoci_agent.base.errors import TryAgain


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A regular expression that matches whole repository paths. Raises TryAgain on a bad set."""
    path = pattern.removeprefix("./").lstrip("/")
    if path.endswith("/"):
        path += "**"
    if "/" not in path:
        path = f"**/{path}"
    try:
        return re.compile("".join(_pieces(path)) + r"\Z", re.DOTALL)
    except re.error as error:
        raise TryAgain(f"{pattern} is not a path pattern: {error}") from error


_TOKEN = re.compile(r"\*\*/|/\*\*\Z|\*\*|\*|\?|\[[!^]?\]?[^\]]*\]|[{},]|.", re.DOTALL)
_MEANING = {"**/": "(?:.*/)?", "/**": "/.+", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _pieces(pattern: str) -> list[str]:
    pieces: list[str] = []
    depth = 0
    balanced = pattern.count("{") == pattern.count("}")
    for token in _TOKEN.findall(pattern):
        if token in _MEANING:
            pieces.append(_MEANING[token])
        elif len(token) > 1:
            pieces.append("[" + re.sub(r"^[!^]", "^", token[1:-1]).replace("\\", "\\\\") + "]")
        elif token in "{}," and balanced:
            depth += {"{": 1, "}": -1, ",": 0}[token]
            pieces.append({"{": "(?:", "}": ")", ",": "|" if depth else ","}[token])
        else:
            pieces.append(re.escape(token))
    return pieces
