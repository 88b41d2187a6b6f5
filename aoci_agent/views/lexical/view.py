"""The lexical view: files and blocks ranked by BM25, updated file by file."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from aoci_agent.views.lexical import tokens
from aoci_agent.views.lexical.building import SegmentBuilder
from aoci_agent.views.lexical.corpus import Corpus
from aoci_agent.views.lexical.deriving import Cut, Derived, derive, units_of, versions
from aoci_agent.views.lexical.ranking import Scope, Within, best
from aoci_agent.views.lexical.segment import load
from aoci_agent.views.lexical.settings import LexicalSettings
from aoci_agent.views.model import Delta, Level, Scored, Source

_SCHEMA = 1  # of the arrays `save` writes
_FILES, _BLOCKS = "files", "blocks"


class LexicalView:
    """A view (see `views.model.View`) of two corpora, each with statistics of its own.

    Files (level L0) are ranked against files, and blocks (levels L1 and L2, which together hold
    every line of a file) against blocks.
    """

    name = "lexical"

    def __init__(self, settings: LexicalSettings | None = None, cut: Cut = units_of) -> None:
        """`cut` gives a file's units; another one than the usual only saves parsing it again."""
        self._settings = settings or LexicalSettings()
        self._cut = cut
        self._files = Corpus(self._settings.merge_share)
        self._blocks = Corpus(self._settings.merge_share)

    @property
    def config(self) -> Mapping[str, str]:
        """What besides the files decides the content. Numbers that only rank are no part of it."""
        return {"schema": str(_SCHEMA), **versions(), **self._settings.content()}

    @property
    def counts(self) -> Mapping[str, int]:
        """Documents of both corpora, and the words in the blocks with repeats."""
        return {
            "files": self._files.count,
            "blocks": self._blocks.count,
            "words": self._blocks.words,
        }

    def build(self, source: Source) -> None:
        """Derive everything from nothing."""
        files, blocks = SegmentBuilder(), SegmentBuilder()
        for path in sorted(source.files):
            derived = self._derive(source, path)
            files.add(derived.file)
            blocks.add(derived.blocks)
        self._files = Corpus(self._settings.merge_share, files.finish())
        self._blocks = Corpus(self._settings.merge_share, blocks.finish())

    def apply(self, source: Source, delta: Delta) -> None:
        """Derive the touched files anew; on an error those after it are as they were."""
        for path in delta.removed:
            self._files.remove(path)
            self._blocks.remove(path)
        for path in delta.touched:
            derived = self._derive(source, path)
            self._files.put(derived.file)
            self._blocks.put(derived.blocks)

    def _derive(self, source: Source, path: str) -> Derived:
        return derive(path, self._cut(path, source.read(path)), self._settings)

    def save(self, folder: Path) -> None:
        """Write both corpora, merged: equal views write equal bytes."""
        self._files.segment().save(folder, _FILES)
        self._blocks.segment().save(folder, _BLOCKS)

    def load(self, folder: Path) -> None:
        """Map what `save` wrote into memory. Raises ValueError or OSError for what does not fit."""
        files, blocks = load(folder, _FILES), load(folder, _BLOCKS)
        self._files = Corpus(self._settings.merge_share, files)
        self._blocks = Corpus(self._settings.merge_share, blocks)

    def digest(self) -> str:
        """32 hex digits over the configuration and all documents with their words."""
        parts = [f"{name}={value}" for name, value in sorted(self.config.items())]
        parts += [self._files.segment().digest(), self._blocks.segment().digest()]
        return hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()

    def search(
        self,
        query: str,
        *,
        level: Level | None = None,
        limit: int = 10,
        tests: bool = True,
        within: Within | None = None,
    ) -> list[Scored]:
        """What best covers a query's words, best first; a word counts as often as it is repeated."""
        weights = Counter(tokens.words_of(query))
        return self.search_weighted(weights, level=level, limit=limit, tests=tests, within=within)

    def search_weighted(
        self,
        weights: Mapping[str, float],
        *,
        level: Level | None = None,
        limit: int = 10,
        tests: bool = True,
        within: Within | None = None,
    ) -> list[Scored]:
        """The same for words (as `words_of` gives them) with weights.

        Level L0 asks for files, L1 or L2 for blocks of that level, None for all blocks. `tests` and
        `within`, asked of a path, only restrict the answer: all units count in the statistics. What
        scores 0 or less is left out.
        """
        asked = tokens.stemmed(weights) if self._settings.stems else weights
        scope = Scope(level, tests, within)
        return best(self._corpus(level), asked, self._settings, scope, limit)

    def frequency(self, word: str, level: Level | None = None) -> int:
        """How many files (L0) or blocks (else) have a word, in any form if `stems` is set."""
        word = tokens.stem_of(word) if self._settings.stems else word
        return self._corpus(level).frequency(word)

    def _corpus(self, level: Level | None) -> Corpus:
        return self._files if level is Level.L0 else self._blocks
