"""Path patterns: `**`, `*`, `?`, `[a-z]`, `{a,b}`; without a slash they match at any depth."""

import re
from functools import cache


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A regular expression that matches whole repository paths. Raises re.error on a bad set."""
    pattern = pattern.removeprefix("./").lstrip("/")
    if pattern.endswith("/"):
        pattern += "**"
    if "/" not in pattern:
        pattern = f"**/{pattern}"
    return re.compile("".join(_pieces(pattern)) + r"\Z", re.DOTALL)


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
