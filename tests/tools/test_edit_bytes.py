"""Bytes outside the edited span never change, whatever the file is made of."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from support.desk import Desk

ENDS = ("\n", "\r\n")
WORDS = st.text(st.characters(codec="latin-1", exclude_categories=["Cc"]), max_size=12)
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16-le", "cp1252")

pieces = st.lists(st.tuples(WORDS, st.sampled_from(ENDS)), max_size=8)


@pytest.mark.gate("R03", "R05", "P40", "P41")
@given(before=pieces, after=pieces, last=WORDS, end=st.sampled_from(ENDS), lines=st.integers(1, 3))
@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_only_the_span_changes(
    tmp_path: Path,
    before: list[tuple[str, str]],
    after: list[tuple[str, str]],
    last: str,
    end: str,
    lines: int,
) -> None:
    desk = Desk(tmp_path / "project", tmp_path / "spill")
    head = "".join(word + stop for word, stop in before).encode()
    tail = ("".join(word + stop for word, stop in after) + last).encode()
    old = "".join(f"@@old {number}@@\n" for number in range(lines))
    new = "".join(f"@@new {number}@@\n" for number in range(lines + 1))
    desk.put("a.txt", head + old.replace("\n", end).encode() + tail)
    asyncio.run(desk.call("edit", path="a.txt", old=old, new=new))
    assert desk.bytes("a.txt") == head + new.replace("\n", end).encode() + tail
    desk.workspace.close()


@pytest.mark.gate("R03", "R04", "P41", "P42")
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"])
async def test_encodings_and_line_ends_go_round(desk: Desk, encoding: str, end: str) -> None:
    text = end.join(["Größe é", "change me", "", "ende ß"])
    desk.put("a.txt", text.encode(encoding))
    await desk.call("edit", path="a.txt", old="change me\n\n", new="changed\nhere\n")
    expected = text.replace(f"change me{end}{end}", f"changed{end}here{end}")
    assert desk.bytes("a.txt") == expected.encode(encoding)


ROUND = {  # what a file in each encoding may hold; the edit adds more of it
    "ascii": "plain",
    "utf-8": "Größe 日本 🙂",
    "utf-8-sig": "Größe 日本 🙂",
    "utf-16": "Größe 日本 🙂",
    "utf-32": "Größe 日本 🙂",
    "latin-1": "Größe éàü",
    "cp1252": "€ “Größe” …",
    "shift-jis": "日本語のコメント ポインタ",
    "euc-jp": "これは日本語です",
    "gbk": "这是中文的说明",
    "big5": "這是中文的說明",
    "euc-kr": "이것은 한국어",
}


@pytest.mark.gate("P43", "P44", "R04", "S11")
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("encoding", ROUND)
async def test_an_ascii_line_and_its_own_letters_in_twelve_encodings(
    desk: Desk, encoding: str, end: str
) -> None:
    words = ROUND[encoding]
    before = end.join([f"# {words}", "value = 1", f"# {words}", ""])
    desk.put("a.txt", before.encode(encoding))
    await desk.call("edit", path="a.txt", old="value = 1\n", new="value = 2\n")
    after = before.replace("value = 1", "value = 2")
    assert desk.bytes("a.txt") == after.encode(encoding)
    await desk.call("edit", path="a.txt", old="value = 2", new=f"value = 3  # {words}")
    assert desk.bytes("a.txt") == after.replace("= 2", f"= 3  # {words}").encode(encoding)


@pytest.mark.gate("P44", "R04")
async def test_a_byte_inside_a_wide_character_is_not_taken_for_ascii(desk: Desk) -> None:
    text = "ソースの表示\nx = 'ポ'\ny = '\\'\n"  # both kinds of letters end in a backslash's byte
    desk.put("a.py", text.encode("shift-jis"))
    await desk.call("edit", path="a.py", old="\\", new="/")
    assert desk.bytes("a.py") == text.replace("\\", "/").encode("shift-jis")


@pytest.mark.gate("R03", "P40")
async def test_mixed_line_ends_take_the_neighbours(desk: Desk) -> None:
    desk.put("a.txt", b"a\r\nb\nc\r\nd\n")
    await desk.call("edit", path="a.txt", old="b\n", new="b\nb2\n")
    await desk.call("edit", path="a.txt", old="c\n", new="c\nc2\n")
    assert desk.bytes("a.txt") == b"a\r\nb\nb2\nc\r\nc2\r\nd\n"


async def test_line_ends_inside_an_unchanged_part_of_the_span_stay(desk: Desk) -> None:
    desk.put("a.txt", b"a\r\nb\nc\r\nd")
    await desk.call("edit", path="a.txt", old="a\nb\nc\nd", new="a\nb\nX\nd")
    assert desk.bytes("a.txt") == b"a\r\nb\nX\r\nd"


@pytest.mark.gate("R03", "P41", "P42")
async def test_every_place_of_all_in_a_windows_file(desk: Desk) -> None:
    desk.put("a.txt", b"x\r\ny\r\nx\r\n")
    await desk.call("edit", path="a.txt", old="x\n", new="z\nz\n", all=True)
    assert desk.bytes("a.txt") == b"z\r\nz\r\ny\r\nz\r\nz\r\n"


@pytest.mark.gate("R05")
async def test_form_feeds_tabs_and_odd_separators_stay(desk: Desk) -> None:
    content = "a\x0cb\u2028c\x85d\te \v\nchange\n\x1bend".encode()
    desk.put("a.txt", content)
    await desk.call("edit", path="a.txt", old="change", new="done")
    assert desk.bytes("a.txt") == content.replace(b"change", b"done")


@pytest.mark.gate("R02")
async def test_mode_is_kept(desk: Desk) -> None:
    file = desk.put("run.sh", "echo old\n")
    file.chmod(0o750)
    await desk.call("edit", path="run.sh", old="old", new="new")
    assert file.stat().st_mode & 0o777 == 0o750
