"""Candidates tried in the box: proved, refused with a reason, interrupted without a trace."""

import os
import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from support.commits import git

from aoci_agent.base.box import Box, Unboxed
from aoci_agent.base.excerpt import excerpt
from aoci_agent.base.git import Repository
from aoci_agent.base.sandbox.ladder import open_box
from aoci_agent.evals.replay.bases import Bases
from aoci_agent.evals.replay.history import candidates
from aoci_agent.evals.replay.mining import Mine, Refused
from aoci_agent.evals.replay.validate import Verdict

CHECK = "python3 -m unittest {tests}"
HEAD = "import unittest\nfrom cart import total\n\n\nclass CartTest(unittest.TestCase):\n"
RIGHT = "    def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n"
FLAKY = (
    "    def test_sometimes(self):\n"
    "        with open('count', 'a+') as file:\n"
    "            file.write('x')\n"
    "            file.seek(0)\n"
    "            self.assertNotEqual(len(file.read()), {fails})\n"
)


def repository(root: Path, *commits: tuple[str, dict[str, str]]) -> Repository:
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for message, files in commits:
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        git(root, "add", "-A")
        git(root, "commit", "-qm", message)
    found = Repository.find(root)
    assert found is not None
    return found


def bases(source: Repository, home: Path) -> Bases:
    def boxed(root: Path, readable: Sequence[Path]) -> Box:
        if shutil.which("bwrap") is None:
            return Unboxed()
        return open_box(root, (home,), home / "boxes", dict(os.environ), readable)

    return Bases(source, home, boxed, {})


def cart(root: Path, body: str, fix: str = "sum(items)") -> Repository:
    """A wrong total, then its fix with a test of that body."""
    code = "def total(items):\n    return {}\n"
    start = {"cart.py": code.format("0"), "tests/test_cart.py": "", "other.py": "x = 1\n"}
    fixed = {"cart.py": code.format(fix), "tests/test_cart.py": HEAD + body}
    return repository(root, ("start", start), ("Add up the items", fixed))


def tried(source: Repository, home: Path, check: str = CHECK) -> Verdict:
    (candidate,) = candidates(source)
    return Mine(source, bases(source, home), "true", check).try_one(candidate)


def test_a_fix_with_its_test_is_a_task(tmp_path: Path) -> None:
    source = cart(tmp_path / "repo", RIGHT + FLAKY.format(fails=3))
    verdict = tried(source, tmp_path / "home")
    assert verdict.why == "1 of 2 tests fail before, pass after, 1 flaky"
    task = verdict.task
    assert task is not None
    assert task.fail_to_pass == ("tests.test_cart.CartTest.test_total",)
    assert task.known_failures == ("tests.test_cart.CartTest.test_sometimes",)
    assert task.check == "python3 -m unittest tests/test_cart.py"
    assert task.gold_symbols == ("cart.py:total",)
    assert list((tmp_path / "home/trees").iterdir()) == []
    assert git(source.root, "worktree", "list").stdout.count("\n") == 1
    assert git(source.root, "status", "--porcelain").stdout == ""


@pytest.mark.parametrize(
    ("body", "fix", "why"),
    [
        ("    def test_it(self):\n        pass\n", "sum(items)", "its tests pass without the fix"),
        (RIGHT, "1", "its tests fail with the fix too: tests.test_cart.CartTest.test_total"),
        (
            "    def test_it(self):\n        open('a', 'a').write('x')\n"
            "        self.assertEqual(len(open('a').read()), 2)\n",
            "sum(items)",
            "flaky: once all was well with the fix, then its tests fail with the fix too:",
        ),
    ],
)
def test_what_proves_nothing_is_refused(tmp_path: Path, body: str, fix: str, why: str) -> None:
    verdict = tried(cart(tmp_path / "repo", body, fix), tmp_path / "home")
    assert verdict.task is None
    assert verdict.why.startswith(why)
    assert verdict.lasting
    assert "Ran 1 test in" in verdict.output


def test_helpers_and_unknown_runners_are_no_tests(tmp_path: Path) -> None:
    code = "int total;\n"
    files = {"a.c": code, "tests/data.txt": "1\n"}
    source = repository(
        tmp_path / "repo", ("start", files), ("More", {"a.c": "int x;\n", "tests/data.txt": "2\n"})
    )
    verdict = tried(source, tmp_path / "home", "")
    assert "give one with --check" in verdict.why
    assert not verdict.lasting


def test_an_interruption_ends_the_check_and_leaves_no_tree(tmp_path: Path) -> None:
    source = cart(tmp_path / "repo", RIGHT)
    home = tmp_path / "home"
    (candidate,) = candidates(source)
    marker = tmp_path / "never"
    miner = Mine(source, bases(source, home), "true", f"sleep 60; touch {marker}")
    with closing(miner.try_all([candidate])) as verdicts:
        miner.stopped.set()
        assert next(verdicts)[1].why == "interrupted"
    assert list((home / "trees").iterdir()) == []


def test_what_takes_long_is_heard_of_and_nothing_is_lost(tmp_path: Path) -> None:
    source = cart(tmp_path / "repo", RIGHT)
    heard: list[str] = []
    miner = Mine(source, bases(source, tmp_path / "home"), "true", CHECK)
    found = list(candidates(source))
    verdicts = list(miner.try_all(found, 2, lambda: heard.append("alive"), 0.01))
    assert heard
    assert [candidate for candidate, _ in verdicts] == found


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_node_names_its_tests(tmp_path: Path) -> None:
    code = "exports.total = (items) => {};\n"
    test = (
        "const test = require('node:test');\nconst assert = require('node:assert');\n"
        "const { total } = require('../cart.js');\n"
        "test('adds up', () => assert.strictEqual(total([1, 2]), 3));\n"
        "test('is there', () => assert.ok(total));\n"
    )
    fixed = "exports.total = (items) => items.reduce((a, b) => a + b, 0);\n"
    start = {"package.json": "{}\n", "cart.js": code, "test/cart.test.js": ""}
    source = repository(
        tmp_path / "repo",
        ("start", start),
        ("Add up", {"cart.js": fixed, "test/cart.test.js": test}),
    )
    verdict = tried(source, tmp_path / "home", "")
    assert verdict.task is not None, verdict.why
    assert verdict.task.fail_to_pass == ("adds up",)
    assert verdict.task.check.endswith(" test/cart.test.js")


def test_nothing_of_the_future_is_in_an_excerpt(tmp_path: Path) -> None:
    source = cart(tmp_path / "repo", RIGHT)
    base, fix = (source.git("rev-parse", name).strip() for name in ("HEAD~1", "HEAD"))
    found = excerpt(source, base, tmp_path / "excerpt")
    listed = git(found.root, "cat-file", "--batch-all-objects", "--batch-check").stdout
    there = {line.split()[0] for line in listed.splitlines()}
    past = set(source.git("rev-list", "--objects", "--no-object-names", base).split())
    every = set(source.git("rev-list", "--objects", "--no-object-names", "HEAD").split())
    assert there == past
    assert fix in every - past
    assert git(found.root, "for-each-ref", "--format=%(refname)").stdout == "refs/heads/base\n"
    assert git(found.root, "remote").stdout == ""
    assert not (found.root / ".git/objects/info/alternates").exists()


def test_a_refusal_is_remembered_for_its_commands(tmp_path: Path) -> None:
    (candidate,) = candidates(cart(tmp_path / "repo", RIGHT))
    commit = candidate.commit
    refused = Refused(tmp_path, "a", "b")
    refused.add(candidate, Verdict(None, "set-up: ...", 0.0, output="set-up: no such package"))
    assert refused.known == {}
    told = refused.folder / f"{commit[:10]}.txt"
    assert "no such package" in told.read_text()
    refused.add(candidate, Verdict(None, "flaky", 0.0, lasting=True, output="FAILED test_a.py"))
    assert told.read_text() == "flaky\n\nFAILED test_a.py\n"
    assert Refused(tmp_path, "a", "b").known == {commit: "flaky"}
    assert Refused(tmp_path, "a", "other").known == {}
    (tmp_path / "refused.json").write_text("{")
    assert Refused(tmp_path, "a", "b").known == {}
