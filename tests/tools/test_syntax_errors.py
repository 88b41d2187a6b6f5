"""A change that breaks a file says so; what was broken before, or looks broken, does not."""

import pytest
from support.desk import Desk

from aoci_agent.tools.syntax_errors import LARGEST, new_errors

pytestmark = pytest.mark.gate("P45")

PYTHON = "def f(a):\n    if a:\n        return (1)\n    return 2\n"
GO = "package main\n\nfunc a() int {\n\tif true {\n\t\treturn f(1)\n\t}\n\treturn 2\n}\n"
SCRIPT = "function f(x) {\n  if (x) {\n    return [x];\n  }\n  return 1;\n}\n"
JAVA = "class A {\n    int f() {\n        return 1;\n    }\n}\n"
RUST = "fn main() {\n    let x = 1;\n}\n"
C = "int main(void) {\n    if (1) {\n        return 0;\n    }\n}\n"


async def test_an_edit_stands_and_is_told_of(desk: Desk) -> None:
    desk.put("a.py", PYTHON)
    result = await desk.call("edit", path="a.py", old="return (1)", new="return (1")
    assert result.text.endswith("\nNew syntax error at line 3: return (1")
    assert "new syntax error" in result.summary
    assert result.changed == ("a.py",)
    assert "return (1\n" in desk.text("a.py")
    mended = await desk.call("edit", path="a.py", old="return (1", new="return (1)")
    assert "syntax error" not in mended.text + mended.summary


async def test_a_new_file_and_a_whole_one_are_told_of(desk: Desk) -> None:
    result = await desk.call("write", path="a.py", content="def f(:\n    pass\n")
    first, second = result.text.splitlines()
    assert first == "created a.py: 2 lines"
    assert second == 'New syntax error at line 1, ")" is missing: def f(:'
    result = await desk.call("write", path="a.py", content="def f():\n    pass\n")
    assert result.text == "wrote a.py: 2 lines"
    result = await desk.call("write", path="a.py", content="def f():\npass\n")
    assert "line 2, expected an indented block" in result.text


@pytest.mark.parametrize(
    ("path", "before", "old", "new", "told"),
    [
        ("a.py", PYTHON, "if a:", "if a", "line 2: if a"),
        ("a.py", PYTHON, "        return (1)\n", "", "line 3, expected an indented block"),
        ("a.py", PYTHON, "    return 2", "      return 2", "line 4, unindent does not match"),
        ("a.go", GO, "f(1)", "f(1", 'line 5, ")" is missing: return f(1'),
        ("a.go", GO, "return 2\n}\n", "return 2\n}\n}\n", "line 9: }"),
        ("a.js", SCRIPT, "if (x)", "if (x", 'line 2, ")" is missing: if (x {'),
        ("a.ts", SCRIPT, "  return 1;\n}\n", "  return 1;\n", '"}" is missing'),
        ("a.tsx", SCRIPT, "[x]", "[x", "line 3"),
        ("A.java", JAVA, "return 1;", "return 1", 'line 3, ";" is missing: return 1'),
        ("a.rs", RUST, "let x = 1;", "let x = ;", "line 2: let x = ;"),
        ("a.rs", RUST, "1;\n}", "1;", "line 2"),
        ("a.c", C, "return 0;", "return 0", 'line 3, ";" is missing: return 0'),
        ("a.cpp", C, "    }\n", "", '"}" is missing'),
        ("a.rb", "def a\n  1\nend\n", "end\n", "", "line 2"),
        ("a.php", "<?php\nfunction a() { return 1; }\n", " }", "", "line 2"),
        ("a.cs", "class A { int f() { return 1; } }\n", "1;", "1", '";" is missing'),
        ("a.scala", "object A {\n  def f = (1)\n}\n", "(1)", "(1", "line 2"),
        ("a.swift", "func a() -> Int {\n  return 1\n}\n", "1\n}", "1", "line"),
        ("a.sh", "if a; then\n  b\nfi\n", "fi\n", "", '"fi" is missing'),
    ],
)
def test_every_grammar(path: str, before: str, old: str, new: str, told: str) -> None:
    assert new_errors(path, None if path == "A.java" else before, before) == ""
    after = before.replace(old, new, 1)
    found = new_errors(path, before, after)
    assert found.startswith("New syntax error at line")
    assert told in found
    assert new_errors(path, after, before) == ""


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        pytest.param("a.py", "x = (\n", "x = (\ny = 2\n", id="broken before"),
        pytest.param("a.js", f"<<<\n{SCRIPT}", f"<<<\n{SCRIPT}a();\n", id="broken elsewhere"),
        pytest.param("a.kt", "fun f() {}", "fun f( {}", id="no grammar"),
        pytest.param("notes.txt", "a", "(", id="no language"),
        pytest.param("a.c", "int x;\n", "int x;\nEACH(a, b) {\n  f();\n}\n", id="a macro"),
        pytest.param("a.h", None, "API int (*f)(void) ATTR;\n", id="a new header of macros"),
        pytest.param("a.py", "x = 1\n", 'x = 1\ny = "\\d"\n', id="an escape to warn of"),
        pytest.param("a.py", "x = 1\n", "type X[T] = list[T]\n", id="newer syntax"),
        pytest.param("a.py", "", "", id="empty"),
        pytest.param("a.py", "x = 1\r\n", "x = 1\r\nif x:\r\n\ty = 2\r\n", id="windows"),
        pytest.param("a.py", "x = 1\r", "x = 1\rif x:\r    y = 2\r", id="old mac"),
        pytest.param("a.py", "x = 1\n", "x = (\n" + "#" * LARGEST, id="too large"),
    ],
)
def test_no_false_alarm(path: str, before: str | None, after: str) -> None:
    assert new_errors(path, before, after) == ""


def test_a_second_error_beside_an_old_one_is_told() -> None:
    old = "x = = 1\n\n\ndef f():\n    return (1)\n"
    assert new_errors("a.py", old, old.replace("(1)", "(1")) == (
        "New syntax error at line 5: return (1"
    )


MACROS = f"API int (*first)(void) ATTR;\n\n{C}"  # errors to the grammar, none to a compiler
ZSH = "for f (*.c) {\n  echo $f\n}\n\na() {\n  b $(c)\n}\n"


@pytest.mark.parametrize(
    ("path", "before", "old", "new"),
    [
        ("a.c", MACROS, "if (1) {", "if (1 {"),
        ("a.cpp", MACROS, "return 0;", "return f(0;"),
        ("a.h", MACROS, "    }\n}", "    }"),
        ("a.sh", ZSH, "$(c)", "$(c"),
    ],
)
def test_beside_errors_of_a_weak_grammar_a_lost_bracket_is_told(
    path: str, before: str, old: str, new: str
) -> None:
    after = before.replace(old, new)
    assert new_errors(path, before, after).startswith("New syntax error at line")
    assert new_errors(path, after, before) == ""


@pytest.mark.parametrize(
    ("path", "before", "more"),
    [
        ("a.c", MACROS, "API int (*second)(void) ATTR;\n"),
        ("a.c", MACROS, "EACH(a, b, c) {\n  d(a);\n} END\n"),
        ("a.sh", ZSH, "for g (*.h) {\n  echo $g\n}\n"),
    ],
)
def test_more_of_what_a_weak_grammar_does_not_know_is_no_error(
    path: str, before: str, more: str
) -> None:
    assert new_errors(path, before, before + more) == ""


def test_an_error_of_the_whole_file_is_told_at_the_change() -> None:
    before = "fn a() {\n    b();\n}\n\nfn b() {\n    c();\n}\n"
    told = new_errors("a.rs", before, before.replace("b();\n}", "b();", 1))
    assert told.startswith("New syntax error at line 3")


def test_at_most_three_are_told() -> None:
    told = new_errors("a.js", "", "a = ;\n" * 5).splitlines()
    assert len(told) == 4
    assert told[-1] == "[2 more syntax errors not shown]"


def test_odd_texts_raise_nothing() -> None:
    for text in ("\0", "\ud800", "((((" * 20_000, "\n" * 1000, "x = '''" * 999, "\\", "if " * 9999):
        for path in ("a.py", "a.js", "a.c", "a.rs", "a.rb"):
            new_errors(path, "x", text)
            new_errors(path, text, text + "(")
