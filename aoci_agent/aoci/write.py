"""Write an index in its one canonical form: sorted, one physical line per entry."""

import hashlib
import re
from functools import lru_cache
from itertools import groupby

from aoci_agent.aoci.model import Entry, HeaderLine, Index, TableEntry
from aoci_agent.aoci.tags import tag_text

MAGIC = "#AOCI 1"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def plain(text: str) -> str:
    """Text as a field may hold it: one line, single spaces, `¦` for bars."""
    shown = text if text.isprintable() else _CONTROL.sub(" ", text)
    return " ".join(shown.replace("|", "¦").split())


def entry_line(entry: Entry, *, tags: bool = True) -> str:
    """One entry as one line, without a line end; `tags=False` leaves the bracket out."""
    bracket = f"[{tag_text(entry.tag)}]" if tags else ""
    tail = f" | {_CONTROL.sub(' ', entry.extra).strip()}" if entry.extra.strip() else ""
    return f"{entry.name}{bracket}: {' | '.join(entry_fields(entry))}{tail}"


@lru_cache(maxsize=16_384)  # an update asks several times, of the same elements read and derived
def entry_fields(entry: Entry) -> tuple[str, str, str, str]:
    """The four elements as they stand on the line."""
    return (
        f"F:{plain(entry.function) or '-'}",
        f"R:{','.join(map(plain, entry.relations)) or '-'}",
        f"A:{', '.join(map(plain, entry.api)) or '-'}",
        f"S:{plain(entry.synopsis) or '-'}",
    )


def line_hash(line: str) -> str:
    """BLAKE2b-8 of a line, 16 hex digits."""
    return hashlib.blake2b(line.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def element_hashes(entry: Entry) -> dict[str, str]:
    """Hash of each element: F R A S, and T for the tag without its size, which is counted, not told."""
    fields = entry_fields(entry)
    tag = tag_text(entry.tag, size=False)
    return {key: line_hash(text)[:8] for key, text in zip("FRAST", (*fields, tag), strict=True)}


def section_line(directory: str) -> str:
    """`=== dir/`; the root is `./`."""
    return f"=== {directory or '.'}/"


def table_section(schema: str) -> str:
    """`=== @tables`, with the schema where it is not the usual one."""
    return f"=== @tables:{schema}" if schema else "=== @tables"


def header_line(line: HeaderLine) -> str:
    """`#key: text`, or `# text` for a line without a key."""
    text = " ".join(_CONTROL.sub(" ", line.text).split())
    return f"#{line.key}: {text}".rstrip() if line.key else f"# {text}".rstrip()


def table_line(table: TableEntry) -> str:
    """`name[domain-kind-scale-features]: fields`; features joined by `+`, `0` for none."""
    features = "+".join(table.features) or "0"
    bracket = "-".join((table.domain, table.kind, table.scale, features))
    return f"{table.name}[{bracket}]: {plain(table.fields) or '-'}"


def write(index: Index) -> str:
    """The whole index. A blank line parts all lines so that neighbouring edits merge cleanly."""
    lines = [MAGIC, *(f"\n{header_line(line)}" for line in index.header)]
    entries = sorted(index.entries, key=lambda entry: (entry.directory, entry.name))
    for directory, group in groupby(entries, key=lambda entry: entry.directory):
        lines.append(f"\n{section_line(directory)}")
        lines.extend(f"\n{entry_line(entry)}" for entry in group)
    tables = sorted(index.tables, key=lambda table: (table.schema, table.name))
    for schema, rows in groupby(tables, key=lambda table: table.schema):
        lines.append(f"\n{table_section(schema)}")
        lines.extend(f"\n{table_line(row)}" for row in rows)
    return "\n".join(lines) + "\n"


def full_line(entry: Entry) -> str:
    """An entry with its whole path in front, as it reads outside a directory section."""
    return f"{entry.directory}/{entry_line(entry)}" if entry.directory else entry_line(entry)
