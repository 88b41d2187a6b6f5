"""`aoci-agent replay report`: what a run found, in five forms."""

import sys
from collections.abc import Callable, Sequence

from aoci_agent.base.errors import BadUsage, Exit
from aoci_agent.base.places import Places
from aoci_agent.base.terminal import clean
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.replay_places import repository_of, run_named, runs_home
from aoci_agent.config import environment
from aoci_agent.evals.replay.cell import Outcome
from aoci_agent.evals.replay.exports import as_csv, as_json
from aoci_agent.evals.replay.figures import figures_of
from aoci_agent.evals.replay.page import page
from aoci_agent.evals.replay.store import DIFF, Run, RunFolder, record_in
from aoci_agent.evals.replay.tables import tables_of
from aoci_agent.evals.replay.trajectory import acts_of


def report(arguments: Arguments) -> int:
    """Print it, or write it to a file."""
    home = runs_home(Places(environment()), repository_of(arguments.cwd))
    folder = run_named(home, arguments.name)
    outcomes = folder.outcomes()
    if not outcomes:
        raise BadUsage(
            f"no cell of {folder.path.name} has ended yet", "aoci-agent replay run --resume"
        )
    text = _FORMS[arguments.format](folder, outcomes)
    if arguments.output is not None:
        arguments.output.write_text(text, encoding="utf-8")
        print(f"{arguments.output}: {len(text.encode()):,} bytes", file=sys.stderr)
    else:
        print(text if arguments.format in ("csv", "json", "html") else clean(text))
    left = len(folder.waiting())
    if left:
        print(
            f"{left} cells have not ended: aoci-agent replay run --resume --name {folder.path.name}",
            file=sys.stderr,
        )
    return Exit.DONE


def _about(run: Run, outcomes: Sequence[Outcome]) -> list[str]:
    cells = len(list(run.cells()))
    lines = [
        f"{len(run.tasks)} tasks, {', '.join(run.solvers)}, {', '.join(run.models)}, {run.seeds} seeds: "
        f"{len(outcomes)} of {cells} cells, aoci-agent {run.version}"
    ]
    leaking = [task.id for task in run.tasks if task.leaks]
    if leaking:
        lines.append(
            f"The prompts of {len(leaking)} tasks name a gold file or symbol: {', '.join(leaking)}."
        )
    if run.no_sandbox:
        lines.append("Run WITHOUT a sandbox.")
    return lines


def _text(folder: RunFolder, outcomes: Sequence[Outcome]) -> str:
    tables = tables_of(figures_of(outcomes, _cluster(folder.run())), outcomes)
    return "\n\n".join(
        ["\n".join(_about(folder.run(), outcomes)), *(table.plain() for table in tables)]
    )


def _markdown(folder: RunFolder, outcomes: Sequence[Outcome]) -> str:
    tables = tables_of(figures_of(outcomes, _cluster(folder.run())), outcomes)
    head = f"## Replay {folder.path.name}"
    return "\n\n".join(
        [head, *_about(folder.run(), outcomes), *(table.markdown() for table in tables)]
    )


def _html(folder: RunFolder, outcomes: Sequence[Outcome]) -> str:
    run = folder.run()
    details = {
        outcome.cell: (_acts(folder, outcome), _diff(folder, outcome)) for outcome in outcomes
    }
    prompts = {task.id: task.prompt for task in run.tasks}
    found = figures_of(outcomes, _cluster(run))
    return page(
        f"Replay {folder.path.name}", _about(run, outcomes), found, outcomes, details, prompts
    )


def _acts(folder: RunFolder, outcome: Outcome):
    record = record_in(folder.place(outcome.cell))
    return acts_of(record) if record else ()


def _diff(folder: RunFolder, outcome: Outcome) -> str:
    file = folder.place(outcome.cell) / DIFF
    return file.read_text("utf-8", errors="replace") if file.exists() else ""


def _cluster(run: Run) -> Callable[[str], str]:
    """Tasks are drawn by their repository; where all are of one, each by itself."""
    repositories = {task.id: task.repository or run.repository for task in run.tasks}
    several = len(set(repositories.values())) > 1
    return lambda task: repositories[task] if several else task


def _csv(folder: RunFolder, outcomes: Sequence[Outcome]) -> str:
    return as_csv(outcomes)


def _json(folder: RunFolder, outcomes: Sequence[Outcome]) -> str:
    return as_json(outcomes)


_FORMS = {
    "text": _text,
    "markdown": _markdown,
    "html": _html,
    "csv": _csv,
    "json": _json,
}
