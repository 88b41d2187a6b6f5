"""Finding another tool's index in a work tree, and reading it.

Looked at, in this order; the first that holds entries or tables is taken:

1. the `index_path` of `.aoci/config.json`
2. `aoci.txt`, `aoci.code.txt` and `aoci.database.txt` at the root; a root manifest names its volumes
3. text files of `docs/aoci/`, `aoci/`, `doc/aoci/` and `.aoci/`
4. `docs/aoci.txt`, `aoci.md`, `docs/aoci.md`, `AOCI.md`

Among several texts of one folder an English one is taken before others, then the newest by name.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from aoci_agent.aoci.foreign.mark import is_ours
from aoci_agent.aoci.foreign.model import Foreign, Layout, Reading
from aoci_agent.aoci.foreign.places import Placed, place
from aoci_agent.aoci.foreign.reading import read_text
from aoci_agent.aoci.lock import json_object
from aoci_agent.aoci.model import Entry, Index
from aoci_agent.aoci.surroundings import ShortNames
from aoci_agent.base.errors import ForModel
from aoci_agent.base.files import Workspace

MANIFEST = "#AOCI-ROOT-MANIFEST"
ROOT_FILE, META_FILE = "aoci.txt", "aoci.meta.txt"
CODE_FILE, DATABASE_FILE = "aoci.code.txt", "aoci.database.txt"
_LIMIT = 8_000_000
_FOLDERS = ("docs/aoci", "aoci", "doc/aoci", ".aoci")
_SINGLE = ("docs/aoci.txt", "aoci.md", "docs/aoci.md", "AOCI.md")
_VOLUME = re.compile(r"#Volume:.*?\bkind=(?P<kind>\w+).*?\bpath=(?P<path>\S+)(?P<rest>.*)")

Read = Callable[[str], str | None]


def read(workspace: Workspace, files: Collection[str] | None = None) -> Foreign | None:
    """The index another tool left in this work tree, None where there is none.

    `files` are the files entries may stand for; without it everything git or a walk lists.
    """

    def text_of(path: str) -> str | None:
        try:
            return workspace.read_bytes(path, _LIMIT).decode("utf-8", "replace")
        except ForModel:
            return None

    for paths, passed_over in _candidates(workspace, text_of):
        found = _read(paths, text_of)
        if found is not None:
            layout, readings, ours = found
            known = _listed(workspace) if files is None else files
            there = _there(workspace, known, readings)
            return _mapped(layout, readings, there, passed_over=passed_over, ours=ours)
    return None


def read_files(paths: Iterable[str], text_of: Read, files: Collection[str]) -> Foreign | None:
    """The same from texts given by name, mapped onto these files. None when they hold no index."""
    found = _read(tuple(paths), text_of)
    if found is None:
        return None
    layout, readings, ours = found
    return _mapped(layout, readings, frozenset(files), ours=ours)


def _candidates(
    workspace: Workspace, text_of: Read
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Paths to read together, and those passed over for them."""
    named = json_object(text_of(".aoci/config.json") or "").get("index_path")
    for first in (named, ROOT_FILE):
        if isinstance(first, str) and first and (text := text_of(first)) is not None:
            yield _with_volumes(first, text), ()
    volumes = tuple(path for path in (META_FILE, CODE_FILE, DATABASE_FILE) if text_of(path))
    if volumes:
        yield volumes, ()
    for folder in _FOLDERS:
        texts = [name for name in _names(workspace, folder) if name.endswith((".txt", ".md"))]
        if ordered := sorted(texts, key=_preference):
            held = [f"{folder}/{name}" for name in ordered]
            held = [path for path in held if _holds_entries(text_of(path) or "")]
            if held:
                yield (held[0],), tuple(held[1:])
    yield from (((path,), ()) for path in _SINGLE)


def _names(workspace: Workspace, folder: str) -> list[str]:
    try:
        return workspace.list_dir(folder) if workspace.is_dir(folder) else []
    except ForModel:
        return []


def _preference(name: str) -> tuple[bool, list[int], str]:
    """English first, then the later of two dated names."""
    english = re.search(r"(?:\A|[^a-z])en(?:[^a-z]|\Z)", name.lower()) is not None
    return not english, [-int(digits) for digits in re.findall(r"\d+", name)], name


def _holds_entries(text: str) -> bool:
    reading = read_text(text)
    return bool(reading.rows or reading.tables)


def _with_volumes(path: str, text: str) -> tuple[str, ...]:
    """A root manifest with the enabled volumes it names, else the file alone."""
    if not text.removeprefix("\ufeff").startswith(MANIFEST):
        return (path,)
    found = _VOLUME.finditer(text)
    folder = str(PurePosixPath(path).parent)
    names = [volume["path"] for volume in found if "state=disabled" not in volume["rest"]]
    return (path, *(name if folder == "." else f"{folder}/{name}" for name in names))


Found = tuple[Layout, dict[str, Reading], bool]


def _read(paths: tuple[str, ...], text_of: Read) -> Found | None:
    texts = {path: text for path in paths if (text := text_of(path)) is not None}
    ours = bool(texts) and all(map(is_ours, texts.values()))
    readings = {
        path: read_text(
            text, exact=ours, only_tables=text.lstrip("\ufeff").startswith("#AOCI-DATABASE-VOLUME")
        )
        for path, text in texts.items()
    }
    rows = [row for reading in readings.values() for row in reading.rows]
    if not rows and not any(reading.tables for reading in readings.values()):
        return None
    if len(texts) > 1 or any(text.startswith("#AOCI-CODE-VOLUME") for text in texts.values()):
        return "volumes", readings, ours
    sections = any(row.folder is not None for row in rows)
    return ("single" if sections else "listing"), readings, ours


def _listed(workspace: Workspace) -> list[str]:
    from aoci_agent.aoci.project import Project
    from aoci_agent.aoci.scan import listing
    from aoci_agent.base.git import Repository

    repository = Repository.find(workspace.root)
    if repository is not None:
        return repository.files(workspace.root)
    listed = listing(workspace, None, Project())
    return [*listed.indexed, *listed.folded]


def _there(
    workspace: Workspace, listed: Collection[str], readings: dict[str, Reading]
) -> frozenset[str]:
    """The listed files, and ignored ones an entry stands for."""
    known = frozenset(listed)
    placed = _placed(readings, known)
    guesses = [item.path for item in placed.unmapped if item.reason == "file missing"]
    return known | {path for path in guesses if path and workspace.exists(path)}


def _placed(readings: dict[str, Reading], files: frozenset[str]) -> Placed:
    rows = [row for reading in readings.values() for row in reading.rows]
    named = [name for reading in readings.values() for name in reading.named]
    return place(rows, named, files)


def _mapped(
    layout: Layout,
    readings: dict[str, Reading],
    files: frozenset[str],
    *,
    passed_over: tuple[str, ...] = (),
    ours: bool = False,
) -> Foreign:
    placed = _placed(readings, files)
    tables = {
        (table.schema, table.name): table
        for reading in reversed(readings.values())
        for table in reversed(reading.tables)
    }
    index = Index(
        tuple(line for reading in readings.values() for line in reading.header),
        tuple(_as_written_here(placed.entries) if ours else placed.entries),
        tuple(tables[key] for key in sorted(tables)),
    )
    return Foreign(
        layout,
        tuple(readings),
        index,
        tuple(placed.unmapped),
        frozenset(placed.named & files),
        files,
        passed_over,
        ours,
    )


def _as_written_here(entries: list[Entry]) -> Iterator[Entry]:
    """An export names files by their paths where the index uses the shortest unique ending."""
    names = ShortNames(entry.path for entry in entries)
    paths = {entry.path for entry in entries}
    for entry in entries:
        short = tuple(names(item) if item in paths else item for item in entry.relations)
        yield replace(entry, relations=short)
