"""What a model can see in a request, taken from its text alone: never from fields beside the text.

Everything here is read out of the system text, the texts of the messages and the model's own calls,
as a model would read it: what a policy cut away is not seen.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from aoci_agent.agent.models.model import Request
from aoci_agent.evals.policies_score import Span
from aoci_agent.policies.candidates import HEADING
from aoci_agent.policies.compact import CUT
from aoci_agent.policies.conversation import AssistantMessage, ToolMessage, UserMessage

_DELIVERED = f"\n\n{HEADING}"
_NOTE = re.compile(rf"\n\n(?:{re.escape(CUT)}|\[\d{{4}}-\d\d-\d\d; mode )")
_BLOCK = re.compile(r"^(\d+)\. (\S+):(\d+)-(\d+)(?: .*)?$", re.MULTILINE)
_NUMBERED = re.compile(r"^(\d+)\t(.*)$")
_READ = re.compile(r"^read (\S+?)(?: from line (\d+))?:?$")
_MORE = re.compile(r"of (\d+) not shown: offset=(\d+)\]")
_PLACE = re.compile(r"([^\s,]+):(\d+)-(\d+) \((\d\.\d\d)\)")
_FOLDER = re.compile(r"^=== (.*)$")
_ENTRY = re.compile(r"^([^\s\[:+#\u0394][^\[:]*)(?:\[([^\]]*)\])?: (.*)$")


@dataclass(frozen=True, slots=True)
class Delivered:
    """A block that came with the question."""

    span: Span
    text: str


class Entry(NamedTuple):
    """A file in the index; `long` when its tag says so (400 lines or more)."""

    text: str
    long: bool


@dataclass(slots=True)
class Page:
    """What was read of a file: its lines by number; `more` where the rest of it starts, 0 for none."""

    lines: dict[int, str] = field(default_factory=dict[int, str])
    more: int = 0


@dataclass(frozen=True, slots=True)
class Hits:
    """What a grep found: text by path and line; `within` is the file it was confined to."""

    lines: dict[str, dict[int, str]]
    within: str = ""


@dataclass
class Sight:
    """All of it. `began` are places reads started at, `grepped` what was searched for, each once."""

    question: str = ""
    delivered: tuple[Delivered, ...] = ()
    pages: dict[str, Page] = field(default_factory=dict[str, Page])
    began: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    known: set[str] = field(default_factory=set[str])  # files it was told it has read
    hits: list[Hits] = field(default_factory=list[Hits])
    grepped: set[str] = field(default_factory=set[str])
    notes: dict[Span, float] = field(default_factory=dict[Span, float])  # what it said itself


def sight_of(request: Request) -> Sight:
    """Look at a request."""
    sight = Sight()
    calls: dict[str, tuple[str, dict[str, object]]] = {}
    for message in request.messages:
        match message:
            case UserMessage(text=text):
                _user(sight, text)
            case AssistantMessage(text=text, calls=made):
                _noted(sight, text)
                for call in made:
                    calls[call.id] = (call.name, _arguments(call.arguments))
            case ToolMessage(call_id=made_by, text=text):
                name, arguments = calls.get(made_by, ("", {}))
                _result(sight, name, arguments, text)
    return sight


def entries_of(request: Request) -> dict[str, Entry]:
    """The index layer: what it says of each file, by path."""
    found: dict[str, Entry] = {}
    folder = None
    for line in request.prefix.system.splitlines():
        opened = _FOLDER.match(line)
        if opened:
            folder = opened[1].removeprefix("./")
        elif folder is not None and (entry := _ENTRY.match(line)):
            found[folder + entry[1]] = Entry(entry[3], (entry[2] or "").endswith("L"))
    return found


def _user(sight: Sight, text: str) -> None:
    if not sight.question:
        noted = _NOTE.search(text)
        said = text[: noted.start()] if noted else text
        sight.question = said.rpartition(_DELIVERED)[0] or said
    if _DELIVERED in text:
        sight.delivered = tuple(_blocks(text.rpartition(_DELIVERED)[2]))
    for line in text.splitlines():
        if line.startswith("Files read: "):
            sight.known.update(line.removeprefix("Files read: ").split(", "))
        elif line.startswith("You said: "):
            _noted(sight, line)
        elif line.startswith("Called: "):
            for title in line.removeprefix("Called: ").split("; "):
                _called(sight, title)
    _inlined(sight, text)


def _blocks(text: str) -> Iterable[Delivered]:
    starts = list(_BLOCK.finditer(text))
    for at, found in enumerate(starts):
        end = starts[at + 1].start() if at + 1 < len(starts) else len(text)
        body = [line for line in text[found.end() : end].split("\n") if line.startswith("    ")]
        span = Span(found[2], int(found[3]), int(found[4]))
        yield Delivered(span, "\n".join(line[4:] for line in body))


def noted(best: Iterable[tuple[float, Span]]) -> str:
    """What the searcher says for itself to remember: places with their fit, the best first."""
    places = [f"{span.path}:{span.start}-{span.end} ({score:.2f})" for score, span in best]
    return f"So far: {', '.join(places)}" if places else ""


def _noted(sight: Sight, text: str) -> None:
    """The newest note holds."""
    places = _PLACE.findall(text.rpartition("So far: ")[2]) if "So far: " in text else []
    if places:
        sight.notes = {
            Span(path, int(start), int(end)): float(score) for path, start, end, score in places
        }


def _called(sight: Sight, title: str) -> None:
    if read := _READ.match(title):
        sight.began.add((read[1], int(read[2] or 1)))
    elif title.startswith("grep "):
        sight.grepped.add(title.removeprefix("grep "))


def _inlined(sight: Sight, text: str) -> None:
    """A read that a digest holds: its title, a colon, and its lines."""
    path = ""
    for line in text.splitlines():
        if line.endswith(":") and (read := _READ.match(line)):
            path = read[1]
        elif path:
            path = path if _line_read(sight, path, line) else ""


def _result(sight: Sight, name: str, arguments: dict[str, object], text: str) -> None:
    if name == "read":
        path, start = str(arguments.get("path", "")), arguments.get("offset", 1)
        sight.began.add((path, start if isinstance(start, int) else 1))
        for line in text.splitlines():
            _line_read(sight, path, line)
    elif name == "grep":
        pattern = str(arguments.get("pattern", ""))
        sight.grepped.add(_titled(pattern, str(arguments.get("path", ""))))
        sight.hits.append(_hits(text, str(arguments.get("path", ""))))


def _titled(pattern: str, path: str) -> str:
    """A grep as it is called in a digest."""
    return f"{pattern} in {path}" if path else pattern


def _line_read(sight: Sight, path: str, line: str) -> bool:
    """Take a line of a read; False for one that is none."""
    if found := _NUMBERED.match(line):
        sight.pages.setdefault(path, Page()).lines[int(found[1])] = found[2]
        return True
    if path in sight.pages and (rest := _MORE.search(line)):
        sight.pages[path].more = int(rest[2])
    return False


def _hits(text: str, within: str) -> Hits:
    lines: dict[str, dict[int, str]] = {}
    path = ""
    for line in text.splitlines():
        if found := _NUMBERED.match(line):
            lines.setdefault(path, {})[int(found[1])] = found[2]
        else:
            path = line
    return Hits(lines, within)


def _arguments(text: str) -> dict[str, object]:
    try:
        given: object = json.loads(text)
    except ValueError:
        return {}
    return cast("dict[str, object]", given) if isinstance(given, dict) else {}
