"""From a session's record back to the session: its conversation, its facts, its sums."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from aoci_agent.agent.meter import StepRecord, Totals
from aoci_agent.agent.record import begins, refuse_newer
from aoci_agent.base.errors import BadUsage
from aoci_agent.base.sealed import event_of, lines_of
from aoci_agent.policies.conversation import AssistantMessage, Message, ToolMessage, UserMessage
from aoci_agent.policies.digest import Digest
from aoci_agent.policies.pinned import Notebook
from aoci_agent.policies.validity import mended

REWOUND = "rewound to "  # begins the reason of a rewinding
_ID = re.compile(r"\w[\w-]{0,99}")
RECORDED = "recorded replies"  # what a replaying model is called: nothing to open again

Json = Mapping[str, Any]
_KINDS: dict[str, TypeAdapter[Any]] = {
    "call_id": TypeAdapter(ToolMessage),
    "calls": TypeAdapter(AssistantMessage),
    "past": TypeAdapter(Digest),
}
_USER = TypeAdapter(UserMessage)
_STEP = TypeAdapter(StepRecord)
_TOTALS = TypeAdapter(Totals)
_SPOKEN = begins("Grew", "HistoryRewritten")
_READ = (
    *begins("SessionStarted", "StepStarted", "StepFinished", "TurnStarted", "TurnFinished"),
    *begins("ToolStarted"),
    *_SPOKEN,
)


@dataclass
class Resumed:
    """A session as its record tells it."""

    path: Path
    session_id: str = ""
    root: str = ""  # the folder it worked in last
    model: str = ""  # as the user named it
    policy: str = ""
    prefix_id: str = ""
    index_budget: int = 0
    messages: tuple[Message, ...] = ()
    notebook: Notebook = field(default_factory=Notebook)
    steps: list[StepRecord] = field(default_factory=list[StepRecord])
    totals: Totals = field(default_factory=Totals)
    turns: int = 0
    seconds: float = 0.0  # of work
    asked: tuple[int, int] = (0, 0)  # messages and tokens of the newest request, answered or not
    # Of the last request that was answered: its messages, while they still begin the conversation,
    sent: int | None = None
    local: int = 0  # its tokens, counted locally
    at: float = 0.0  # when it was answered, seconds since 1970
    unread: int = 0  # lines that are damaged
    closed: int = 0  # calls that had no result
    dropped: int = 0  # results without a call: they stay in the record only
    started: set[str] = field(default_factory=set[str])  # ids of calls since the newest reply
    ended: str = ""  # how the newest turn ended, "" while it has not
    torn: str = ""  # what was cut off the end of the record when it was opened

    def worktree(self, data: Path, root: Path) -> Path | None:
        """The worktree of the agent's own that it worked in, where that is not `root` itself."""
        worked = Path(self.root)
        beside = (data / "worktrees").resolve() in worked.parents and worked != root
        return worked if beside else None

    @property
    def last(self) -> StepRecord | None:
        """The newest step of the conversation itself."""
        return next((step for step in reversed(self.steps) if not step.side), None)


def find(folder: Path, word: str = "") -> Path:
    """The record of the session whose id begins with `word`; of the newest that holds a conversation.

    Raises BadUsage naming what there is.
    """
    if not word:
        for file in newest(folder, 1):
            return file
        raise BadUsage("there is no earlier session of this repository", "start one: aoci-agent")
    files = _by_use(folder)
    found = [file for file in files if file.stem.startswith(word)]
    if len(found) == 1 or (found and found[0].stem == word):
        return found[0]
    names = ", ".join(file.stem for file in (found or files)[:5])
    if found:
        raise BadUsage(f"{len(found)} sessions begin with '{word}'", f"one of {names}")
    way_out = (
        f"-r takes an ID; the newest are {names}" if names else "there is none of this repository"
    )
    raise BadUsage(f"no session begins with '{word}'", way_out)


def newest(folder: Path, most: int = 5) -> list[Path]:
    """The records that hold a conversation, the one last written first."""
    return list(islice(filter(_holds_words, _by_use(folder)), most))


def read(path: Path) -> Resumed:
    """The session of a record. Damaged lines are counted and passed over. Raises BadUsage without a start."""
    made = Resumed(path)
    messages: list[Message] = []
    for line in lines_of(path):
        event = _event(line)
        if event is None:
            made.unread += 1
        elif event:
            try:
                _take(made, messages, event)
            except (KeyError, TypeError, ValueError, AttributeError):
                made.unread += 1
    if not made.session_id and (messages or made.turns):
        made.session_id = path.stem  # its first line is damaged; the file is called after it
    if not made.session_id:
        raise BadUsage(
            f"{path} is no record of a session", "`aoci-agent --continue` takes the newest"
        )
    made.messages = mended(messages, made.started)
    kept = {id(message) for message in made.messages}
    made.dropped = sum(id(message) not in kept for message in messages)
    made.closed = len(made.messages) - (len(messages) - made.dropped)
    return made


def _take(made: Resumed, messages: list[Message], event: Json) -> None:
    match event["type"]:
        case "SessionStarted":
            _start(made, event)
            messages[:] = mended(messages, made.started)  # as the session that went on did
            made.started.clear()
        case "Grew":
            messages += _grew(made, event)
        case "HistoryRewritten":
            messages[:] = [message_of(data) for data in event["messages"]]
            made.sent = None
            if not messages or str(event["reason"]).startswith(REWOUND):
                made.notebook.forget()  # what was rewound is no fact of the session any more
                made.notebook.saw(messages)
        case "ToolStarted":
            made.started.add(str(event["call"]["id"]))
        case "StepStarted":
            made.asked = (len(messages), int(event["prompt_tokens"]))
        case "StepFinished":
            _step(made, event)
        case "TurnStarted":
            made.turns, made.ended = made.turns + 1, ""
        case "TurnFinished":
            made.seconds += float(event.get("seconds", 0.0))
            made.ended = str(event["reason"])
        case _:
            pass


def _start(made: Resumed, event: Json) -> None:
    refuse_newer(event, made.path)
    named = str(event["session_id"])  # others name files after it
    made.session_id = made.session_id or (named if _ID.fullmatch(named) else made.path.stem)
    made.root = str(event.get("root", ""))
    made.model, made.policy = str(event["model"]), str(event["policy"])
    made.prefix_id = str(event["prefix_id"])
    made.index_budget = int(event.get("index_budget", 0))


def _grew(made: Resumed, event: Json) -> list[Message]:
    new = [message_of(data) for data in event["messages"]]
    made.notebook.saw(new)
    if any(isinstance(message, AssistantMessage) for message in new):
        made.started.clear()
    return new


def _step(made: Resumed, event: Json) -> None:
    step = _STEP.validate_python(event["record"])
    made.steps.append(step)
    made.totals = _TOTALS.validate_python(event["session"])
    if not step.side:
        (made.sent, made.local), made.asked = made.asked, (0, 0)
        made.at = float(event.get("at", 0.0))


def message_of(data: Json) -> Message:
    """A message from its JSON. Its fields say which kind it is; fields of other versions are passed over."""
    kind = next((kind for name, kind in _KINDS.items() if name in data), _USER)
    return kind.validate_python(data)


def _event(line: bytes | None) -> Json | None:
    """The event of a line; {} when it is of a kind that nothing is resumed from, None when damaged."""
    if line and line.startswith(b'{"type": "') and not line.startswith(_READ):
        return {} if line.endswith(b"}\n") else None
    return event_of(line)


def _holds_words(file: Path) -> bool:
    try:
        with file.open("rb") as lines:
            return any(line.startswith(_SPOKEN) for line in lines)
    except OSError:
        return False


def _by_use(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jsonl"), key=lambda file: (-_used(file), file.name))


def _used(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0
