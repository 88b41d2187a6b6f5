"""Tasks: their files, the candidates of a history, what was changed and what a prompt gives away."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from support.commits import git

from aoci_agent.base.errors import BadUsage
from aoci_agent.base.git import Repository
from aoci_agent.evals.policies_score import Span
from aoci_agent.evals.replay.gold import blocks, leaks, symbols, texts_in
from aoci_agent.evals.replay.history import Candidate, candidates
from aoci_agent.evals.replay.task import Budget, Task, tasks_of, written
from aoci_agent.evals.replay.wording import prompt_of

CODE = "class Cart:\n    def total(self):\n        return 1\n\n    def empty(self):\n        return True\n"


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """Three commits that could be tasks, and some that could not."""
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "tests").mkdir()
    commit(tmp_path, "start", {"cart.py": CODE, "tests/test_cart.py": "", "README.md": "x\n"})
    commit(tmp_path, "words only", {"README.md": "y\n"})
    fixed = CODE.replace("return 1", "return 2")
    commit(
        tmp_path,
        "Total is right (#7)\n\nSigned-off-by: a <a@b>",
        {"cart.py": fixed, "tests/test_cart.py": "a\n"},
    )
    commit(tmp_path, "new module", {"other.py": "x = 1\n", "tests/test_other.py": "b\n"})
    commit(tmp_path, "no tests", {"cart.py": CODE})
    git(tmp_path, "checkout", "-q", "-b", "side")
    commit(
        tmp_path,
        "Empty carts say so",
        {"cart.py": CODE.replace("True", "1"), "tests/test_cart.py": "c\n"},
    )
    git(tmp_path, "checkout", "-q", "main")
    git(tmp_path, "merge", "-q", "--no-ff", "-m", "Merge branch 'side'", "side")
    return tmp_path


def commit(folder: Path, message: str, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)


def found_in(folder: Path) -> tuple[Repository, list[Candidate]]:
    repository = Repository.find(folder)
    assert repository is not None
    return repository, list(candidates(repository))


def test_a_candidate_changes_source_that_was_there_and_tests(history: Path) -> None:
    _, found = found_in(history)
    assert [item.tests for item in found] == [("tests/test_cart.py",), ("tests/test_cart.py",)]
    assert all(item.changed == ("cart.py",) for item in found)


def test_a_prompt_is_the_message_without_what_is_not_the_wish(history: Path) -> None:
    repository, (merge, plain) = found_in(history)
    assert prompt_of(repository, merge) == "Empty carts say so"
    assert prompt_of(repository, plain) == "Total is right"


def test_gold_is_the_innermost_definition_that_changes(history: Path) -> None:
    repository, (merge, plain) = found_in(history)
    assert symbols(repository, plain.base, plain.commit, plain.changed) == ("cart.py:Cart.total",)
    assert symbols(repository, merge.base, merge.commit, merge.changed) == ("cart.py:Cart.empty",)


def test_a_file_is_read_as_it_was_where_a_link_is_now(history: Path) -> None:
    """What a folder is by now says nothing of an earlier commit."""
    repository, (_, plain) = found_in(history)
    (history / "tests").rename(history / "old")
    (history / "tests").symlink_to("old/..", target_is_directory=True)
    named = "tests/test_cart.py"
    assert texts_in(repository, plain.commit, [named]) == {named: "a\n"}
    absent = dict.fromkeys(["tests/none.py", "tests"])
    assert texts_in(repository, plain.base, absent) == absent


def test_blocks_are_the_lines_of_the_definitions(history: Path) -> None:
    repository, (_, plain) = found_in(history)
    named = ("cart.py:Cart.total", "cart.py:Cart.total", "cart.py:Cart.gone", "gone.py:x")
    assert blocks(repository, plain.base, named) == (Span("cart.py", 2, 3),)


@pytest.mark.parametrize(
    ("prompt", "kinds"),
    [
        ("fix it", ()),
        ("src/cart.py is wrong", ("path", "stem")),
        ("the Cart is wrong", ("stem",)),
        ("total() is wrong", ("symbol",)),
        ("subtotal is wrong", ()),
    ],
)
def test_what_a_prompt_gives_away(prompt: str, kinds: tuple[str, ...]) -> None:
    assert leaks(prompt, ["src/cart.py"], ["src/cart.py:Cart.total"]) == kinds


_TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r"), min_size=1)
_WORDS = st.lists(_TEXT, max_size=3).map(tuple)


@given(_TEXT, _TEXT, _WORDS, st.sampled_from((".toml", ".jsonl")))
def test_a_task_file_says_what_was_written(
    tmp_path_factory: pytest.TempPathFactory,
    prompt: str,
    check: str,
    files: tuple[str, ...],
    suffix: str,
) -> None:
    tasks = [
        Task(
            id="a", prompt=prompt, base="b", check=check, gold_files=files, budget=Budget(steps=3)
        ),
        Task(id="b", prompt="x", base="c"),
    ]
    path = tmp_path_factory.mktemp("tasks") / f"tasks{suffix}"
    path.write_text(written(tasks, suffix), "utf-8", newline="")
    assert tasks_of(path) == tasks


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[task]]\nid = 'a'\n", "task 1: prompt"),
        ("[[task]]\nid = '../a'\nprompt = 'x'\nbase = 'c'\n", "task 1: id"),
        ("[[tasks]]\n", "only [[task]]"),
        ("[[task]\n", "tasks.toml"),
        ("[[task]]\nid='a'\nprompt='x'\nbase='c'\nextra=1\n", "task 1: extra"),
        ("[[task]]\nid='a'\nprompt='x'\nbase='c'\n" * 2, "two tasks are called a"),
    ],
)
def test_a_bad_file_is_named_with_its_task(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "tasks.toml"
    path.write_text(text)
    with pytest.raises(BadUsage) as error:
        tasks_of(path)
    assert told in str(error.value)
