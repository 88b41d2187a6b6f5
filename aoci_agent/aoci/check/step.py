"""F, P and C: whether the index is in step with the files."""

from collections.abc import Iterator

from aoci_agent.aoci.check.case import Case
from aoci_agent.aoci.check.finding import Finding, Severity
from aoci_agent.aoci.lock import ELEMENTS, named
from aoci_agent.aoci.write import element_hashes, entry_fields

SERIOUS = 7  # importance from which being out of step is an error
_UPDATE = "aoci-agent index update"


def step(case: Case) -> Iterator[Finding]:
    """All of them, in the order of the index, then files without an entry."""
    now = case.present.merged.index.by_path
    for entry in case.disk.entries:
        path, line = entry.path, case.lines.get(entry.path, 0)
        source = case.source_of[path]
        if source not in now:
            told = "its file is gone or no longer indexed"
            yield Finding("C2", Severity.ERROR, path, told, line, repairable=True)
            continue
        if source != path:
            told = f"its file is now {source}"
            yield Finding("C2", Severity.ERROR, path, told, line, repairable=True)
            continue
        stands, wanted = element_hashes(entry), element_hashes(now[source])
        behind = [key for key in ELEMENTS if stands[key] != wanted[key]]
        if behind:
            told = f"{named(behind)} out of step with the files: {_UPDATE}"
            yield Finding("F1", _by(now[source].tag.importance), path, told, line, repairable=True)
        if case.record(path) is None:
            told = f"no record of where it came from: {_UPDATE}"
            yield Finding("F2", Severity.WARN, path, told, line, repairable=True)
        yield from _aged(case, path, line)
    known = set(case.source_of.values())
    for path in sorted(now.keys() - known):
        told = f"no entry: {_UPDATE}"
        yield Finding("C1", _by(now[path].tag.importance), path, told, repairable=True)


def _aged(case: Case, path: str, line: int) -> Iterator[Finding]:
    pins = case.present.merged.pins.get(path, {})
    sem = case.world[path].sem
    aged = [key for key in ELEMENTS if key in pins and pins[key].anchor != sem]
    if aged:
        made = entry_fields(case.present.derived.made.by_path[path])
        proposed = [made["FRAS".index(key)] for key in aged if key in "FRAS"]
        shown = f"; the program would write {' ¦ '.join(proposed)}" if proposed else ""
        elements = named(aged, ",")
        told = f"{named(aged)} written by hand before the source changed{shown}"
        way_out = f" (right as it is: aoci-agent index pin {path} {elements})"
        yield Finding("P1", Severity.WARN, path, f"{told}{way_out}", line)


def _by(importance: int) -> Severity:
    return Severity.ERROR if importance >= SERIOUS else Severity.WARN
