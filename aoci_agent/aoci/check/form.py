"""G and T: what the text itself must be, whatever the code says."""

import re
from collections.abc import Iterator
from itertools import pairwise

from aoci_agent.aoci.check.case import Case
from aoci_agent.aoci.check.finding import Finding, Severity
from aoci_agent.aoci.damage import is_marker, unreadable
from aoci_agent.aoci.facts.secrets import holds_key, masked
from aoci_agent.aoci.injection import speaks_to_a_model
from aoci_agent.aoci.model import Entry
from aoci_agent.aoci.tags import IMPORTANCE, LAYERS, TRAITS, size_of, tag_text
from aoci_agent.aoci.write import entry_line, table_line

_TAGGED = re.compile(r"(?P<name>.+)\[(?P<tag>[^\[\]]*)\]\s*:\s*F\s*:")


def form(case: Case) -> Iterator[Finding]:
    """All of them."""
    yield from _grammar(case)
    yield from _order(case)
    for entry in case.disk.entries:
        line = case.lines.get(entry.path, 0)
        yield from _tag(case, entry, line)
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
    seen: dict[str, int] = {}
    folder, names = "", list[tuple[str, str, int]]()
    for number, line in enumerate(case.text.split("\n"), 1):
        if line.startswith("=== "):
            folder = line[4:].removesuffix("/")
            if folder.startswith("/") or re.match(r"[A-Za-z]:", folder):
                yield _error("G1", folder, "an absolute path", number)
        elif found := _TAGGED.match(line):
            names.append((folder, found["name"], number))
    for folder, name, number in names:
        path = name if folder in ("", ".") else f"{folder}/{name}"
        if path in seen:
            told = f"a second entry (the first is in line {seen[path]})"
            yield Finding("G1", Severity.ERROR, path, told, number, repairable=True)
        seen.setdefault(path, number)
    for (folder, name, _), (next_folder, next_name, number) in pairwise(names):
        if folder == next_folder and name > next_name:
            told = "not in the order of names"
            yield Finding("G1", Severity.ERROR, next_name, told, number, repairable=True)


def _tag(case: Case, entry: Entry, line: int) -> Iterator[Finding]:
    tag, path = entry.tag, entry.path
    modules = {text.partition("=")[0] for key, text in _header(case) if key == "B"}
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
    written = _TAGGED.match(case.text.split("\n")[line - 1]) if line else None
    if written is not None and written["tag"] != tag_text(tag):
        told = f"[{written['tag']}] is spelt [{tag_text(tag)}]"
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
