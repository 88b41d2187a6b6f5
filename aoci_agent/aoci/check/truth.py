"""R, A, S and X: whether what the entries say holds in the code.

What the program wrote is compared as a whole (F1); these judge what a person or another tool wrote,
and R of every entry, since a reference can lose its file through somebody else's change.
"""

from collections.abc import Iterator

from aoci_agent.aoci.check.case import Case
from aoci_agent.aoci.check.finding import Finding, Severity
from aoci_agent.aoci.model import Entry
from aoci_agent.aoci.resolve.links import route_shape

_BACK = "mend it, or: aoci-agent index unpin"
STRONG = 3  # uses from which leaving a connection out is worth a word


def truth(case: Case) -> Iterator[Finding]:
    """All of them."""
    for entry in case.disk.entries:
        path = case.source_of[entry.path]
        if path in case.world:
            yield from _references(case, entry)
            by_hand = case.told_by_hand(entry)
            if "R" in by_hand:
                yield from _evidence(case, entry, path)
            if "A" in by_hand:
                yield from _offers(case, entry, path)
            if by_hand & {"F", "S"} and (names := case.grounds.unknown(entry)):
                told = f"not in the source: {', '.join(names[:8])}"
                line = case.lines.get(entry.path, 0)
                yield Finding("S1", Severity.WARN, entry.path, told, line)
    yield from _requests(case)


def _references(case: Case, entry: Entry) -> Iterator[Finding]:
    line = case.lines.get(entry.path, 0)
    if names := case.grounds.lost(entry):
        told = f"R names no file: {', '.join(names)} ({_BACK} {entry.path} R)"
        yield Finding("R1", Severity.ERROR, entry.path, told, line)


def _evidence(case: Case, entry: Entry, path: str) -> Iterator[Finding]:
    """R written by hand against the edges of the code."""
    line = case.lines.get(entry.path, 0)
    around = case.present.derived.around
    edges = around.links.edges.get(path, {})
    named = {file for item in entry.relations if (file := case.grounds.file(item))}
    unseen = sorted(named - edges.keys() - {path})
    if unseen:
        told = f"R without an import or a request behind it: {', '.join(unseen[:6])}"
        yield Finding("R2", Severity.INFO, entry.path, told, line)
    strong = (file for file, uses in sorted(edges.items()) if uses >= STRONG)
    left = [file for file in strong if file not in named and file not in around.hubs]
    if left and entry.tag.importance >= 7:
        told = f"R leaves out {', '.join(left[:6])}"
        yield Finding("R3", Severity.WARN, entry.path, told, line)


def _offers(case: Case, entry: Entry, path: str) -> Iterator[Finding]:
    """A written by hand against what the file has and others use."""
    line = case.lines.get(entry.path, 0)
    if names := case.grounds.absent(entry):
        told = f"A names what the file does not have: {', '.join(names)} ({_BACK} {entry.path} A)"
        yield Finding("A1", Severity.ERROR, entry.path, told, line)
    facts, around = case.world[path], case.present.derived.around
    listed = " ".join(entry.api)
    used = [s.name for s in facts.symbols if s.public and not s.owner]
    used = [name for name in used if around.links.used_by.get((path, name))]
    wanted = [*facts.routes, *facts.commands, *used]
    left = [name for name in wanted if name not in listed]
    if left:
        told = f"A leaves out {', '.join(left[:6])}"
        yield Finding("A2", Severity.WARN, entry.path, told, line)


def _requests(case: Case) -> Iterator[Finding]:
    """Requests to a path no route answers, of clients whose other requests are answered."""
    served = {
        route_shape(route.partition(" ")[2]) for f in case.world.values() for route in f.routes
    }
    for path, facts in case.world.items():
        shapes = {call: route_shape(call.rpartition(" ")[2]) for call in facts.calls}
        answered = sum(shape in served for shape in shapes.values())
        lost = [call for call, shape in shapes.items() if shape not in served]
        if lost and answered >= max(3, len(lost)):
            told = f"no route answers {', '.join(lost[:6])}"
            line = case.lines.get(path, 0)
            yield Finding("X2", Severity.WARN, path, told, line)
