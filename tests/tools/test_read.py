"""Reading files and directories."""

import pytest
from support.desk import Desk

from aoci_agent.base import tokens
from aoci_agent.base.errors import NotPossible, TryAgain


async def test_lines_have_numbers(desk: Desk) -> None:
    desk.put("a.py", "one\n\ttwo\n")
    result = await desk.call("read", path="a.py")
    assert result.text == "1\tone\n2\t\ttwo"
    assert result.read == ("a.py",)


async def test_a_part_says_what_is_missing_and_how_to_get_it(desk: Desk) -> None:
    desk.put("a.py", "".join(f"line {number}\n" for number in range(1, 11)))
    middle = await desk.call("read", path="a.py", offset=4, limit=2)
    assert middle.text.splitlines() == [
        "4\tline 4",
        "5\tline 5",
        "[lines 1-3 and lines 6-10 of 10 not shown: offset=6]",
    ]
    end = await desk.call("read", path="a.py", offset=9)
    assert end.text.endswith("10\tline 10\n[lines 1-8 of 10 not shown]")


async def test_a_big_file_is_cut_by_tokens(desk: Desk) -> None:
    desk.put("big.txt", "".join(f"some words in line {number}\n" for number in range(20_000)))
    result = await desk.call("read", path="big.txt")
    assert 5_000 < tokens.count(result.text) <= 6_100
    last = int(result.text.splitlines()[-2].split("\t")[0])
    assert result.text.endswith(f"[lines {last + 1}-20000 of 20000 not shown: offset={last + 1}]")
    rest = await desk.call("read", path="big.txt", offset=last + 1)
    assert rest.text.startswith(f"{last + 1}\t")


async def test_a_very_long_line_is_cut_with_a_note(desk: Desk) -> None:
    desk.put("min.js", "x" * 5_000 + "\nnext\n")
    result = await desk.call("read", path="min.js")
    first, second = result.text.splitlines()
    assert len(first) < 2_100
    assert "3,000 more characters" in first
    assert second == "2\tnext"


async def test_reading_again_gives_the_same(desk: Desk) -> None:
    desk.put("a.py", "x\n")
    assert await desk.call("read", path="a.py") == await desk.call("read", path="./a.py")


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (b"a\r\nb\r\n", "1\ta\n2\tb"),
        (b"a\rb", "1\ta\n2\tb"),
        (b"no end", "1\tno end"),
        (b"\xef\xbb\xbfbom\n", "1\tbom"),
        ("Größe çğış 日本 🙂\n".encode(), "1\tGröße çğış 日本 🙂"),
        (b"caf\xe9\n", "1\tcafé"),
        ("wide\n".encode("utf-16"), "1\twide"),
        (b"\n", "1\t"),
    ],
)
async def test_line_ends_and_encodings(desk: Desk, content: bytes, shown: str) -> None:
    desk.put("a.txt", content)
    assert (await desk.call("read", path="a.txt")).text == shown


async def test_an_empty_file_is_said_to_be_empty(desk: Desk) -> None:
    desk.put("a.py", "")
    assert (await desk.call("read", path="a.py")).text == "a.py is empty"


async def test_a_directory_is_listed(desk: Desk) -> None:
    desk.put("src/b.py", "")
    desk.put("src/deep/a.py", "")
    assert (await desk.call("read", path="src/")).text == "src/\nb.py\ndeep/"
    assert (await desk.call("read", path=".")).text == "./\nsrc/"


async def test_a_missing_file_is_answered_with_near_names(desk: Desk) -> None:
    desk.put("src/Parser.py", "")
    desk.put("lib/client.py", "")
    for path, near in (
        ("src/parser.py", "src/Parser.py"),
        ("client.py", "lib/client.py"),
        ("lib/clients.py", "lib/client.py"),
    ):
        with pytest.raises(TryAgain, match=rf"does not exist. Did you mean {near}\?"):
            await desk.call("read", path=path)


async def test_what_cannot_be_read_is_said(desk: Desk) -> None:
    desk.put("a.bin", b"\x00\x01\x02" * 100)
    desk.put("a.py", "x\n")
    with pytest.raises(NotPossible, match="binary"):
        await desk.call("read", path="a.bin")
    with pytest.raises(NotPossible, match="outside"):
        await desk.call("read", path="../secret")
    with pytest.raises(TryAgain, match="1 lines: there is no line 7"):
        await desk.call("read", path="a.py", offset=7)


def test_the_preview_is_one_line(desk: Desk) -> None:
    preview = desk.preview("read", path="a.py", offset=10)
    assert (preview.kind, preview.title, preview.key) == ("text", "read a.py from line 10", "a.py")
