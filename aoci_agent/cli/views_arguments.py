"""`aoci-agent views ...`: its subcommands as data."""

from typing import TYPE_CHECKING

from aoci_agent.cli.index_arguments import Actions, Commands

if TYPE_CHECKING:
    from collections.abc import Callable

    from aoci_agent.cli.arguments import Parser

LAST = 10


def add_views(commands: Commands, place: "Callable[[Parser], None]") -> None:
    """Add `views` and its subcommands; `place` adds --cwd."""
    told = "what is derived of this repository: words, vectors, the graph of symbols"
    views = commands.add_parser("views", allow_abbrev=False, help=told)
    actions = Actions(views.add_subparsers(required=True, metavar="ACTION", dest="action"), place)
    build = actions.add("build", "views:build", "bring the views in step and keep them")
    build.add_argument("--fresh", action="store_true", help="derive everything from nothing")
    status = actions.add("status", "views:status", "what there is, how old, what it costs")
    status.add_argument("--verify", action="store_true", help="check the hash of every file kept")
    told = "is an update what a rebuild is? from commit A to B, or over the last transitions"
    verify = actions.add("verify", "views:verify", told)
    verify.add_argument("commits", nargs="*", metavar="COMMIT", help="A and B")
    verify.add_argument(
        "--last", type=int, metavar="N", help=f"the newest N source-touching commits ({LAST})"
    )
    for parser in (build, verify):
        parser.add_argument(
            "--view", action="append", dest="views", metavar="NAME", help="only this view"
        )
