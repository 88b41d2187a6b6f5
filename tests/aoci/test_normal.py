import pytest
from hypothesis import given, settings, strategies as st

from aoci_agent.aoci.facts.normal import likeness, semantic_hash, sketch_of

SAME = [
    ("a.py", "def f(a, b):\n    return g(a, b)\n", "def f(a,b):  # why\n\n    return g(\n        a,\n        b,\n    )\n"),
    ("a.py", "x = 'a # b'\n", 'x = "a # b"  # c\n'),
    ("a.py", 'def f():\n    """A (\n    # b\n    """\n    return 1\n', 'def f():\n    """A (\n    # b\n    """\n    # c\n    return 1\n'),
    ("a.py", "if a:\n    b()\nc()\n", "if a:\n    # first\n    b()\n\n# then\nc()\n"),
    ("a.ts", "const a = {b: 1, c};\n", "/* all */ const a = {\n  b: 1, // one\n  c,\n};\n"),
    ("a.go", "func f() {\n\treturn\n}\n", "// f does.\nfunc f()   {\n    return // now\n}\n"),
    ("a.yaml", "a:\n  b: 1\n", "# note\na:   \n  # inner\n\n  b: 1\n"),
    ("a.json", '{"a": [1, 2]}', '{\n  "a": [\n    1,\n    2\n  ]\n}\n'),
    ("a.sql", "SELECT a FROM b", "-- all\nSELECT a\n  FROM b"),
    ("a.html", "<p>a</p>", "<!-- x -->\n<p>a</p>\n"),
    ("README.md", "One two\nthree.\n", "One\ntwo three.\n"),
]  # fmt: skip
DIFFERENT = [
    ("a.py", "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n"),
    ("a.py", "x = 'a # b'\n", "x = 'a # c'\n"),
    ("a.py", "x = 'a b'\n", "x = 'ab'\n"),
    ("a.py", '"""A\n# b\n"""\n', '"""A\n# c\n"""\n'),
    ("a.ts", 'const a = "http://x";\n', 'const a = "http://y";\n'),
    ("a.go", "return a + b\n", "return a - b\n"),
    ("a.ts", "return a;", "returna;"),
    ("a.yaml", "a:\n  b: 1\n", "a:\nb: 1\n"),
    ("Makefile", "a:\n\techo # 1\n", "a:\n\techo # 2\n"),
]


@pytest.mark.parametrize(("path", "one", "other"), SAME)
def test_formatting_and_comments_say_nothing(path: str, one: str, other: str) -> None:
    assert semantic_hash(path, one) == semantic_hash(path, other)


@pytest.mark.parametrize(("path", "one", "other"), DIFFERENT)
def test_what_the_code_says_counts(path: str, one: str, other: str) -> None:
    assert semantic_hash(path, one) != semantic_hash(path, other)


@settings(max_examples=300)
@given(st.sampled_from(["a.py", "a.ts", "a.rs", "a.yml", "a.rb", "a.html", "a.xyz"]), st.text())
def test_any_text_has_a_hash(path: str, text: str) -> None:
    assert len(semantic_hash(path, text)) == 16


def test_a_moved_and_edited_file_is_still_alike() -> None:
    lines = [f"line number {n} of the file" for n in range(200)]
    edited = [*lines[:90], "something else here", *lines[110:]]
    sketches = [sketch_of("\n".join(text).encode()) for text in (lines, edited)]
    assert likeness(*sketches) >= 0.5
    other = sketch_of("\n".join(f"other words {n}" for n in range(200)).encode())
    assert likeness(sketches[0], other) < 0.3
    assert sketch_of(b"}\n{\n") == ""
