import stat
from pathlib import Path

from hypothesis import given, strategies as st

from aoci_agent.base.capture import Capture


def test_small_output_is_whole(tmp_path: Path) -> None:
    capture = Capture(100, 1000, tmp_path / "spill")
    capture.feed(b"hello\n")
    capture.feed(b"caf\xc3\xa9\xff\r10%\r20%")
    assert capture.text() == ("hello\ncafé\ufffd\r10%\r20%", 0)
    assert not (tmp_path / "spill").exists()


def test_large_output_keeps_both_ends_and_the_whole_in_a_file(tmp_path: Path) -> None:
    capture = Capture(300, 10_000, tmp_path / "spill")
    whole = b"".join(b"line %d\n" % number for number in range(200))
    for start in range(0, len(whole), 7):
        capture.feed(whole[start : start + 7])
    capture.close()
    text, omitted = capture.text()
    head, _, tail = text.partition("[... ")
    assert whole.startswith(head.encode())
    assert head.endswith("\n")
    assert tail.split("\n", 1)[1].startswith("line ")
    assert whole.endswith(tail.split("\n", 1)[1].encode())
    assert f"[... {omitted:,} bytes omitted ...]" in text
    assert len(head) + omitted + len(tail.split("\n", 1)[1]) == len(whole)
    assert capture.spill is not None
    assert capture.spill.read_bytes() == whole
    assert stat.S_IMODE(capture.spill.stat().st_mode) == 0o600
    assert stat.S_IMODE(capture.spill.parent.stat().st_mode) == 0o700


def test_the_file_is_bounded(tmp_path: Path) -> None:
    capture = Capture(30, 100, tmp_path)
    for _ in range(50):
        capture.feed(b"0123456789")
    capture.close()
    assert capture.spill is not None
    assert capture.spill.stat().st_size == 100
    assert capture.total == 500


def test_one_long_line_is_cut_between_characters() -> None:
    capture = Capture(100)
    capture.feed("é".encode() * 500)
    text, omitted = capture.text()
    assert "\ufffd" not in text
    assert omitted > 0


def test_a_file_that_cannot_be_made_costs_only_the_file(tmp_path: Path) -> None:
    (tmp_path / "not-a-folder").write_bytes(b"")
    capture = Capture(10, 1000, tmp_path / "not-a-folder" / "x")
    capture.feed(b"x" * 100)
    assert capture.spill is None
    assert capture.text()[1] > 0


@given(st.lists(st.binary(max_size=50), max_size=30), st.integers(3, 200))
def test_memory_is_bounded_and_nothing_is_miscounted(pieces: list[bytes], limit: int) -> None:
    capture = Capture(limit)
    for piece in pieces:
        capture.feed(piece)
    whole = b"".join(pieces)
    text, omitted = capture.text()
    assert capture.total == len(whole)
    assert 0 <= omitted <= len(whole)
    if len(whole) <= limit:
        assert text == whole.decode(errors="replace")
        assert omitted == 0
    else:
        assert omitted >= len(whole) - limit
        assert len(text) <= limit + 60
