"""Files in memory, a plain way to cut them, and rank_bm25 as the judge of scores."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from aoci_agent.base.text import content_id
from aoci_agent.views.lexical.deriving import derive
from aoci_agent.views.lexical.settings import LexicalSettings
from aoci_agent.views.lexical.tokens import stem_of
from aoci_agent.views.lexical.view import LexicalView
from aoci_agent.views.model import Delta, Level, Scored, Unit

Place = tuple[str, int, int]


@dataclass(frozen=True)
class Tree:
    """A source of texts by path."""

    texts: Mapping[str, str]

    @property
    def files(self) -> Mapping[str, str]:
        return {path: content_id(self.read(path)) for path in sorted(self.texts)}

    def read(self, path: str) -> bytes:
        return self.texts[path].encode()


def paragraphs(path: str, data: bytes) -> list[Unit]:
    return list(_paragraphs(path, data))


def _paragraphs(path: str, data: bytes) -> Iterator[Unit]:
    """The file, and its pieces between blank lines; the first word names the symbol."""
    text, test = data.decode(), path.startswith("test")
    yield Unit(path, 1, text.count("\n") + 1, Level.L0, "file", "", text, test)
    start = 1
    for piece in text.split("\n\n"):
        end = start + piece.count("\n")
        level = Level.L1 if piece.startswith("class") else Level.L2
        symbol = (piece.split() or [""])[0]
        yield Unit(path, start, end, level, "paragraph", symbol, piece, test)
        start = end + 2


def view(settings: LexicalSettings | None = None) -> LexicalView:
    return LexicalView(settings, paragraphs)


def built(texts: Mapping[str, str], settings: LexicalSettings | None = None) -> LexicalView:
    found = view(settings)
    found.build(Tree(texts))
    return found


def delta(before: Mapping[str, str], after: Mapping[str, str]) -> Delta:
    return Delta(
        tuple(sorted(after.keys() - before.keys())),
        tuple(sorted(path for path in before.keys() & after if before[path] != after[path])),
        tuple(sorted(before.keys() - after.keys())),
    )


def everything(view: LexicalView, query: Mapping[str, int]) -> list[Scored]:
    """All answers of both corpora."""
    return [
        scored
        for level in (Level.L0, None)
        for scored in view.search_weighted(query, level=level, limit=10_000)
    ]


def judged(
    texts: Mapping[str, str], query: Mapping[str, int], settings: LexicalSettings
) -> dict[tuple[Place, bool], float]:
    """What rank_bm25 says of every file (True) and block (False) that has a word of the query."""
    from rank_bm25 import BM25Plus

    found: dict[tuple[Place, bool], float] = {}
    words = [
        stem_of(word) if settings.stems else word
        for word, times in query.items()
        for _ in range(times)
    ]
    derived = [
        derive(path, paragraphs(path, text.encode()), settings) for path, text in texts.items()
    ]
    for whole in (True, False):
        documents = [
            ((filed.path, document.start, document.end), document.words)
            for one in derived
            for filed in (one.file if whole else one.blocks,)
            for document in filed.documents
        ]
        if not any(counts for _, counts in documents):
            continue
        lists = [[w for w, n in counts.items() for _ in range(n)] for _, counts in documents]
        oracle = cast("Any", BM25Plus)(lists, k1=settings.k1, b=settings.b, delta=0)
        with np.errstate(invalid="ignore"):  # 0/0 for an empty document where b is 1
            scores = oracle.get_scores(words)
        for (place, counts), score in zip(documents, scores, strict=True):
            if any(word in counts for word in words):
                found[place, whole] = float(score)
    return found
