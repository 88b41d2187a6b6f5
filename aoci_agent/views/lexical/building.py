"""From documents to a segment."""

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING

from aoci_agent.views.lexical.document import Filed
from aoci_agent.views.lexical.segment import Column, Segment
from aoci_agent.views.lexical.strings import Strings, strings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def segment_of(files: Iterable[Filed]) -> Segment:
    """The index of these files, which come in the order of their paths."""
    building = SegmentBuilder()
    for filed in files:
        building.add(filed)
    return building.finish()


class SegmentBuilder:
    """Takes the documents file by file and keeps only numbers of them."""

    def __init__(self) -> None:
        self._paths: list[str] = []
        self._symbols = Numbering()
        self._kinds = Numbering()
        self._rows = [array("i") for _ in Column]
        self._sizes = array("i")  # distinct words of each document
        self._words = Numbering()
        self._wording = array("i")  # the words of all documents, one document after the other
        self._times = array("I")

    def add(self, filed: Filed) -> None:
        """Add a file. Raises ValueError where its path is not after the last one's."""
        if not filed.documents:
            return
        if self._paths and filed.path <= self._paths[-1]:
            raise ValueError(f"{filed.path} comes after {self._paths[-1]}")
        number = len(self._paths)
        self._paths.append(filed.path)
        for document in filed.documents:
            row = {
                Column.FILE: number,
                Column.START: document.start,
                Column.END: document.end,
                Column.LEVEL: document.level,
                Column.KIND: self._kinds[document.kind],
                Column.TEST: document.test,
                Column.SYMBOL: self._symbols[document.symbol],
                Column.LENGTH: document.length,
            }
            for column, value in row.items():
                self._rows[column].append(value)
            self._sizes.append(len(document.words))
            self._wording.extend(map(self._words.__getitem__, document.words))
            self._times.extend(document.words.values())

    def finish(self) -> Segment:
        """Sort words and postings."""
        import numpy as np

        table = np.array(self._rows, np.int32).reshape(len(Column), -1)
        kinds, kind = self._kinds.sorted()
        symbols, symbol = self._symbols.sorted()
        words, word = self._words.sorted()
        table[Column.KIND] = kind[table[Column.KIND]]
        table[Column.SYMBOL] = symbol[table[Column.SYMBOL]]
        wording = word[np.array(self._wording, np.int64)]
        order = np.argsort(wording, kind="stable")
        document = np.arange(table.shape[1], dtype=np.int32)
        return Segment(
            *(strings(self._paths), symbols, kinds, words),
            table=table,
            starts=starts_of(np.bincount(wording, minlength=words.count)),
            documents=np.repeat(document, np.array(self._sizes, np.int64))[order],
            times=narrowest(np.array(self._times, np.uint32)[order]),
        )


class Numbering(dict[str, int]):
    """Numbers strings by first sight, and in the end by their order."""

    def __missing__(self, key: str) -> int:
        number = self[key] = len(self)
        return number

    def sorted(self) -> "tuple[Strings, npt.NDArray[np.int32]]":
        """The strings in order, and the place in it of each by first sight."""
        import numpy as np

        ordered = sorted(self)
        places = np.empty(len(ordered), np.int32)
        places[[self[text] for text in ordered]] = np.arange(len(ordered))
        return strings(ordered), places


def starts_of(sizes: "npt.NDArray[np.int64]") -> "npt.NDArray[np.int64]":
    """Where each of some runs of these sizes begins, and the last one's end."""
    import numpy as np

    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def narrowest(times: "npt.NDArray[np.uint32]") -> "npt.NDArray[np.unsignedinteger]":
    """The same numbers in the smallest type that holds them all."""
    import numpy as np

    return times.astype(np.min_scalar_type(int(times.max(initial=0))))
