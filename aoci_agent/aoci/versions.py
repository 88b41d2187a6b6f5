"""The index at other commits: git is the store, nothing else is kept.

All commands are reading ones on the hardened repository. A revision a person typed is resolved to
a full id first, and only that id is passed on.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from aoci_agent.aoci.differences import Change, changes_of, compare
from aoci_agent.aoci.files import INDEX_FILE, LOCK_FILE
from aoci_agent.aoci.lock import Lock, load
from aoci_agent.aoci.model import Entry, Index
from aoci_agent.aoci.parse import BadIndex, parse
from aoci_agent.aoci.write import element_hashes
from aoci_agent.base.errors import ForUser, NotPossible
from aoci_agent.base.files import STATE
from aoci_agent.base.git import Repository

_KEPT = 64  # indexes held while history is walked
_FORMAT = "--format=%H%x00%P%x00%an%x00%aI%x00%s"


class Commit(NamedTuple):
    """A commit that touched the index. `date` is ISO 8601, the author's."""

    id: str
    parents: tuple[str, ...]
    author: str
    date: str
    subject: str


class Revision(NamedTuple):
    """One change of an entry. `path` is its name after it, `before` the entry it replaced."""

    commit: Commit
    path: str
    entry: Entry | None  # None: the commit removed it
    before: Entry | None  # None: the commit added it
    changes: tuple[Change, ...]

    @property
    def told(self) -> str:
        """The change in words."""
        if self.entry is None:
            return "removed"
        if self.before is None:
            return "added"
        told = "; ".join(map(str, self.changes))
        if self.before.path != self.path:
            return f"moved from {self.before.path}" + (f"; {told}" if told else "")
        return told


@dataclass(frozen=True)
class Origin:
    """Where an element as it stands comes from; None: not committed yet."""

    element: str  # F R A S T
    commit: Commit | None


class Versions:
    """The index of one workspace through its history."""

    def __init__(self, repository: Repository, root: Path) -> None:
        self._git = repository
        folder = root.relative_to(repository.root).as_posix()
        state = STATE if folder == "." else f"{folder}/{STATE}"
        self._index, self._lock = f"{state}/{INDEX_FILE}", f"{state}/{LOCK_FILE}"
        self._parsed = functools.lru_cache(_KEPT)(self._parse)

    def commit(self, revision: str) -> str:
        """The full id of the commit a person named. Raises ForUser when there is none."""
        try:
            found = self._git.commit(revision)
        except NotPossible:
            found = ""
        if not found:
            raise ForUser(f"no commit '{revision}' in this repository", "git log --oneline")
        return found

    def index(self, commit: str) -> Index | None:
        """The index as a commit holds it, None where it holds none. Raises ForUser for a broken one."""
        blob = self._blob(commit, self._index)
        try:
            return self._parsed(blob) if blob else None
        except BadIndex as error:
            raise ForUser(
                f"the index at {commit[:10]} cannot be read", "name another commit"
            ) from error

    def needed(self, commit: str, revision: str) -> Index:
        """The same; raises ForUser, saying what to do, where there is none."""
        index = self.index(commit)
        if index is not None:
            return index
        if not self.was_committed():
            raise ForUser(
                "the index was never committed", f"aoci-agent index build, then commit {STATE}/"
            )
        raise ForUser(
            f"there is no index at '{revision}'", "aoci-agent index log PATH shows where there is"
        )

    def was_committed(self) -> bool:
        """Whether any commit HEAD reaches touched the index."""
        return bool(self._commits(limit=1))

    def name_at(self, path: str, index: Index) -> str:
        """The name under which an earlier index holds the entry of a present path, "" without one."""
        for revision in self.revisions(path):
            if revision.before is not None and revision.before.path in index.by_path:
                return revision.before.path
        return ""

    def lock(self, commit: str) -> Lock:
        """The lock as a commit holds it, empty where it holds none."""
        blob = self._blob(commit, self._lock)
        return load(self._git.git("cat-file", "blob", blob)) if blob else Lock()

    def revisions(self, path: str, start: str = "HEAD") -> Iterator[Revision]:
        """Every change of an entry, newest first; where the entry moved, on under its old name.

        A merge counts only where its entry is none of its parents'.
        """
        seen: set[str] = set()
        names = [path]
        from_ = self.commit(start)
        while names:
            path = names.pop()
            for commit in self._commits(from_, path):
                if commit.id in seen:
                    continue
                found = self._change(commit, path)
                if found is None:
                    continue
                seen.add(commit.id)
                yield found
                if (
                    found.entry is not None
                    and found.before is not None
                    and found.before.path != path
                ):
                    names.append(found.before.path)
                    from_ = commit.id
                    break

    def origins(self, entry: Entry) -> tuple[Origin, ...]:
        """The commit that gave each element of an entry the text it has on disk."""
        left = _elements(entry)
        found: dict[str, Commit | None] = dict.fromkeys(left)
        revisions = self.revisions(entry.path) if self.was_committed() else ()
        for number, revision in enumerate(revisions):
            if number == 0:  # what differs from the newest commit is not committed
                newest = _elements(revision.entry)
                left = {key: text for key, text in left.items() if newest.get(key) == text}
            before = _elements(revision.before)
            for key in [key for key, text in left.items() if before.get(key) != text]:
                found[key] = revision.commit
                del left[key]
            if not left:
                break
        return tuple(Origin(key, commit) for key, commit in found.items())

    def _change(self, commit: Commit, path: str) -> Revision | None:
        """What a commit did to the entry, None when one of its parents has it as it is."""
        index = self.index(commit.id)
        entry = index.by_path.get(path) if index is not None else None
        parents = [parent for parent in map(self.index, commit.parents) if parent is not None]
        before = [parent.by_path.get(path) for parent in parents]
        if any(old == entry for old in before) or (entry is None and not before):
            return None
        old = next((item for item in before if item is not None), None)
        if old is None and entry is not None and index is not None and parents:
            source = self._renamed(commit, path) or _moved(parents[0], index, path)
            old = parents[0].by_path.get(source)
        changes = changes_of(old, entry) if old is not None and entry is not None else ()
        return Revision(commit, path, entry, old, changes)

    def _renamed(self, commit: Commit, path: str) -> str:
        """The name a file had before a commit renamed it, "" when it did not."""
        prefix = self._index.removesuffix(f"{STATE}/{INDEX_FILE}")
        options = ("-r", "-z", "-M", "--diff-filter=R", "--name-status")
        output = self._git.git("diff-tree", *options, commit.parents[0], commit.id)
        fields = output.split("\0")
        for old, new in zip(fields[1::3], fields[2::3], strict=False):
            if new == f"{prefix}{path}" and old.startswith(prefix):
                return old.removeprefix(prefix)
        return ""

    def _commits(self, start: str = "", path: str = "", limit: int = 0) -> list[Commit]:
        """Commits that touched the index; with a path, only lines that begin with the file's name."""
        options = [_FORMAT]
        if limit:
            options.append(f"--max-count={limit}")
        if path:
            # The entry's own line, or the line of its directory: where that alone was renamed.
            folder, _, name = path.rpartition("/")
            lines = (f"^{_pattern(name)}\\[", f"^=== {_pattern(folder or '.')}/$")
            options += ["-m", "-a", f"-G{'|'.join(lines)}"]
        begin = start or self._git.head()
        if not begin:
            return []
        output = self._git.git("log", *options, begin, "--", self._index)
        found = (line.split("\0") for line in output.split("\n") if line.count("\0") >= 4)
        commits = (Commit(f[0], tuple(f[1].split()), f[2], f[3], "\0".join(f[4:])) for f in found)
        return list(dict.fromkeys(commits))

    def _blob(self, commit: str, path: str) -> str:
        listed = self._git.git("ls-tree", "-z", commit, "--", path)
        fields = listed.split("\t")[0].split()
        return fields[2] if len(fields) == 3 and fields[1] == "blob" else ""

    def _parse(self, blob: str) -> Index:
        return parse(self._git.git("cat-file", "blob", blob))


def _moved(before: Index, after: Index, path: str) -> str:
    """The entry that went away as this one came with the same words, "" without one."""
    moves = {item.path: item.before for item in compare(before, after).entries}
    return moves.get(path, "")


def _pattern(text: str) -> str:
    """The text as git's regular expression: a wildcard for each byte of what might mean something."""
    return "".join(
        letter if re.fullmatch(r"[A-Za-z0-9_/-]", letter) else "." * len(letter.encode())
        for letter in text
    )


def _elements(entry: Entry | None) -> dict[str, str]:
    return {} if entry is None else element_hashes(entry)
