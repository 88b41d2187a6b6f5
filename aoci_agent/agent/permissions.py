"""Who may do what: a pure table of mode and effect, plus what the person granted in this session."""

from enum import StrEnum

from aoci_agent.agent.mode import Mode
from aoci_agent.tools.tool import Effect


class Verdict(StrEnum):
    """The outcome of judging a call."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


# Reads inside the workspace never ask (peers.md 82); nothing is ever allowed by reading a shell string (T03).
TABLE: dict[Mode, dict[Effect, Verdict]] = {
    Mode.READ_ONLY: {Effect.EDIT: Verdict.DENY, Effect.RUN: Verdict.DENY},
    Mode.ASK: {Effect.EDIT: Verdict.ASK, Effect.RUN: Verdict.ASK},
    Mode.AUTO_EDIT: {Effect.EDIT: Verdict.ALLOW, Effect.RUN: Verdict.ASK},
    Mode.FULL_AUTO: {Effect.EDIT: Verdict.ALLOW, Effect.RUN: Verdict.ALLOW},
}


class Permissions:
    """Judges calls. Grants are exact (tool and key), live for the session, and are never widened."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode
        self._granted: set[tuple[str, str]] = set()

    def judge(self, tool: str, effect: Effect, key: str) -> Verdict:
        """Deny wins over a grant; a grant wins over asking."""
        verdict = TABLE[self.mode].get(effect, Verdict.ALLOW)
        if verdict is Verdict.ASK and key and (tool, key) in self._granted:
            return Verdict.ALLOW
        return verdict

    def grant(self, tool: str, key: str) -> None:
        """Remember an "always in this session" for exactly this call."""
        if key:
            self._granted.add((tool, key))

    def reason(self, effect: Effect) -> str:
        """Why a call asks or is refused, for the person and the model."""
        noun = "edits" if effect is Effect.EDIT else "commands"
        verb = "refuses" if self.mode is Mode.READ_ONLY else "confirms"
        return f"mode {self.mode} {verb} {noun}"
