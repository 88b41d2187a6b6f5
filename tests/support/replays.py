"""A small repository with tasks, and what runs them: for tests of replay."""

import shutil
import subprocess
from pathlib import Path

import pytest
from support.commits import git

from aoci_agent.base.git import Repository
from aoci_agent.base.places import Places
from aoci_agent.cli.replay_places import bases_of
from aoci_agent.evals.replay.bases import Bases
from aoci_agent.evals.replay.store import Run, RunFolder
from aoci_agent.evals.replay.task import Task

NAMES = ("add", "sub")
_RIGHT = {"add": "a + b", "sub": "a - b"}


def _confines() -> bool:
    """Whether bubblewrap is there, and the system lets it."""
    argv = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
    found = shutil.which("bwrap") is not None
    return found and subprocess.run(argv, capture_output=True, check=False).returncode == 0


needs_bwrap = pytest.mark.skipif(not _confines(), reason="bubblewrap does not work here")


def calculator(root: Path) -> Repository:
    """Two fixes, each with the test that proves it; `tests/test_<name>.py` is not there before."""
    (root / "tests").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (root / ".gitignore").write_text("__pycache__/\n")
    (root / "AGENTS.md").write_text("Keep it small.\n")
    for name in NAMES:
        text = f"def {name}(a, b):\n    value = None\n    return value\n"
        (root / f"{name}.py").write_text(text)
    _commit(root, "Begin")
    for name in NAMES:
        file = root / f"{name}.py"
        file.write_text(file.read_text().replace("None", _RIGHT[name]))
        test = f"import sys\nsys.path.insert(0, '.')\nfrom {name} import {name}\n"
        (root / f"tests/test_{name}.py").write_text(
            f"{test}assert {name}(6, 4) == {_RIGHT[name].replace('a', '6').replace('b', '4')}\n"
        )
        _commit(root, f"Compute the {name} of two numbers")
    found = Repository.find(root)
    assert found is not None
    return found


def tasks_in(repository: Repository) -> tuple[Task, ...]:
    """The fixes as tasks, the oldest first."""
    commits = repository.git("rev-list", "--reverse", "HEAD").split()
    return tuple(
        Task(
            id=name,
            prompt=f"Compute the {name} of two numbers",
            base=base,
            fix=fix,
            check=f"python3 tests/test_{name}.py",
            hidden=(f"tests/test_{name}.py",),
            gold_files=(f"{name}.py",),
            gold_symbols=(f"{name}.py:{name}",),
        )
        for name, base, fix in zip(NAMES, commits, commits[1:], strict=False)
    )


def run_of(repository: Repository, path: Path, **how: object) -> RunFolder:
    """A run of the tasks of the calculator that has not begun."""
    return begun(path, **{"repository": str(repository.root), "tasks": tasks_in(repository), **how})


def begun(path: Path, **how: object) -> RunFolder:
    """A run; of two tasks that nobody can work on unless others are given."""
    tasks = tuple(Task(id=name, prompt="do it", base="HEAD", check="true") for name in NAMES)
    made = {"repository": "/nowhere", "tasks": tasks, "solvers": ("aoci",), "models": ("gold",)}
    folder = RunFolder(path)
    folder.create(Run.model_validate({**made, **how}))
    return folder


def bases_in(repository: Repository, home: Path) -> Bases:
    """Bases below a home of the program's own."""
    return bases_of(repository, Places({"AOCI_AGENT_HOME": str(home)}), no_sandbox=False)


def _commit(root: Path, message: str) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)
