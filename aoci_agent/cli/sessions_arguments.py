"""`aoci-agent sessions ...`: its subcommands as data."""

from typing import TYPE_CHECKING

from aoci_agent.cli.index_arguments import Actions, Commands

if TYPE_CHECKING:
    from collections.abc import Callable

    from aoci_agent.cli.arguments import Parser

FORMATS = ("text", "json", "csv")


def add_sessions(commands: Commands, place: "Callable[[Parser], None]") -> None:
    """Add `sessions` and its subcommands; `place` adds --cwd."""
    told = "earlier sessions of this repository: what they were, what they used"
    sessions = commands.add_parser("sessions", allow_abbrev=False, help=told)
    actions = Actions(
        sessions.add_subparsers(required=True, metavar="ACTION", dest="action"), place
    )
    listed = actions.add(
        "list", "sessions:listed", "newest first, with the first words", json=False
    )
    stats = actions.add("stats", "sessions:stats", "tokens by bucket, dollars, sums", json=False)
    for parser in (listed, stats):
        parser.add_argument("--format", choices=FORMATS, default="text", help="default text")
        parser.add_argument(
            "--since", metavar="DATE", help="begun on that day or later: 2026-11-30"
        )
        parser.add_argument(
            "--all", action="store_true", dest="everywhere", help="of all repositories"
        )
