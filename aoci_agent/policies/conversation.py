"""The conversation as data: what a policy may look at and rewrite, what a model client sends."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call as the model wrote it. `arguments` is the raw JSON text, parsed only at dispatch."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class UserMessage:
    """Words of the person, or of the harness when `harness` is set (reminders, compaction)."""

    text: str
    harness: bool = False


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """One reply of the model: its text, then its calls in order."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The answer to one call; every call of an assistant message has exactly one."""

    call_id: str
    name: str
    text: str
    ok: bool = True


Message = UserMessage | AssistantMessage | ToolMessage
