"""What nobody needs: vectors of texts that are gone, neighbours of a query without a word."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from views.dense.upkeep import MemorySource, delta_of, paragraphs

from aoci_agent.views.dense.hashed import HashEmbedder
from aoci_agent.views.dense.vectors import VectorCache
from aoci_agent.views.dense.view import DenseView
from aoci_agent.views.model import Level


def test_saving_drops_vectors_nobody_asked_for_in_a_month(tmp_path: Path) -> None:
    kept, cache = tmp_path / "kept", VectorCache(tmp_path)
    kept.mkdir()
    dense = DenseView(HashEmbedder(), cache, derive=paragraphs)
    before = {"a.py": "open\n\nread a page"}
    dense.build(MemorySource(before))
    gone = dense.keys()
    after = {"a.py": "open"}
    dense.apply(MemorySource(after), delta_of(before, after))
    gone -= dense.keys()
    with closing(sqlite3.connect(next(tmp_path.glob("*.sqlite")))) as base, base:
        (last,) = base.execute("SELECT max(day) FROM vectors").fetchone()
        base.execute("UPDATE vectors SET day = ? WHERE day = ?", (last - 29, last))
        dense.save(kept)
        assert len(base.execute("SELECT key FROM vectors").fetchall()) == len(dense.keys() | gone)
        base.execute("UPDATE vectors SET day = ?", (last - 31,))
    dense.save(kept)
    assert gone
    assert cache.load(gone, 64) == {}
    assert cache.load(dense.keys(), 64).keys() == dense.keys()


@pytest.mark.parametrize("level", [None, Level.L0])
def test_a_query_without_a_word_finds_nothing(level: Level | None) -> None:
    dense = DenseView(HashEmbedder(), VectorCache(None), derive=paragraphs)
    dense.build(MemorySource({"a.py": "open\n\nread a page"}))
    assert dense.search("open", level=level, limit=5)
    assert dense.search("{ ...", level=level, limit=5) == []
