"""Documents with statistics of their own, changed file by file: a segment, and what came since."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from aoci_agent.views.lexical.building import segment_of
from aoci_agent.views.lexical.document import Document, Filed
from aoci_agent.views.lexical.merging import merge
from aoci_agent.views.lexical.recent import Recent
from aoci_agent.views.lexical.segment import Column, Segment

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]
    Integers = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

_FEW = 256  # so many changed documents are never worth a merge


class Corpus:
    """Numbers its documents: those of the segment in their order, then recent ones as they came.

    A number is good until the next change. `size` counts also documents that are gone.
    """

    def __init__(self, merge_share: float, segment: Segment | None = None) -> None:
        """Merges when the documents changed since the last time are this share of all."""
        self._merge_share = merge_share
        self._take(segment or segment_of(()))

    def _take(self, segment: Segment) -> None:
        import numpy as np

        self._base = segment
        self._recent = Recent()
        self._live = np.ones(segment.count, np.bool_)  # of the base
        self._gone = 0  # of the base
        self.count = segment.count
        self.words = int(segment.column(Column.LENGTH).sum(dtype=np.int64))
        self._forget()

    def _forget(self) -> None:
        """Drop what was worked out of the documents as they were."""
        self._rows: dict[Column, Integers] = {}
        self._frequencies: dict[str, int] = {}

    @property
    def size(self) -> int:
        """One more than the greatest number."""
        return self._base.count + len(self._recent.documents)

    def put(self, filed: Filed) -> None:
        """Add a file's documents, in the place of those it had."""
        self.remove(filed.path)
        self._recent.add(filed)
        self.count += len(filed.documents)
        self.words += sum(document.length for document in filed.documents)
        changed = self._gone + len(self._recent.documents)
        if changed > max(_FEW, self._merge_share * self._base.count):
            self.segment()

    def remove(self, path: str) -> None:
        """Take out a file's documents; none is no error."""
        import numpy as np

        here = self._base.in_file(path)
        gone = np.arange(here.start, here.stop)[self._live[here.start : here.stop]]
        self._live[gone] = False
        self._gone += len(gone)
        count, words = self._recent.remove(path)
        self.count -= count + len(gone)
        self.words -= words + int(self._base.column(Column.LENGTH)[gone].sum(dtype=np.int64))
        self._forget()

    def segment(self) -> Segment:
        """All documents as one segment, which from now on is the base."""
        if self._recent.documents or self._gone:
            self._take(merge(self._base, self._live, self._recent.segment()))
        return self._base

    def postings(self, word: str) -> "Iterator[tuple[Integers, Floats]]":
        """The documents that have a word, gone ones too, and how often it counts in each."""
        import numpy as np

        documents, times = self._base.postings(word)
        yield documents.astype(np.int64), times.astype(np.float64)
        if recent := self._recent.postings(word):
            numbers = np.fromiter(recent, np.int64, len(recent)) + self._base.count
            yield numbers, np.fromiter(recent.values(), np.float64, len(recent))

    def frequency(self, word: str) -> int:
        """How many documents have a word."""
        if word not in self._frequencies:
            documents, _ = self._base.postings(word)
            here = int(self._live[documents].sum()) if self._gone else len(documents)
            self._frequencies[word] = here + len(self._recent.postings(word))
        return self._frequencies[word]

    def lengths(self) -> "Integers":
        """The words of every document, with repeats, by number."""
        return self._row(Column.LENGTH, lambda document: document.length)

    def levels(self) -> "Integers":
        """The level of every document, by number."""
        return self._row(Column.LEVEL, lambda document: document.level)

    def tests(self) -> "Integers":
        """1 for every document of a test, by number."""
        return self._row(Column.TEST, lambda document: document.test)

    def _row(self, column: Column, of: Callable[[Document], int]) -> "Integers":
        import numpy as np

        if column not in self._rows:
            recent = np.array([of(document) for document in self._recent.documents], np.int64)
            self._rows[column] = np.concatenate(
                (self._base.column(column).astype(np.int64), recent)
            )
        return self._rows[column]

    def here(self) -> "Mask":
        """Which documents are not gone, by number. Recent ones that are gone have no words."""
        import numpy as np

        return np.concatenate((self._live, np.ones(len(self._recent.documents), np.bool_)))

    def in_files(self, within: Callable[[str], bool]) -> "Mask":
        """Which documents are in files whose path fits, by number."""
        import numpy as np

        fitting = [within(path.decode()) for path in self._base.paths.encoded()]
        base = np.array(fitting, np.bool_)[self._base.column(Column.FILE)]
        return np.concatenate((base, np.array([within(p) for p in self._recent.paths], np.bool_)))

    def place(self, number: int) -> tuple[str, int, int, int]:
        """What documents are sorted by: path, start, end, and the number."""
        if number < self._base.count:
            start, end = self._base.table[(Column.START, Column.END), number].tolist()
            return self._base.path(number), start, end, number
        path, document = self.described(number)
        return path, document.start, document.end, number

    def described(self, number: int) -> tuple[str, Document]:
        """The file of a document, and the document, with or without its words."""
        if number < self._base.count:
            return self._base.path(number), self._base.described(number)
        number -= self._base.count
        return self._recent.paths[number], self._recent.documents[number]
