"""`aoci-agent replay show`: one cell's trajectory, on the screen or as text."""

import re
import sys
from pathlib import Path

from aoci_agent.base.errors import BadUsage, Exit
from aoci_agent.base.places import Places
from aoci_agent.base.terminal import clean
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.replay_places import repository_of, run_named, runs_home
from aoci_agent.config import environment
from aoci_agent.evals.replay.cell import Cell, Outcome
from aoci_agent.evals.replay.judge import judgements_of
from aoci_agent.evals.replay.store import CHECK, DIFF, RunFolder, ending
from aoci_agent.evals.replay.trajectory import events_of, text_in
from aoci_agent.tui.trajectory import Ending, Trajectory, plain

_NAMED = 12  # cells


def show(arguments: Arguments) -> int:
    """Open the screen on it; on no terminal, or with --plain, print it."""
    home = runs_home(Places(environment()), repository_of(arguments.cwd))
    *runs, word = arguments.words
    if len(runs) > 1:
        raise BadUsage("too many words", "aoci-agent replay show [RUN] CELL")
    folder = run_named(home, runs[0] if runs else "")
    trajectory = trajectory_of(folder, cell_named(folder, word))
    if arguments.plain or not (sys.stdout.isatty() and sys.stdin.isatty()):
        for text in plain(trajectory):
            print(clean(text))
        return Exit.DONE
    from aoci_agent.tui.replay import run_replay

    return run_replay(trajectory)


def cell_named(folder: RunFolder, word: str) -> Cell:
    """The cell of that name, or the only one with that word in it; ` · ` may stand for `--`.

    Raises BadUsage naming those that could be meant.
    """
    word = re.sub(r"\s*·\s*(?:seed )?", "--", word)
    word = re.sub(r"[^A-Za-z0-9._-]+", "_", word)
    cells = list(folder.run().cells())
    found = [cell for cell in cells if word in cell.id]
    exact = [cell for cell in found if word in (cell.id, cell.name)]
    if len(exact or found) == 1:
        return (exact or found)[0]
    told = f"{len(found)} cells have" if found else "no cell has"
    meant = [cell.name for cell in found or cells]
    names = "\n  ".join([*meant[:_NAMED], *(["…"] if len(meant) > _NAMED else [])])
    raise BadUsage(f"{told} {word!r} in their name", f"one of\n  {names}")


def trajectory_of(folder: RunFolder, cell: Cell) -> Trajectory:
    """What happened in a cell. Raises BadUsage where it left nothing behind."""
    place, outcome = folder.place(cell), folder.outcome(cell)
    status = f"{ending(outcome)} ({outcome.reason})" if outcome else "not run yet"
    about = f"{cell.task} · {cell.solver} · {cell.model} · seed {cell.seed} · {status}"
    events = tuple(events_of(place))
    if not events:
        told = f": {outcome.message}" if outcome and outcome.message else ""
        raise BadUsage(f"cell {cell.name} left no record{told}", "another cell of the run")
    names = f" in {', '.join(outcome.changed)}" if outcome and outcome.changed else ""
    change = text_in(place, DIFF) or "nothing was changed"
    endings = [Ending(f"the change{names}", change, "diff")]
    if outcome is not None:
        endings.insert(0, _check(place, outcome))
    found = _defects(place, outcome)
    if found:
        endings.append(Ending("defects", found))
    return Trajectory(about, events, tuple(endings))


def _check(place: Path, outcome: Outcome) -> Ending:
    """Of the hidden tests; where they did not run, why."""
    if outcome.check_exit is None:
        return Ending("the hidden check did not run", outcome.message or outcome.reason)
    said = text_in(place, CHECK) or "it said nothing"
    return Ending(f"the hidden check, exit code {outcome.check_exit}", said)


def _defects(place: Path, outcome: Outcome | None) -> str:
    """What static checks found in the change, and every judge of it."""
    lines = [f"static · {line}" for line in (outcome.defects if outcome else None) or ()]
    for made in judgements_of(place):
        found = [f"{name}: {made.findings[name].evidence.strip()}" for name in made.said("yes")]
        void = [f"void: {', '.join(made.said('void'))}"] if made.said("void") else []
        told = f"judged by {made.model} ({made.rubric})"
        lines += [f"{told} · {line}" for line in (*found, *void) or ("no defect",)]
    return "\n".join(lines)
