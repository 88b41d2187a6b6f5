"""`aoci-agent rewind`: its arguments as data."""

from pathlib import Path
from typing import TYPE_CHECKING

from aoci_agent.cli.index_arguments import Commands

if TYPE_CHECKING:
    from collections.abc import Callable

    from aoci_agent.cli.arguments import Arguments, Parser


def add_rewind(commands: Commands, place: "Callable[[Parser], None]") -> None:
    """Add `rewind`; `place` adds --cwd."""
    told = "go back to before a question: the files the agent changed, and the conversation"
    parser = commands.add_parser("rewind", allow_abbrev=False, help=told)
    parser.add_argument(
        "point", nargs="?", default="", help="a name of --list: 3, r12 (default: the newest)"
    )
    parser.add_argument(
        "--list", action="store_true", dest="listing", help="where one can go back to"
    )
    parser.add_argument("--dry-run", action="store_true", help="only show what would happen")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--code", action="store_const", const="code", dest="what", default="both")
    what.add_argument("--conversation", action="store_const", const="conversation", dest="what")
    parser.add_argument(
        "--only-safe", action="store_true", help="leave files alone that somebody else changed too"
    )
    parser.add_argument(
        *("-r", "--resume"), metavar="ID", help="of that session (default: the newest)"
    )
    parser.add_argument(
        "--into",
        type=Path,
        metavar="FOLDER",
        help="write the files the session changed into a new folder, as it left them"
        " (with a number: as they were before it)",
    )
    place(parser)
    parser.set_defaults(command=_run)


def _run(arguments: "Arguments") -> int:
    from aoci_agent.cli.rewind import run

    return run(arguments)
