"""`aoci-agent index diff|log|blame|rollback`: the index through the history of the repository."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from aoci_agent.aoci import lock as locks
from aoci_agent.aoci.damage import has_conflict
from aoci_agent.aoci.differences import Difference, compare
from aoci_agent.aoci.files import INDEX_FILE, LOCK_FILE
from aoci_agent.aoci.lock import Record, named
from aoci_agent.aoci.model import Entry, Index
from aoci_agent.aoci.parse import parse
from aoci_agent.aoci.rollback import Restored, restore
from aoci_agent.aoci.versions import Commit, Revision, Versions
from aoci_agent.aoci.write import entry_fields, full_line
from aoci_agent.base.errors import BadUsage, Exit, ForUser, NotPossible
from aoci_agent.base.files import STATE
from aoci_agent.base.terminal import clean
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.launch import bench_from, path_inside

_BUILD = "aoci-agent index build"


def diff(arguments: Arguments) -> int:
    """What changed between two commits, or a commit and the disk, element by element."""
    desk = _Desk(arguments)
    old = desk.index(arguments.old)
    new = desk.index(arguments.new) if arguments.new else desk.on_disk
    found = compare(old, new).all
    if arguments.json:
        print(json.dumps([_difference(item) for item in found], ensure_ascii=False))
    else:
        print(clean("\n".join(map(str, found))) if found else "no differences")
    return Exit.DONE


def log(arguments: Arguments) -> int:
    """The commits that changed an entry, newest first, on under the names it had before."""
    if arguments.limit < 1:
        raise BadUsage("--limit must be at least 1", "--limit 20")
    desk = _Desk(arguments)
    path = desk.path(arguments.path)
    found = list(islice(desk.revisions(path), arguments.limit))
    if not found:
        raise desk.unknown(path)
    if arguments.json:
        print(json.dumps([_revision(item) for item in found], ensure_ascii=False))
    else:
        print(
            clean("\n".join(f"{_short(item.commit)}  {item.path}  {item.told}" for item in found))
        )
    return Exit.DONE


def blame(arguments: Arguments) -> int:
    """For each element: the commit it comes from, and whether the program or a person wrote it."""
    desk = _Desk(arguments)
    entry = desk.entry(desk.path(arguments.path))
    record = desk.lock.records.get(entry.path)
    try:
        origins = desk.versions.origins(entry)
    except NotPossible as error:
        raise desk.failed(error) from error
    texts = {**dict(zip("FRAS", entry_fields(entry), strict=True)), "T": _tag(entry)}
    rows = [
        (named((o.element,)), o.commit, _who(o.element, record), texts[o.element]) for o in origins
    ]
    if arguments.json:
        told = [
            {
                "element": name,
                "by": who,
                "text": text,
                "commit": _commit(commit) if commit else None,
            }
            for name, commit, who, text in rows
        ]
        print(json.dumps(told, ensure_ascii=False))
        return Exit.DONE
    for name, commit, who, text in rows:
        whence = _short(commit) if commit else f"{'not committed':<34}"
        print(clean(f"{name:<4}{who:<8}{whence}  {text}"))
    return Exit.DONE


def rollback(arguments: Arguments) -> int:
    """Write an entry as it was at a commit; its elements are pinned, stale where the source moved."""
    desk = _Desk(arguments)
    path, revision, commit = _target(desk, arguments.target)
    now = desk.entry(path)
    then, old = _then(desk, path, revision, commit)
    restored = restore(desk.text(INDEX_FILE), desk.lock, now, then, old)
    if not restored.changed:
        print(clean(f"{path} already stands as it did at {revision}"))
        return Exit.DONE
    refused: list[str] = []
    files = desk.store.files
    files.save(INDEX_FILE, restored.text, refused)
    files.save(LOCK_FILE, locks.dump(restored.lock), refused)
    if refused:
        raise ForUser(refused[0], "make the folder writable")
    print(clean("\n".join(_done(desk, restored, revision))))
    return Exit.DONE


def _done(desk: "_Desk", restored: Restored, revision: str) -> Iterator[str]:
    path = restored.entry.path
    yield f"{path}: {named(restored.changed)} taken back to {revision}"
    yield full_line(restored.entry)
    if restored.pins:
        yield f"pinned: {named(restored.pins)}; give back with: aoci-agent index unpin {path}"
    sem = desk.sem(path)
    if stale := [key for key, pin in restored.pins.items() if pin.anchor != sem]:
        yield f"stale: the source is not what it was then, look at {named(stale)};"
        yield f"  when the words are right: aoci-agent index pin {path}"


class _Desk:
    """The workspace with its index through time; everything that can be missing is said."""

    def __init__(self, arguments: Arguments) -> None:
        bench = bench_from(arguments)
        self.workspace, self.store = bench.workspace, bench.store
        if bench.repository is None:
            raise ForUser(
                "no git repository here, and git is where versions are kept",
                "git init, then commit .aoci-agent/",
            )
        self.versions = Versions(bench.repository, self.workspace.root)

    def path(self, given: str) -> str:
        """A path as typed, inside the workspace."""
        return path_inside(self.workspace, given)

    def text(self, name: str) -> str:
        """A file of the index as it is on disk."""
        text = self.store.files.read(name)
        if text is None:
            raise ForUser(f"there is no {STATE}/{name} on disk", _BUILD)
        if has_conflict(text):
            raise ForUser(f"{name} holds merge conflict markers", "settle them first")
        return text

    @property
    def on_disk(self) -> Index:
        """The index as it is on disk."""
        return parse(self.text(INDEX_FILE))

    @property
    def lock(self) -> locks.Lock:
        """The lock as it is on disk."""
        return locks.load(self.text(LOCK_FILE))

    def index(self, revision: str) -> Index:
        """The index at a commit a person named."""
        try:
            return self.versions.needed(self.versions.commit(revision), revision)
        except NotPossible as error:
            raise self.failed(error) from error

    def entry(self, path: str) -> Entry:
        """The entry of a path on disk."""
        entry = self.on_disk.by_path.get(path)
        if entry is None:
            raise self.unknown(path)
        return entry

    def revisions(self, path: str) -> Iterator[Revision]:
        """The changes of an entry, newest first."""
        try:
            if not self.versions.was_committed():
                self.index("HEAD")  # says so
            yield from self.versions.revisions(path)
        except NotPossible as error:
            raise self.failed(error) from error

    def sem(self, path: str) -> str:
        """The semantic hash of a file as it is now, "" for one that has no facts."""
        from aoci_agent.aoci.gather import changed_facts
        from aoci_agent.aoci.project import project_of

        project = project_of(self.workspace)
        facts = changed_facts(self.workspace, project, [path]).get(path)
        return facts.sem if facts is not None else ""

    def unknown(self, path: str) -> ForUser:
        """A path that has no entry."""
        return ForUser(f"no entry for '{path}'", f"aoci-agent search {path}")

    def failed(self, error: NotPossible) -> ForUser:
        """git did not answer."""
        return ForUser(f"git cannot read the history ({error})", "git fsck shows what is damaged")


def _target(desk: _Desk, target: str) -> tuple[str, str, str]:
    """Path, revision and commit of PATH@REV; both may hold an @, so the split that makes sense counts."""
    cuts = [position for position, letter in enumerate(target) if letter == "@" and position]
    splits = [(target[:cut], target[cut + 1 :]) for cut in cuts if target[cut + 1 :]]
    if not splits:
        raise BadUsage(
            f"'{target}' names no revision", "index rollback PATH@REV, as src/a.py@HEAD~1"
        )
    known = desk.on_disk.by_path
    for name, revision in sorted(splits, key=lambda split: desk.path(split[0]) not in known):
        try:
            return desk.path(name), revision, desk.versions.commit(revision)
        except ForUser:
            continue
    path, revision = next((split for split in splits if desk.path(split[0]) in known), splits[-1])
    desk.entry(desk.path(path))
    raise ForUser(f"no commit '{revision}' in this repository", "git log --oneline")


def _then(desk: _Desk, path: str, revision: str, commit: str) -> tuple[Entry, Record | None]:
    """The entry at a commit, under the name it had then, and its record in the lock."""
    index = desk.index(revision)
    try:
        name = path if path in index.by_path else desk.versions.name_at(path, index)
        entry = index.by_path.get(name)
        if entry is None:
            raise ForUser(f"'{path}' had no entry at '{revision}'", f"aoci-agent index log {path}")
        return entry, desk.versions.lock(commit).records.get(name)
    except NotPossible as error:
        raise desk.failed(error) from error


def _tag(entry: Entry) -> str:
    from aoci_agent.aoci.tags import tag_text

    return f"[{tag_text(entry.tag)}]"


def _who(element: str, record: Record | None) -> str:
    """Who wrote an element, by the lock; unknown without a record."""
    if record is None:
        return "unknown"
    return "human" if element in record.pins else "machine"


def _short(commit: Commit) -> str:
    return f"{commit.id[:10]} {commit.date[:10]} {commit.author[:12]:<12}"


def _commit(commit: Commit) -> dict[str, str]:
    return {
        "id": commit.id,
        "author": commit.author,
        "date": commit.date,
        "subject": commit.subject,
    }


def _difference(item: Difference) -> dict[str, Any]:
    told: dict[str, Any] = {"kind": item.kind, "path": item.path}
    if item.before:
        told["before"] = item.before
    if item.changes:
        told["changes"] = [change._asdict() for change in item.changes]
    return told


def _revision(item: Revision) -> dict[str, Any]:
    told: dict[str, Any] = {"path": item.path, "change": item.told, "commit": _commit(item.commit)}
    told["changes"] = [change._asdict() for change in item.changes]
    return told
