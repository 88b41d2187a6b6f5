"""Documents added since the last merge, in memory."""

from collections.abc import Mapping

from aoci_agent.views.lexical.building import segment_of
from aoci_agent.views.lexical.document import Document, Filed
from aoci_agent.views.lexical.segment import Segment
from aoci_agent.views.model import Level

_NONE: Mapping[int, int] = {}
_GONE = Document(0, 0, Level.L0, "", "", test=False, words={})


class Recent:
    """Whole files of documents, numbered as they come; a number is not used again."""

    def __init__(self) -> None:
        self.documents: list[Document] = []
        self.paths: list[str] = []  # of each document
        self._files: dict[str, range] = {}
        self._postings: dict[str, dict[int, int]] = {}

    def add(self, filed: Filed) -> None:
        """Add a file that is not here."""
        first = len(self.documents)
        for number, document in enumerate(filed.documents, first):
            self.documents.append(document)
            self.paths.append(filed.path)
            for word, times in document.words.items():
                self._postings.setdefault(word, {})[number] = times
        self._files[filed.path] = range(first, len(self.documents))

    def remove(self, path: str) -> tuple[int, int]:
        """Drop a file's documents; returns how many, and how many words they had, with repeats."""
        numbers, length = self._files.pop(path, range(0)), 0
        for number in numbers:
            document = self.documents[number]
            length += document.length
            for word in document.words:
                del self._postings[word][number]
            self.documents[number] = _GONE  # it is in no posting, so it scores 0
        return len(numbers), length

    def postings(self, word: str) -> Mapping[int, int]:
        """How often a word counts in each document that has it."""
        return self._postings.get(word, _NONE)

    def segment(self) -> Segment:
        """The same documents as a segment."""
        return segment_of(
            Filed(path, tuple(self.documents[number] for number in numbers))
            for path, numbers in sorted(self._files.items())
        )
