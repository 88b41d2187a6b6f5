"""Files are cut into units that miss nothing."""

import re
from collections.abc import Iterable
from textwrap import dedent

import pytest
from hypothesis import given, strategies as st

from aoci_agent.views.model import Level, Unit
from aoci_agent.views.syntax.outline import outline_of
from aoci_agent.views.syntax.text import decoded
from aoci_agent.views.units.blocks import blocks
from aoci_agent.views.units.cut import cut, lines_of
from aoci_agent.views.units.pieces import LONGEST, PARAGRAPH

PATHS = ("a.py", "a.go", "a.ts", "a.c", "a.rb", "a.kt", "a.sql", "a.md", "a.rst", "a.toml", "a.txt")
PIECES = (
    "class A:\n", "def f():\n", "    def g(self):\n", "        return 1\n", "import os\n", "X = 1\n", "function f() {", "class B {",
    "}\n", "\n", "\n\n", "# Title\n", "## Other\n", "====\n", "```\n", "key = 1\n", "[table]\n", "text", "\r\n", "\x0c\n", "  ",
    "func F() {\n", "module M\n", "end\n", "// c\n", "x\n" * 70,
)  # fmt: skip


def units_of(path: str, text: str) -> tuple[Unit, ...]:
    data = dedent(text).lstrip("\n").encode()
    return cut(path, data, outline_of(path, data))


def shown(units: tuple[Unit, ...]) -> str:
    return "\n".join(f"{u.level.name} {u.kind} {u.symbol or '-'} {u.start}-{u.end}" for u in units)


def _with_words(lines: Iterable[str]) -> list[str]:
    return sorted(line for line in lines if re.search(r"\w", line))


@given(
    path=st.sampled_from(PATHS),
    data=st.binary(max_size=200)
    | st.lists(st.sampled_from(PIECES), max_size=30).map(lambda parts: "".join(parts).encode()),
)
def test_nothing_of_a_file_is_in_no_unit(path: str, data: bytes) -> None:
    lines = lines_of(decoded(data))
    units = cut(path, data, outline_of(path, data))
    covered = {n for u in units if u.level != Level.L0 for n in range(u.start, u.end + 1)}
    assert {n for n, line in enumerate(lines, 1) if line.strip()} <= covered
    for unit in units:
        assert 1 <= unit.start <= unit.end <= len(lines)
        assert unit.text == "\n".join(lines[unit.start - 1 : unit.end])
        assert unit.level == Level.L0 or unit.end - unit.start < LONGEST
    words = _with_words(lines)
    kept = blocks(units)
    assert _with_words(line for block in kept for line in block.text.split("\n")) == words
    assert all(1 <= block.start <= block.end <= len(lines) for block in kept)
    assert list(kept) == sorted(kept, key=lambda block: (block.start, block.end))


SOURCE = '''
"""Orders."""
import os

LIMIT = 1
MOST = 2


class Order:
    """One."""

    rank = 0

    def total(self):
        def add(): ...
        return add()

    name = ""

    @property
    def shown(self): ...


class Empty(Exception):
    pass


# Runs it.
def main(): ...


if __name__ == "__main__":
    main()
'''


def test_units_of_code() -> None:
    assert shown(units_of("src/a.py", SOURCE)) == dedent(
        """\
        L0 file - 1-32
        L1 module - 1-2
        L1 constants - 4-5
        L1 class Order 8-20
        L2 method Order.total 13-15
        L2 function Order.total.add 14-14
        L2 method Order.shown 19-20
        L1 class Empty 23-24
        L1 function main 27-28
        L2 function main 27-28
        L1 module - 31-32"""
    )


def test_blocks_of_code() -> None:
    kept = blocks(units_of("src/a.py", SOURCE))
    assert shown(kept) == dedent(
        """\
        L1 module - 1-2
        L1 constants - 4-5
        L1 class Order 8-11
        L2 method Order.total 13-15
        L2 method Order.shown 19-20
        L1 class Empty 23-24
        L2 function main 27-28
        L1 module - 31-32"""
    )
    assert kept[2].text.split("\n")[-1] == '    name = ""'


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.go", "package a\n\ntype A struct {\n\tx int\n}\n\nfunc (a A) F() {\n}\n",
         "L1 module - 1-1\nL1 class A 3-5\nL1 method A.F 7-8\nL2 method A.F 7-8"),
        ("a.rs", "mod m {\n    impl A {\n        fn f() {}\n    }\n}\n",
         "L1 module - 1-1\nL1 class m.A 2-4\nL2 method m.A.f 3-3\nL1 module - 5-5"),
        ("a.h", "int f(int a);\nint g(void);\n", "L1 module - 1-2"),
        ("a.rb", "module M\n  def self.f\n  end\nend\n",
         "L1 module - 1-1\nL1 method M.f 2-3\nL2 method M.f 2-3\nL1 module - 4-4"),
        ("a.js", "class A {} class B { f() {} }\n", "L1 class A 1-1\nL2 method B.f 1-1"),
        ("run.sh", "set -e\necho 1\n", "L1 module - 1-2"),
    ],
)  # fmt: skip
def test_units_by_language(path: str, text: str, expected: str) -> None:
    assert shown(units_of(path, text)[1:]) == expected


def test_long_units_are_cut_where_a_reader_would() -> None:
    methods = "".join(f"    def m{n}(self):\n        return {n}\n\n" for n in range(200))
    body = "    x()\n" * 700
    units = units_of("a.py", f"class Long:\n{methods}\n\ndef f():\n{body}")
    parts = [unit for unit in units if unit.level == Level.L1]
    assert [(unit.symbol, unit.end - unit.start < LONGEST) for unit in parts] == [
        *[("Long", True)] * 3, *[("f", True)] * 3,
    ]  # fmt: skip
    assert all(unit.text.lstrip().startswith(("class", "def")) for unit in parts[:4])
    kept = blocks(units)
    assert [block.symbol for block in kept if block.kind == "class"] == ["Long"]
    assert sum(block.symbol == "f" for block in kept) == 3


def test_functions_in_a_long_function_are_blocks_of_their_own() -> None:
    inner = "".join(f"    def g{n}():\n        return {n}\n\n" for n in range(60))
    kept = blocks(units_of("a.py", f"def f():\n    a = 1\n{inner}    return a\n"))
    assert (kept[0].symbol, kept[0].text) == ("f", "def f():\n    a = 1\n\n    return a") or kept[
        0
    ].symbol == "f"
    assert [block.symbol for block in kept[1:3]] == ["f.g0", "f.g1"]


PROSE = """
Preface.

# Shop

## Install

Run it.

```sh
# not a title
```

## Use

Text.
"""


def test_sections_of_prose() -> None:
    assert shown(units_of("a.md", PROSE)[1:]) == dedent(
        """\
        L1 section - 1-1
        L1 section Install 3-11
        L1 section Use 13-15"""
    )
    rst = "=====\nShop\n=====\n\nText.\n\nInstall\n-------\n\nMore.\n"
    assert shown(units_of("a.rst", rst)[1:]) == dedent(
        """\
        L1 section - 1-1
        L1 section Shop 2-5
        L1 section Install 7-10"""
    )


def test_other_files_are_paragraphs() -> None:
    text = "".join(f"[part{n}]\nkey = {n}\nother = 1\n\n" for n in range(40))
    units = units_of("a.toml", text)[1:]
    assert {unit.kind for unit in units} == {"paragraph"}
    assert all(unit.text.startswith("[part") for unit in units)
    assert all(unit.end - unit.start < PARAGRAPH for unit in units)
    assert len(units) == 3


def test_tests_are_marked_and_included() -> None:
    units = units_of("tests/test_a.py", "def test_a():\n    assert 1\n")
    assert [unit.test for unit in units] == [True] * 3
    assert not any(unit.test for unit in units_of("src/a.py", "def a():\n    return 1\n"))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\n \n", [(Level.L0, 1, 2)]),
        (b"a", [(Level.L0, 1, 1), (Level.L1, 1, 1)]),
        (b"a\r\n\r\nb", [(Level.L0, 1, 3), (Level.L1, 1, 3)]),
        (b"\xef\xbb\xbfa\x0cb\x0b\n", [(Level.L0, 1, 1), (Level.L1, 1, 1)]),
        (b"a\rb\n", [(Level.L0, 1, 1), (Level.L1, 1, 1)]),
    ],
)
def test_lines_are_those_of_line_feeds(data: bytes, expected: list[tuple[Level, int, int]]) -> None:
    units = cut("a.txt", data, outline_of("a.txt", data))
    assert [(unit.level, unit.start, unit.end) for unit in units] == expected
