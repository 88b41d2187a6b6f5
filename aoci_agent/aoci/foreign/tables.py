"""Table entries in all their spellings: the paper's, rows of constraint cells, and F/R/A/S."""

import re

from aoci_agent.aoci.foreign.fields import BAR, COLON
from aoci_agent.aoci.model import Entry, TableEntry

DEFAULT_SCHEMA = "default/default"  # how a table without a schema is exported
_PAPER = re.compile(
    r"(?P<name>\S+?)\[(?P<domain>[^\[\]|-]+)-(?P<kind>[^\[\]|-]+)-(?P<scale>[^\[\]|-]+)"
    rf"-(?P<features>[^\[\]|]+)\]{COLON}(?P<fields>.*)\Z"
)
_CELLS = re.compile(
    rf"(?P<name>[\w.$-]+)\[(?P<domain>[A-Z]+)(?:\d(?P<traits>[A-Z]*))?\]\s*{BAR}(?P<cells>.*)\Z"
)
_DATABASE = re.compile(r"database:/*(?P<schema>.*?)/*\Z")
_OURS = re.compile(
    r"domain (?P<domain>[^;]+); kind (?P<kind>[^;]+); scale (?P<scale>[^;]+)"
    r"(?:; features (?P<features>[^;]+))?\Z"
)
_SIZES = "TSML"


def starts(line: str) -> bool:
    """Whether a line begins a table entry that needs no section to be known as one."""
    return bool(_PAPER.match(line) or _CELLS.match(line))


def schema_of(title: str) -> str | None:
    """The schema a section title opens, "" for tables without one; None for other sections."""
    if title.startswith("@tables"):
        return title.removeprefix("@tables").removeprefix(":").strip()
    found = _DATABASE.search(title)
    if found is None:
        return None
    return "" if found["schema"] == DEFAULT_SCHEMA else found["schema"]


def read_row(line: str, schema: str) -> TableEntry | None:
    """A table entry in the paper's form or as a row of cells."""
    if (found := _PAPER.match(line)) is not None:
        features = () if found["features"] == "0" else tuple(found["features"].split("+"))
        fields = found["fields"].strip()
        head = (found["name"], found["domain"], found["kind"], found["scale"])
        return TableEntry(*head, features, "" if fields == "-" else fields, schema)
    if (found := _CELLS.match(line)) is None:
        return None
    cells = [cell.strip() for cell in re.split(BAR, found["cells"])]
    fields = "; ".join(cell for cell in cells if cell not in ("", "-"))
    features = tuple(found["traits"] or "")
    return TableEntry(found["name"], found["domain"], "?", "?", features, fields, schema)


def as_table(entry: Entry, schema: str) -> TableEntry:
    """An entry with F, R, A and S that stands in a section of tables."""
    ours = _OURS.fullmatch(entry.synopsis)
    if ours is not None:
        features = tuple((ours["features"] or "").split("+")) if ours["features"] else ()
        head = (entry.name, ours["domain"], ours["kind"], ours["scale"])
        return TableEntry(*head, features, entry.function, schema)
    parts = (
        entry.function,
        f"with {', '.join(entry.relations)}" if entry.relations else "",
        f"as {', '.join(entry.api)}" if entry.api else "",
        entry.synopsis,
    )
    tag = entry.tag
    scale = tag.size if tag.size and tag.size in _SIZES else "?"
    fields = "; ".join(part for part in parts if part)
    return TableEntry(entry.name, tag.module or "?", "?", scale, tuple(tag.traits), fields, schema)


def our_synopsis(table: TableEntry) -> str:
    """What `as_table` reads back: the head of a table as the S of an entry."""
    features = f"; features {'+'.join(table.features)}" if table.features else ""
    return f"domain {table.domain}; kind {table.kind}; scale {table.scale}{features}"
