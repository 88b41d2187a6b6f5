"""`aoci-agent replay ...`: its subcommands as data."""

from pathlib import Path
from typing import TYPE_CHECKING

from aoci_agent.cli.index_arguments import Actions, Commands

if TYPE_CHECKING:
    from collections.abc import Callable

    from aoci_agent.cli.arguments import Parser

FORMATS = ("text", "markdown", "html", "csv", "json")
SOLVERS = "grep-read,aoci,eager,compact"
EXITS = "exit codes: 0 all cells have ended, 1 some could not be run, 2 usage, 3 the cap was reached, 130 interrupted"


def add_replay(commands: Commands, place: "Callable[[Parser], None]") -> None:
    """Add `replay` and its subcommands; `place` adds --cwd."""
    told = "this repository's own tasks, worked on under every policy, and compared"
    replay = commands.add_parser("replay", allow_abbrev=False, help=told, description=told)
    actions = Actions(replay.add_subparsers(required=True, metavar="ACTION", dest="action"), place)
    told = "the tasks: mine them from the history, add, import, list"
    tasks = actions.group("tasks", told)
    _add_tasks(Actions(tasks.add_subparsers(required=True, metavar="WHAT", dest="step"), place))
    _add_run(actions)
    listed = actions.add("list", "replay:listed", "earlier runs of this repository")
    listed.set_defaults(words=[])
    report = actions.add("report", "replay_report:report", "what a run found", json=False)
    report.add_argument("name", nargs="?", default="", help="of the run (default: the newest)")
    told = "default: by the ending of FILE, else text"
    report.add_argument("--format", choices=FORMATS, default="", help=told)
    report.add_argument("-o", "--output", type=Path, metavar="FILE", help="write it there")
    _add_judge(actions)
    _add_show(actions)
    told = "remove what was prepared for this repository: environments, copies of its history"
    cleaned = actions.add("clean", "replay_clean:cleaned", told, json=False)
    told = "remove the results of these runs instead"
    cleaned.add_argument("words", nargs="*", metavar="RUN", help=told)
    cleaned.add_argument("-y", "--yes", action="store_true", help="do not ask")
    _add_cell(actions)


def _add_judge(actions: Actions) -> None:
    told = "let a model look for defects in the changes of a run"
    judge = actions.add("judge", "replay_judge:judge", told, json=False)
    judge.add_argument("name", nargs="?", default="", help="of the run (default: the newest)")
    judge.add_argument("--model", metavar="NAME", help="the judge (default: that of the settings)")
    judge.add_argument("--max-cost", type=float, metavar="USD", help="hard cap of this judging")
    judge.add_argument("--max-tokens", type=int, metavar="N", help="hard cap of this judging")
    judge.add_argument(
        "--record-responses", type=Path, metavar="FILE", help="keep the judge's replies"
    )
    judge.add_argument(
        "--fake-responses", type=Path, metavar="FILE", help="replay recorded replies"
    )
    judge.add_argument("-y", "--yes", action="store_true", help="do not ask before it starts")


def _add_show(actions: Actions) -> None:
    told = "what an agent did in a cell, step by step"
    show = actions.add("show", "replay_show:show", told, json=False)
    told = "the run (default: the newest), and a part of the cell's name"
    show.add_argument("words", nargs="+", metavar="[RUN] CELL", help=told)
    show.add_argument("--plain", action="store_true", help="plain text even on a terminal")


def _add_tasks(actions: Actions) -> None:
    mine = actions.add(
        "mine", "replay_tasks:mine", "commits whose tests fail before and pass after", json=False
    )
    mine.add_argument("--since", metavar="DATE", help="commits of that day or later: 2026-01-31")
    mine.add_argument("--limit", type=int, default=20, metavar="N", help="candidates to try (20)")
    mine.add_argument(
        "--setup", default="", metavar="COMMAND", help="prepares the tests' environment"
    )
    told = "runs the tests; {tests} stands for their files (default: the runner is found)"
    mine.add_argument("--check", default="", metavar="COMMAND", help=told)
    mine.add_argument("--jobs", type=int, default=1, metavar="N", help="side by side (1)")
    told = "those too that were refused before"
    mine.add_argument("--again", action="store_true", help=told)
    added = actions.add("add", "replay_tasks:add", "one task by hand", json=False)
    added.add_argument("target", metavar="ID")
    added.add_argument("--prompt", required=True, metavar="TEXT", help="what the agent is told")
    added.add_argument("--base", default="HEAD", metavar="COMMIT", help="where it starts (HEAD)")
    added.add_argument(
        "--setup", default="", metavar="COMMAND", help="prepares the tests' environment"
    )
    told = "from mined cases, SWE-bench records, lists of issues (JSON, JSON lines, Markdown)"
    imported = actions.add("import", "replay_tasks:import_", told, json=False)
    imported.add_argument("path", metavar="FILE")
    imported.add_argument("--base", default="HEAD", metavar="COMMIT", help="for issues (HEAD)")
    for parser in (added, imported):
        told = "a shell command; exit code 0 is success"
        parser.add_argument("--check", default="", metavar="COMMAND", help=told)
    listed = actions.add("list", "replay_tasks:listed", "the tasks of the file")
    for parser in (mine, added, imported, listed):
        _add_file(parser)
    _add_consent(mine)


def _add_run(actions: Actions) -> None:
    run = actions.add("run", "replay:run", "work on the tasks under every policy", json=False)
    run.epilog = EXITS
    _add_file(run)
    run.add_argument("--only", metavar="ID,ID", default="", help="these tasks only")
    run.add_argument("--policies", default=SOLVERS, metavar="P,P", help=f"default {SOLVERS}")
    told = "other agents on the same cells: mini-swe-agent, aider, ..."
    run.add_argument("--peers", default="", metavar="A,A", help=told)
    told = "models; `gold` and `idle` are the harness's own and need no key"
    run.add_argument("--models", default="", metavar="M,M", help=told)
    run.add_argument("--seeds", type=int, default=1, metavar="N", help="times each (1)")
    run.add_argument("--jobs", type=int, default=1, metavar="N", help="cells side by side (1)")
    run.add_argument("--name", default="", help="of the run (default: the time)")
    run.add_argument(
        "--resume",
        dest="go_on",
        action="store_true",
        help="go on with the run of that name, or the newest",
    )
    run.add_argument("--max-cost", type=float, metavar="USD", help="hard cap of the whole run")
    run.add_argument("--max-tokens", type=int, metavar="N", help="hard cap of the whole run")
    told = "local (default), or dask://HOST:PORT"
    run.add_argument("--executor", default="local", metavar="WHERE", help=told)
    _add_consent(run)


def _add_cell(actions: Actions) -> None:
    """One cell in a process of its own: `run` starts these, and help does not name it."""
    cell = actions.add("cell", "replay:cell", "", json=False)
    cell.add_argument("folder", type=Path)
    cell.add_argument("target", metavar="CELL")
    cell.add_argument("--watch", action="store_true")
    cell.add_argument("--max-cost", type=float)
    cell.add_argument("--max-tokens", type=int)


def _add_file(parser: "Parser") -> None:
    told = "the task file, .toml or .jsonl (default .aoci-agent/tasks.toml)"
    parser.add_argument("--tasks", type=Path, metavar="FILE", help=told)


def _add_consent(parser: "Parser") -> None:
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask before it starts")
    told = "run the project's code with all your rights, where there is no strong sandbox"
    parser.add_argument("--dangerously-no-sandbox", action="store_true", help=told)
