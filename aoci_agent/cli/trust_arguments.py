"""`aoci-agent trust`: its options as data."""

from typing import TYPE_CHECKING

from aoci_agent.cli.index_arguments import Commands

if TYPE_CHECKING:
    from collections.abc import Callable

    from aoci_agent.cli.arguments import Arguments, Parser

_EXITS = "exit codes: 0 trusted, or done; 1 error; 2 usage; 4 not trusted, or answered with no"


def add_trust(commands: Commands, place: "Callable[[Parser], None]") -> None:
    """Add `trust`; `place` adds --cwd."""
    told = "what this folder would run or configure by itself, and whether it may"
    parser = commands.add_parser("trust", allow_abbrev=False, help=told, epilog=_EXITS)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--status", action="store_true", help="show only")
    what.add_argument("--yes", action="store_true", help="trust it without being asked")
    what.add_argument("--revoke", action="store_true", help="forget what was decided about it")
    what.add_argument(
        "--list", action="store_true", dest="listed", help="every folder that was decided about"
    )
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    place(parser)
    parser.set_defaults(command=_run)


def _run(arguments: "Arguments") -> int:
    from aoci_agent.cli.trust import run

    return run(arguments)
