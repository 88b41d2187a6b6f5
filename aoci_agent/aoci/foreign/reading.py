"""From the text of another tool's index to rows: sections, wrapped and run-together lines, tables.

Shapes covered: the paper's wrapped listings; `===/abs/===` and `===title /abs/===` sections, bare
directory lines and titles between them; several entries run together on one line; tags compact,
dotted, empty or with a version behind; full-width punctuation; lists of files without entries.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from aoci_agent.aoci.foreign.fields import BAR, COLON, COMMA, TAG, fields_of, tag_of
from aoci_agent.aoci.foreign.mark import WRITTEN_BY
from aoci_agent.aoci.foreign.model import Reading, Row
from aoci_agent.aoci.foreign.tables import as_table, read_row, schema_of, starts
from aoci_agent.aoci.model import HeaderLine, TableEntry

_F = rf"{COLON}\s*F{COLON}"
_ENTRY = re.compile(rf"(?P<name>[^|]*?\S)\[(?P<tag>(?:{TAG})?)\](?={_F}){COLON}(?P<rest>.*)\Z")
# Without `F:` behind it the name must be one word.
_LOOSE = re.compile(rf"(?P<name>[^\s|\[]\S*?)\[(?P<tag>{TAG})\]{COLON}(?P<rest>.*)\Z")
_HEAD = re.compile(rf"(?:\A|(?<=\s))[^\s|]+?\[{TAG}\]{_F}")
_ABSOLUTE = r"(?:/|[A-Za-z]:[\\/])"
_FOLDER = re.compile(rf"(?:{_ABSOLUTE}[^|]*|[^\s|=#]+)[\\/]\Z")
_FOLDER_BEFORE = re.compile(rf"(?:\A|\s){_ABSOLUTE}[^\s|]*[\\/]\Z")
_NAMED = re.compile(rf"(?P<folder>{_ABSOLUTE}(?:[^|,\[]*[\\/])?)(?P<names>[^\\/|\[]+)\Z")
_TITLE = re.compile(r"--+[^\s-].*--+\Z")
_TITLE_INSIDE = re.compile(rf"\s+(--[^\s-][^|]{{0,80}}?--)(?=\s+{_ABSOLUTE}|\s*\Z)")
_OPEN_END = re.compile(rf"(?:{BAR}|{COLON})\Z")
_ELEMENT = re.compile(rf"[FRAS]{COLON}")


@dataclass
class _State:
    exact: bool
    only_tables: bool
    header: list[HeaderLine] = field(default_factory=list[HeaderLine])
    rows: list[Row] = field(default_factory=list[Row])
    tables: list[TableEntry] = field(default_factory=list[TableEntry])
    named: list[str] = field(default_factory=list[str])
    folder: str | None = None
    schema: str | None = None  # not None inside a section of tables
    in_body: bool = False


def read_text(text: str, *, exact: bool = False, only_tables: bool = False) -> Reading:
    """All entries and tables of a text; an empty reading for text that holds none.

    `exact`: the text is one of ours, lists are parted in one way only. `only_tables`: entries are
    tables whatever the section says, as in a database volume.
    """
    state = _State(exact, only_tables, schema="" if only_tables else None)
    for number, line in _logical(text.removeprefix("\ufeff").split("\n")):
        _take(state, number, line)
    return Reading(tuple(state.header), tuple(state.rows), tuple(state.tables), tuple(state.named))


def _logical(physical: list[str]) -> list[tuple[int, str]]:
    """Lines with their numbers, what belongs to the entry above joined to it.

    Where entries are wrapped, that is every line that starts nothing new; elsewhere only one that
    follows without a blank line or begins with an element.
    """
    wrapped = _is_wrapped(physical)
    lines: list[tuple[int, str]] = []
    is_open = after_blank = False
    for number, raw in enumerate(physical, 1):
        line = raw.strip()
        if not line:
            after_blank = True
            continue
        element = _ELEMENT.match(line) is not None
        if is_open and not _starts(line) and (wrapped or element or not after_blank):
            above = lines[-1][1]
            joint = "" if re.search(r"\w-\Z", above) else " "
            bar = " |" if element and not _OPEN_END.search(above) else ""
            lines[-1] = (lines[-1][0], f"{above}{bar}{joint}{line}")
        else:
            lines += [(number, part) for part in _apart(line)]
            is_open = _is_item(lines[-1][1])
        after_blank = False
    return lines


def _is_wrapped(physical: list[str]) -> bool:
    heads = [line for line in physical if not line.startswith("#") and _is_entry(line.strip())]
    whole = sum(1 for line in heads if re.search(rf"{BAR}\s*S{COLON}", line))
    return whole * 2 < len(heads)


def _is_entry(line: str) -> bool:
    return bool(_ENTRY.match(line) or _LOOSE.match(line))


def _is_item(line: str) -> bool:
    return not line.startswith(("#", "===")) and (_is_entry(line) or starts(line))


def _starts(line: str) -> bool:
    return (
        line.startswith(("#", "==="))
        or _is_item(line)
        or any(pattern.match(line) for pattern in (_TITLE, _FOLDER, _NAMED))
    )


def _apart(line: str) -> Iterator[str]:
    """The pieces of a line on which titles, directories and entries were run together."""
    heads = [] if line.startswith("#") else [found.start() for found in _HEAD.finditer(line)]
    if not heads or (len(heads) == 1 and not _FOLDER_BEFORE.search(line[: heads[0]].rstrip())):
        yield line
        return
    first = _ENTRY.match(line)
    spaced = first is not None and not _FOLDER_BEFORE.search(line[: heads[0]].rstrip())
    cuts = [0, *heads[1:], len(line)] if spaced else [0, *heads, len(line)]
    for start, end in pairwise(cuts):
        piece = line[start:end].rstrip()
        folder = _FOLDER_BEFORE.search(piece)
        body = piece[: folder.start()] if folder else piece
        yield from (part for part in _TITLE_INSIDE.split(f"{body} ") if part.strip())
        if folder:
            yield folder[0].strip()


def _take(state: _State, number: int, line: str) -> None:
    line = line.strip()
    if line.startswith("#"):
        _remark(state, line)
    elif line.startswith("==="):
        _section(state, line.strip("=").strip())
    elif (table := read_row(line, state.schema or "")) is not None:
        state.in_body = True
        state.tables.append(table)
    elif (found := _ENTRY.match(line) or _LOOSE.match(line)) is not None:
        _entry(state, number, found)
    elif _FOLDER.match(line):
        state.folder, state.in_body = line, True
    elif (names := _NAMED.match(line)) is not None:
        each = (name.strip() for name in re.split(COMMA, names["names"]))
        state.named += [f"{names['folder']}{name}" for name in each if name]
    elif not state.in_body and not _TITLE.match(line):
        state.header.append(HeaderLine("", line))


def _remark(state: _State, line: str) -> None:
    """A header line; what stands before our own mark in an exact text is the layout's, not ours."""
    found = re.match(rf"#\s?(?P<key>[\w-]+){COLON}(?:\s+|\Z)(?P<text>.*)\Z", line)
    if found is not None and found["key"] == WRITTEN_BY:
        state.header.clear()
    elif not state.in_body:
        key, text = (found["key"], found["text"]) if found else ("", line.lstrip("#"))
        state.header.append(HeaderLine(key, text.strip()))


def _section(state: _State, title: str) -> None:
    """A directory, a schema, or only a title, which changes nothing."""
    schema = schema_of(title)
    if schema is not None:
        state.schema, state.in_body = schema, True
        return
    absolute = re.search(rf"(?:\A|\s)({_ABSOLUTE}.*)\Z", title)
    if absolute is None and not title.endswith(("/", "\\")):
        return
    state.folder = absolute[1] if absolute else title
    state.schema = "" if state.only_tables else None
    state.in_body = True


def _entry(state: _State, number: int, found: re.Match[str]) -> None:
    tag = tag_of(found["tag"])
    if tag is None:
        return
    state.in_body = True
    exact = state.exact
    entry = replace(fields_of(found["rest"].strip(), exact=exact), name=found["name"], tag=tag)
    if state.schema is not None:
        state.tables.append(as_table(entry, state.schema))
    else:
        state.rows.append(Row(state.folder, entry, number))
