"""What the loop tells the world: frozen, typed, and the whole contract with TUI, `-p` and evals.

Every event except the streaming deltas is also one line of the session record.
"""

from dataclasses import dataclass
from typing import Literal

from aoci_agent.agent.approval import Decision, Question
from aoci_agent.agent.meter import StepRecord, Totals
from aoci_agent.policies.conversation import AssistantMessage, Message, ToolCall
from aoci_agent.tools.tool import Preview, ToolResult

SCHEMA = 2  # form of a record: 1 has no check sums


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """First line of a record: what the answers of this session can be traced back to."""

    session_id: str
    root: str
    model: str
    policy: str
    mode: str
    commit: str  # HEAD, or "" without git
    prefix_id: str  # content id of the fixed prompt bytes
    index_id: str  # content id of the rendered index, "" without one
    index_status: str  # "412 of 475 entries, 39.7k tokens, tier 1", or "no index"
    version: str
    branch: str = ""  # "" without git or when detached
    index_budget: int = 0  # bound of the rendered index in tokens; 0 in records that do not say
    schema: int = SCHEMA  # of the record; where it is missing it is 1


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The person spoke."""

    prompt: str


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A model call is about to be sent. `number` counts from 1 within the turn."""

    number: int
    prompt_tokens: int  # the request as it will be sent, counted locally


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Streaming text of the reply. Not recorded."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """Streaming reasoning. Not recorded."""

    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """A tool call is being written. Not recorded."""

    name: str
    characters: int


@dataclass(frozen=True, slots=True)
class Replied:
    """The whole reply of one step; replaces whatever deltas were shown for it."""

    message: AssistantMessage


@dataclass(frozen=True, slots=True)
class StepFinished:
    """The measured record of one model call."""

    record: StepRecord
    session: Totals


@dataclass(frozen=True, slots=True)
class ApprovalAsked:
    """The loop waits for the approver."""

    question: Question


@dataclass(frozen=True, slots=True)
class ApprovalAnswered:
    """The approver decided."""

    call_id: str
    decision: Decision


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call passed permissions and runs now."""

    call: ToolCall
    preview: Preview


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A call ended: done, failed, denied or interrupted."""

    call: ToolCall
    result: ToolResult
    status: Literal["done", "failed", "denied", "interrupted"]
    seconds: float
    title: str = ""  # what was called, in one line; the tool's name when it could not be read


@dataclass(frozen=True, slots=True)
class HistoryRewritten:
    """A policy or a compaction replaced the conversation (compact, /clear)."""

    reason: str
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a person should know: a retry, a nudge, a limit coming near."""

    text: str
    level: Literal["info", "warning", "error"] = "info"


@dataclass(frozen=True, slots=True)
class Grew:
    """The conversation grew by these messages. Recorded and not shown: a session resumes from them."""

    messages: tuple[Message, ...]


Reason = Literal[
    "done",
    "interrupted",
    "steps",
    "tokens",
    "cost",
    "time",
    "repeats",
    "model",
    "overflow",
]


@dataclass(frozen=True, slots=True)
class TurnFinished:
    """The turn is over; `reason` says why, `text` is the final answer."""

    reason: Reason
    text: str
    turn: Totals
    denied: tuple[str, ...] = ()
    message: str = ""  # what a person reads when the reason is not "done"
    seconds: float = 0.0  # wall time of the turn: model, tools and waiting for answers


Event = (
    SessionStarted
    | TurnStarted
    | StepStarted
    | TextDelta
    | ReasoningDelta
    | CallDelta
    | Replied
    | StepFinished
    | ApprovalAsked
    | ApprovalAnswered
    | ToolStarted
    | ToolFinished
    | HistoryRewritten
    | Grew
    | Notice
    | TurnFinished
)
