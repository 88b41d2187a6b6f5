"""Building a graph, and bringing one in step with changed files.

Every part knows the keys its resolution consulted, those that led nowhere included. After a change the
keys of the touched files' spaces are looked up anew, and those that files which came or went may have
led elsewhere (`listed`). Parts that depend on a key that leads elsewhere are resolved again, and so are
parts whose own text says something else. All others keep what they have, at most moved to other lines.
Both strategies end in the same graph; `file` resolves whole files.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from aoci_agent.views.graph.engine import Engine
from aoci_agent.views.graph.finders import Finders
from aoci_agent.views.graph.languages import language_for, languages
from aoci_agent.views.graph.listed import Listed
from aoci_agent.views.graph.model import Part
from aoci_agent.views.graph.records import face_of, meaning
from aoci_agent.views.graph.store import Resolved, Store, StoredPart, StoredSymbol
from aoci_agent.views.graph.tables import Face, Key, Tables
from aoci_agent.views.model import Delta, Source

_FACES = 2500  # kept in memory; others are read from the store when needed
Strategy = Literal["symbol", "file"]


@dataclass
class Repaired:
    """What an update did, by symbols (as in CodeNib's paper) and by parts resolved again."""

    deleted: int = 0
    added: int = 0
    affected: int = 0
    shifted: int = 0
    unchanged: int = 0
    resolved: int = 0  # parts, those of other files included
    elsewhere: int = 0  # of these, parts of files that did not change


class Repair:
    """One build or update of a store. Use it once."""

    def __init__(self, store: Store, source: Source, finders: Finders) -> None:
        self.done = Repaired()
        self._finders = finders
        self._store = store
        self._source = source
        self._faces: dict[str, Face] = {}
        self._said: dict[str, tuple[Part, ...]] = {}  # parts of the files just read
        self._rows: dict[int, int] = {}  # key of the engine -> row
        self._engine: Engine | None = None

    def build(self) -> None:
        """Everything from nothing."""
        for path in self._source.files:
            self._read(path)
        self._said.clear()
        for number, path, *_ in self._store.files():
            pairs = [(_empty(number, part), part) for part in self._store.said(path)]
            self._resolve(path, number, pairs, ())

    def apply(self, delta: Delta, strategy: Strategy) -> None:
        """From the files before `delta` to those of the source."""
        touched = [path for path in delta.touched if language_for(path) is not None]
        removed = [path for path in delta.removed if self._store.file_id(path) is not None]
        before = {path: self._snapshot(path) for path in (*touched, *removed)}
        listed = Listed(self._store, self._source, self._finders, delta)
        spaces = {self._store.space_of(path) for path in before}
        slots = {path: self._store.slots_of(path) for path in before}
        for path in removed:
            self._store.drop_file(path)
        for path in touched:
            self._read(path)
            spaces.add(self._store.space_of(path))
        moved = {slot for path in before for slot in slots[path] ^ self._store.slots_of(path)}
        changed = self._led_elsewhere(
            (
                *self._store.keys.of_spaces(sorted(filter(None, spaces))),
                *self._store.keys.of_homes(sorted(moved)),
                *listed.keys(self.engine.tables.finder),
            )
        )
        for path in touched:
            self._mend(path, before[path], changed, strategy)
        numbers = {self._store.file_id(path) for path in touched}
        for file in sorted(self._store.keys.watchers(changed) - numbers):
            self._follow(file, changed)
        for path in removed:
            self.done.deleted += len(before[path].symbols)

    # reading

    def _read(self, path: str) -> None:
        language = language_for(path)
        if language is not None:
            facts = language.read(path, self._source.read(path))
            self._said[path] = facts.parts
            self._keep(face_of(path, facts))
            keys = (Key("find", path, module, facts.language) for module in facts.stars)
            clues = [self._finders.clue(key) for key in keys]
            self._store.put_file(path, self._source.files[path], facts, clues)

    @property
    def engine(self) -> Engine:
        """Over the files as they are now."""
        if self._engine is None:
            spaces: dict[str, list[str]] = {}
            paths: dict[str, list[str]] = {}
            for _, path, language, space in self._store.files():
                spaces.setdefault(space, []).append(path)
                paths.setdefault(language, []).append(path)
            finders = self._finders.of(paths, self._source)
            tables = Tables(self._face, spaces, finders, self._store.stars, self._store.homes)
            self._engine = Engine(tables, languages())
        return self._engine

    def _face(self, path: str) -> Face:
        face = self._faces.get(path)
        if face is None:
            face = self._store.face(path)
            self._keep(face)
        return face

    def _keep(self, face: Face) -> None:
        self._faces[face.path] = face
        if len(self._faces) > _FACES:
            del self._faces[next(iter(self._faces))]

    # what changed

    def _led_elsewhere(self, keys: Iterable[tuple[int, Key, str]]) -> set[int]:
        """Rows of keys that lead elsewhere now; their values are brought up to date."""
        tables = self.engine.tables
        changed: set[int] = set()
        for number, key, value in keys:
            now = tables.value(key)
            if now != value:
                changed.add(number)
                self._store.keys.change(number, now)
        return changed

    def _snapshot(self, path: str) -> "_Snapshot":
        number = self._store.file_id(path)
        if number is None:
            return _Snapshot((), ())
        return _Snapshot(tuple(self._store.parts(number)), tuple(self._store.symbols_of(number)))

    def _mend(self, path: str, before: "_Snapshot", changed: set[int], strategy: Strategy) -> None:
        """One touched file: parts that say the same stay, the others are resolved."""
        face = self._face(path)
        number = self._store.file_id(path) or 0
        known = {part.name: part for part in before.parts}
        wanted: list[tuple[StoredPart, Part]] = []
        kept: list[StoredPart] = []
        for part in self._said[path]:
            old = known.pop(part.name, None)
            if old is None:
                wanted.append((_empty(number, part), part))
                continue
            same = old.meaning == meaning(part, face) and changed.isdisjoint(old.keys)
            if strategy == "file" or not same:
                wanted.append((old, part))
            else:
                kept.append(self._moved(old, part))
        for old in known.values():
            self._store.drop_part(old.id)
        self._resolve(path, number, wanted, kept)
        said_anew = {part.name for _, part in wanted} | known.keys()
        self._count(before.symbols, number, said_anew)

    def _moved(self, old: StoredPart, part: Part) -> StoredPart:
        uses = tuple(
            Resolved(*new[:5], was.slots, new.local)
            for was, new in zip(old.uses, part.uses, strict=True)
        )
        now = old._replace(start=part.start, end=part.end, uses=uses)
        if now != old:
            self._store.move_part(now)
        return now

    def _follow(self, file: int, changed: set[int]) -> None:
        """A file that did not change: its parts that depend on what did are resolved again."""
        path = self._store.path_of(file)
        now = {part.name: part for part in self._store.said(path)}
        parts = list(self._store.parts(file))
        wanted = [(old, now[old.name]) for old in parts if not changed.isdisjoint(old.keys)]
        kept = [old for old in parts if changed.isdisjoint(old.keys)]
        self._resolve(path, file, wanted, kept)
        self.done.elsewhere += len(wanted)

    def _count(self, before: tuple["StoredSymbol", ...], file: int, resolved: set[str]) -> None:
        """Symbols of a touched file by what became of them."""
        old = _numbered(before)
        for key, item in _numbered(self._store.symbols_of(file)).items():
            was = old.pop(key, None)
            if was is None:
                self.done.added += 1
            elif item.qualified in resolved or was.said != item.said:
                self.done.affected += 1
            elif was.start != item.start:
                self.done.shifted += 1
            else:
                self.done.unchanged += 1
        self.done.deleted += len(old)

    # resolving

    def _resolve(
        self,
        path: str,
        file: int,
        wanted: list[tuple[StoredPart, Part]],
        kept: Iterable[StoredPart],
    ) -> None:
        """Resolve parts of one file, and note what all its parts depend on."""
        face = self._face(path)
        watched = {key for part in kept for key in part.keys}
        for old, part in wanted:
            uses, keys = self._resolved(face, part)
            watched.update(keys)
            said = meaning(part, face)
            self._store.put_part(StoredPart(old.id, file, *part[:3], said, uses, keys))
        self._store.keys.watch(file, sorted(watched))
        self.done.resolved += len(wanted)

    def _resolved(self, face: Face, part: Part) -> tuple[tuple[Resolved, ...], tuple[int, ...]]:
        engine, store = self.engine, self._store
        engine.asking.begin()
        found: list[Resolved] = []
        for use in part.uses:
            slots = sorted(store.slot(*denoted) for denoted in engine.denoted(face, use.term))
            found.append(Resolved(*use[:5], tuple(slots), use.local))
        return tuple(found), tuple(sorted(self._row(number) for number in engine.asking.keys))

    def _row(self, number: int) -> int:
        row = self._rows.get(number)
        if row is None:
            key = self.engine.key(number)
            row = self._store.keys.row(key)
            if row is None:
                value = self.engine.tables.value(key)
                row = self._store.keys.put(key, value, self._finders.clue(key))
            self._rows[number] = row
        return row


class _Snapshot(NamedTuple):
    """What was known of a file."""

    parts: tuple[StoredPart, ...]
    symbols: tuple[StoredSymbol, ...]


def _empty(file: int, part: Part) -> StoredPart:
    return StoredPart(0, file, part.name, part.start, part.end, "", (), ())


def _numbered(symbols: Iterable[StoredSymbol]) -> dict[tuple[str, str, int], StoredSymbol]:
    """Symbols by name and kind; those of one name by their order."""
    found: dict[tuple[str, str, int], StoredSymbol] = {}
    for item in symbols:
        number = 0
        while (item.qualified, item.kind, number) in found:
            number += 1
        found[item.qualified, item.kind, number] = item
    return found
