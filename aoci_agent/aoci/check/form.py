"""G and T: what the text itself must be, whatever the code says."""

import re
from collections.abc import Collection, Iterator
from itertools import pairwise

from aoci_agent.aoci.check.case import Case
from aoci_agent.aoci.check.finding import Finding, Severity
from aoci_agent.aoci.damage import is_marker, unreadable
from aoci_agent.aoci.facts.secrets import holds_key, masked
from aoci_agent.aoci.injection import speaks_to_a_model
from aoci_agent.aoci.model import Entry
from aoci_agent.aoci.tags import IMPORTANCE, LAYERS, TRAITS, size_of, tag_text
from aoci_agent.aoci.write import entry_line, table_line

_ABSOLUTE = re.compile(r"/|[A-Za-z]:")


def form(case: Case) -> Iterator[Finding]:
    """All of them."""
    yield from _grammar(case)
    yield from _order(case)
    modules = {text.partition("=")[0] for key, text in _header(case) if key == "B"}
    for entry in case.disk.entries:
        line = case.lines.get(entry.path, 0)
        yield from _tag(case, entry, modules)
        by_hand = case.told_by_hand(entry)
        words = (entry.function if "F" in by_hand else "", entry.synopsis if "S" in by_hand else "")
        yield from _text(entry.path, entry_line(entry), line, " ".join(words))
    for table in case.disk.tables:
        yield from _text(f"@db:{table.name}", table_line(table), 0, "")


def _grammar(case: Case) -> Iterator[Finding]:
    for number, line in enumerate(case.text.split("\n"), 1):
        if is_marker(line):
            told = f"a merge conflict marker: {line[:20]}"
            yield Finding("G1", Severity.ERROR, "", told, number, repairable=True)
    for number, line in unreadable(case.text):
        yield _error("G1", "", f"neither entry, table, section nor header: {line[:60]}", number)
    if not case.text.startswith("#AOCI 1\n"):
        yield Finding("G1", Severity.ERROR, "", "the first line is not #AOCI 1", 1, repairable=True)


def _order(case: Case) -> Iterator[Finding]:
    """Entries that stand twice, out of order, or under a path of another machine."""
    for number, line in enumerate(case.text.split("\n"), 1):
        folder = line[4:].removesuffix("/")
        if line.startswith("=== ") and _ABSOLUTE.match(folder):
            yield _error("G1", folder, "an absolute path", number)
    for place in case.written:
        if place is not (first := case.first[place.path]):
            told = f"a second entry (the first is in line {first.number})"
            yield Finding("G1", Severity.ERROR, place.path, told, place.number, repairable=True)
    for one, other in pairwise(case.written):
        (folder, _, name), (next_folder, _, next_name) = (
            p.path.rpartition("/") for p in (one, other)
        )
        if folder == next_folder and name > next_name:
            told = "not in the order of names"
            yield Finding("G1", Severity.ERROR, next_name, told, other.number, repairable=True)


def _tag(case: Case, entry: Entry, modules: Collection[str]) -> Iterator[Finding]:
    tag, path = entry.tag, entry.path
    written = case.first.get(path)
    line = written.number if written is not None else 0
    wrong = [
        *([f"layer {tag.layer}"] if tag.layer not in LAYERS else []),
        *([f"module {tag.module or '-'}"] if modules and tag.module not in modules else []),
        *([f"importance {tag.importance}"] if tag.importance not in IMPORTANCE else []),
        *(f"trait {trait}" for trait in tag.traits if trait not in TRAITS),
    ]
    if wrong:
        yield _error("T1", path, f"not in the dictionaries: {', '.join(wrong)}", line)
    facts = case.world.get(case.source_of[path])
    if facts is not None and tag.size != size_of(facts.lines):
        told = f"size {tag.size or '-'} should be {size_of(facts.lines)}"
        yield Finding("T2", Severity.WARN, path, told, line, repairable=True)
    if written is not None and written.tag != tag_text(tag):
        told = f"[{written.tag}] is spelt [{tag_text(tag)}]"
        yield Finding("T2", Severity.WARN, path, told, line, repairable=True)


def _header(case: Case) -> Iterator[tuple[str, str]]:
    for header in case.disk.header:
        for part in header.text.split("; "):
            yield header.key, part


def _text(path: str, text: str, line: int, by_hand: str) -> Iterator[Finding]:
    if speaks_to_a_model(text):
        yield _error("G2", path, "gives orders to the model that reads it", line)
    if holds_key(text) or masked(by_hand) != by_hand:
        yield _error("G1", path, "holds what looks like a secret", line)


def _error(check: str, path: str, message: str, line: int) -> Finding:
    return Finding(check, Severity.ERROR, path, message, line)
