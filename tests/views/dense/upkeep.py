"""Files in memory cut at blank lines: a source and units of which a test knows everything."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from aoci_agent.base.text import content_id
from aoci_agent.views.dense.texts import Piece
from aoci_agent.views.model import Delta, Level

Files = Mapping[str, str]


class MemorySource:
    """A state of files that are nowhere."""

    def __init__(self, files: Files) -> None:
        self._data = {path: files[path].encode() for path in sorted(files)}
        self.reads: list[str] = []

    @property
    def files(self) -> Mapping[str, str]:
        return MappingProxyType({path: content_id(data) for path, data in self._data.items()})

    def read(self, path: str) -> bytes:
        self.reads.append(path)
        return self._data[path]


def delta_of(before: Files, after: Files) -> Delta:
    return Delta(
        added=tuple(sorted(after.keys() - before.keys())),
        changed=tuple(sorted(p for p in before.keys() & after.keys() if before[p] != after[p])),
        removed=tuple(sorted(before.keys() - after.keys())),
    )


def paragraphs(path: str, data: bytes) -> Iterator[Piece]:
    """The whole file as L0 and every paragraph as a block; the text holds no path."""
    text = data.decode()
    test = path.startswith("tests/")
    count = text.count("\n") + 1
    yield Piece(1, count, Level.L0, "file", "", test, text.partition("\n")[0])
    line = 1
    for part in text.split("\n\n"):
        end = line + part.count("\n")
        level = Level.L1 if part.startswith("#") else Level.L2
        yield Piece(line, end, level, "paragraph", "", test, part)
        line = end + 2
