"""What holds of every outline, whatever the file."""

import ast
import codecs
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from aoci_agent.views.syntax.outline import CALLABLES, KINDS, Outline, outline_of
from aoci_agent.views.syntax.table import READERS, reader_of
from aoci_agent.views.syntax.text import decoded

PACKAGE = Path(__file__).parents[3] / "aoci_agent"
PATHS = (
    "a.py", "a.ts", "a.tsx", "a.js", "a.go", "a.rb", "a.vue", "a.svelte", "a.cs", "a.php", "a.rs", "a.swift",
    "a.c", "a.h", "a.cpp", "a.java", "a.kt", "a.scala", "a.sh", "a.sql", "a.md", "Makefile", "run",
)  # fmt: skip
PIECES = (
    "class A", "class A:\n", "def f(a, b):\n", "function f(a) ", "fn f<T>(a: T) -> ", "func (a *A) F() ", "impl A for B ",
    "interface I ", "enum E ", "struct S ", "namespace N ", "module M\n", "end\n", "const x = ", "let y: T = ",
    "@a\n", "#[a]\n", "// a\n", "/* a", "*/", "# a\n", "--a\n", "CREATE TABLE t (", "é", "\u2028", "\x0c", "\r\n", "\r", "\n", "  ",
    "{", "}", "(", ")", ":", ";", ",", "=", "=>", "<", ">", "'", '"', "`", "::", "#if X\n", "#else\n", "#endif\n",
    "<script>", "</script>", "<?php ", "\x00", "self.x = 1\n", "A::b", "$$",
)  # fmt: skip

sources = st.lists(st.sampled_from(PIECES), max_size=40).map(lambda parts: "".join(parts).encode())


def check(path: str, data: bytes) -> Outline:
    """Whether what is said of a file can be: ranges in it, names where they are said to be."""
    outline = outline_of(path, data)
    lines = decoded(data).split("\n")
    count = len(lines) - (not lines[-1])
    for item in outline.definitions:
        assert item.kind in KINDS
        assert 1 <= item.start <= item.line <= max(count, 1)
        assert item.start <= item.end <= max(count, 1)
        if item.name != "default" and item.kind != "extension":
            assert lines[item.line - 1].startswith(item.name, item.column)
        assert len(item.signature) <= 200
        assert "\n" not in item.signature
        assert not item.declared or item.kind in CALLABLES
    return outline


@given(path=st.sampled_from(PATHS), data=st.binary(max_size=400) | sources)
@example(path="a.py", data=codecs.BOM_UTF16_LE + "class A: ...\n".encode("utf-16-le"))
@example(path="a.rb", data=b"class A; def \xe9; end; end")
def test_any_bytes_have_an_outline(path: str, data: bytes) -> None:
    outline = check(path, data)
    assert not outline.problem.startswith("not understood")


def named(tree: ast.AST, owner: str = "") -> Iterator[tuple[str, int, int]]:
    """Classes and functions as Python's own parser has them: name, line, last line."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{owner}.{node.name}" if owner else node.name
            yield name, node.lineno, node.end_lineno or 0
            yield from named(node, name)
        else:
            yield from named(node, owner)


@pytest.mark.parametrize("folder", ["aoci", "tools", "evals", "tui"])
def test_python_agrees_with_its_own_parser(folder: str) -> None:
    for path in sorted((PACKAGE / folder).glob("*.py")):
        data = path.read_bytes()
        outline = check(path.name, data)
        callables = (*CALLABLES, "class")
        ours = {(i.qualified, i.line, i.end) for i in outline.definitions if i.kind in callables}
        assert ours == set(named(ast.parse(data))), path.name


@pytest.mark.parametrize("language", READERS)
def test_every_row_has_a_reader(language: str) -> None:
    assert callable(reader_of(language))


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.py", "class A:\n    def f(self): ...\n\ndef broken(:\n\nclass B: ...\n", ["A", "B"]),
        ("a.go", "package a\n\nfunc F() {}\n\nfunc G( {\n\nfunc H() {}\n", ["F"]),
        ("a.ts", "class A { f() {} }\nclass B { g( }\nfunction h() {}\n", ["A", "h"]),
        ("a.java", "class A { void f() {} void g( } class B {}\n", ["A"]),
    ],
)
def test_a_damaged_file_gives_what_can_be_read(path: str, text: str, names: list[str]) -> None:
    assert set(names) <= {item.name for item in check(path, text.encode()).definitions}


def test_lines_end_at_line_feeds_alone() -> None:
    text = "# é\r\nclass A:\r\n    x = 1\x0c\r\n    def f(self): return '\u2028'\r\n"
    for data in (text.encode("utf-8-sig"), text.encode("utf-16")):
        found = {item.name: item for item in check("a.py", data).definitions}
        assert (found["A"].start, found["A"].line, found["A"].end) == (1, 2, 4)
        assert (found["f"].line, found["f"].column) == (4, 8)


def test_columns_count_characters() -> None:
    (_, second) = check("a.js", "const é = '\U0001f600', ü = 2\n".encode()).definitions
    assert (second.name, second.column) == ("ü", 15)


def test_the_first_line_says_the_language_of_a_script() -> None:
    assert outline_of("bin/run", b"#!/usr/bin/env python3\ndef f(): ...\n").language == "python"
    assert outline_of("notes.txt", b"#!/usr/bin/env python3\ndef f(): ...\n").language == ""


def test_what_would_run_away_is_said() -> None:
    endless = "a = " + "=> b " * 40_000
    assert outline_of("a.java", f"class A {{}}\n{endless}".encode()).definitions[0].name == "A"
    varied = "".join(f"a{number} => " for number in range(20_000))
    outline = outline_of("a.java", varied.encode())
    assert outline.problem == "that would take too long to parse"
    assert outline.definitions == ()


def test_repeated_text_costs_no_definition() -> None:
    table = "int table[] = {" + "0, " * 5000 + "};\n"
    found = check("a.c", f"{table}int after(void) {{ return 1; }}\n".encode()).definitions
    assert [(item.name, item.line) for item in found] == [("table", 1), ("after", 2)]
