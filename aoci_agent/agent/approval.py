"""A question to whoever may answer it: the screen, a rule, or nobody (headless)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from aoci_agent.agent.mode import Mode as Mode
from aoci_agent.tools.tool import Effect, Preview


class Answer(StrEnum):
    """What the person decided."""

    ONCE = "once"
    SESSION = "session"  # what `Question.always` lists, again without asking, in this session
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Question:
    """May this call run? Shown exactly as it will run."""

    call_id: str
    tool: str
    effect: Effect
    preview: Preview
    reason: str = ""  # why it asks, e.g. "mode ask confirms edits"
    parts: tuple[str, ...] = ()  # of a command line: those that need consent
    always: tuple[str, ...] = ()  # the rules that "always" would add; empty: it is not offered
    box: str = ""  # what confines it: "sandbox: strong; no network"; "" for what starts nothing
    confined: bool = False  # there is a sandbox that it could be let out of, once


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer, with what the person wants the model to know when they deny."""

    answer: Answer
    comment: str = ""
    outside: bool = False  # with ONCE: this one command runs outside of the sandbox


class Approver(Protocol):
    """Answers questions. Awaited by the loop; cancelled when the turn is interrupted."""

    async def ask(self, question: Question) -> Decision: ...


class DenyAll:
    """The headless approver: nobody is there to ask, so the answer is no, and it is said so."""

    async def ask(self, question: Question) -> Decision:
        """Deny, naming why it asked and the way out."""
        modes = "auto-edit or full-auto" if question.effect is Effect.EDIT else "full-auto"
        trust = "--trust and " if "not trusted" in question.reason else ""
        way_out = "allow it in config.toml (docs/permissions.md)"
        if question.reason.startswith(("mode", "not sure")):
            way_out = f"run with {trust}--mode {modes}, or {way_out}"
        if "network" in question.reason:
            way_out = "no rule opens the network: run it where somebody can answer"
        why = f" ({question.reason})" if question.reason else ""
        return Decision(Answer.DENY, f"nobody is there to approve{why}: {way_out}")
