"""One cell, really run: worktree, session, sandbox, hidden test, verdict."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.commits import git
from support.replays import bases_in, calculator, needs_bwrap, run_of, tasks_in

from aoci_agent.agent.models.model import Model
from aoci_agent.agent.models.scripted import Line, ScriptedModel
from aoci_agent.base.errors import ModelUnavailable, NotPossible
from aoci_agent.cli.replay_sessions import opener_of
from aoci_agent.evals.replay.attempt import Opening, Worked
from aoci_agent.evals.replay.cell import Outcome
from aoci_agent.evals.replay.run_cell import run_cell, sessions
from aoci_agent.evals.replay.store import RunFolder, record_in
from aoci_agent.evals.replay.task import Budget, Task
from aoci_agent.policies.conversation import AssistantMessage, ToolCall

pytestmark = [needs_bwrap, pytest.mark.slow]


class World:
    """A repository with tasks, a home of the program's own, and runs of one cell."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.repository = calculator(root / "calc")
        self.bases = bases_in(self.repository, root / "home")
        self.tasks = tasks_in(self.repository)

    def folder(self, **how: Any) -> RunFolder:
        return run_of(self.repository, self.root / "home/data/replay/x/run", **how)

    def run(
        self, folder: RunFolder, lines: Sequence[Line] = (), cap: Budget | None = None
    ) -> Outcome:
        """The first cell; with `lines`, a model that says these takes the place of its own."""
        made = folder.run()
        opener = opener_of(made, self.repository)
        cell = next(made.cells())
        if not lines:
            return run_cell(folder, cell, self.bases, sessions(opener), cap)

        def solve(task: Task, opening: Opening, model: Model | None) -> Worked:
            script = ScriptedModel([*lines, *[AssistantMessage("done")] * 4], cost=0.5)
            return sessions(opener)(task, opening, script)

        return run_cell(folder, cell, self.bases, solve, cap)

    def record(self, folder: RunFolder) -> list[dict[str, Any]]:
        path = record_in(folder.place(next(folder.run().cells())))
        assert path is not None
        return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("AOCI_AGENT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-that-no-command-sees")
    return World(tmp_path)


def bash(command: str) -> AssistantMessage:
    return called("bash", command=command)


def called(tool: str, **arguments: str) -> AssistantMessage:
    return AssistantMessage("", (ToolCall("call", tool, json.dumps(arguments)),))


def answers(record: list[dict[str, Any]]) -> list[str]:
    return [row["result"]["text"] for row in record if row["type"] == "ToolFinished"]


def test_the_one_who_knows_the_fix_passes(world: World) -> None:
    before = _state(world.repository.root)
    folder = world.folder(settings={"index_budget": 2_000})
    outcome = world.run(folder)
    assert (outcome.status, outcome.reason, outcome.changed) == ("passed", "done", {"add.py": 2})
    assert (outcome.precision, outcome.recall, outcome.outside_gold) == (1.0, 1.0, ())
    assert outcome.defects == ()
    assert outcome.steps >= 4
    assert (outcome.spent.tokens is not None, outcome.spent.dollars) == (True, 0.0)
    place = folder.place(outcome.cell)
    assert "+    value = a + b" in (place / "diff.patch").read_text()
    assert world.record(folder)[0]["index_budget"] == 2_000
    assert not (place / "state/cache").exists()
    assert list(world.bases.home.glob("trees/*")) == []
    assert _state(world.repository.root) == before


_OWN_PYTHON = """python3 -m venv --without-pip $AOCI_REPLAY_ENV/venv
site=$(echo $AOCI_REPLAY_ENV/venv/lib/python3.*/site-packages); mkdir $site/pytest
: > $site/pytest/__init__.py; echo 'import sys; {code}' > $site/pytest/__main__.py"""


def test_the_tool_test_runs_what_bash_finds(world: World) -> None:
    task = world.tasks[1].model_copy(
        update={"setup": _OWN_PYTHON.format(code='print(sys.executable, "ran")')}
    )
    lines = [bash("command -v python"), called("test", target="tests/test_add.py")]
    folder = world.folder(tasks=(task,))
    world.run(folder, lines)
    where, said = answers(world.record(folder))
    python = where.splitlines()[-1]
    assert python.startswith(str(world.bases.home / "environments"))
    assert f"{python} ran" in said


def test_gold_says_when_its_tests_could_not_be_run(world: World) -> None:
    task = world.tasks[1].model_copy(update={"setup": _OWN_PYTHON.format(code="import trustme")})
    outcome = world.run(world.folder(tasks=(task,)))
    assert outcome.passed
    assert outcome.message == (
        "its tests could not be run: ModuleNotFoundError: No module named 'trustme'"
    )


@pytest.mark.gate_only
def test_the_one_who_does_nothing_fails(world: World) -> None:
    outcome = world.run(world.folder(models=("idle",)))
    assert (outcome.status, outcome.reason, outcome.changed) == ("failed", "done", {})
    assert outcome.check_exit == 1


@pytest.mark.gate_only
def test_a_cell_that_has_ended_is_not_run_again(world: World) -> None:
    folder = world.folder(models=("idle",))
    assert world.run(folder) == world.run(folder)
    assert not list(folder.path.glob("cells/*/attempts"))


def test_a_model_that_does_not_answer_is_charged_and_may_try_again(world: World) -> None:
    folder = world.folder()
    broken = world.run(folder, [bash("true"), ModelUnavailable("nobody answers")])
    assert (broken.status, broken.reason) == ("infrastructure", "model")
    assert "nobody answers" in broken.message
    assert (broken.check_exit, broken.spent.dollars) == (None, 0.5)
    again = world.run(folder)
    assert (again.status, again.attempts, again.charged) == ("passed", 2, broken.spent)
    assert folder.waiting()[0] != again.cell


@pytest.mark.gate_only
def test_what_cannot_be_set_up_says_why(world: World) -> None:
    task = world.tasks[0].model_copy(update={"setup": "echo no such package; exit 3"})
    outcome = world.run(world.folder(tasks=(task,)))
    assert (outcome.status, outcome.reason) == ("infrastructure", "set-up")
    assert "no such package" in outcome.message


@pytest.mark.gate_only
def test_a_budget_of_the_task_is_the_agents_and_the_cap_is_not(world: World) -> None:
    lines = [bash("echo 1"), bash("echo 2"), bash("echo 3")]
    own = world.tasks[0].model_copy(update={"budget": Budget(steps=2)})
    outcome = world.run(world.folder(tasks=(own, world.tasks[1])), lines)
    assert (outcome.status, outcome.reason, outcome.steps) == ("failed", "steps", 2)
    capped = world.root / "capped"
    folder = run_of(world.repository, capped)
    outcome = world.run(folder, lines, Budget(cost=1.2))
    assert (outcome.status, outcome.reason) == ("infrastructure", "cap")
    assert (outcome.spent.dollars or 9) <= 1.2


PATCH = """diff --git a/tests/test_new.py b/tests/test_new.py
new file mode 100644
--- /dev/null
+++ b/tests/test_new.py
@@ -0,0 +1 @@
+print("judged")
"""


def test_what_cannot_be_judged_has_cost_what_it_cost(world: World) -> None:
    """The tests of the task fit no tree: the agent worked before anybody could know."""
    patch = PATCH.replace("--- /dev/null", "--- a/tests/test_new.py").replace(
        "new file mode 100644\n", ""
    )
    task = world.tasks[0].model_copy(
        update={"tests_patch": patch, "hidden": ("tests/test_new.py",)}
    )
    outcome = world.run(world.folder(tasks=(task,)), [bash("true"), bash("true")])
    assert (outcome.status, outcome.reason) == ("infrastructure", "set-up")
    assert outcome.message.startswith("its work cannot be judged: git apply")
    assert (outcome.spent.dollars, outcome.steps, outcome.commands) == (1.5, 3, 2)
    assert (outcome.defects, outcome.broken) == (None, True)


def test_a_solver_that_breaks_off_has_cost_what_its_record_says(world: World) -> None:
    folder = world.folder()
    opener = opener_of(folder.run(), world.repository)

    def solve(task: Task, opening: Opening, _: Model | None) -> Worked:
        script = ScriptedModel([bash("true"), AssistantMessage("done")], cost=0.5)
        sessions(opener)(task, opening, script)
        raise NotPossible("its home cannot be removed")

    cell = next(folder.run().cells())
    outcome = run_cell(folder, cell, world.bases, solve)
    assert (outcome.reason, outcome.message) == ("set-up", "its home cannot be removed")
    assert (outcome.spent.dollars, outcome.attempts) == (1.0, 1)
    assert folder.outcome(cell) == outcome


def test_hidden_tests_lie_over_what_the_agent_made_of_them(world: World) -> None:
    task = world.tasks[0].model_copy(
        update={
            "tests_patch": PATCH,
            "hidden": ("tests/test_new.py",),
            "check": "python3 tests/test_new.py",
        }
    )
    lines = [called("write", path="tests/test_new.py", content="raise SystemExit(1)\n")]
    outcome = world.run(world.folder(tasks=(task,)), lines)
    assert (outcome.status, outcome.reason) == ("passed", "done")


def test_gold_that_is_no_utf8_is_compared_with(world: World) -> None:
    """A file of an old encoding at the base, and the definition that the fix changes in it."""
    root = world.repository.root
    (root / "old.py").write_bytes(b"# caf\xe9\ndef total():\n    return 1\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "An old file")
    task = Task(
        id="old",
        prompt="say two",
        base="HEAD",
        check="false",
        gold_files=("old.py",),
        gold_symbols=("old.py:total",),
    )
    folder = world.folder(tasks=(task,), models=("idle",))
    outcome = world.run(folder, [bash("sed -i s/1/2/ old.py")])
    assert (outcome.status, outcome.changed) == ("failed", {"old.py": 2})
    assert (outcome.answer_recall, outcome.line_precision) == (1.0, 1.0)


def test_what_the_fix_touched_is_not_outside_and_defects_are_looked_for(world: World) -> None:
    root = world.repository.root
    files = (
        {"limits.py": "".join(f"limit_{n} = {n * 1000}\n" for n in range(4))},
        {"add.py": "x = 1\n", "CHANGES.rst": "More.\n"},
    )
    for some in files:
        for name, text in some.items():
            (root / name).write_text(text)
        git(root, "add", "-A")
        git(root, "commit", "-qm", "more")
    task = Task(
        id="add", prompt="x", base="HEAD~1", fix="HEAD", check="true", gold_files=("add.py",)
    )
    wrote = bash("echo x = 1 > add.py; echo More > CHANGES.rst; echo > limits.py; echo > notes.txt")
    outcome = world.run(world.folder(tasks=(task,)), [wrote])
    assert set(outcome.changed) == {"add.py", "CHANGES.rst", "limits.py", "notes.txt"}
    assert outcome.outside_gold == ("limits.py", "notes.txt")
    assert (outcome.precision, outcome.recall) == (0.5, 1.0)
    assert outcome.defects is not None
    (defect,) = outcome.defects
    assert defect.startswith("dropped: limits.py lost 4 lines of a recent change")


_PROBE = """
import os
def there(path):
    try: return sorted(os.listdir(path))
    except OSError: return []
print([os.path.exists(path) for path in {files}])
print([name for name in os.environ if "KEY" in name])
print(there("tests"), there(os.environ["AOCI_REPLAY_ENV"] + "/tree"))
"""


def test_nothing_of_the_future_is_in_reach(world: World) -> None:
    later, fix = world.tasks[1], world.tasks[0].fix
    with world.bases.workplace(later.base, "earlier"):  # prepared for a base that has this fix
        pass
    world.bases.repository(later.base)
    folder = world.folder()
    files = [
        world.repository.root / "add.py",
        world.repository.root / ".git/HEAD",
        folder.path / "run.json",
        world.bases.home / "repositories" / later.base / ".git/HEAD",
    ]
    assert all(file.exists() for file in files)
    probe = _PROBE.format(files=[str(file) for file in files])
    lines = [
        bash("git log --all --format=%H"),
        bash("git cat-file --batch-all-objects --batch-check"),
        bash(f"git cat-file -t {fix}"),
        called("write", path="probe.py", content=probe),
        bash("python3 probe.py"),
    ]
    world.run(folder, lines)
    log, objects, commit, _, seen = answers(world.record(folder))
    assert log.split()[2:] == [world.tasks[0].base]
    assert world.tasks[0].base in objects
    assert fix not in objects
    assert commit.startswith("exit 128")
    assert seen.splitlines()[1:] == [str([False] * 4), "[]", "[] []"]


@pytest.mark.gate_only
def test_what_one_agent_wrote_is_in_no_object_another_can_read(world: World) -> None:
    world.run(world.folder())
    shared = world.bases.repository(world.tasks[0].base).root
    listed = git(shared, "cat-file", "--batch-all-objects", "--batch-check").stdout
    loose = git(shared, "hash-object", str(world.repository.root / "add.py")).stdout.strip()
    assert loose not in listed


def _state(root: Path) -> list[str]:
    """Files, refs, index, stash and worktrees of the person's own repository."""
    asked = ("rev-parse HEAD", "for-each-ref", "ls-files -s", "stash list", "worktree list")
    said = [git(root, *words.split()).stdout for words in asked]
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return [*said, *(f"{path} {path.stat().st_mtime_ns}" for path in files)]
