"""What stood before each question: the conversation can be taken up there again."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from aoci_agent.agent.events import Event, Grew, HistoryRewritten, TurnStarted
from aoci_agent.agent.record import Recorder, read_record
from aoci_agent.agent.resume import REWOUND, message_of
from aoci_agent.policies.conversation import Message
from aoci_agent.policies.validity import mended

_REWINDING = re.compile(re.escape(REWOUND) + r"(turn \d+|r\d+), as (r\d+)")


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a session: before its nth question ("turn n"), or before a rewinding ("rN")."""

    name: str
    prompt: str
    at: float  # seconds since 1970; 0 when it is of this process
    _messages: list[Message]  # grows on: only the first `_length` stood before
    _length: int
    visible: tuple["Mark", ...] = ()  # what was offered before a rewinding

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation that stood before."""
        return tuple(self._messages[: self._length])


class Past:
    """A recorder (`record.Recorder`) that remembers, and passes everything on to the record.

    After a rewinding, what was rewound is no longer offered; the rewinding itself is.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._messages: list[Message] = []
        self._visible: list[Mark] = []
        self.turns = 0  # questions so far
        self.rewindings = 0

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Where one may go back to, oldest first."""
        return tuple(self._visible)

    def write(self, event: Event) -> None:
        """Record and remember. Raises ForUser."""
        self._recorder.write(event)
        match event:
            case TurnStarted(prompt):
                self._turn(prompt, 0.0)
            case Grew(messages):
                self._messages.extend(messages)
            case HistoryRewritten(reason, messages):
                self._rewrite(reason, messages, 0.0)
            case _:
                pass

    def close(self) -> None:
        """Release the record."""
        self._recorder.close()

    def read(self, path: Path, messages: tuple[Message, ...] | None = None) -> None:
        """Remember an earlier session. `messages` are what its conversation ended with, if known."""
        for event in read_record(path):
            try:
                self._take(event)
            except (KeyError, TypeError, ValueError, AttributeError):
                continue  # damaged, as the reader of the session says
        if messages is not None and messages != tuple(self._messages):
            self._messages = list(messages)

    def _take(self, event: Mapping[str, Any]) -> None:
        at = float(event.get("at", 0.0))
        match event.get("type"):
            case "TurnStarted":
                self._turn(str(event["prompt"]), at)
            case "Grew":
                self._messages.extend(message_of(data) for data in event["messages"])
            case "HistoryRewritten":
                new = tuple(message_of(data) for data in event["messages"])
                self._rewrite(str(event["reason"]), new, at)
            case "SessionStarted":
                self._messages = list(mended(self._messages))
            case _:
                pass

    def _turn(self, prompt: str, at: float) -> None:
        self.turns += 1
        length = len(self._messages)
        self._visible.append(Mark(f"turn {self.turns}", prompt, at, self._messages, length))

    def _rewrite(self, reason: str, messages: tuple[Message, ...], at: float) -> None:
        if found := _REWINDING.fullmatch(reason):
            self.rewindings += 1
            shown = tuple(self._visible)
            made = Mark(found[2], found[1], at, self._messages, len(self._messages), shown)
            at_target = next((i for i, mark in enumerate(shown) if mark.name == found[1]), None)
            if at_target is not None:
                target = shown[at_target]
                kept = target.visible if target.name[0] == "r" else shown[:at_target]
                self._visible = [*kept, made]
        self._messages = list(messages)


def rewound(target: str, name: str) -> str:
    """The reason that stands in the record for a rewinding."""
    return f"{REWOUND}{target}, as {name}"


What = Literal["code", "conversation", "both"]
