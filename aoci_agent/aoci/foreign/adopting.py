"""Taking over what a person, or another tool's model, wrote about the files that are here."""

from collections.abc import Mapping
from dataclasses import replace

from aoci_agent.aoci.foreign.model import Foreign
from aoci_agent.aoci.model import Entry, Index
from aoci_agent.aoci.stats import is_documented
from aoci_agent.aoci.write import plain

NOTES = "N"  # the element that holds their S: ours stays the program's, in step with the source


def adopt(made: Index, foreign: Foreign) -> tuple[Index, dict[str, tuple[str, ...]]]:
    """The made index with their words where the entry's file is here. Also what was taken, by path.

    Their F stands where the file has no documentation of its own; their S becomes a note (`N:`)
    beside the program's facts; their tables stand where no definition was found. R, A and the tag
    stay the program's: files are its to resolve, names its to find. An unchanged export of our own
    holds nobody's words.
    """
    if foreign.ours:
        return made, {}
    theirs = foreign.index.by_path
    taken: dict[str, tuple[str, ...]] = {}
    entries: list[Entry] = []
    for entry in made.entries:
        kept = _kept(entry, theirs.get(entry.path))
        if kept:
            taken[entry.path] = tuple(kept)
            notes = f"{NOTES}:{kept[NOTES]}" if NOTES in kept else entry.extra
            entry = replace(entry, function=kept.get("F", entry.function), extra=notes)
        entries.append(entry)
    known = {table.name.lower() for table in made.tables}
    more = (
        replace(table, fields=plain(table.fields))
        for table in foreign.index.tables
        if table.name.lower() not in known
    )
    tables = {(table.schema, table.name): table for table in (*made.tables, *more)}
    merged = replace(
        made, entries=tuple(entries), tables=tuple(tables[key] for key in sorted(tables))
    )
    return merged, taken


def _kept(entry: Entry, other: Entry | None) -> Mapping[str, str]:
    """Their F and S, where they say something else."""
    if other is None:
        return {}
    function, synopsis = plain(other.function), plain(other.synopsis)
    kept: dict[str, str] = {}
    if function and function != plain(entry.function) and not is_documented(entry.function):
        kept["F"] = function
    if synopsis and synopsis != plain(entry.synopsis):
        kept[NOTES] = synopsis
    return kept


def taken_over(foreign: Foreign) -> list[str]:
    """What a person should know about it: how much was read, and what stands for no file."""
    index = foreign.index
    tables = f" and {len(index.tables)} tables" if index.tables else ""
    told = [
        f"{', '.join(foreign.sources)}: words of {len(index.entries)} entries{tables} taken over;"
        " from `index build` on, .aoci-agent/index.aoci is the index"
    ]
    lost = [item.path for item in foreign.unmapped]
    if lost:
        more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
        told.append(f"{len(lost)} of its entries name no file: {', '.join(lost[:3])}{more}")
    return told
