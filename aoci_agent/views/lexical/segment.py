"""A finished index of documents: plain arrays, read in place from files, never changed."""

import hashlib
from dataclasses import dataclass, fields
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aoci_agent.views.lexical.document import Document
from aoci_agent.views.lexical.strings import Strings
from aoci_agent.views.model import Level

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]


class Column(IntEnum):
    """The rows of `Segment.table`, one number per document each."""

    FILE = 0
    START = 1
    END = 2
    LEVEL = 3
    KIND = 4
    TEST = 5
    SYMBOL = 6
    LENGTH = 7


@dataclass(frozen=True, slots=True)
class Segment:
    """Documents in the order (path, start, end) and, for every word, which of them have it.

    The documents of word w are `documents[starts[w]:starts[w + 1]]`, ascending, and it counts
    `times[...]` in them. Equal documents give equal arrays, whatever way they came about.
    """

    paths: Strings  # of files with documents, sorted
    symbols: Strings  # distinct, sorted
    kinds: Strings  # distinct, sorted
    words: Strings  # distinct, sorted
    table: "npt.NDArray[np.int32]"  # (columns, documents)
    starts: "npt.NDArray[np.int64]"  # (words + 1)
    documents: "npt.NDArray[np.int32]"  # (postings)
    times: "npt.NDArray[np.unsignedinteger]"  # (postings), of the narrowest type that holds all

    @property
    def count(self) -> int:
        """How many documents."""
        return self.table.shape[1]

    def column(self, column: Column) -> "npt.NDArray[np.int32]":
        """One number of every document."""
        return self.table[column]

    def in_file(self, path: str) -> range:
        """The documents of a file; none where it has none."""
        number = self.paths.find(path)
        if number < 0:
            return range(0)
        first, last = self.column(Column.FILE).searchsorted([number, number + 1])
        return range(int(first), int(last))

    def path(self, document: int) -> str:
        """The file of a document."""
        return self.paths.get(int(self.table[Column.FILE, document]))

    def described(self, document: int) -> Document:
        """A document without its words."""
        _, start, end, level, kind, test, symbol, _ = self.table[:, document].tolist()
        names = self.kinds.get(kind), self.symbols.get(symbol)
        return Document(start, end, Level(level), *names, bool(test), {})

    def postings(
        self, word: str
    ) -> "tuple[npt.NDArray[np.int32], npt.NDArray[np.unsignedinteger]]":
        """The documents that have a word, and how often it counts in each."""
        number = self.words.find(word)
        if number < 0:
            return self.documents[:0], self.times[:0]
        first, last = self.starts[number], self.starts[number + 1]
        return self.documents[first:last], self.times[first:last]

    def arrays(self) -> "dict[str, Array]":
        """Everything it is made of, by name."""
        found: dict[str, Array] = {}
        for name in (field.name for field in fields(self)):
            part: Strings | Array = getattr(self, name)
            if isinstance(part, Strings):
                found |= {f"{name}.text": part.text, f"{name}.starts": part.starts}
            else:
                found[name] = part
        return found

    def digest(self) -> str:
        """32 hex digits over all arrays."""
        import numpy as np

        digest = hashlib.blake2b(digest_size=16)
        for name, part in sorted(self.arrays().items()):
            digest.update(f"{name} {part.dtype.str} {part.shape}\n".encode())
            digest.update(np.ascontiguousarray(part).data)
        return digest.hexdigest()

    def save(self, folder: Path, name: str) -> None:
        """One `NAME.PART.npy` for each array."""
        import numpy as np

        for part, values in self.arrays().items():
            np.save(folder / f"{name}.{part}.npy", values, allow_pickle=False)


def load(folder: Path, name: str) -> Segment:
    """What `save` wrote, mapped into memory. Raises OSError or ValueError for what does not fit."""
    import numpy as np

    def part(field: str, kind: str, dimensions: int = 1) -> "Array":
        file = folder / f"{name}.{field}.npy"
        values = np.load(file, mmap_mode="r", allow_pickle=False).view(np.ndarray)
        if values.dtype.kind + str(values.dtype.itemsize) not in kind.split():
            raise ValueError(f"{file.name}: numbers of type {values.dtype}")
        if values.ndim != dimensions:
            raise ValueError(f"{file.name}: {values.ndim} dimensions")
        return values

    def text(field: str) -> Strings:
        return Strings(part(f"{field}.text", "u1"), part(f"{field}.starts", "i8"))

    segment = Segment(
        *(text("paths"), text("symbols"), text("kinds"), text("words")),
        table=part("table", "i4", 2),
        starts=part("starts", "i8"),
        documents=part("documents", "i4"),
        times=part("times", "u1 u2 u4"),
    )
    _check(segment)
    return segment


def _check(segment: Segment) -> None:
    """Raise ValueError where the arrays are not of one index."""
    postings = len(segment.documents)
    good = (
        segment.table.shape[0] == len(Column)
        and len(segment.starts) == segment.words.count + 1
        and len(segment.times) == postings == int(segment.starts[-1])
        and all(
            len(part.starts) and len(part.text) == int(part.starts[-1])
            for part in (segment.paths, segment.symbols, segment.kinds, segment.words)
        )
    )
    if not good:
        raise ValueError("the parts of the lexical index do not belong together")
