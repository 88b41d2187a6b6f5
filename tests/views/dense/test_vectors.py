import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from aoci_agent.views.dense.arrays import packed, unpacked
from aoci_agent.views.dense.vectors import VectorCache, key_of

FILE = "vectors-1.sqlite"


def rows(count: int, dimensions: int = 8) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    made = np.random.default_rng(count).standard_normal((count, dimensions)).astype(np.float32)
    return unpacked(packed(made), dimensions).reshape(count, dimensions)


def stored(folder: Path, count: int = 5) -> tuple[VectorCache, list[bytes]]:
    cache = VectorCache(folder)
    keys = [key_of("m", str(at)) for at in range(count)]
    cache.store(keys, rows(count))
    return cache, keys


def test_what_was_stored_is_loaded_by_another(tmp_path: Path) -> None:
    _, keys = stored(tmp_path / "new" / "folder")
    found = VectorCache(tmp_path / "new" / "folder").load([*keys, b"unknown"], 8)
    assert found.keys() == set(keys)
    assert np.array_equal(np.concatenate([found[key] for key in keys]), rows(5))


def test_keys_differ_by_model_and_by_text() -> None:
    told = [("m", "text"), ("m", "tex"), ("mt", "ext"), ("m", "\udcff"), ("m", "")]
    assert len({key_of(*each) for each in told}) == len(told)


@given(st.text(), st.text())
def test_equal_keys_mean_equal_texts(one: str, other: str) -> None:
    assert (key_of("m", one) == key_of("m", other)) == (one == other)


def test_pruning_keeps_the_live_and_what_was_used_lately(tmp_path: Path) -> None:
    cache, keys = stored(tmp_path)
    assert cache.prune(set(keys[:2])) == 0  # the others were used today
    assert cache.prune(set(keys[:2]), unused_days=0) == 3
    assert cache.load(keys, 8).keys() == set(keys[:2])


def test_loading_counts_as_use(tmp_path: Path) -> None:
    cache, keys = stored(tmp_path)
    with sqlite3.connect(tmp_path / FILE) as base:
        base.execute("UPDATE vectors SET day = 0")
    base.close()
    cache.load(keys[:2], 8)
    assert cache.prune(set(), unused_days=1) == 3
    assert cache.load(keys, 8).keys() == set(keys[:2])


@pytest.mark.parametrize("harm", ["rubbish", "cut", "emptied", "turned"])
@pytest.mark.gate("R24", "T23", "S11")
def test_a_damaged_file_costs_time_only(tmp_path: Path, harm: str) -> None:
    cache, keys = stored(tmp_path, 500)
    file = tmp_path / FILE
    data = file.read_bytes()
    half = len(data) // 2
    harmed = {
        "rubbish": b"rubbish" * 500,
        "cut": data[: half + 7],
        "emptied": b"",
        "turned": data[:half] + bytes(byte ^ 0x55 for byte in data[half:]),
    }
    file.write_bytes(harmed[harm])
    for key, found in cache.load(keys, 8).items():
        assert np.array_equal(found[0], rows(500)[keys.index(key)])
    cache.store(keys, rows(500))
    cache.store(keys, rows(500))  # the first may have been what found the damage
    assert cache.load(keys, 8).keys() == set(keys)
    assert cache.problem or harm == "emptied"


@pytest.mark.gate("R24", "T23")
def test_a_damaged_row_is_as_good_as_none(tmp_path: Path) -> None:
    cache, keys = stored(tmp_path)
    with sqlite3.connect(tmp_path / FILE) as base:
        base.execute("UPDATE vectors SET vector = zeroblob(20) WHERE key = ?", (keys[0],))
        base.execute("UPDATE vectors SET vector = x'00' WHERE key = ?", (keys[1],))
    base.close()
    assert cache.load(keys, 8).keys() == set(keys[2:])
    assert not VectorCache(tmp_path).load(keys, 16)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    cache, keys = stored(tmp_path / "below")
    assert cache.load(keys, 8) == {}
    assert cache.problem


def test_a_folder_that_is_a_file_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    cache, keys = stored(tmp_path / "file")
    assert cache.load(keys, 8) == {}
    assert cache.problem


def test_without_a_folder_nothing_is_kept() -> None:
    cache = VectorCache(None)
    cache.store([b"k"], rows(1))
    assert cache.load([b"k"], 8) == {}
    assert cache.prune(set()) == cache.size == 0


@pytest.mark.gate("R24")
def test_several_processes_may_write_at_once(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; import numpy as np\n"
        "from aoci_agent.views.dense.vectors import VectorCache, key_of\n"
        "cache = VectorCache(Path(sys.argv[1]))\n"
        "for at in range(40):\n"
        "    cache.store([key_of(sys.argv[2], str(at))], np.ones((1, 8), dtype=np.float32))\n"
        "assert not cache.problem, cache.problem\n"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), name]) for name in "abc"
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    keys = [key_of(name, str(at)) for name in "abc" for at in range(40)]
    assert len(VectorCache(tmp_path).load(keys, 8)) == 120
