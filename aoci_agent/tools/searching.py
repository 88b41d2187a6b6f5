"""Searching file contents: ripgrep where it is installed, else our own search in a child process."""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from aoci_agent.base.errors import NotPossible, TryAgain
from aoci_agent.base.files import STATE, Workspace
from aoci_agent.base.process import Limits, Outcome, find_program, run
from aoci_agent.base.secret_paths import may_hold_secrets
from aoci_agent.tools import globs
from aoci_agent.tools.listing import FileList

SECONDS = 20.0
OUTPUT = 4_000_000  # bytes of matches kept
COUNTED = 10_000  # matches after which counting stops
RIPGREP = (
    *("--no-config", "--null", "--line-number", "--with-filename", "--no-heading", "--crlf"),
    *("--color=never", "--sort=path", "--hidden", "--no-require-git", "--glob=!.git"),
)
_LINE = re.compile(r"^(.+?)\x00(\d+):(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Query:
    """What to search where. `path` is relative to the workspace, "" for all of it."""

    pattern: str
    path: str = ""
    glob: str = ""
    ignore_case: bool = False
    seconds: float = SECONDS


@dataclass(frozen=True, slots=True)
class Line:
    """One line that matches."""

    path: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """Lines in the order of their paths; `complete` is False when the search was cut short.

    `withheld` files were left out because they may hold secrets, whether anything in them fits or not.
    """

    lines: list[Line]
    complete: bool
    withheld: tuple[str, ...] = ()


async def search(workspace: Workspace, files: FileList, query: Query) -> Found:
    """All matching lines of text files that git does not ignore and that hold no secrets."""
    real = (workspace.root / query.path).resolve()
    if may_hold_secrets(query.path) or may_hold_secrets(str(real.relative_to(workspace.root))):
        return Found([], complete=True, withheld=(query.path,))
    program = find_program("rg", outside=workspace.root)
    fits = globs.compiled(query.glob).match if query.glob else bool
    paths = [path for path in await files.files(query.path) if fits(path)]
    withheld = tuple(path for path in paths if may_hold_secrets(path))
    found = await _ripgrep(program, workspace.root, query) if program else None
    if found is None:
        found = await _own(workspace.root, [p for p in paths if p not in withheld], query)
    lines = [line for line in found.lines if not may_hold_secrets(line.path)]
    return Found(lines, found.complete, withheld)


async def _ripgrep(program: str, root: Path, query: Query) -> Found | None:
    """None when its regular expressions cannot say the pattern (look-around): then ours may."""
    words = [program, *RIPGREP]
    words += ["--ignore-case"] if query.ignore_case else []
    words += [f"--glob={query.glob}"] if query.glob else []
    words += [] if query.path else [f"--glob=!{STATE}"]
    words += ["--regexp", query.pattern, "--", query.path or "./"]
    outcome = await run(words, cwd=root, limits=Limits(query.seconds, OUTPUT, 2 * OUTPUT))
    if outcome.exit_code == 2 and not _LINE.search(outcome.output):
        return None
    return _found(outcome)


async def _own(root: Path, paths: list[str], query: Query) -> Found:
    try:
        re.compile(query.pattern)
    except re.error as error:
        raise TryAgain(
            f"pattern is not a regular expression: {error}."
            " To find it literally, escape ( [ . * + ? \\"
        ) from error
    request = {
        "pattern": query.pattern,
        "ignore_case": query.ignore_case,
        "root": str(root),
        "paths": paths,
        "limit": COUNTED,
    }
    child = Path(__file__).with_name("search_child.py")
    outcome = await run(
        [sys.executable, "-I", "-S", str(child)],
        cwd=root,
        limits=Limits(query.seconds, OUTPUT, 2 * OUTPUT),
        stdin=json.dumps(request).encode("utf-8", "surrogatepass"),
    )
    if outcome.timed_out:
        raise TryAgain(
            f"the search was stopped after {query.seconds:.0f} s: use a simpler pattern, a path or a glob"
        )
    if outcome.exit_code not in {0, None}:
        raise NotPossible(f"the search failed: {outcome.output[-300:].strip()}")
    return _found(outcome)


def _found(outcome: Outcome) -> Found:
    lines = [
        Line(path.removeprefix("./"), int(number), text.rstrip("\r"))
        for path, number, text in _LINE.findall(outcome.output)
    ]
    whole = outcome.exit_code is not None and not outcome.omitted_bytes
    return Found(lines[:COUNTED], whole and len(lines) < COUNTED)
