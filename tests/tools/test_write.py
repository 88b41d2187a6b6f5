"""Whole files: created, or replaced once they were seen."""

import pytest
from support.desk import Desk

from aoci_agent.base.errors import NotPossible, TryAgain


async def test_a_new_file_with_its_folders(desk: Desk) -> None:
    preview = desk.preview("write", path="src/new/a.py", content="x = 1\n")
    assert preview.title == "create src/new/a.py"
    assert preview.body.splitlines() == [
        "--- /dev/null",
        "+++ b/src/new/a.py",
        "@@ -0,0 +1 @@",
        "+x = 1",
    ]
    assert not (desk.root / "src").exists()
    result = await desk.call("write", path="src/new/a.py", content="x = 1\n")
    assert result.text == "created src/new/a.py: 1 lines"
    assert result.changed == ("src/new/a.py",)
    assert result.diff == preview.body
    assert desk.text("src/new/a.py") == "x = 1\n"


async def test_what_was_not_read_is_not_overwritten(desk: Desk) -> None:
    desk.put("a.py", "old\n")
    with pytest.raises(TryAgain, match="exists and was not read: read it first"):
        await desk.call("write", path="a.py", content="new\n")
    await desk.call("read", path="a.py")
    await desk.call("write", path="a.py", content="new\n")
    await desk.call("write", path="a.py", content="newer\n")
    assert desk.text("a.py") == "newer\n"


@pytest.mark.gate("R06")
async def test_what_changed_since_is_not_overwritten(desk: Desk) -> None:
    desk.put("a.py", "old\n")
    await desk.call("read", path="a.py")
    desk.put("a.py", "by hand\n")
    with pytest.raises(TryAgain, match="changed since it was read"):
        desk.preview("write", path="a.py", content="new\n")
    with pytest.raises(TryAgain, match="changed since it was read"):
        await desk.call("write", path="a.py", content="new\n")
    assert desk.text("a.py") == "by hand\n"


async def test_what_was_read_in_part_is_not_overwritten(desk: Desk) -> None:
    desk.put("a.py", "".join(f"{number}\n" for number in range(20)))
    await desk.call("read", path="a.py", limit=8)
    with pytest.raises(TryAgain, match=r"lines 9 and following of a.py \(20 lines\) were not read"):
        await desk.call("write", path="a.py", content="new\n")
    await desk.call("read", path="a.py", offset=15)
    with pytest.raises(TryAgain, match="lines 9 and"):
        await desk.call("write", path="a.py", content="new\n")
    await desk.call("read", path="a.py", offset=9, limit=6)
    assert (await desk.call("write", path="a.py", content="new\n")).ok


async def test_an_own_edit_does_not_make_a_file_unknown(desk: Desk) -> None:
    desk.put("a.py", "one\ntwo\nthree\n")
    await desk.call("read", path="a.py")
    await desk.call("edit", path="a.py", old="two\n", new="2\n2\n2\n")
    await desk.call("edit", path="a.py", old="2\n2\n", new="")
    assert (await desk.call("write", path="a.py", content="all new\n")).ok


async def test_an_empty_file_needs_no_reading(desk: Desk) -> None:
    desk.put("a/__init__.py", "")
    assert (await desk.call("write", path="a/__init__.py", content='"""A."""\n')).changed


@pytest.mark.gate("R03", "R04", "P41")
async def test_encoding_mark_and_line_ends_stay(desk: Desk) -> None:
    desk.put("win.txt", b"\xef\xbb\xbfone\r\ntwo\r\n")
    desk.put("old.txt", b"caf\xe9\n")
    await desk.call("read", path="win.txt")
    await desk.call("read", path="old.txt")
    result = await desk.call("write", path="win.txt", content="eins\nzwei\ndrei\n")
    await desk.call("write", path="old.txt", content="Größe\n")
    assert desk.bytes("win.txt") == b"\xef\xbb\xbfeins\r\nzwei\r\ndrei\r\n"
    assert desk.bytes("old.txt") == "Größe\n".encode("cp1252")
    assert "\r" not in result.diff


async def test_the_same_content_is_no_change(desk: Desk) -> None:
    desk.put("a.py", "x\n")
    await desk.call("read", path="a.py")
    result = await desk.call("write", path="a.py", content="x\n")
    assert (result.ok, result.changed, result.diff) == (True, (), "")


@pytest.mark.parametrize(
    "line",
    [
        "# ... rest of code unchanged ...",
        "// rest of the file remains the same",
        "    # ... existing code ...",
        "/* ... remaining methods unchanged ... */",
        "<!-- rest of the page unchanged -->",
        "[... rest of the implementation here ...]",
        "// … other functions stay the same …",
    ],
)
async def test_placeholders_are_refused(desk: Desk, line: str) -> None:
    with pytest.raises(TryAgain, match="not written out"):
        await desk.call("write", path="a.py", content=f"import os\n{line}\n")
    assert not (desk.root / "a.py").exists()


@pytest.mark.parametrize(
    "line",
    [
        "...",
        "    ...",
        "# The rest of the line is a comment.",
        "# other code paths are handled by the caller",
        "def f(*args: int) -> None: ...",
        "- the rest of this page explains the file format",
        'print("... existing code ...")',
        "# unchanged since 1999",
    ],
)
async def test_ordinary_lines_are_no_placeholders(desk: Desk, line: str) -> None:
    assert (await desk.call("write", path="a.py", content=f"import os\n{line}\n")).ok


async def test_a_placeholder_the_file_already_had_may_stay(desk: Desk) -> None:
    desk.put("a.md", "# ... rest of code unchanged ...\n")
    await desk.call("read", path="a.md")
    assert (
        await desk.call("write", path="a.md", content="x\n# ... rest of code unchanged ...\n")
    ).ok


@pytest.mark.gate("T04", "T17")
async def test_what_cannot_be_written(desk: Desk) -> None:
    desk.put("src/a.py", "x\n")
    desk.put("a.bin", b"\x00\x01")
    with pytest.raises(TryAgain, match="src is a directory"):
        await desk.call("write", path="src", content="x")
    with pytest.raises(NotPossible, match="not overwritten"):
        await desk.call("write", path="a.bin", content="x")
    with pytest.raises(NotPossible, match="outside"):
        await desk.call("write", path="/etc/passwd", content="x")
    with pytest.raises(NotPossible, match="not changed by tools"):
        await desk.call("write", path=".git/hooks/pre-commit", content="x")
    with pytest.raises(TryAgain, match="name a file"):
        await desk.call("write", path=".", content="x")
