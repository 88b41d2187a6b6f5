"""Two indexes compared element by element."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from aoci_agent.aoci.model import Entry, Index, TableEntry, Tag
from aoci_agent.aoci.write import entry_fields, header_line, table_line

Kind = Literal["added", "removed", "moved", "changed"]
WIDTH = 100  # characters of a value in a line of text
SHOWN = 8  # items of one element in a line of text; JSON has them all


class Change(NamedTuple):
    """One element: a value before and after, or items gone and come."""

    element: (
        str  # layer module C traits size, F R A S, `fields` of a table, `text` of a header line
    )
    before: str = ""
    after: str = ""
    gone: tuple[str, ...] = ()
    come: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.gone or self.come:
            shown = [f"+{_brief(item)}" for item in self.come]
            shown += [f"−{_brief(item)}" for item in self.gone]  # noqa: RUF001
            more = f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
            return f"{self.element} {' '.join(shown[:SHOWN])}{more}"
        arrow = "→" if len(self.before) < 4 and len(self.after) < 4 else " → "
        return f"{self.element} {_brief(self.before)}{arrow}{_brief(self.after)}"


def _brief(text: str) -> str:
    return f"{text[: WIDTH - 1]}…" if len(text) > WIDTH else text or "-"


class Difference(NamedTuple):
    """What became of one entry, table or header line. `before` is the old path of one that moved."""

    kind: Kind
    path: str
    before: str = ""
    changes: tuple[Change, ...] = ()

    def __str__(self) -> str:
        told = "; ".join(map(str, self.changes))
        if self.kind == "moved":
            return f"{self.path}  moved from {self.before}" + (f"; {told}" if told else "")
        return f"{self.path}  {told if self.kind == 'changed' else self.kind}"


@dataclass(frozen=True)
class Differences:
    """Everything that differs, entries by path."""

    entries: tuple[Difference, ...] = ()
    tables: tuple[Difference, ...] = ()
    header: tuple[Difference, ...] = field(default=())

    @property
    def all(self) -> tuple[Difference, ...]:
        """Header, entries and tables in the order of the file."""
        return (*self.header, *self.entries, *self.tables)


def compare(old: Index, new: Index) -> Differences:
    """What `new` changed. An entry that went away as another with the same elements came, moved."""
    before, after = old.by_path, new.by_path
    gone = [path for path in before if path not in after]
    come = [path for path in after if path not in before]
    moved = _moves([before[path] for path in gone], [after[path] for path in come])
    found = [
        Difference("moved", path, source, changes_of(before[source], after[path]))
        for path, source in moved.items()
    ]
    found += [Difference("added", path) for path in come if path not in moved]
    left = set(moved.values())
    found += [Difference("removed", path) for path in gone if path not in left]
    found += [
        Difference("changed", path, "", changes)
        for path, entry in after.items()
        if path in before and (changes := changes_of(before[path], entry))
    ]
    return Differences(
        tuple(sorted(found, key=lambda item: item.path)),
        tuple(_tables(old.tables, new.tables)),
        tuple(_header(old, new)),
    )


def changes_of(old: Entry, new: Entry) -> tuple[Change, ...]:
    """The elements that differ: the tag's parts, then F R A S."""
    changes = list(_tag(old.tag, new.tag))
    if old.function != new.function:
        changes.append(Change("F", old.function, new.function))
    lists = (
        ("R", old.relations, new.relations),
        ("A", old.api, new.api),
        ("S", _facts(old.synopsis), _facts(new.synopsis)),
    )
    texts = dict(zip("FRAS", zip(entry_fields(old), entry_fields(new), strict=True), strict=True))
    for element, one, other in lists:
        if texts[element][0] == texts[element][1]:
            continue
        gone, come = _items(one, other)
        ordered = Change(element, ", ".join(one), ", ".join(other))
        changes.append(Change(element, gone=gone, come=come) if gone or come else ordered)
    if old.extra != new.extra:
        changes.append(Change("further", old.extra, new.extra))
    return tuple(changes)


def _tag(old: Tag, new: Tag) -> Iterable[Change]:
    parts = (
        ("layer", old.layer, new.layer),
        ("module", old.module, new.module),
        ("C", str(old.importance), str(new.importance)),
    )
    yield from (Change(name, a, b) for name, a, b in parts if a != b)
    gone, come = _items(old.traits, new.traits)
    if gone or come:
        yield Change("traits", gone=gone, come=come)
    if old.size != new.size:
        yield Change("size", old.size, new.size)


def _facts(synopsis: str) -> tuple[str, ...]:
    """The facts of S; `uses a, b` is one fact for each name."""
    facts: list[str] = []
    for part in re.split(r";\s+", synopsis):
        pieces = re.split(r",\s+(?![^({\[]*[)}\]])", part)
        facts += [piece for piece in pieces if piece]
    return tuple(facts)


def _items(old: Iterable[str], new: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Items gone and items come, in the order they stand."""
    before, after = Counter(old), Counter(new)
    return tuple((before - after).elements()), tuple((after - before).elements())


def _moves(gone: Sequence[Entry], come: Sequence[Entry]) -> dict[str, str]:
    """New path -> old path. Only what says more than its tag is recognised, and only one to one."""
    by_text: dict[tuple[str, ...], list[str]] = {}
    for entry in gone:
        by_text.setdefault(_text(entry), []).append(entry.path)
    moved: dict[str, str] = {}
    for entry in come:
        sources = by_text.get(_text(entry), [])
        same = [path for path in sources if path.rpartition("/")[2] == entry.name] or sources
        if len(same) == 1 and any(_text(entry)):
            moved[entry.path] = same[0]
            sources.remove(same[0])
    return moved


def _text(entry: Entry) -> tuple[str, ...]:
    """What stays when a file moves: R is named by the paths around it."""
    return entry.function, ", ".join(entry.api), entry.synopsis


def _tables(old: Sequence[TableEntry], new: Sequence[TableEntry]) -> Iterable[Difference]:
    before = {_table_name(table): table for table in old}
    after = {_table_name(table): table for table in new}
    for name in sorted(before.keys() | after.keys()):
        one, other = before.get(name), after.get(name)
        if one is None or other is None:
            yield Difference("added" if one is None else "removed", name)
        elif one != other:
            yield Difference("changed", name, "", tuple(_columns(one, other)))


def _table_name(table: TableEntry) -> str:
    return f"@db:{table.schema}.{table.name}" if table.schema else f"@db:{table.name}"


def _columns(old: TableEntry, new: TableEntry) -> Iterable[Change]:
    heads = [table_line(table).split("]:", 1)[0].split("[", 1)[1] for table in (old, new)]
    if heads[0] != heads[1]:
        yield Change("tag", heads[0], heads[1])
    if old.fields != new.fields:
        yield _texts("fields", old.fields, new.fields)


def _texts(element: str, old: str, new: str) -> Change:
    """Two enumerations by their items; as they are where only the order differs."""
    gone, come = _items(_facts(old), _facts(new))
    return Change(element, gone=gone, come=come) if gone or come else Change(element, old, new)


def _header(old: Index, new: Index) -> Iterable[Difference]:
    before = {line.key: line for line in old.header if line.key}
    after = {line.key: line for line in new.header if line.key}
    for key in dict.fromkeys((*before, *after)):
        one, other = before.get(key), after.get(key)
        if one is None or other is None:
            yield Difference("added" if one is None else "removed", f"#{key}")
        elif header_line(one) != header_line(other):
            yield Difference("changed", f"#{key}", "", (_texts("text", one.text, other.text),))
