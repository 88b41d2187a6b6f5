"""`aoci-agent replay clean [RUN ...]`: what was prepared, or the results of the runs that are named."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from aoci_agent.base.errors import BadUsage, Exit
from aoci_agent.base.places import Places
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.replay_places import (
    bases_of,
    consent,
    repository_of,
    run_named,
    runs_home,
    runs_in,
)
from aoci_agent.config import environment
from aoci_agent.evals.replay.store import CELLS
from aoci_agent.tools.places import counted

AT_WORK = "a run or a mining of this repository is at work"


def cleaned(arguments: Arguments) -> int:
    """Say what is there and how large, ask, and remove it. Results go only where their runs are named."""
    repository = repository_of(arguments.cwd)
    places = Places(environment())
    runs = runs_home(places, repository)
    if arguments.words:
        return _without_runs(runs, arguments.words, given=arguments.yes)
    bases = bases_of(repository, places, no_sandbox=True)
    if not bases.home.is_dir():
        print("nothing is prepared for this repository")
        return Exit.DONE
    bases.sweep()
    held = any(run.is_held() for run in runs_in(runs))
    if held or any((bases.home / "trees").glob("*.json")):
        raise BadUsage(AT_WORK, "try when it has ended")
    print(f"{bases.home}:", file=sys.stderr)
    for part in sorted(filter(Path.is_dir, bases.home.iterdir())):
        count = sum(1 for _ in part.iterdir())
        print(f"  {part.name}: {count}, {_size(part)}", file=sys.stderr)
    told = f"remove {_size(bases.home)}, to be made again when needed? (runs and tasks stay)"
    return _remove([bases.home], told, given=arguments.yes)


def _without_runs(runs: Path, names: Sequence[str], *, given: bool) -> int:
    if not all(names):
        raise BadUsage("a run without a name", "aoci-agent replay list")
    folders = [run_named(runs, name) for name in dict.fromkeys(names)]
    for folder in folders:
        if folder.is_held():
            raise BadUsage(f"the run {folder.path.name} is going on", "try when it has ended")
        count = sum(1 for _ in folder.path.glob(f"{CELLS}/*"))
        print(f"  {folder.path}: {counted(count, 'cell')}, {_size(folder.path)}", file=sys.stderr)
    told = "remove these results, which only another run can bring back?"
    return _remove([folder.path for folder in folders], told, given=given)


def _remove(folders: Sequence[Path], question: str, *, given: bool) -> int:
    consent(question, given=given)
    free = _size(*folders)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            raise BadUsage(f"{folder} could not be removed whole", "remove it by hand")
    print(f"{free} freed")
    return Exit.DONE


def _size(*folders: Path) -> str:
    """What they take on the disk."""
    blocks = sum(path.lstat().st_blocks for folder in folders for path in folder.rglob("*"))
    return f"{blocks * 512 / 1e6:,.0f} MB"
