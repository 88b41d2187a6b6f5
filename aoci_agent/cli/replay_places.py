"""What the commands of replay share: where runs and bases lie, the tasks, the box, the user's consent."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from aoci_agent.agent.spending import Spending
from aoci_agent.base.box import Box, Strength, Unboxed
from aoci_agent.base.errors import BadUsage, BadWorkspace, ForUser
from aoci_agent.base.files import STATE
from aoci_agent.base.git import Repository
from aoci_agent.base.places import Places
from aoci_agent.base.sandbox.gitfolders import git_folders
from aoci_agent.base.sandbox.ladder import open_box
from aoci_agent.bench import work_root
from aoci_agent.cli.arguments import Arguments
from aoci_agent.config import environment, load_settings
from aoci_agent.evals.replay.bases import Bases
from aoci_agent.evals.replay.purse import Day
from aoci_agent.evals.replay.store import RunFolder

TASKS = f"{STATE}/tasks.toml"
_NAMED = 8  # runs


def repository_of(folder: Path) -> Repository:
    """The repository of a folder. Raises BadWorkspace where there is none."""
    root = work_root(folder)
    found = Repository.find(root)
    if found is not None:
        return found
    if any((folder / ".git").exists() for folder in (root, *root.parents)) or _is_bare(root):
        raise BadWorkspace(
            f"the git repository of {root} cannot be worked with",
            f"a bare one, another owner's, or too old a git: git -C {root} status says more",
        )
    raise BadWorkspace(
        f"{root} is in no git repository", "replay works on a history: git init, or --cwd"
    )


def _is_bare(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir()


def tasks_file(arguments: Arguments, repository: Repository) -> Path:
    """The file named, or that of the repository."""
    return arguments.tasks or repository.root / TASKS


def runs_home(places: Places, repository: Repository) -> Path:
    """Where the runs of a repository are kept."""
    return places.data / "replay" / places.project(repository.root)


def runs_in(home: Path) -> list[RunFolder]:
    """All of them, the newest first."""
    files = sorted(home.glob("*/run.json"), key=lambda file: file.stat().st_mtime, reverse=True)
    return [RunFolder(file.parent) for file in files]


def run_named(home: Path, name: str) -> RunFolder:
    """The run of that name, or the newest. Raises BadUsage naming what there is."""
    there = runs_in(home)
    if not there:
        raise BadUsage("there is no run of this repository", "aoci-agent replay run")
    for run in there:
        if not name or run.path.name == name:
            return run
    names = ", ".join(run.path.name for run in there[:_NAMED])
    more = ", …: aoci-agent replay list" if len(there) > _NAMED else ""
    raise BadUsage(f"there is no run {name}", f"there are {names}{more}")


def bases_of(repository: Repository, places: Places, *, no_sandbox: bool) -> Bases:
    """Repositories and environments of the bases, in the cache. Raises ForUser without a strong box."""
    home = places.cache / "replay" / places.project(repository.root)
    own = (places.config, places.data, places.cache)

    def boxed(root: Path, readable: Sequence[Path]) -> Box:
        if no_sandbox:
            return Unboxed()
        return strong_box(root, own, home / "boxes", readable, "the project's code")

    return Bases(repository, home, boxed, os.environ)


def strong_box(
    root: Path, hidden: Sequence[Path], state: Path, readable: Sequence[Path], what: str
) -> Box:
    """The box of a work tree. Raises ForUser where it is not a strong one; `what` would run in it."""
    box = open_box(root, hidden, state, os.environ, readable)
    if box.strength is not Strength.STRONG:
        raise ForUser(
            f"there is no strong sandbox to run {what} in: {box.why}",
            "install bubblewrap, or pass --dangerously-no-sandbox",
        )
    return box


def day_of(places: Places) -> Day:
    """The limits of a day as the user has them now, and the ledger their sessions write in too."""
    settings = load_settings(places, environment(), {})
    ledger = Spending(places.data / "spending")
    return Day(ledger, settings.day_max_cost, settings.day_max_tokens)


def hidden_from(repository: Repository, places: Places) -> tuple[Path, ...]:
    """What an agent at work on a task may not look into: the repository with all its history, tasks with
    their gold, other cells, and repositories of later bases."""
    folders = git_folders(repository.root)
    git = folders.dirs if folders else ()
    return (repository.root, *git, places.config, places.data, places.cache)


def consent(question: str, *, given: bool) -> None:
    """Ask on the terminal. Raises BadUsage where nobody can answer or the answer is no."""
    if given:
        return
    if not sys.stdin.isatty():
        raise BadUsage(f"{question} (nobody is there to answer)", "pass --yes")
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise BadUsage("nothing was started")


def width_of(stream: TextIO, otherwise: int) -> int:
    """Of the terminal behind a stream; where there is none, always the same."""
    return shutil.get_terminal_size((otherwise, 24)).columns if stream.isatty() else otherwise
