"""`aoci-agent search`, `symbols`, `definition`, `references`, `callers`, `hover`: what the tools answer."""

import asyncio
import json
import re
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import groupby

from aoci_agent.base.errors import BadUsage, Exit, ForModel, ForUser, TryAgain
from aoci_agent.base.terminal import clean
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.counting import progress
from aoci_agent.cli.launch import bench_from
from aoci_agent.tools.lookups import Found, Lookups, Row
from aoci_agent.tools.places import blocks, by_file
from aoci_agent.views.retrieve.judges import LOCAL, judge_named

LINES = 6
_WHOLE = 1_000_000_000  # bytes: a person may scroll


def search(arguments: Arguments) -> int:
    """Print the blocks that fit best; exit 1 when there are none."""
    query = _query(arguments)
    if arguments.entries:
        from aoci_agent.cli.index import search as search_entries

        bench = bench_from(arguments)
        return search_entries(bench, query, arguments.limit, as_json=arguments.json)
    if arguments.exact or arguments.regex:
        return _lines(arguments, query if arguments.regex else re.escape(query))

    def ask(lookups: Lookups) -> Found:
        return lookups.search(query, plan=arguments.plan, limit=arguments.limit, lines=LINES)

    return _answer(arguments, ask, blocks)


def symbols(arguments: Arguments) -> int:
    """Print the definitions of a name, or those in a file."""
    return _answer(arguments, lambda lookups: lookups.symbols(arguments.query), blocks)


def definition(arguments: Arguments) -> int:
    """Print where something is defined, and how it begins."""
    return _answer(arguments, lambda lookups: lookups.definition(arguments.of, LINES), blocks)


def references(arguments: Arguments) -> int:
    """Print where something is used."""
    return _answer(arguments, lambda lookups: lookups.references(arguments.of), by_file)


def callers(arguments: Arguments) -> int:
    """Print where something is called."""
    return _answer(arguments, lambda lookups: lookups.references(arguments.of, calls=True), by_file)


def hover(arguments: Arguments) -> int:
    """Print signature and documentation."""

    def shown(found: Found, limit: int) -> str:
        return "\n\n".join(filter(None, (found.text, blocks(found, limit))))

    return _answer(arguments, lambda lookups: lookups.hover(arguments.of), shown)


def _answer(
    arguments: Arguments, ask: Callable[[Lookups], Found], shown: Callable[[Found, int], str]
) -> int:
    try:
        with _lookups(arguments) as lookups:
            found = ask(lookups)
    except TryAgain as error:  # the question means nothing here
        raise BadUsage(str(error), "aoci-agent symbols NAME, or search WORDS") from error
    except ForModel as error:
        raise ForUser(str(error), "aoci-agent symbols NAME, or search WORDS") from error
    if arguments.json:
        print(json.dumps(_as_json(found)))
    elif found.rows:
        print(clean(shown(found, _WHOLE)))
    if not found.rows:
        print(clean(f"nothing found{f': {found.note}' if found.note else ''}"), file=sys.stderr)
    return Exit.DONE if found.rows else Exit.FAILED


@contextmanager
def _lookups(arguments: Arguments) -> Generator[Lookups]:
    """The lookups of the folder; what was derived for them is kept."""
    bench = bench_from(arguments)
    plan = getattr(arguments, "plan", "")
    if plan == "index":
        bench.store.follow()
    judge = judge_named(LOCAL) if plan == "rerank" else None
    try:
        yield bench.lookups(judge, progress())
    finally:
        bench.close()


def _query(arguments: Arguments) -> str:
    if arguments.limit < 1:
        raise BadUsage(f"--limit {arguments.limit} asks for nothing", "--limit N, N from 1")
    query = sys.stdin.read() if arguments.words == ["-"] else " ".join(arguments.words)
    if not query.strip():
        raise BadUsage("nothing to search for", "aoci-agent search QUERY")
    return query


def _as_json(found: Found) -> dict[str, object]:
    rows = [row._asdict() | {"lines": list(row.lines)} for row in found.rows]
    return {"how": found.how, "note": found.note, "text": found.text, "results": rows}


def _lines(arguments: Arguments, pattern: str) -> int:
    """Lines that match, through ripgrep, as the grep tool finds them."""
    from aoci_agent.tools.listing import FileList
    from aoci_agent.tools.searching import Query, search as search_lines

    bench = bench_from(arguments)
    files = FileList(bench.workspace)
    try:
        found = asyncio.run(search_lines(bench.workspace, files, Query(pattern)))
    except ForModel as error:
        raise ForUser(str(error), "aoci-agent search --exact TEXT") from error
    lines = found.lines[: arguments.limit]
    if arguments.json:
        rows = [Row(line.path, line.number, line.number, lines=(line.text,)) for line in lines]
        print(json.dumps(_as_json(Found(tuple(rows), "regex" if arguments.regex else "exact"))))
    else:
        for path, group in groupby(lines, key=lambda line: line.path):
            print(clean("\n".join((path, *(f"{line.number}\t{line.text}" for line in group)))))
    left = len(found.lines) - len(lines)
    if left or not found.complete:
        told = f"{left} more" if found.complete else f"more than {left} more"
        print(f"{told} matching lines: raise --limit", file=sys.stderr)
    if not lines:
        print("no matches", file=sys.stderr)
    return Exit.DONE if lines else Exit.FAILED
