"""Lines of JSON that each carry a check sum: written whole, read with whatever damage they took.

A line is an object whose last member is the CRC-32 of the bytes before it: `, "crc": "8 hex"}`.
Lines without one are taken as they are until the first that has one: older versions wrote none.
"""

import errno
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

LONGEST = 64_000_000  # bytes of a line; a longer one is damage and is not taken into memory
sync: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)  # macOS has no fdatasync
"""Wait until the bytes of an open file are on the disk. Raises OSError."""
_PIECE = 1_000_000  # bytes
_SEAL = len(b', "crc": "00000000"}')
_ALIKE = 8  # of the bytes of a seal that are always the same
_SEALED = re.compile(rb', "crc": "[0-9a-f]{8}"\}')


def sealed(data: Mapping[str, Any]) -> bytes:
    """The line of an object."""
    body = json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass")[:-1]
    return body + _seal(body) + b"\n"


def _seal(body: bytes) -> bytes:
    return b', "crc": "%08x"}' % zlib.crc32(body)


def _holds(line: bytes) -> bool:
    """Whether a line without its end is as it was written."""
    return line[-_SEAL:] == _seal(line[:-_SEAL])


def _had_seal(line: bytes) -> bool:
    """Whether a line ends like one whose check sum was damaged: no older version wrote such an end."""
    tail, like = line.rstrip(b"\n")[-_SEAL:], _seal(b"")
    fixed = [
        place for place, byte in enumerate(like) if byte not in b"0123456789abcdef" or place < 9
    ]
    return len(tail) == _SEAL and sum(tail[place] == like[place] for place in fixed) >= _ALIKE


def lines_of(path: Path) -> Iterator[bytes | None]:
    """The lines of a file, oldest first, each as it was written; None in place of damage. Raises OSError."""
    known = False  # from here on, every line has a check sum
    with path.open("rb") as file:
        while line := file.readline(LONGEST):
            if len(line) == LONGEST and not line.endswith(b"\n"):
                while (rest := file.readline(LONGEST)) and not rest.endswith(b"\n"):
                    pass
                yield None
            elif _holds(line[:-1]) and line.endswith(b"\n"):
                known = True
                yield line
            elif known or _SEALED.search(line) or _had_seal(line):
                known = True
                yield None
                yield from _rescued(line)
            else:
                yield line


def _rescued(line: bytes) -> Iterator[bytes]:
    """Whole lines within a damaged stretch: the end of the one before was lost, or something came between."""
    for piece in re.split(rb'(?=\{"type": ")', line):
        ends = [found.end() for found in _SEALED.finditer(piece)]
        if ends and _holds(piece[: ends[-1]]):
            yield piece[: ends[-1]] + b"\n"


def event_of(line: bytes | None) -> dict[str, Any] | None:
    """The object of a line that names its `type`; None when damaged. Never fails."""
    if line is None or not line.endswith(b"\n"):
        return None
    try:
        data: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", data) if isinstance(data, dict) and "type" in data else None


def cut_torn_tail(file: int, path: Path) -> str:
    """Move what stands behind the last whole line into a file beside; what is to be said of it.

    Where that file cannot be written nothing is cut: the tail gets its own line, and readers pass it
    over. Raises OSError.
    """
    size = os.fstat(file).st_size
    good = _end_of_good(file, size)
    if good == size:
        return ""
    if size - good < LONGEST and _holds(os.pread(file, size - good, good)):
        os.write(file, b"\n")  # only its end was torn off
        return ""
    beside = path.with_name(path.name + ".bad")
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        kept = os.open(beside, flags, 0o600)
        try:
            _copy(file, kept, good, size)
            sync(kept)
        finally:
            os.close(kept)
    except OSError as error:
        os.write(file, b"\n")
        return f"its last {size - good:,} bytes are damaged and could not be moved to {beside}: {error.strerror}"
    os.ftruncate(file, good)
    return f"its last {size - good:,} bytes were torn off by a crash; they are kept in {beside}"


def _copy(source: int, target: int, begin: int, end: int) -> None:
    while begin < end:
        data = os.pread(source, min(_PIECE, end - begin), begin)
        if not data or os.write(target, data) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        begin += len(data)


def _end_of_good(file: int, size: int) -> int:
    """Where the last line ends that can be read."""
    looked = _PIECE
    while True:
        begin = max(0, size - looked)
        data = os.pread(file, size - begin, begin)
        end = len(data)
        while (end := data.rfind(b"\n", 0, end) + 1) > 0:
            start = data.rfind(b"\n", 0, end - 1) + 1
            if (start or not begin) and _readable(data[start:end]):
                return begin + end
            end -= 1
        if not begin or looked >= LONGEST:
            return size  # this is no record: it is none of ours to cut
        looked *= 8


def _readable(line: bytes) -> bool:
    return _holds(line[:-1]) or (not _SEALED.search(line) and event_of(line) is not None)
