"""`aoci-agent search|symbols|definition|references|callers|hover` and `eval`, as data."""

import argparse
from typing import TYPE_CHECKING

from aoci_agent.cli.index_arguments import Actions, Commands

if TYPE_CHECKING:
    from collections.abc import Callable

    from aoci_agent.cli.arguments import Parser

LOOKUPS = ("search", "symbols", "definition", "references", "callers", "hover")
_OF = "Class.method, path:line, path:line:column (from 0) or path:line:name"


def add_lookups(commands: Commands, place: "Callable[[Parser], None]") -> None:
    """Add the commands that look something up; `place` adds --cwd."""
    actions = Actions(commands, place)
    search = actions.add("search", "search:search", "find code by words, without a model")
    search.add_argument("words", nargs="+", metavar="QUERY", help="words; - reads standard input")
    search.add_argument("--limit", type=int, default=10, metavar="N", help="at most so many (10)")
    how = search.add_mutually_exclusive_group()
    told = "how to look: auto (default), lexical, dense, fusion, combined, graph, index, rerank"
    how.add_argument("--plan", default="auto", metavar="P", help=told)
    how.add_argument("--exact", action="store_true", help="lines with just this text")
    how.add_argument("--regex", action="store_true", help="lines that fit a regular expression")
    how.add_argument("--entries", action="store_true", help="entries of the index instead of code")
    symbols = actions.add("symbols", "search:symbols", "definitions of a name, or in a file")
    symbols.add_argument("query", metavar="NAME|PATH")
    for name, told in (
        ("definition", "where it is defined"),
        ("references", "where it is used"),
        ("callers", "where it is called"),
        ("hover", "its signature and documentation"),
    ):
        actions.add(name, f"search:{name}", told).add_argument("of", metavar="WHAT", help=_OF)


def add_measures(commands: Commands) -> None:
    """Add `eval NAME ...`: the measures, with their own arguments."""
    told = "run a measure: eval retrieval CASES.jsonl --repos DIR, eval nav ..."
    evals = commands.add_parser("eval", allow_abbrev=False, help=told, add_help=False)
    evals.add_argument("action", metavar="NAME")
    evals.add_argument("rest", nargs=argparse.REMAINDER)
    evals.set_defaults(command=_measure)


def _measure(arguments: "argparse.Namespace") -> int:
    from aoci_agent.cli.measures import run

    return run(arguments.action, arguments.rest)
