"""The index in the layouts other tools read: one file, or a root manifest with its volumes.

Files are written under a root that is only a name, `/project/`: readers map it onto their own tree.
References to files become whole paths (`code:` in volumes), so that no reader has to guess. What is
written here, `foreign.read` reads back equal.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import groupby

from aoci_agent.aoci.foreign.finding import (
    CODE_FILE,
    DATABASE_FILE,
    MANIFEST,
    META_FILE,
    ROOT_FILE,
)
from aoci_agent.aoci.foreign.mark import is_ours, signed
from aoci_agent.aoci.foreign.tables import DEFAULT_SCHEMA, our_synopsis
from aoci_agent.aoci.model import Entry, Index, TableEntry, Tag
from aoci_agent.aoci.surroundings import ShortNames
from aoci_agent.aoci.write import entry_line, header_line, plain, table_line

_SCALES = "TSML"
_META = """\
#AOCI-META-VOLUME: 1
#Object-Protocol: repository-cognition-object/v2
#FRAS-Discipline: 2
#Object-Kinds: code=file database=table
#[Tag dictionary: database]
#A Layer: D-Database
#B Module: G-General
#C Importance: 5-routine
#E Scale: T<1k S<100k M<10M L>=10M rows
"""


def single(index: Index, project: str) -> dict[str, str]:
    """File name -> text of the single-file layout."""
    lines = [header_line(line) for line in index.header]
    lines += _sections(index, project, prefix="")
    for schema, rows in groupby(index.tables, key=lambda table: table.schema):
        lines += ["", f"=== @tables:{schema}" if schema else "=== @tables", ""]
        lines += map(table_line, rows)
    return {ROOT_FILE: signed(f"#{project} AOCI index\n", "\n".join(lines) + "\n")}


def volumes(index: Index, project: str) -> dict[str, str]:
    """File name -> text of the volumes layout: manifest, header, code, and tables where there are any."""
    kinds = [("meta", META_FILE, "meta-v1", "-"), ("code", CODE_FILE, "object-fras-v2", "meta")]
    if index.tables:
        kinds.append(("database", DATABASE_FILE, "table-fras-v2", "meta"))
    listed = "".join(
        f"#Volume: id={kind} kind={kind} path={path} format={form} depends={needs} state=enabled\n"
        for kind, path, form, needs in kinds
    )
    head = f"{MANIFEST}: 1\n#Format-Version: cognition-volumes/v1\n#Project: {project}\n{listed}"
    header = "".join(f"{header_line(line)}\n" for line in index.header)
    code = "\n".join(_sections(index, project, prefix="code:"))
    texts = {
        ROOT_FILE: signed(head, ""),
        META_FILE: signed(_META, header),
        CODE_FILE: signed("#AOCI-CODE-VOLUME: 1\n", f"{code}\n"),
    }
    if index.tables:
        texts[DATABASE_FILE] = signed("#AOCI-DATABASE-VOLUME: 1\n", _tables(index.tables, project))
    return texts


def in_the_way(texts: Iterable[str], existing: Mapping[str, str]) -> list[str]:
    """Names among those to write that hold what this program did not write, or somebody changed."""
    return [name for name in texts if name in existing and not is_ours(existing[name])]


def _sections(index: Index, project: str, prefix: str) -> list[str]:
    names = ShortNames(entry.path for entry in index.entries)
    whole = {names(entry.path): f"{prefix}{entry.path}" for entry in index.entries}
    schemas = {table.name: table.schema or DEFAULT_SCHEMA for table in index.tables}

    def reference(item: str) -> str:
        table = item.removeprefix("@db:")
        if prefix and table != item and table in schemas:
            return f"database://{schemas[table]}/{table}"
        path = whole.get(item, item)
        return item if "," in path else path

    lines: list[str] = []
    for directory, group in groupby(index.entries, key=lambda entry: entry.directory):
        root = f"/{project}/{directory}".rstrip("/")
        lines += ["", f"==={root}/===", ""]
        lines += [
            entry_line(replace(entry, relations=tuple(map(reference, entry.relations))))
            for entry in group
        ]
    return lines


def _tables(tables: Iterable[TableEntry], project: str) -> str:
    lines: list[str] = []
    for schema, rows in groupby(tables, key=lambda table: table.schema):
        lines += [f"==={project}/database://{schema or DEFAULT_SCHEMA}/===", ""]
        for table in rows:
            size = table.scale if table.scale in list(_SCALES) else "T"
            entry = Entry(
                "",
                table.name,
                Tag("D", "G", 5, "", size),
                plain(table.fields),
                synopsis=our_synopsis(table),
            )
            lines.append(entry_line(entry))
        lines.append("")
    return "\n".join(lines)
