"""`aoci-agent replay report`: what a run found, in five forms."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from aoci_agent.base.errors import BadUsage, Exit
from aoci_agent.base.places import Places
from aoci_agent.base.terminal import clean
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.replay_places import repository_of, run_named, runs_home, width_of
from aoci_agent.config import environment
from aoci_agent.evals.replay.cell import Outcome
from aoci_agent.evals.replay.exports import as_csv, as_json
from aoci_agent.evals.replay.figures import figures_of
from aoci_agent.evals.replay.judge import judgements_of
from aoci_agent.evals.replay.judge_table import judged_of
from aoci_agent.evals.replay.page import Detail, Report, page
from aoci_agent.evals.replay.store import CHECK, DIFF, Run, RunFolder, standing
from aoci_agent.evals.replay.tables import WIDTH, escaped, filled, tables_of
from aoci_agent.evals.replay.trajectory import acts_of, events_of, text_in


def report(arguments: Arguments) -> int:
    """Print it, or write it to a file."""
    home = runs_home(Places(environment()), repository_of(arguments.cwd))
    folder = run_named(home, arguments.name)
    found = _report(folder)
    if not found.outcomes:
        raise BadUsage(
            f"no cell of {folder.path.name} has ended yet", f"aoci-agent {_go_on(folder)}"
        )
    form = arguments.format or _form_of(arguments.output)
    if form == "text":
        wide = WIDTH if arguments.output else width_of(sys.stdout, WIDTH)
        text = _text(found, wide)
    else:
        text = _FORMS[form](found)
    text = text if form in ("csv", "json", "html") else clean(text)
    text = f"{text.rstrip()}\n"
    if arguments.output is not None:
        try:
            arguments.output.write_text(text, encoding="utf-8")
        except OSError as error:
            told = f"cannot write {arguments.output}: {error.strerror}"
            raise BadUsage(told, "another --output") from error
        print(f"{arguments.output}: {len(text.encode()):,} bytes", file=sys.stderr)
    else:
        print(text, end="")
    if folder.waiting():
        told = standing(found.outcomes, len(list(folder.run().cells())))
        print(f"{told}; to go on: aoci-agent {_go_on(folder)}", file=sys.stderr)
    return Exit.DONE


def _form_of(output: Path | None) -> str:
    """What the ending of a file asks for."""
    return _ENDINGS.get(output.suffix.lower(), "text") if output else "text"


def _go_on(folder: RunFolder) -> str:
    return f"replay run --resume --name {folder.path.name}"


def _report(folder: RunFolder) -> Report:
    run, outcomes = folder.run(), folder.outcomes()

    def detail(outcome: Outcome) -> Detail:
        place = folder.place(outcome.cell)
        acts = acts_of(events_of(place))
        return Detail(acts, text_in(place, DIFF), text_in(place, CHECK))

    return Report(
        f"Replay {folder.path.name}",
        _about(run, outcomes),
        figures_of(outcomes, _cluster(run)),
        outcomes,
        judged_of({one.cell: judgements_of(folder.place(one.cell)) for one in outcomes}),
        {task.id: task.prompt for task in run.tasks},
        detail,
    )


def _about(run: Run, outcomes: Sequence[Outcome]) -> list[str]:
    cells = len(list(run.cells()))
    lines = [
        f"tasks: {len(run.tasks)} · {', '.join(run.solvers)} · {', '.join(run.models)} · seeds: {run.seeds} · "
        f"{standing(outcomes, cells)} · aoci-agent {run.version}"
    ]
    if len(outcomes) < cells:
        lines.append("The run is not over: figures are of the cells that ended by themselves.")
    leaking = [task.id for task in run.tasks if task.leaks]
    if leaking:
        lines.append(f"The prompts of {', '.join(leaking)} name a file or symbol of the fix.")
    if run.no_sandbox:
        lines.append("Run WITHOUT a sandbox.")
    return lines


def _text(found: Report, width: int) -> str:
    tables = tables_of(found.found, found.outcomes, found.judged)
    about = "\n".join(filled(line, width) for line in found.about)
    return "\n\n".join([about, *(table.plain(width) for table in tables)])


def _markdown(found: Report) -> str:
    tables = tables_of(found.found, found.outcomes, found.judged)
    return "\n\n".join(
        [
            f"## {escaped(found.title)}",
            *map(escaped, found.about),
            *(table.markdown() for table in tables),
        ]
    )


def _cluster(run: Run) -> Callable[[str], str]:
    """Tasks are drawn by their repository; where all are of one, each by itself."""
    repositories = {task.id: task.repository or run.repository for task in run.tasks}
    several = len(set(repositories.values())) > 1
    return lambda task: repositories[task] if several else task


def _csv(found: Report) -> str:
    return as_csv(found.outcomes, found.judged)


def _json(found: Report) -> str:
    return as_json(found.outcomes, found.judged)


_FORMS = {
    "markdown": _markdown,
    "html": page,
    "csv": _csv,
    "json": _json,
}
_ENDINGS = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".csv": "csv",
    ".json": "json",
}
