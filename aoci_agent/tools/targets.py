"""What a lookup is about: `Class.method`, `path:line`, `path:line:column` or `path:line:name`."""

import re
from typing import NamedTuple

from aoci_agent.base.errors import TryAgain

_PLACE = re.compile(r"(?P<path>[^\s:][^:]*):(?P<line>\d+)(?::(?P<rest>[^:\s]+))?")
_NAME = re.compile(r"[^\W\d]\w*")
_POINTER = re.compile(r"\(\*?(\w+)\)\.")  # `(*Context).JSON`, as Go prints it


class Target(NamedTuple):
    """Either a name, or a place: a line from 1, with a column from 0 or a name on it."""

    name: str = ""
    path: str = ""
    line: int = 0
    column: int | None = None


def target_of(written: str) -> Target:
    """Read what was written. Raises TryAgain for nothing."""
    written = written.strip().strip("`")
    if not written:
        raise TryAgain("name a symbol (Class.method) or a place (path:line or path:line:name)")
    match = _PLACE.fullmatch(written)
    if match is None:
        return Target(name=_dotted(written))
    path, line, rest = match["path"], int(match["line"]), match["rest"] or ""
    if rest.isdecimal():
        return Target(path=path, line=line, column=int(rest))
    return Target(name=rest, path=path, line=line)


def _dotted(name: str) -> str:
    """`Class.method`, however the language writes it."""
    return _POINTER.sub(r"\1.", name).replace("::", ".").replace("#", ".").removesuffix("()")


def columns_on(line: str, name: str = "") -> list[int]:
    """Where names begin on a line: those of this name, or all."""
    return [
        match.start()
        for match in _NAME.finditer(line)
        if not name or match.group() == name.rpartition(".")[2]
    ]


def name_at(line: str, column: int) -> str:
    """The name that begins at a column."""
    match = _NAME.match(line, column)
    return match.group() if match else ""
