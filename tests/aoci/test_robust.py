import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.facts.languages import LANGUAGES
from aoci_agent.aoci.facts.model import Facts, from_record, to_record
from aoci_agent.aoci.facts.runaway import REPEATED, UNCLOSED, tamed
from aoci_agent.aoci.gather import problems
from aoci_agent.aoci.store import IndexStore
from aoci_agent.base.files import Workspace
from aoci_agent.evals import index_fuzz
from aoci_agent.evals.index_fuzz_cases import PIECES, mutated, names

SNIPPETS = (
    '/* About */\nimport { a } from "./a";\nexport const f = async (b: number) => { throw new Error(`x ${b}`); };\n',
    '"""Doc."""\nimport os\nfrom .a import b\n\n@app.get("/x/{y}")\ndef f(y: int) -> None:\n    raise ValueError(os.environ["KEY"])\n',
    "package shop;\n\n/** Doc. */\n@Entity\npublic class A extends B { @Id private Long id; void f() { throw new E(); } }\n",
    "<?php\nnamespace A;\nuse B\\C;\nclass D extends C { protected $table = 'x'; }\nRoute::get('/a', [D::class, 'b']);\n",
    "#[derive(Debug)]\npub struct A { b: u8 }\n#[test]\nfn c() -> Result<()> { Err(E::Other)?; Ok(()) }\n",
    '#include "a.h"\n#define LIMIT 10\nstruct a { int b; };\nint main(void) { return f("%d", LIMIT); }\n',
    "# Title\n\nSome words. [a](b.md) ![c](d.png)\n\n```sh\nrun --it\n```\n<!-- note -->\n",
    "name: a\non: [push]\njobs:\n  b:\n    runs-on: c\n    steps:\n      - run: make ${{ d }}\n",
    '{"name": "a", "scripts": {"b": "c"}, "dependencies": {"d": "^1"}}\n',
    "CREATE TABLE a (b INT PRIMARY KEY, c TEXT REFERENCES d(e));\nALTER TABLE a ADD COLUMN f INT;\n-- end\n",
    "<script lang='ts'>\nlet { a } = $props();\n</script>\n<template><A :b=\"c\">{{ d }}</A></template>\n",
    "FROM a:1 AS b\nRUN c && d\nENV E=f\nserver { listen 80; location / { proxy_pass http://g; } }\n",
)  # fmt: skip
ODD = ("\0", "\x1b", "\u2028", "\ud83d", "\ufeff", "\r", "\t" * 300, "(" * 3000, "{[(<", '"', "'", "`", '"""', "/*", "*/", "<!--", "{{", "${", "\\")  # fmt: skip
PATHS = names()


def understood(path: str, data: bytes) -> Facts:
    facts = extract(path, data)
    assert "not understood" not in facts.problem
    assert from_record(json.loads(json.dumps(to_record(facts)))) == facts
    return facts


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    text = draw(st.sampled_from(SNIPPETS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, len(text)))
        text = draw(
            st.sampled_from(
                (
                    text[:start] + text[end:],
                    text[:start] + text[start:end] * draw(st.sampled_from((2, 50))) + text[end:],
                    text[end:] + text[:start],
                    text[:start] + draw(st.sampled_from(ODD)) + text[start:],
                    text.replace("\n", draw(st.sampled_from(("", " ", "\r\n", "\n\n")))),
                )
            )
        )
    return text.encode(draw(st.sampled_from(("utf-8", "utf-16"))), "surrogatepass")


@pytest.mark.gate("S11")
@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
)
@given(path=st.sampled_from(PATHS), data=damaged())
def test_a_damaged_file_is_always_understood(path: str, data: bytes) -> None:
    understood(path, data)


# The time limit of the suite is the guard: each of these took from seconds to days.
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.gate("T31", "S11")
def test_one_piece_repeated_is_read_at_once(path: str) -> None:
    for piece in PIECES[PATHS.index(path) % 4 :: 4]:
        understood(path, (piece * (200_000 // len(piece))).encode())


def varied(piece: str, size: int) -> str:
    return "".join(
        f"{piece}a{number * 7919 % 99_991} " for number in range(size // (len(piece) + 5))
    )


# Without a period, so nothing shortens them.
@pytest.mark.parametrize(
    ("path", "piece"),
    [
        ("a.py", "/*"), ("a.py", "lambda: "), ("a.java", "=> "), ("a.vue", "const {a} = "), ("a.go", "func ("), ("a.go", ","), ("a.kt", "/*"),
        ("a.ts", "CREATE TABLE a ("), ("a.scala", "\n"), ("a.js", "(((" ), ("a.sql", "ALTER TABLE a ADD "),
    ],
)  # fmt: skip
def test_one_shape_repeated_is_read_in_seconds(path: str, piece: str) -> None:
    understood(path, varied(piece, 100_000).encode())


@pytest.mark.parametrize(
    "text", ['"' + "x" * 900_000, "a " * 3 + "\n" * 900_000, "[" * 500_000 + "]" * 500_000]
)
@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.rs", "a.json", "a.yaml", "a.md", "a.html"])
@pytest.mark.gate("T31", "S11")
def test_a_megabyte_of_one_character_is_read(path: str, text: str) -> None:
    understood(path, text.encode())


def test_what_real_text_holds_is_left_alone() -> None:
    table = "".join(f"    {{ id: {n}, name: 'item {n}' }},\n" for n in range(5000))
    prose = "".join(f"{n} is less than {n + 1} (mostly)\n" for n in range(5000))
    for text in (table, prose, "=" * 1000, "\n" * 1000, " " * 200, ""):
        assert tamed(text) == (text, "")


def test_text_around_a_repetition_is_kept() -> None:
    text, problem = tamed("before\n" + "ab(" * 9000 + "\nafter")
    assert problem == REPEATED
    assert text.startswith("before\nab(ab(")
    assert text.endswith("ab(\nafter")
    assert len(text) < 2000


def test_beginnings_that_nothing_ends_are_blanked_where_they_are() -> None:
    start = "def f(a): return {a: [1]}\n"
    text, problem = tamed(start + varied("x(", 300_000))
    assert problem == UNCLOSED
    assert text.startswith(start + "x a0 ")
    assert len(text) == len(start + varied("x(", 300_000))


def test_what_was_passed_over_still_tells_versions_apart() -> None:
    one, other = (extract("a.py", b"x = 1\n" + b"((" * count) for count in (5000, 6000))
    assert one.problem == other.problem != ""
    assert one.sem != other.sem


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "whole.py": b'"""Whole."""\n\n\ndef f() -> int:\n    return 1\n',
        "broken.py": b"def (((:\n  ]]] class\n)))\n" * 3,
        "again.go": b"fun <" * 40_000,
        "nest.java": b"({[" * 40_000,
        "broken.toml": b"[a\nb = \n",
    }
    for name, data in files.items():
        (tmp_path / "project").mkdir(exist_ok=True)
        (tmp_path / "project" / name).write_bytes(data)
    return tmp_path / "project"


def test_a_damaged_file_has_an_entry_and_a_finding(folder: Path) -> None:
    with Workspace(folder) as workspace:
        store = IndexStore(workspace, None, folder.parent / "cache")
        report = store.build()
        listed = {entry.path for entry in store.current.entries}
    assert listed == {
        path.name for path in folder.iterdir() if path.suffix in (".py", ".go", ".java", ".toml")
    }
    said = "\n".join(report.findings)
    for name in ("broken.py", "again.go", "nest.java", "broken.toml"):
        assert name in said
    assert "whole.py" not in said


def test_problems_read_well_for_one_and_for_many() -> None:
    facts = Facts("go", problem=REPEATED)
    assert problems({"a.go": facts}) == [f"1 file {REPEATED}: a.go"]
    assert problems({"a.go": facts, "b.go": facts}) == [f"2 files {REPEATED}: a.go, b.go"]


def test_the_same_seed_gives_the_same_damage(folder: Path) -> None:
    first = list(mutated([folder], 40, 1))
    assert first == list(mutated([folder], 40, 1))
    assert first != list(mutated([folder], 40, 2))
    assert {Path(case.path).suffix for case in first} == {".py", ".go", ".java", ".toml"}


def test_damaged_copies_of_a_repository_are_read_and_get_entries(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert index_fuzz.main([str(folder), "--files", "30"]) == 0
    assert "30 files read, 0 bad" in capsys.readouterr().out


def test_every_language_is_tried() -> None:
    assert {f"a{language.extensions[0]}" for language in LANGUAGES} < set(PATHS)
