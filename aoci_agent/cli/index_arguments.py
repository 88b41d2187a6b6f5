"""`aoci-agent index ...`: one subcommand each, its code imported when it runs."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from aoci_agent.cli.arguments import Arguments, Parser


class Commands(Protocol):
    """What argparse's `add_subparsers` returns."""

    def add_parser(self, name: str, **options: Any) -> "Parser":
        """The parser of one subcommand."""
        ...


FORMATS = ("text", "json", "sarif", "github")
LAYOUTS = ("single", "volumes")
ELEMENTS = "F,R,A,S,tag"
_WHICH = "which elements; left out, those written by hand (to pin: all where there are none)"


class Actions:
    """Adds subcommands of `index` or `views`, each with --cwd and, unless told otherwise, --json."""

    def __init__(self, actions: Commands, place: "Callable[[Parser], None]") -> None:
        self._actions = actions
        self._place = place

    def add(self, name: str, target: str, told: str, *, json: bool = True) -> "Parser":
        """Without `told` it is not named in the help."""
        shown = {"help": told, "description": told} if told else {}
        parser = self._actions.add_parser(name, allow_abbrev=False, **shown)
        if json:
            parser.add_argument("--json", action="store_true", help="machine-readable output")
        self._place(parser)
        parser.set_defaults(command=_later(target))
        return parser

    def group(self, name: str, told: str) -> "Parser":
        """A subcommand that has subcommands of its own."""
        return self._actions.add_parser(name, allow_abbrev=False, help=told, description=told)


def add_index(commands: Commands, place: "Callable[[Parser], None]") -> None:
    """Add `index` and its subcommands; `place` adds --cwd."""
    told = "the AOCI index of this repository"
    index = commands.add_parser("index", allow_abbrev=False, help=told)
    actions = Actions(index.add_subparsers(required=True, metavar="ACTION", dest="action"), place)
    _add_making(actions)
    _add_checking(actions)
    _add_versions(actions)


def _add_making(actions: Actions) -> None:
    build = actions.add("build", "index:build", "write the index of the present files")
    build.add_argument(
        "--fresh", action="store_true", help="decide importance and modules anew, use no cache"
    )
    update = actions.add("update", "index:update", "bring the index in step, say what changed")
    update.add_argument(
        "--fix", action="store_true", help="also repair what `check` finds in the file itself"
    )
    show = actions.add("show", "index:show", "the index, or the entries of a path")
    show.add_argument("words", nargs="*", metavar="PATH")
    actions.add("stats", "index:statistics", "coverage and where the tokens go")
    pin = actions.add("pin", "index:pin", "keep elements as they are written now", json=False)
    unpin = actions.add("unpin", "index:unpin", "give elements back to the program", json=False)
    for parser in (pin, unpin):
        parser.add_argument("path", metavar="PATH")
        parser.add_argument("elements", nargs="?", default="", metavar=ELEMENTS, help=_WHICH)
    export = actions.add(
        "export", "index_export:export", "write the index in another layout", json=False
    )
    export.add_argument("--format", choices=LAYOUTS, default="single", dest="layout")
    export.add_argument(
        "--output", type=Path, metavar="DIR", help="folder to write to (single: standard output)"
    )


def _add_checking(actions: Actions) -> None:
    told = "is the index true? exit 0 yes, 1 errors, 2 cannot be checked"
    check = actions.add("check", "index_check:check", told, json=False)
    check.add_argument("paths", nargs="*", metavar="PATH", help="only these files")
    check.add_argument("--since", metavar="REF", help="only files changed since a commit")
    check.add_argument("--staged", action="store_true", help="only files staged for a commit")
    check.add_argument("--format", choices=FORMATS, default="text")
    told = "a pre-commit hook that checks staged files; a CI snippet"
    hook = actions.add("hook", "index_check:hook", told, json=False)
    hook.add_argument("step", choices=("install", "uninstall", "ci"))


def _add_versions(actions: Actions) -> None:
    diff = actions.add("diff", "index_versions:diff", "what changed, element by element")
    diff.add_argument("old", metavar="A", nargs="?", default="HEAD", help="a commit (HEAD)")
    diff.add_argument("new", metavar="B", nargs="?", default="", help="a commit (the disk)")
    log = actions.add("log", "index_versions:log", "the commits that changed an entry")
    log.add_argument("path", metavar="PATH")
    log.add_argument("--limit", type=int, default=20, metavar="N")
    blame = actions.add("blame", "index_versions:blame", "who wrote an entry's elements, and when")
    blame.add_argument("path", metavar="PATH")
    told = "take an entry back to what it was at a commit"
    back = actions.add("rollback", "index_versions:rollback", told, json=False)
    back.add_argument("target", metavar="PATH@REV")


def _later(target: str) -> "Callable[[Arguments], int]":
    module, _, name = target.partition(":")

    def run(arguments: "Arguments") -> int:
        command = getattr(import_module(f"aoci_agent.cli.{module}"), name)
        return cast("Callable[[Arguments], int]", command)(arguments)

    return run
