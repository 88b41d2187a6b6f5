"""Edits: found exactly or but for whitespace, refused with reasons, never applied twice."""

import pytest
from support.desk import Desk

from aoci_agent.base.errors import NotPossible, TryAgain

CODE = """\
import os


class Box:
    def size(self):
        if self.full:
            return 1
        return 0

    def area(self):
        return 2
"""


async def test_an_exact_edit(desk: Desk) -> None:
    desk.put("a.py", CODE)
    result = await desk.call("edit", path="a.py", old="return 1", new="return self.n")
    assert desk.text("a.py") == CODE.replace("return 1", "return self.n")
    assert result.changed == ("a.py",)
    assert result.text.splitlines() == [
        "edited a.py",
        "5\t    def size(self):",
        "6\t        if self.full:",
        "7\t            return self.n",
        "8\t        return 0",
        "9\t",
    ]
    assert "-            return 1\n+            return self.n" in result.diff


def test_the_preview_is_the_diff_and_changes_nothing(desk: Desk) -> None:
    desk.put("a.py", CODE)
    preview = desk.preview("edit", path="./a.py", old="return 1", new="return 3")
    assert (preview.kind, preview.title, preview.key) == ("diff", "edit a.py", "a.py")
    assert preview.body.splitlines()[:3] == ["--- a/a.py", "+++ b/a.py", "@@ -4,7 +4,7 @@"]
    assert desk.text("a.py") == CODE


async def test_several_places_need_all(desk: Desk) -> None:
    desk.put("a.py", "x = 1\ny = 2\nx = 1\n")
    with pytest.raises(TryAgain, match=r"stands 2 times in a.py, at lines 1, 3: .*all=true"):
        await desk.call("edit", path="a.py", old="x = 1", new="x = 3")
    result = await desk.call("edit", path="a.py", old="x = 1", new="x = 30", all=True)
    assert desk.text("a.py") == "x = 30\ny = 2\nx = 30\n"
    assert result.text.startswith("edited a.py in 2 places\n1\tx = 30")


async def test_deleting_lines(desk: Desk) -> None:
    desk.put("a.py", CODE)
    await desk.call("edit", path="a.py", old="import os\n\n\n", new="")
    assert desk.text("a.py").startswith("class Box")


@pytest.mark.gate("P39")
@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        pytest.param(
            "if a:   \n    b()\n",
            "if a:\n    b()\n",
            "if a:\n    c()\n",
            "if a:\n    c()\n",
            id="trailing space",
        ),
        pytest.param(
            "class A:\n    def f(self):\n        return 1\n",
            "def f(self):\n    return 1",
            "def f(self):\n    if x:\n        return 2\n\n    return 3",
            "class A:\n    def f(self):\n        if x:\n            return 2\n\n        return 3\n",
            id="indented deeper",
        ),
        pytest.param(
            "def f():\n    return 1\n",
            "        def f():\n            return 1\n",
            "        def f():\n            return 2\n",
            "def f():\n    return 2\n",
            id="indented less",
        ),
        pytest.param(
            "func f() {\n\tif a {\n\t\tb()\n\t}\n}\n",
            "    if a {\n        b()\n    }\n",
            "    if a {\n        c()\n        d()\n    }\n",
            "func f() {\n\tif a {\n\t\tc()\n\t\td()\n\t}\n}\n",
            id="tabs in the file",
        ),
        pytest.param(
            "a:\n    b:\n        c: 1\n",
            "a:\n  b:\n    c: 1\n",
            "a:\n  b:\n    c: 2\n    d: 3\n",
            "a:\n    b:\n        c: 2\n        d: 3\n",
            id="two spaces for four",
        ),
        pytest.param(
            "    def f():\n        one()\n        two()",
            "def f():\n    one()\n    two()\n",
            "def f():\n    one()\n    three()\n",
            "    def f():\n        one()\n        three()",
            id="no end of line at the end",
        ),
    ],
)
async def test_whitespace_is_tolerated_and_said(
    desk: Desk, file: str, old: str, new: str, expected: str
) -> None:
    desk.put("a.txt", file)
    result = await desk.call("edit", path="a.txt", old=old, new=new)
    assert desk.text("a.txt") == expected
    assert "old differed in whitespace" in result.text


@pytest.mark.parametrize(
    "old",
    [
        pytest.param("def f():\n      one()\n    two()", id="not uniform"),
        pytest.param("def f():\n    one( )\n    two()", id="inside a line"),
    ],
)
async def test_other_differences_are_not_tolerated(desk: Desk, old: str) -> None:
    desk.put("a.py", "def f():\n    one()\n    two()\n")
    with pytest.raises(TryAgain, match=r"old is not in a.py. At the nearest place line 2 differs"):
        await desk.call("edit", path="a.py", old=old, new="pass")


@pytest.mark.gate("P45")
async def test_a_tolerant_match_must_be_unique(desk: Desk) -> None:
    code = "def f():\n    x()\n    y()\n\ndef g():\n        x()\n        y()\n"
    desk.put("a.py", code)
    with pytest.raises(TryAgain, match=r"2 times in a.py \(but for whitespace\), at lines 2, 6"):
        await desk.call("edit", path="a.py", old="  x()\n  y()\n", new="  z()\n", all=True)
    assert desk.text("a.py") == code


@pytest.mark.gate("P39", "P49", "P50")
async def test_the_first_line_that_differs_is_named(desk: Desk) -> None:
    desk.put("a.py", CODE)
    with pytest.raises(TryAgain) as caught:
        await desk.call(
            "edit",
            path="a.py",
            old="    def size(self):\n        if self.empty:\n            return 1\n",
            new="",
        )
    assert str(caught.value).splitlines() == [
        "old is not in a.py. At the nearest place line 6 differs:",
        "yours:         if self.empty:",
        "file:          if self.full:",
    ]


@pytest.mark.gate("P39")
async def test_a_difference_one_cannot_see_is_made_visible(desk: Desk) -> None:
    desk.put("a.py", "if a:\n\tb()\n    c()\n")
    with pytest.raises(TryAgain, match=r"yours: '    b\(\)'\nfile:  '\\tb\(\)'"):
        await desk.call("edit", path="a.py", old="if a:\n    b()\n    c()\n", new="x")


@pytest.mark.gate("P49")
async def test_a_long_quote_is_answered_with_small_pieces(desk: Desk) -> None:
    lines = [f"    value_{number} = compute({number})\n" for number in range(60)]
    desk.put("a.py", "def f():\n" + "".join(lines))
    lines[41] = lines[41].replace("compute", "calculate")
    with pytest.raises(TryAgain, match="line 43 differs") as caught:
        await desk.call("edit", path="a.py", old="".join(lines), new="")
    assert "old has 60 lines: quote only the few around each change" in str(caught.value)
    with pytest.raises(TryAgain) as short:
        await desk.call("edit", path="a.py", old=lines[41], new="")
    assert "quote only" not in str(short.value)


@pytest.mark.gate("P50")
async def test_the_searched_text_is_quoted_never_the_replacement(desk: Desk) -> None:
    desk.put("a.py", CODE)
    for old in ("zzzzzz wwwwww\nvvvvv", "        if self.vacant:\n"):
        with pytest.raises(TryAgain) as caught:
            await desk.call("edit", path="a.py", old=old, new="REPLACEMENT")
        assert old.splitlines()[0] in str(caught.value)
        assert "REPLACEMENT" not in str(caught.value)


@pytest.mark.gate("P47")
async def test_after_two_failures_the_file_is_shown(desk: Desk) -> None:
    desk.put("a.py", CODE)
    arguments = {"path": "a.py", "old": "return 77", "new": "return 8"}
    with pytest.raises(TryAgain) as first:
        await desk.call("edit", **arguments)
    with pytest.raises(TryAgain) as second:
        desk.preview("edit", **arguments)
    assert "The file there now" not in str(first.value)
    assert "The file there now:\n1\timport os" in str(second.value)
    assert "\n7\t            return 1\n" in str(second.value)


@pytest.mark.gate("P46")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("return 1", "return self.number", id="replaced"),
        pytest.param("import os\n", "import os\nimport sys\n", id="inserted after"),
        pytest.param("class Box:", "@final\nclass Box:", id="inserted before"),
    ],
)
async def test_an_edit_made_twice_is_made_once(desk: Desk, old: str, new: str) -> None:
    desk.put("a.py", CODE)
    await desk.call("edit", path="a.py", old=old, new=new)
    once = desk.text("a.py")
    again = await desk.call("edit", path="a.py", old=old, new=new)
    assert again.ok
    assert "nothing to do, the new text already stands at line" in again.text
    assert again.changed == ()
    assert desk.text("a.py") == once == CODE.replace(old, new)


@pytest.mark.gate("P46")
async def test_a_renaming_made_twice_is_made_once(desk: Desk) -> None:
    desk.put("a.py", "item = 1\nprint(item)\n")
    for _ in range(2):
        await desk.call("edit", path="a.py", old="item", new="item_count", all=True)
    assert desk.text("a.py") == "item_count = 1\nprint(item_count)\n"
    assert desk.preview("edit", path="a.py", old="item", new="item_count").title == (
        "edit a.py (already applied)"
    )


async def test_a_short_new_text_elsewhere_is_not_taken_for_done(desk: Desk) -> None:
    desk.put("a.py", CODE)
    with pytest.raises(TryAgain, match="old is not in"):
        await desk.call("edit", path="a.py", old="return 9", new="return 2")


@pytest.mark.gate("P48")
@pytest.mark.parametrize("mark", ["\t", "|", ":", "→"])
async def test_line_numbers_of_a_reader_are_left_out(desk: Desk, mark: str) -> None:
    desk.put("a.py", CODE)
    old = f"  6{mark}        if self.full:\n  7{mark}            return 1\n"
    result = await desk.call("edit", path="a.py", old=old, new="        return 5\n")
    assert "line numbers in old were left out" in result.text
    assert "size(self):\n        return 5\n        return 0" in desk.text("a.py")


@pytest.mark.gate("P48")
async def test_numbers_that_belong_to_the_file_stay(desk: Desk) -> None:
    desk.put("a.txt", "1|one\n2|two\n")
    result = await desk.call("edit", path="a.txt", old="1|one\n2|two", new="1|eins\n2|zwei")
    assert desk.text("a.txt") == "1|eins\n2|zwei\n"
    assert "line numbers" not in result.text


async def test_calls_that_make_no_sense(desk: Desk) -> None:
    desk.put("a.py", CODE)
    desk.put("b.bin", b"\x00\x01")
    (desk.root / "folder").mkdir()
    with pytest.raises(TryAgain, match=r"old is empty.*write"):
        await desk.call("edit", path="a.py", old="", new="x")
    with pytest.raises(TryAgain, match="the same"):
        await desk.call("edit", path="a.py", old="x", new="x")
    with pytest.raises(TryAgain, match=r"does not exist. Did you mean a.py"):
        await desk.call("edit", path="A.py", old="x", new="y")
    with pytest.raises(TryAgain, match="directory"):
        await desk.call("edit", path="folder", old="x", new="y")
    with pytest.raises(NotPossible, match="binary"):
        await desk.call("edit", path="b.bin", old="x", new="y")
    with pytest.raises(TryAgain, match="nothing in the file is like it"):
        await desk.call("edit", path="a.py", old="qqqqqq\nwwwwwww", new="y")


@pytest.mark.gate("T17")
@pytest.mark.parametrize(
    "path", [".git/config", ".GIT/hooks/x", ".aoci/a", ".aoci-agent/index.aoci"]
)
async def test_files_of_others_are_not_touched(desk: Desk, path: str) -> None:
    file = desk.put(path, "old\n")
    with pytest.raises(NotPossible, match="not changed by tools"):
        desk.preview("edit", path=path, old="old", new="new")
    assert file.read_text() == "old\n"


async def test_a_placeholder_is_refused(desk: Desk) -> None:
    desk.put("a.py", CODE)
    with pytest.raises(TryAgain, match="stands for code that is not written out"):
        await desk.call("edit", path="a.py", old="return 1", new="# ... rest of code unchanged ...")
    assert desk.text("a.py") == CODE


@pytest.mark.gate("R06")
async def test_a_file_that_changed_since_it_was_read_keeps_the_other_change(desk: Desk) -> None:
    desk.put("a.py", CODE)
    await desk.call("read", path="a.py")
    desk.put("a.py", CODE.replace("return 2", "return 99"))
    result = await desk.call("edit", path="a.py", old="return 1", new="return 7")
    assert "the file had changed since you read it" in result.text
    assert desk.text("a.py") == CODE.replace("return 2", "return 99").replace(
        "return 1", "return 7"
    )


@pytest.mark.gate("P51")
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(
    "text", ["Şişli İstanbul ığüşöç", "漢字かなカナ 한국어 中文", "👩‍💻🙂é\u0301", "e\u0301 ﬁ Ω"]
)
async def test_letters_of_every_language_stay(desk: Desk, text: str, mark: str) -> None:
    desk.put("a.txt", f"{mark}{text} one\n{text} two\n{text} three\n")
    await desk.call("edit", path="a.txt", old=f"{text} two", new=f"{text} {text} 2")
    assert desk.text("a.txt") == f"{mark}{text} one\n{text} {text} 2\n{text} three\n"
    assert (await desk.call("read", path="a.txt")).text.startswith(f"1\t{text} one\n2\t{text} ")


@pytest.mark.gate("P43", "R04")
async def test_text_the_encoding_cannot_hold(desk: Desk) -> None:
    desk.put("a.txt", b"caf\xe9 old\n")
    with pytest.raises(TryAgain, match="U\\+65E5"):
        await desk.call("edit", path="a.txt", old="old", new="日")
    assert desk.bytes("a.txt") == b"caf\xe9 old\n"


async def test_a_long_change_is_shown_by_its_ends(desk: Desk) -> None:
    desk.put("a.txt", "start\nend\n")
    new = "".join(f"line {number}\n" for number in range(100))
    result = await desk.call("edit", path="a.txt", old="end\n", new=new)
    assert len(result.text.splitlines()) < 30
    assert "lines as in new]" in result.text
