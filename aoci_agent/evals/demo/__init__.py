"""The demo: a small bundled project with one failing test, put right by the real loop with real tools."""

import shutil
import sys
import tempfile
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from aoci_agent.base.process import Limits, find_program, run_blocking

TASK = (
    "One test of this project fails. Find the cause, mend it in the code (not in the test), "
    "and show that the tests pass."
)
REPLIES = "replies.jsonl"
CHECK = ("-m", "unittest", "-q")


@dataclass(frozen=True, slots=True)
class CheckRun:
    """The project's own tests, run outside the agent."""

    passed: bool
    last_line: str


def copy_project() -> Path:
    """A fresh copy of the bundled project in a temporary folder, a git repository where git exists."""
    folder = Path(tempfile.mkdtemp(prefix="aoci-agent-demo-")) / "parcels-demo"
    with as_file(files(__name__) / "project") as source:
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns("__pycache__"))
    git = find_program("git", outside=folder)
    if git:
        identity = (
            "-c",
            "user.name=demo",
            "-c",
            "user.email=demo@localhost",
            "-c",
            "commit.gpgsign=false",
        )
        for arguments in (
            ("init", "-q"),
            ("add", "-A"),
            (*identity, "commit", "-qm", "The demo project"),
        ):
            run_blocking((git, *arguments), cwd=folder)
    return folder


def recorded_replies() -> Path:
    """The recording that stands in for a model."""
    return Path(str(files(__name__) / REPLIES))


def check(folder: Path) -> CheckRun:
    """Run the project's tests with this interpreter. Safe: the project is ours."""
    done = run_blocking((sys.executable, "-B", *CHECK), cwd=folder, limits=Limits(seconds=60))
    lines = (done.stdout + done.stderr).decode("utf-8", "replace").strip().splitlines()
    return CheckRun(done.exit_code == 0, lines[-1] if lines else "no output")


def remove(folder: Path) -> None:
    """Remove the copy and its temporary parent."""
    shutil.rmtree(folder.parent, ignore_errors=True)
