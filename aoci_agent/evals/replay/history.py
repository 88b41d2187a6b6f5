"""Candidates for tasks in the history of a repository: commits that change a little source, and tests."""

from collections.abc import Iterator
from typing import NamedTuple

from aoci_agent.aoci.facts.languages import language_of
from aoci_agent.aoci.layers import is_test
from aoci_agent.aoci.roles import Role, role_of
from aoci_agent.base.errors import NotPossible
from aoci_agent.base.git import Repository

MOST_FILES = 5  # of source that a task may change
MOST_LINES = 300  # of source, added and removed
SCANNED = 3_000  # commits looked at, newest first
_COMMIT, _END = "\x1e", "\x1d"  # before and behind what the format prints of a commit
_FORMAT = "%x1e%H%x1f%P%x1f%cs%x1f%B%x1d"


class Change(NamedTuple):
    """What a commit did to one file. `status` is git's letter: A, M, D, T."""

    path: str
    status: str


class Candidate(NamedTuple):
    """A commit that may become a task."""

    commit: str
    base: str  # its first parent
    other: str  # its second parent, "" for none
    date: str  # YYYY-MM-DD
    message: str
    source: tuple[Change, ...]
    tests: tuple[str, ...]  # what it adds or changes of the tests, in any kind of file

    @property
    def changed(self) -> tuple[str, ...]:
        """The source files that are there before it."""
        return tuple(change.path for change in self.source if change.status != "A")


def candidates(repository: Repository, since: str = "") -> Iterator[Candidate]:
    """Newest first, along the first parents. `since` is a date as git takes it.

    Taken are commits with 1 to 5 source files, one of them already there, up to 300 lines of source,
    and at least one test file. One whose files a partial clone lacks is passed over.
    """
    options = [f"--since={since}"] if since else []
    listed = repository.git(
        *("log", "--first-parent", "--diff-merges=first-parent", "--no-renames", "--raw", "-z"),
        *("--no-abbrev", f"--max-count={SCANNED}", f"--format={_FORMAT}", *options),
    )
    for piece in listed.split(_COMMIT)[1:]:
        found = _candidate(piece)
        if found is not None and 0 < _lines(repository, found) <= MOST_LINES:
            yield found


def _candidate(piece: str) -> Candidate | None:
    head, _, listed = piece.partition(_END)
    commit, parents, date, message = head.split("\x1f", 3)
    if not parents:
        return None
    base, *others = parents.split()
    changes = _changes(listed)
    if not all(change.path.isprintable() for change in changes):
        return None  # a name that is no text, or holds a line break, cannot stand in a task file
    source = tuple(change for change in changes if is_source(change.path))
    tests = tuple(c.path for c in changes if is_test(c.path) and c.status in "AM")
    made = Candidate(commit, base, others[0] if others else "", date, message, source, tests)
    return made if tests and made.changed and len(source) <= MOST_FILES else None


def _changes(listed: str) -> list[Change]:
    """From `--raw -z`: `:modes ids S`, path, ..."""
    items = iter(item.strip("\n") for item in listed.split("\0"))
    return [
        Change(next(items, ""), item.rsplit(" ", 1)[-1][:1]) for item in items if item[:1] == ":"
    ]


def is_source(path: str) -> bool:
    """A program's text: in a language of the index, and not a test."""
    return language_of(path) is not None and not is_test(path) and role_of(path)[0] is Role.INDEX


def _lines(repository: Repository, found: Candidate) -> int:
    """Lines of source added and removed; 0 when git cannot tell."""
    paths = [change.path for change in found.source]
    try:
        listed = repository.git(
            "diff-tree", "-r", "--numstat", "-z", found.base, found.commit, "--", *paths
        )
    except NotPossible:
        return 0
    counts = [entry.split("\t")[:2] for entry in listed.split("\0") if "\t" in entry]
    return sum(int(number) for pair in counts for number in pair if number.isdecimal())
