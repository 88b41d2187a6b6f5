"""Texts by key, kept in a file that may be lost at any time."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from aoci_agent.base.cached import CachedTexts


def test_texts_are_kept_and_dropped(tmp_path: Path) -> None:
    cache = CachedTexts(tmp_path / "deep" / "cache.sqlite")
    assert cache.load(["a"]) == {}
    cache.store({str(number): f"text {number}" for number in range(1200)})
    cache.store({"7": "seven"})
    found = cache.load(map(str, range(2000)))
    assert len(found) == 1200
    assert found["7"] == "seven"
    cache.keep_only(["1", "2"], slack=2000)
    assert len(cache.load(found)) == 1200
    cache.keep_only(["1", "2"], slack=10)
    assert cache.load(found) == {"1": "text 1", "2": "text 2"}


@pytest.mark.parametrize("damage", [b"not a database", b""])
def test_a_damaged_file_is_begun_anew(tmp_path: Path, damage: bytes) -> None:
    file = tmp_path / "cache.sqlite"
    file.write_bytes(damage)
    cache = CachedTexts(file)
    assert cache.load(["a"]) == {}
    cache.store({"a": "text"})
    assert cache.load(["a"]) == {"a": "text"}


def test_what_another_process_writes_is_not_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "cache.sqlite"
    cache = CachedTexts(file)
    cache.store({"a": "text"})
    monkeypatch.setattr("aoci_agent.base.cached.WAITS", 0.01)
    with closing(sqlite3.connect(file)) as other:
        other.execute("BEGIN EXCLUSIVE")
        cache.store({"b": "lost"})
        assert cache.load(["a"]) == {}
    assert cache.load(["a", "b"]) == {"a": "text"}


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = CachedTexts(tmp_path / "file" / "cache.sqlite")
    cache.store({"a": "text"})
    cache.keep_only([])
    assert cache.load(["a"]) == {}
