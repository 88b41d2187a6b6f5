"""The command line as data. Imports nothing heavy: `--help` and `--version` must be instant."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

from aoci_agent import __version__
from aoci_agent.base.errors import BadUsage
from aoci_agent.cli.index_arguments import add_index
from aoci_agent.cli.replay_arguments import add_replay
from aoci_agent.cli.rewind_arguments import add_rewind
from aoci_agent.cli.search_arguments import LOOKUPS, add_lookups, add_measures
from aoci_agent.cli.sessions_arguments import add_sessions
from aoci_agent.cli.trust_arguments import add_trust
from aoci_agent.cli.views_arguments import add_views

if TYPE_CHECKING:
    from collections.abc import Callable

MODES = ("read-only", "ask", "auto-edit", "full-auto")
POLICIES = ("grep-read", "aoci", "eager", "compact")
STYLES = ("auto", "native", "text", "schema")
FORMATS = ("text", "json", "stream-json")
COMMANDS = (
    "index",
    "views",
    *LOOKUPS,
    "sessions",
    "rewind",
    "trust",
    "replay",
    "eval",
    "doctor",
    "demo",
)
EXITS = (
    "exit codes: 0 done, 1 error, 2 usage, 3 limit reached, 4 an action was denied, 130 interrupted"
)


class Arguments(argparse.Namespace):
    """What was typed. `command` is the function that does it."""

    command: "Callable[[Arguments], int]"
    prompt: str
    print: bool
    output_format: str
    model: str | None
    policy: str | None
    mode: str | None
    call_style: str | None
    max_steps: int | None
    max_tokens: int | None
    max_cost: float | None
    max_time: float | None
    index_budget: int | None
    cwd: Path
    no_session: bool
    trust: bool
    sandbox: str | None
    dangerously_no_sandbox: bool
    worktree: bool
    go_on: bool
    resume: str | None
    record_responses: Path | None
    fake_responses: Path | None
    # index, search
    action: str
    words: list[str]
    path: str
    paths: list[str]
    json: bool
    limit: int
    fresh: bool
    fix: bool
    since: str | None
    again: bool
    staged: bool
    format: str
    step: str
    elements: str
    old: str
    new: str
    target: str
    layout: str
    output: Path | None
    # search, symbols, definition, references, callers, hover
    plan: str
    exact: bool
    regex: bool
    entries: bool
    query: str
    of: str
    # views
    verify: bool
    commits: list[str]
    last: int | None
    views: list[str] | None
    # sessions
    everywhere: bool
    # trust
    status: bool
    yes: bool
    revoke: bool
    listed: bool
    # rewind
    point: str
    listing: bool
    into: Path | None
    dry_run: bool
    what: Literal["code", "conversation", "both"]
    only_safe: bool
    # replay
    watch: bool
    tasks: Path | None
    setup: str
    check: str
    base: str
    only: str
    policies: str
    peers: str
    models: str
    seeds: int
    jobs: int
    name: str
    executor: str
    folder: Path
    # demo
    plain: bool
    keep: bool
    pace: float


class Parser(argparse.ArgumentParser):
    """argparse with this program's way to refuse, and no abbreviations (T33)."""

    def error(self, message: str) -> NoReturn:
        raise BadUsage(message, f"{self.prog} --help")


def parse(argv: list[str]) -> Arguments:
    """Read the command line. The first word decides between a command and a prompt. Raises BadUsage."""
    if argv and argv[0] == "resume":  # the newest session, or the one that is named
        named = len(argv) > 1 and not argv[1].startswith("-")
        argv = ["--resume", *argv[1:]] if named else ["--continue", *argv[1:]]
    if argv and argv[0] in COMMANDS:
        return _commands().parse_args(argv, namespace=Arguments())
    arguments = _agent().parse_args(argv, namespace=Arguments())
    arguments.command = _run_agent
    return arguments


def _agent() -> Parser:
    parser = Parser(
        prog="aoci-agent",
        allow_abbrev=False,
        description="A terminal coding agent that already knows the repository it is started in.",
        epilog=f"commands: aoci-agent index build|update|check|show|diff|… · views build|status|verify · search|symbols|definition|references|callers|hover · sessions list|stats · trust · resume [ID] · rewind · eval NAME · doctor · demo     {EXITS}",
    )
    parser.add_argument("prompt", nargs="?", default="", help="start on this task")
    parser.add_argument(
        "-p", "--print", action="store_true", help="headless: print the answer and exit"
    )
    parser.add_argument("--output-format", choices=FORMATS, default="text", help="with -p")
    _add_model(parser)
    _add_limits(parser)
    _add_place(parser)
    _add_safety(parser)
    parser.add_argument(
        "-c", "--continue", dest="go_on", action="store_true", help="go on with the newest session"
    )
    parser.add_argument(
        *("-r", "--resume"),
        nargs="?",
        const="",
        metavar="ID",
        help="go on with the session whose id begins so",
    )
    parser.add_argument("--no-session", action="store_true", help="keep no session record")
    parser.add_argument(
        "--record-responses", type=Path, metavar="FILE", help="record model replies"
    )
    parser.add_argument(
        "--fake-responses", type=Path, metavar="FILE", help="replay recorded replies"
    )
    parser.add_argument("-v", "--version", action="version", version=f"aoci-agent {__version__}")
    return parser


def _commands() -> Parser:
    parser = Parser(prog="aoci-agent", allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_index(commands, _add_place)
    add_views(commands, _add_place)
    add_lookups(commands, _add_place)
    add_sessions(commands, _add_place)
    add_rewind(commands, _add_place)
    add_trust(commands, _add_place)
    add_replay(commands, _add_place)
    add_measures(commands)
    doctor = commands.add_parser("doctor", allow_abbrev=False, help="what is installed, and works")
    doctor.add_argument("--json", action="store_true", help="machine-readable output")
    _add_place(doctor)
    doctor.set_defaults(command=_run_doctor)
    demo = commands.add_parser("demo", allow_abbrev=False, help="the whole loop, no key needed")
    demo.add_argument("--plain", action="store_true", help="plain text even on a terminal")
    demo.add_argument("--keep", action="store_true", help="keep the temporary project")
    demo.add_argument("--pace", type=float, default=0.02, help="seconds between streamed pieces")
    _add_model(demo)
    _add_limits(demo)
    demo.set_defaults(command=_run_demo)
    return parser


def _add_model(parser: Parser) -> None:
    group = parser.add_argument_group("model and context")
    group.add_argument(
        "-m", "--model", metavar="NAME", help="provider/name, ollama/name or local:FILE.gguf"
    )
    told = f"how context is delivered: {', '.join(POLICIES)} (default aoci); the last two take ,no-index and ,snippets"
    group.add_argument("--policy", metavar="POLICY", help=told)
    group.add_argument("--mode", choices=MODES, help="permissions (default ask)")
    group.add_argument("--call-style", choices=STYLES, help="how tool calls travel (default auto)")
    group.add_argument(
        "--index-budget", type=int, metavar="TOKENS", help="bound of the index layer (60000)"
    )


def _add_limits(parser: Parser) -> None:
    group = parser.add_argument_group("limits")
    group.add_argument("--max-cost", type=float, metavar="USD", help="dollars of the session")
    group.add_argument(
        "--max-tokens", type=int, metavar="N", help="prompt + output tokens of the session"
    )
    group.add_argument("--max-steps", type=int, metavar="N", help="model calls of the session")
    group.add_argument(
        *("--max-time", "--max-seconds"), type=float, metavar="S", help="seconds of work"
    )


def _add_safety(parser: Parser) -> None:
    group = parser.add_argument_group("safety")
    group.add_argument("--trust", action="store_true", help="trust what the repository would run")
    group.add_argument(
        "--sandbox", choices=("auto", "required"), help="required: no start without a strong one"
    )
    group.add_argument(
        "--dangerously-no-sandbox", action="store_true", help="run commands with all your rights"
    )
    group.add_argument(
        "--worktree", action="store_true", help="work in a worktree and a branch of its own"
    )


def _add_place(parser: Parser) -> None:
    parser.add_argument(
        "--cwd", type=Path, default=Path(), metavar="DIR", help="the repository (default .)"
    )


def _run_agent(arguments: Arguments) -> int:
    if arguments.print:
        from aoci_agent.cli.headless import run
    else:
        from aoci_agent.cli.interactive import run
    return run(arguments)


def _run_doctor(arguments: Arguments) -> int:
    from aoci_agent.cli.doctor import run

    return run(arguments)


def _run_demo(arguments: Arguments) -> int:
    from aoci_agent.cli.demo import run

    return run(arguments)
