import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from views.dense.upkeep import Files, MemorySource, delta_of, paragraphs

from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.views.dense.hashed import HashEmbedder
from aoci_agent.views.dense.index import Choice
from aoci_agent.views.dense.texts import Piece
from aoci_agent.views.dense.vectors import VectorCache
from aoci_agent.views.dense.view import DenseView
from aoci_agent.views.model import Level, Scored

if TYPE_CHECKING:
    from aoci_agent.views.dense.arrays import Vectors

WORDS = [
    "open",
    "close",
    "read",
    "write",
    "socket",
    "file",
    "parse",
    "json",
    "url",
    "token",
    "cache",
    "lock",
    "user",
    "page",
    "query",
]
# Enough that one changed paragraph is below the threshold and is mended in place.
BULK = {"bulk.txt": "\n\n".join(f"{word} {other}" for word in WORDS for other in WORDS[:5])}
QUERIES = ("open the socket", "json token", "lock", "nothing of this kind")

paragraph = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
text = st.lists(paragraph, min_size=1, max_size=5).map("\n\n".join)
states = st.lists(
    st.dictionaries(st.sampled_from(["a.py", "b.py", "tests/a.py", "z/b.py"]), text, max_size=4),
    min_size=2,
    max_size=6,
)


class Counting(HashEmbedder):
    """Remembers what it was given; fails from the `good`-th batch on."""

    batch = 4

    def __init__(self, good: int = 1_000_000) -> None:
        self.given: list[str] = []
        self.good = good

    def embed(self, texts: Sequence[str], *, query: bool = False) -> "Vectors":
        if self.good == 0:
            raise ModelUnavailable("the model is away")
        self.good -= 1
        self.given += texts
        return super().embed(texts, query=query)


def view(choice: Choice = "flat", cache: VectorCache | None = None) -> DenseView:
    return DenseView(HashEmbedder(), cache or VectorCache(None), index=choice, derive=paragraphs)


def built(files: Files, choice: Choice = "flat") -> DenseView:
    made = view(choice)
    made.build(MemorySource(files))
    return made


def answers(dense: DenseView) -> list[list[Scored]]:
    return [
        dense.search(query, level=level, limit=limit, tests=tests)
        for query in QUERIES
        for level in (None, Level.L0, Level.L1)
        for limit, tests in ((3, True), (50, False))
    ]


@pytest.mark.parametrize("engine", ["faiss", "numpy"])
@given(states)
@settings(max_examples=40, deadline=None)
def test_an_update_equals_a_rebuild(engine: str, history: list[dict[str, str]]) -> None:
    before: Files = {**BULK, **history[0]}
    with pytest.MonkeyPatch.context() as patch:
        if engine == "numpy":
            patch.setitem(sys.modules, "faiss", None)
        dense = built(before)
        for state in history[1:]:
            after = {**BULK, **state}
            dense.apply(MemorySource(after), delta_of(before, after))
            before = after
        rebuilt = built(before)
    assert dense.digest() == rebuilt.digest()
    assert dense.counts == rebuilt.counts
    assert answers(dense) == answers(rebuilt)


@given(states)
@settings(max_examples=20, deadline=None)
def test_an_update_of_a_graph_index_holds_the_same_vectors(history: list[dict[str, str]]) -> None:
    before: Files = {**BULK, **history[0]}
    dense = built(before, "hnsw")
    for state in history[1:]:
        after = {**BULK, **state}
        dense.apply(MemorySource(after), delta_of(before, after))
        before = after
    assert dense.digest() == built(before).digest()
    # So few vectors are all reached, so that the approximate answer is the exact one.
    assert answers(dense) == answers(built(before))


def test_the_order_of_files_makes_no_difference() -> None:
    files = {f"{name}.py": f"{name} open\n\nclose {name}" for name in "abcdef"}
    dense = view()
    dense.build(MemorySource({"f.py": files["f.py"]}))
    dense.apply(MemorySource(files), delta_of({"f.py": files["f.py"]}, files))
    assert dense.digest() == built(files).digest()


def test_without_faiss_the_answers_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    after = {**BULK, "a.py": "open file\n\nread url"}
    expected, engine = answers(built(after)), built(after).config["engine"]
    monkeypatch.setitem(sys.modules, "faiss", None)
    dense = built(BULK)
    dense.apply(MemorySource(after), delta_of(BULK, after))
    assert answers(dense) == expected
    assert dense.config["engine"] != engine
    assert "not installed" in dense.config["engine"]


def test_many_files_are_built_in_parts() -> None:
    files = {f"{at}.py": f"open {at % 7}\n\nclose the file" for at in range(1_100)}
    for seconds in (None, 0.0):
        embedder = Counting()
        embedder.batch = 1_000
        dense = DenseView(embedder, VectorCache(None), seconds=seconds, derive=paragraphs)
        dense.build(MemorySource(files))
        assert dense.embed_pending() == 0
        assert len(embedder.given) == len(set(embedder.given)) == 8
        assert dense.digest() == built(files).digest()


def test_identical_text_is_embedded_once_and_found_everywhere() -> None:
    embedder = Counting()
    dense = DenseView(embedder, VectorCache(None), derive=paragraphs)
    files = {
        "a.py": "x\n\nopen the file",
        "b.py": "y\n\nz\n\nopen the file",
        "c.py": "open the file",
    }
    dense.build(MemorySource(files))
    assert embedder.given.count("open the file") == 1
    found = dense.search("open the file", limit=3)
    assert [(hit.path, hit.start) for hit in found] == [("a.py", 3), ("b.py", 5), ("c.py", 1)]
    assert len({hit.score for hit in found}) == 1


def test_the_text_stays_while_one_of_its_places_is_left() -> None:
    files = {"a.py": "open the file", "b.py": "open the file"}
    dense = built(files)
    one = {"b.py": files["b.py"]}
    dense.apply(MemorySource(one), delta_of(files, one))
    assert [hit.path for hit in dense.search("open the file", limit=3)] == ["b.py"]
    dense.apply(MemorySource({}), delta_of(one, {}))
    assert dense.search("open the file", limit=3) == []
    assert dense.counts == {"files": 0, "units": 0, "vectors": 0, "pending": 0}


def test_moved_lines_get_new_places_without_the_model() -> None:
    before = {"a.py": "head\n\nopen the file"}
    embedder = Counting()
    dense = DenseView(embedder, VectorCache(None), derive=paragraphs)
    dense.build(MemorySource(before))
    embedder.given.clear()
    after = {"a.py": "head\n\nnew\n\nopen the file"}
    source = MemorySource(after)
    dense.apply(source, delta_of(before, after))
    assert embedder.given == ["new"]
    assert source.reads == ["a.py"]
    assert dense.search("open the file", limit=1)[0].start == 5


def test_more_equal_scores_than_were_asked_for_are_cut_by_place() -> None:
    files = {f"{at:03}.py": f"open {at}" for at in range(120)}  # digits differ, vectors differ
    same = {f"same/{at:03}.py": "read the page" for at in range(120)}
    found = built(files | same).search("read the page", limit=5)
    assert [hit.path for hit in found] == [f"same/{at:03}.py" for at in range(5)]


def test_tests_can_be_left_out_however_many_come_first() -> None:
    files = {f"tests/{at}.py": "read the page" for at in range(200)} | {"a.py": "read a url"}
    found = built(files).search("read the page", limit=2, tests=False)
    assert [hit.path for hit in found] == ["a.py"]


def test_what_is_saved_is_loaded_without_the_model(tmp_path: Path) -> None:
    dense = built({**BULK, "a.py": "# ünï \ud7ff\n\nopen"})
    dense.save(tmp_path)
    embedder = Counting()
    loaded = DenseView(embedder, VectorCache(None), index="flat", derive=paragraphs)
    loaded.load(tmp_path)
    assert embedder.given == []
    assert loaded.digest() == dense.digest()
    assert loaded.counts == dense.counts
    assert answers(loaded) == answers(dense)
    after = {**BULK, "a.py": "close"}
    loaded.apply(MemorySource(after), delta_of({**BULK, "a.py": ""}, after))
    assert loaded.digest() == built(after).digest()


@pytest.mark.parametrize("choice", ["flat", "hnsw"])
@pytest.mark.parametrize("name", ["units.json", "files.f16", "blocks.f16"])
@pytest.mark.parametrize("harm", ["cut", "turned", "gone", "emptied"])
@pytest.mark.gate("R24", "S11")
def test_a_damaged_file_is_refused(tmp_path: Path, choice: Choice, name: str, harm: str) -> None:
    built(BULK, choice).save(tmp_path)
    file = tmp_path / name
    data = file.read_bytes()
    half = len(data) // 2
    if harm == "gone":
        file.unlink()
    else:
        turned = data[:half] + bytes([data[half] ^ 0x80]) + data[half + 1 :]
        file.write_bytes({"cut": data[:half], "turned": turned, "emptied": b""}[harm])
    with pytest.raises((ValueError, OSError)):
        view(choice).load(tmp_path)


def test_vectors_of_another_model_are_refused(tmp_path: Path) -> None:
    class Other(HashEmbedder):
        name = "other"

    built(BULK).save(tmp_path)
    with pytest.raises(ValueError, match="another model"):
        DenseView(Other(), VectorCache(None), derive=paragraphs).load(tmp_path)


def test_a_slow_model_may_go_on_later(tmp_path: Path) -> None:
    dense = DenseView(Counting(), VectorCache(None), seconds=0.0, derive=paragraphs)
    dense.build(MemorySource(BULK))
    pending = dense.counts["pending"]
    assert pending > 0
    assert dense.search("open", limit=3) == []
    assert dense.digest() != built(BULK).digest()
    dense.save(tmp_path)
    again = DenseView(Counting(), VectorCache(None), seconds=0.0, derive=paragraphs)
    again.load(tmp_path)
    assert again.digest() == dense.digest()
    assert again.embed_pending() == 0
    assert again.digest() == built(BULK).digest()


def test_a_change_while_texts_wait_leaves_no_old_ones() -> None:
    dense = DenseView(Counting(), VectorCache(None), seconds=0.0, derive=paragraphs)
    before = {"a.py": "open\n\nclose"}
    after = {"a.py": "close\n\nread"}
    dense.build(MemorySource(before))
    dense.apply(MemorySource(after), delta_of(before, after))
    assert dense.embed_pending() == 0
    assert dense.digest() == built(after).digest()


def test_a_model_that_fails_keeps_what_was_made(tmp_path: Path) -> None:
    failing = Counting(good=2)
    dense = DenseView(failing, VectorCache(tmp_path), derive=paragraphs)
    dense.build(MemorySource(BULK))
    assert dense.problem == "the model is away"
    assert len(failing.given) == 2 * Counting.batch
    assert dense.counts["pending"] == len(BULK["bulk.txt"].split("\n\n")) - len(failing.given)
    embedder = Counting()
    second = DenseView(embedder, VectorCache(tmp_path), derive=paragraphs)
    second.build(MemorySource(BULK))
    assert not set(embedder.given) & set(failing.given)
    assert second.digest() == built(BULK).digest()
    failing.good = 1_000
    assert dense.embed_pending() == 0
    assert dense.problem == ""
    assert dense.digest() == second.digest()


def test_a_killed_builder_leaves_its_batches(tmp_path: Path) -> None:
    class Killed(Counting):
        def embed(self, texts: Sequence[str], *, query: bool = False) -> "Vectors":
            if len(self.given) >= 8:
                raise KeyboardInterrupt
            return super().embed(texts, query=query)

    killed = Killed()
    with pytest.raises(KeyboardInterrupt):
        DenseView(killed, VectorCache(tmp_path), derive=paragraphs).build(MemorySource(BULK))
    embedder = Counting()
    DenseView(embedder, VectorCache(tmp_path), derive=paragraphs).build(MemorySource(BULK))
    assert not set(embedder.given) & set(killed.given)


def test_an_interrupted_update_goes_on_later() -> None:
    class Interrupted(Counting):
        def embed(self, texts: Sequence[str], *, query: bool = False) -> "Vectors":
            if len(self.given) == 8:
                self.given.append("")
                raise KeyboardInterrupt
            return super().embed(texts, query=query)

    dense = DenseView(Interrupted(), VectorCache(None), derive=paragraphs)
    dense.build(MemorySource({}))
    with pytest.raises(KeyboardInterrupt):
        dense.apply(MemorySource(BULK), delta_of({}, BULK))
    assert dense.embed_pending() == 0
    assert dense.digest() == built(BULK).digest()


def test_a_failing_read_leaves_the_view_as_it_was() -> None:
    dense = built(BULK)
    digest = dense.digest()
    with pytest.raises(KeyError):
        dense.apply(MemorySource({}), delta_of(BULK, {"gone.py": "x"}))
    assert dense.digest() == digest


@pytest.mark.slow
def test_cells_are_used_for_many_vectors_and_hold_the_same() -> None:
    rng = random.Random(4)
    texts = [" ".join(rng.choices([f"w{n}" for n in range(3000)], k=6)) for _ in range(5_000)]
    before = {f"{at // 100}.txt": "\n\n".join(texts[at : at + 100]) for at in range(0, 5_000, 100)}
    dense = built(before, "ivf")
    assert dense.kinds["blocks"] == "ivf"
    after = {**before, "7.txt": "\n\n".join(texts[5:9]) + "\n\nnew words"}
    del after["9.txt"]
    dense.apply(MemorySource(after), delta_of(before, after))
    exact = built(after)
    assert dense.kinds["blocks"] == "ivf"
    assert dense.digest() == exact.digest()
    query = texts[1234]
    assert dense.search(query, limit=1) == exact.search(query, limit=1)
    found = dense.search(query, limit=10)
    assert len(found) == 10
    assert set(found) <= set(exact.search(query, limit=len(texts)))


@pytest.mark.slow
@pytest.mark.parametrize("choice", ["ivf", "hnsw"])
def test_an_approximate_index_is_saved_as_it_is(tmp_path: Path, choice: Choice) -> None:
    files = {f"{at}.txt": f"w{at} v{at * 7}\n\nx{at} y{at % 77}" for at in range(2_500)}
    dense = built(files, choice)
    dense.save(tmp_path)
    loaded = view(choice)
    loaded.load(tmp_path)
    assert (tmp_path / "blocks.faiss").exists()
    assert loaded.kinds == dense.kinds == {"files": loaded.kinds["files"], "blocks": choice}
    assert loaded.digest() == dense.digest()
    assert answers(loaded) == answers(dense)
    after = {**files, "7.txt": "new words", "new.txt": "open the file"}
    del after["9.txt"]
    for each in (dense, loaded):
        each.apply(MemorySource(after), delta_of(files, after))
    assert loaded.digest() == dense.digest() == built(after).digest()
    folder = tmp_path / "again"
    folder.mkdir()
    loaded.save(folder)
    again = view(choice)
    again.load(folder)
    assert again.digest() == dense.digest()


def test_a_long_text_is_cut_to_what_the_model_reads() -> None:
    def whole(path: str, data: bytes) -> list[Piece]:
        return [Piece(1, 1, Level.L2, "text", "", test=False, text=data.decode())]

    embedder = Counting()
    dense = DenseView(embedder, VectorCache(None), derive=whole)
    dense.build(MemorySource({"a": "x" * 10_000}))
    assert [len(given) for given in embedder.given] == [embedder.limit]


def test_an_empty_repository_has_no_answers() -> None:
    dense = built({})
    assert dense.search("open", limit=5) == []
    assert dense.search("open", level=Level.L0, limit=5) == []
    assert np.isfinite(len(dense.digest()))
