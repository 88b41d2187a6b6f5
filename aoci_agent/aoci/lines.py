"""Token counts of index lines, remembered by digest so that a session starts without a tokenizer."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import groupby

from aoci_agent.aoci.model import Entry, HeaderLine, Index
from aoci_agent.aoci.write import (
    MAGIC,
    entry_line,
    header_line,
    line_hash,
    section_line,
    table_line,
    table_section,
)
from aoci_agent.base import tokens

_EMPTY = ("R:-", "A:-", "S:-")
_FIRST = (
    "# One line per file under its directory line `=== dir/`:"
    " name{tag}: F:what it is | R:files it uses | A:what it offers | S:further facts; what is empty is left out."
)
_TAG = "# tag: layer, module, importance, traits, size, in this order; codes A B C D E below."
_FURTHER = (
    "# R: shortest unique path endings, no extension; `ubiquitous` files are left out of R.",
    "# S: `f: a, b` is what function f does, in order (calls, tables, events, errors, answers);"
    " `T{a,b}` fields; `T:a¦b` values, `T*:a¦b` stands for Ta, Tb; `{*}` and `*` for variables.",
    "# `+ a b`: more files of that directory, named only; see them with the index or read tool.",
    "# Extracted by program: names are exact, the file itself decides."
    " A later `Δ` line replaces the entry here.",
)

_NOTES = "# N: notes of a person or another tool."
READING_TABLES = (
    "# table[module-type-rows-features]: columns. Type: M main, A association, L log, C configuration,"
    " D dictionary; `→x` refers to table x."
)


def reading(index: Index, *, tags: bool = True) -> tuple[str, ...]:
    """What a model must know to read the index; stands above its header."""
    first = _FIRST.format(tag="[tag]" if tags else "")
    notes = (_NOTES,) if any(entry.extra for entry in index.entries) else ()
    return (first, *((_TAG,) if tags else ()), *_FURTHER, *notes)


def counter(known: Mapping[str, int]) -> Callable[[str], int]:
    """A function line -> tokens, the line end included; unknown lines are counted and remembered."""
    memory = dict(known)

    def count(line: str) -> int:
        key = line_hash(line)
        if key not in memory:
            memory[key] = tokens.count(f"{line}\n")
        return memory[key]

    return count


def prompt_line(entry: Entry, *, tags: bool = True, notes: bool = False) -> str:
    """An entry as a model sees it: elements with nothing in them are left out, notes on demand."""
    return _without_empty(entry_line(entry if notes else replace(entry, extra=""), tags=tags))


def changed_line(entry: Entry, *, tags: bool = True) -> str:
    """An entry that replaces the one further up: `Δ path[tag]: ...`."""
    folder = f"{entry.directory}/" if entry.directory else ""
    return f"Δ {folder}{prompt_line(entry, tags=tags)}"


def gone_line(path: str) -> str:
    """What stands for an entry whose file is gone."""
    return f"Δ {path}: gone"


def brief_line(entry: Entry, *, tags: bool = True) -> str:
    """An entry cut to its name, tag and function."""
    return _to_function(entry_line(entry, tags=tags))


def _without_empty(line: str) -> str:
    head, *rest = line.split(" | ")
    return " | ".join([head, *(part for part in rest if part not in _EMPTY)])


def _to_function(line: str) -> str:
    return line.split(" | R:", 1)[0]


def fold_name(name: str) -> str:
    """A name as a fold line holds it."""
    return f'"{name}"' if " " in name else name


def header_lines(index: Index, *, tags: bool = True) -> list[str]:
    """The header as a model sees it: dictionaries hold the codes in use, each on one line."""
    found = [entry.tag for entry in index.entries]
    used = {
        "A": {tag.layer for tag in found},
        "B": {tag.module for tag in found},
        "D": {trait for tag in found for trait in tag.traits},
    }
    lines: list[str] = []
    for key, group in groupby(index.header, key=lambda line: line.key):
        if not tags and key in tuple("ABCDE"):
            continue
        if key not in used:
            lines += map(header_line, group)
            continue
        codes = (item for line in group for item in line.text.split("; "))
        kept = "; ".join(item for item in codes if item.partition("=")[0] in used[key])
        lines += [header_line(HeaderLine(key, kept))] if kept else []
    return lines


def rendered_lines(index: Index) -> Iterable[str]:
    """Every line a rendering may show of these entries."""
    yield from (MAGIC, *reading(index), *header_lines(index))
    for directory in sorted({entry.directory for entry in index.entries}):
        yield section_line(directory)
    for entry in index.entries:
        line = entry_line(entry)
        yield _without_empty(line)
        if entry.extra:
            yield prompt_line(entry)
        yield _to_function(line)
        yield f" {fold_name(entry.name)}"
    for schema in sorted({table.schema for table in index.tables}):
        yield from (table_section(schema), READING_TABLES)
    for table in index.tables:
        yield table_line(table)
        yield f" {table.name}"


def measure(
    index: Index, known: Mapping[str, int], *, few: int = 0
) -> tuple[dict[str, int], dict[str, int]]:
    """Counts for every line of the index, taking over the known ones; and estimates for the rest.

    At most `few` unknown lines are estimated instead of counted: loading a tokenizer for them would
    take longer than all other work of an update. A rendering counts them when it needs them.
    """
    lines = {line_hash(line): line for line in rendered_lines(index)}
    counts = {key: known[key] for key in lines if key in known}
    new = {key: line for key, line in lines.items() if key not in known}
    if known and len(new) <= few:
        return counts, {key: tokens.estimate(line) for key, line in new.items()}
    return counts | {key: tokens.count(f"{line}\n") for key, line in new.items()}, {}
