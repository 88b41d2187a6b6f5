"""A change against the gold, on diffs that git wrote."""

from pathlib import Path

from support.commits import git

from aoci_agent.evals.policies_score import Span
from aoci_agent.evals.replay.score import Patch, patch_of, scores


def diff_of(folder: Path, before: dict[str, bytes], after: dict[str, bytes]) -> Patch:
    git(folder, "init", "-q")
    for files in (before, after):
        for name in before.keys() - files.keys():
            (folder / name).unlink()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        git(folder, "add", "-A")
        if files is before:
            git(folder, "commit", "-q", "-m", "before")
    return patch_of(git(folder, "diff", "--cached", "-U0", "--no-renames").stdout)


def test_spans_are_lines_of_the_base(tmp_path: Path) -> None:
    before = {
        "a.py": b"1\n2\n3\n4\n5\n",
        "with space.py": b"x\n",
        "gone.py": b"a\nb\n",
        "bin": b"\0",
    }
    after = {
        "a.py": b"1\n2\nnew\n3\nx\n5\n",
        "with space.py": b"y\nz\n",
        "bin": b"\0\1",
        "new.py": b"n\n",
    }
    patch = diff_of(tmp_path, before, after)
    assert set(patch.spans) == {
        Span("a.py", 2, 2), Span("a.py", 4, 4), Span("with space.py", 1, 1), Span("gone.py", 1, 2),
        Span("new.py", 1, 1),
    }  # fmt: skip
    assert patch.lines == {"a.py": 3, "bin": 0, "gone.py": 2, "new.py": 1, "with space.py": 3}


def test_text_that_looks_like_a_heading_is_text(tmp_path: Path) -> None:
    patch = diff_of(tmp_path, {"a": b"-- b/x\n"}, {"a": b"++ b/y\n@@ -1 +1 @@\n"})
    assert patch.lines == {"a": 3}


def test_a_change_is_scored_by_files_blocks_and_lines() -> None:
    patch = Patch((Span("a.py", 5, 6), Span("b.py", 1, 2)), {"a.py": 4, "b.py": 3})
    found = scores(patch, ("a.py", "c.py"), (Span("a.py", 1, 10), Span("c.py", 1, 9)))
    assert (found.precision, found.recall, found.answer_recall, found.line_precision) == (
        0.5,
        0.5,
        0.5,
        0.5,
    )
    assert found.outside == ("b.py",)


def test_who_does_as_the_person_did_is_as_precise() -> None:
    """Of a mined task gold is source that was there; the fix has tests, documents and modules besides."""
    besides = ("a.py", "CHANGES.rst", "tests/test_a.py", "new.py", "package-lock.json")
    fix = scores(Patch((), dict.fromkeys(besides, 1)), ("a.py",), (), besides)
    assert (fix.precision, fix.recall, fix.outside) == (1.0, 1.0, ())
    other = {"a.py": 1, "b.py": 1, "new.py": 1, "tests/test_b.py": 1, "README.md": 1}
    found = scores(Patch((), other), ("a.py",), (), besides)
    assert found.precision == 0.5  # of source: a.py is right, b.py is not
    assert found.outside == ("b.py", "tests/test_b.py", "README.md")
    words = scores(Patch((), {"docs/a.rst": 1, "docs/b.rst": 1}), ("docs/a.rst",), ())
    assert (words.precision, words.outside) == (1.0, ("docs/b.rst",))


def test_without_gold_or_without_a_change_there_is_no_share() -> None:
    patch = Patch((Span("a.py", 5, 6),), {"a.py": 4})
    assert scores(patch, (), ()) == (None, None, None, None, ())
    empty = scores(Patch((), {}), ("a.py",), (Span("a.py", 1, 2),))
    assert empty == (None, 0.0, 0.0, None, ())
