"""A model file of the user's own: what can be said without an engine."""

import struct
from pathlib import Path

import pytest

from aoci_agent.agent.models.local import ModelFile, inspect
from aoci_agent.base.errors import ModelUnavailable


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def gguf(*entries: bytes, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(entries)) + b"".join(entries)


NAME = text("general.name") + struct.pack("<I", 8) + text("Tiny")
NUMBERS = text("a.numbers") + struct.pack("<IIQ", 9, 4, 3) + struct.pack("<3I", 1, 2, 3)
WORDS = text("a.words") + struct.pack("<IIQ", 9, 8, 2) + text("x") + text("yz")
CONTEXT = text("llama.context_length") + struct.pack("<II", 4, 8192)


def test_the_context_length_is_found_behind_other_entries(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(gguf(NAME, NUMBERS, WORDS, CONTEXT))
    assert inspect(path) == ModelFile(path, path.stat().st_size, 8192)


def test_it_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(gguf(NAME))
    assert inspect(path).context is None


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not a GGUF"),
        (b"PK\x03\x04", "not a GGUF"),
        (b"GGUF", "damaged"),
        (gguf(CONTEXT)[:-2], "damaged"),
        (gguf(CONTEXT, version=99), "damaged"),
        (gguf(text("a") + struct.pack("<I", 77)), "damaged"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60), "damaged"),
        (gguf(struct.pack("<Q", 2**60)), "damaged"),
    ],
)
def test_other_files_are_named(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(data)
    with pytest.raises(ModelUnavailable, match=words):
        inspect(path)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="No such file"):
        inspect(tmp_path / "none.gguf")
    with pytest.raises(ModelUnavailable, match="directory"):
        inspect(tmp_path)


def test_the_label_says_what_to_expect() -> None:
    assert "does not edit reliably" in ModelFile(Path("a.gguf"), 1_100_000_000, 8192).label
    assert "does not edit" not in ModelFile(Path("a.gguf"), 18_000_000_000, 8192).label
