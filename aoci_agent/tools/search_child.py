"""The search itself, run as a program of its own so that a pattern that never ends can be killed.

Reads one JSON request from standard input; writes `path NUL number ":" line`. Imports nothing of
this project, because it runs isolated (`python -I -S`).
"""

import json
import os
import re
import sys
from typing import Any, BinaryIO

BIGGEST = 5_000_000  # bytes of a file that is searched
WIDTH = 1_000  # bytes of a matching line that are shown


def main() -> None:
    """Search the files of the request, up to its limit of matches."""
    request: dict[str, Any] = json.load(sys.stdin)
    flags = re.IGNORECASE if request["ignore_case"] else 0
    pattern = re.compile(request["pattern"], flags)
    left = int(request["limit"])
    for path in request["paths"]:
        data = _content(os.path.join(str(request["root"]), str(path)))  # noqa: PTH118 - pathlib is slow to load
        left -= _search(path, data, pattern, left)
        if left <= 0:
            break


def _content(path: str) -> bytes:
    """A file's bytes; nothing for links, devices, binaries, big and unreadable files."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            return _text_of(file)
    except OSError:
        return b""


def _text_of(file: BinaryIO) -> bytes:
    data = file.read(BIGGEST + 1)
    if len(data) > BIGGEST:
        return b""
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return data.decode("utf-16", "replace").encode()
    return b"" if b"\x00" in data[:8_000] else data


def _search(path: str, data: bytes, pattern: "re.Pattern[str]", limit: int) -> int:
    count = 0
    for number, raw in enumerate(data.split(b"\n"), 1):
        line = raw.removesuffix(b"\r").decode("utf-8", "surrogateescape")
        if count < limit and pattern.search(line):
            count += 1
            name = path.encode("utf-8", "surrogateescape")
            sys.stdout.buffer.write(b"%s\x00%d:%s\n" % (name, number, raw[:WIDTH]))
    return count


if __name__ == "__main__":
    main()
