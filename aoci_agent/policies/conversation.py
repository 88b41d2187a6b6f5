"""The conversation as data: what a policy may look at and rewrite, what a model client sends."""

from dataclasses import dataclass

from aoci_agent.tools.tool import Check


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call as the model wrote it. `arguments` is the raw JSON text, parsed only at dispatch."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class UserMessage:
    """Words of the person, or of the harness when `harness` is set (reminders, digests).

    `text` is what is sent, whole. The other fields name parts of it, so that nobody has to search
    for them again: the person's own words, the blocks delivered with them, and the volatile note.
    """

    text: str
    harness: bool = False
    question: str = ""
    candidates: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """One reply of the model: its text, then its calls in order."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The answer to one call; every call of an assistant message has exactly one.

    Beside the text stand the facts that outlive it: what was called, which files the model saw or
    changed, and what a check said.
    """

    call_id: str
    name: str
    text: str
    ok: bool = True
    title: str = ""  # the call in one line: `read src/app.py from line 40`
    read: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    check: Check | None = None


Message = UserMessage | AssistantMessage | ToolMessage


def said(question: str, delivered: str = "", note: str = "") -> UserMessage:
    """What the person said as it is sent: the words, the blocks found for them, the volatile note."""
    text = "\n\n".join(part for part in (question, delivered, note) if part)
    return UserMessage(text, question=question, candidates=delivered, note=note)
