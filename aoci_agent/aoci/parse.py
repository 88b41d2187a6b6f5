"""Read an index: strict about what it returns, forgiving about how it was written."""

import re
from dataclasses import dataclass, field, replace

from aoci_agent.aoci.model import Entry, HeaderLine, Index, TableEntry, Tag
from aoci_agent.aoci.tags import TAG_PATTERN, read_tag
from aoci_agent.base.errors import ForUser

_ENTRY = re.compile(rf"(?P<name>.+?)\[(?P<tag>{TAG_PATTERN})\]\s*:\s*(?P<rest>F\s*:.*)\Z")
# Other writers leave out `F:` or wrap before it; then the name must be one word.
_LOOSE = re.compile(rf"(?P<name>[^\s\[]\S*?)\[(?P<tag>{TAG_PATTERN})\]\s*:(?P<rest>.*)\Z")
_TABLE = re.compile(
    r"(?P<name>\S+?)\[(?P<domain>[^\[\]-]+)-(?P<kind>[^\[\]-]+)-(?P<scale>[^\[\]-]+)"
    r"-(?P<features>[^\[\]]+)\]\s*:(?P<fields>.*)\Z"
)
_HEADER = re.compile(r"#\s?(?P<key>[\w-]+)(?:\s+quota)?\s*:(?:\s+|\Z)(?P<text>.*)\Z")
_FOLD = re.compile(r"\+ \S|~ \d")
_FIELD = re.compile(r"\s*\|\s*(?=(?P<key>[A-Z][A-Za-z]{0,9})\s*:)")
_FOREIGN_SECTION = re.compile(r"={3,}\s*(?P<path>.*?)\s*(?:={3,})?\Z")


_NO_TAG = Tag("", "", 1)


class BadIndex(ForUser):
    """The text is no index at all: no magic line, no entry, no table."""


@dataclass
class _Reading:
    header: list[HeaderLine] = field(default_factory=list[HeaderLine])
    entries: list[Entry] = field(default_factory=list[Entry])
    tables: list[TableEntry] = field(default_factory=list[TableEntry])
    directory: str = ""
    schema: str = ""
    in_body: bool = False
    has_magic: bool = False


def parse(text: str) -> Index:
    """Read canonical text, the paper's wrapped listings and other tools' files alike.

    Repeated paths keep their first entry. Raises BadIndex for text that holds no index.
    """
    reading = _Reading()
    for line in _logical_lines(text.removeprefix("\ufeff")):
        _take(reading, line)
    if not (reading.has_magic or reading.entries or reading.tables):
        raise BadIndex("this is not an AOCI index", "rebuild it with: aoci-agent index build")
    first: dict[tuple[str, str], Entry] = {}
    for entry in _relative(reading.entries):
        first.setdefault((entry.directory, entry.name), entry)
    return Index(
        header=tuple(reading.header),
        entries=tuple(first[key] for key in sorted(first)),
        tables=tuple(sorted(reading.tables, key=lambda table: (table.schema, table.name))),
    )


def is_index(text: str) -> bool:
    """Whether there is an index to read in a text."""
    if text.startswith("#AOCI"):
        return True
    try:
        parse(text)
    except BadIndex:
        return False
    return True


def is_readable(line: str) -> bool:
    """Whether a line of a canonical index says something: blank, header, section, entry or table."""
    if not line.strip() or line.startswith(("#", "=== ")) or _FOLD.match(line):
        return True
    found = _ENTRY.match(line)
    return (found is not None and read_tag(found["tag"]) is not None) or (
        found is None and _TABLE.match(line) is not None
    )


def _starts(line: str) -> bool:
    return (
        line.startswith(("#", "==="))
        or _FOLD.match(line) is not None
        or _ENTRY.match(line) is not None
        or _LOOSE.match(line) is not None
        or _TABLE.match(line) is not None
    )


def _logical_lines(text: str) -> list[str]:
    """Physical lines, with wrapped entries joined; a trailing word hyphen joins without a space."""
    if text.startswith("#AOCI"):  # canonical: what cannot be read is no part of the line above
        return [line for raw in text.split("\n") if (line := raw.rstrip("\r")).strip()]
    lines: list[str] = []
    open_entry = False
    for raw in text.split("\n"):
        line = raw.rstrip("\r")
        if not line.strip():
            continue
        if _starts(line) or not open_entry:
            lines.append(line)
            open_entry = not line.startswith(("#", "===")) and _starts(line)
            continue
        joint = "" if re.search(r"\w-\Z", lines[-1]) else " "
        lines[-1] = f"{lines[-1].rstrip()}{joint}{line.strip()}"
    return lines


def _take(reading: _Reading, line: str) -> None:
    if line.startswith("#AOCI"):
        reading.has_magic = True
        return
    header = _HEADER.match(line)
    if line.startswith("#") and (header or _ENTRY.match(line) is None) and not reading.in_body:
        text = HeaderLine(header["key"], header["text"].strip()) if header else None
        reading.header.append(text or HeaderLine("", line.lstrip("#").strip()))
        return
    found = _ENTRY.match(line) or _LOOSE.match(line)
    if found is not None and (entry := _entry(found, reading.directory)) is not None:
        reading.in_body = True
        reading.entries.append(entry)
    elif line.startswith("==="):
        _section(reading, line)
    elif (table := _TABLE.match(line)) is not None:
        reading.tables.append(_table(table, reading.schema))
    elif not reading.in_body and _FOLD.match(line) is None:
        reading.header.append(HeaderLine("", line.strip()))


def _section(reading: _Reading, line: str) -> None:
    reading.in_body = True
    if line.startswith("=== @tables") and not line.endswith("/"):
        reading.schema = line.removeprefix("=== @tables").removeprefix(":").strip()
        return
    if line.startswith("=== ") and line.endswith("/"):
        path = line[4:-1]
    else:
        found = _FOREIGN_SECTION.match(line)
        path = found["path"].replace("\\", "/").rstrip("/") if found else ""
    reading.directory = "" if path == "." else path.removeprefix("./")


def _entry(found: re.Match[str], directory: str) -> Entry | None:
    tag = read_tag(found["tag"])
    if tag is None:
        return None
    name = found["name"]
    if "/" in name:
        folder, _, name = name.rpartition("/")
        folder = folder.removeprefix("./")
        nested = directory and not f"{folder}/".startswith(f"{directory}/")
        directory = f"{directory}/{folder}" if nested and not folder.startswith("/") else folder
    return replace(_fields(found["rest"].strip()), directory=directory, name=name, tag=tag)


def _fields(text: str) -> Entry:
    """The elements of one line. Bars count as separators only before an element's key."""
    values: dict[str, str] = {}
    extra = ""
    cuts = [(0, 0, "F")] + [(m.start(), m.end(), m["key"]) for m in _FIELD.finditer(text)]
    for position, (_, start, key) in enumerate(cuts):
        end = cuts[position + 1][0] if position + 1 < len(cuts) else len(text)
        if key not in "FRAS" or (key in values and key != "F"):
            extra = text[start:].strip()
            break
        value = re.sub(rf"\A{key}\s*:", "", text[start:end]).strip()
        values[key] = "" if value == "-" else value
    return Entry(
        directory="",
        name="",
        tag=_NO_TAG,
        function=values.get("F", ""),
        relations=_split(values.get("R", ""), ","),
        api=_split(values.get("A", ""), ", "),
        synopsis=values.get("S", ""),
        extra=extra,
    )


def _split(text: str, separator: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(separator) if part.strip())


def _table(found: re.Match[str], schema: str) -> TableEntry:
    features = () if found["features"] == "0" else tuple(found["features"].split("+"))
    fields = found["fields"].strip()
    return TableEntry(
        found["name"],
        found["domain"],
        found["kind"],
        found["scale"],
        features,
        "" if fields == "-" else fields,
        schema,
    )


def _relative(entries: list[Entry]) -> list[Entry]:
    """Strip the longest common root of absolute directories, as other tools write them."""
    absolute = [entry.directory for entry in entries if entry.directory.startswith("/")]
    if not absolute:
        return entries
    common = absolute[0].split("/")
    for directory in absolute[1:]:
        parts = directory.split("/")
        same = (a == b for a, b in zip(common, parts, strict=False))
        common = common[: next((i for i, equal in enumerate(same) if not equal), len(parts))]
    root = "/".join(common)
    return [
        replace(entry, directory=entry.directory[len(root) :].strip("/"))
        if entry.directory.startswith("/")
        else entry
        for entry in entries
    ]
