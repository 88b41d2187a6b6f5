"""Tasks from elsewhere."""

import json
from pathlib import Path

import pytest

from aoci_agent.base.errors import BadUsage
from aoci_agent.evals.replay.imports import imported
from aoci_agent.evals.replay.task import Budget, Task, written

PATCH = "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-x\n+y\n"
MINED = {
    "repo": "owner/shop", "base": "b" * 40, "commit": "c" * 40, "query": "total is wrong",
    "gold_files": ["cart.py"], "gold_symbols": [{"path": "cart.py", "symbol": "Cart.total"}],
    "test_files": ["tests/test_cart.py"], "lang": "python", "date": "2026-01-02",
}  # fmt: skip
SWE = {
    "instance_id": "owner__shop-7", "repo": "owner/shop", "base_commit": "b" * 40,
    "problem_statement": "src/a.py says x", "patch": PATCH, "test_patch": PATCH.replace("src", "tests"),
    "FAIL_TO_PASS": '["tests/a.py::test_y"]', "PASS_TO_PASS": ["tests/a.py::test_z"],
    "created_at": "2026-01-02T03:04:05Z",
}  # fmt: skip
ISSUES = [
    {"number": 12, "title": "Crash on start", "body": "It dies.\r\n", "labels": [{"name": "bug"}]},
    {"title": "Add --quiet"},
]


def test_mined_cases(tmp_path: Path) -> None:
    path = tmp_path / "mined.jsonl"
    path.write_text(json.dumps(MINED) + "\n\n")
    (task,) = imported(path)
    assert (task.id, task.fix, task.hidden) == (
        "shop-cccccccccc",
        "c" * 40,
        ("tests/test_cart.py",),
    )
    assert task.gold_symbols == ("cart.py:Cart.total",)
    assert (task.leaks, task.tags) == (("symbol",), ("python",))


def test_a_mined_case_that_names_no_repository_is_of_this_one(tmp_path: Path) -> None:
    path = tmp_path / "mined.jsonl"
    least = {name: MINED[name] for name in ("query", "base", "commit", "gold_files")}
    path.write_text(json.dumps(least))
    (task,) = imported(path)
    assert (task.id, task.repository, task.gold_files) == ("cccccccccc", "", ("cart.py",))


def test_tasks_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "tasks.toml"
    task = Task(id="a", prompt="x", base="HEAD", tags=("t",), budget=Budget(steps=3))
    path.write_text(written([task]))
    assert imported(path) == [task]
    assert imported(path, check="make test") == [task.model_copy(update={"check": "make test"})]


def test_swe_bench_records(tmp_path: Path) -> None:
    path = tmp_path / "swe.json"
    path.write_text(json.dumps([SWE]))
    (task,) = imported(path)
    assert (task.gold_files, task.hidden) == (("src/a.py",), ("tests/a.py",))
    assert (task.fail_to_pass, task.pass_to_pass) == (
        ("tests/a.py::test_y",),
        ("tests/a.py::test_z",),
    )
    assert task.leaks == ("path",)
    assert task.date == "2026-01-02"


def test_lists_of_issues(tmp_path: Path) -> None:
    path = tmp_path / "issues.json"
    path.write_text(json.dumps(ISSUES))
    crash, quiet = imported(path, base="HEAD", check="make test")
    assert (crash.id, crash.prompt, crash.tags) == (
        "issue-12",
        "Crash on start\n\nIt dies.",
        ("bug",),
    )
    assert (quiet.id, quiet.base, quiet.check) == ("add-quiet", "HEAD", "make test")


def test_points_of_a_document(tmp_path: Path) -> None:
    path = tmp_path / "TODO.md"
    path.write_text("# To do\n\n- [ ] say what failed\n* faster start\n\ntext\n")
    assert [task.prompt for task in imported(path, base="HEAD")] == [
        "say what failed",
        "faster start",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "no JSON"),
        ("[1]", "record 1 is no object"),
        ('{"x": 1}', "record 1 is of no known kind"),
        ('{"title": "x"}', "record 1: base"),
        ('{"commit": "c", "repo": "a/b"}', "record 1 lacks 'query'"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(text)
    with pytest.raises(BadUsage) as error:
        imported(path)
    assert told in str(error.value)
