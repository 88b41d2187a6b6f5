"""The state of one turn: what it spent, what it changed, what was refused."""

from dataclasses import dataclass, field

from aoci_agent.agent.checks import CheckGate
from aoci_agent.agent.events import Reason, ToolFinished, TurnFinished
from aoci_agent.agent.limits import NUDGE_AT, Guard, Stop
from aoci_agent.agent.meter import StepRecord, Totals
from aoci_agent.agent.prompts import render
from aoci_agent.policies.conversation import ToolCall

STRIKES = 3  # steps in a row whose calls were all malformed (R15)


@dataclass
class Turn:
    """Everything that lives from one user message to the answer."""

    guard: Guard
    gate: CheckGate = field(default_factory=CheckGate)
    totals: Totals = field(default_factory=Totals)
    denied: list[str] = field(default_factory=list[str])
    strikes: int = 0
    text: str = ""
    calls: tuple[ToolCall, ...] = ()  # of the newest reply, exactly as the model wrote them
    cut_asked: bool = False
    cut: list[ToolFinished] = field(default_factory=list[ToolFinished])  # by an interruption

    def spent(self, record: StepRecord) -> None:
        """Add one model call."""
        self.totals = self.totals.plus(record)

    def saw(self, finished: ToolFinished) -> str:
        """Take note of a result; returns a nudge for the model when it repeats itself, else ""."""
        self.gate.saw(finished.result)
        if finished.status == "denied":
            self.denied.append(f"{finished.title}: {finished.result.summary}")
        times = self.guard.repeated(finished.call, finished.result.text)
        if times >= NUDGE_AT:
            return render("repeat", tool=finished.call.name, times=times)
        return ""

    def count_strike(self, *, malformed: bool) -> None:
        """Raise Stop after too many steps in a row in which nothing the model wrote could be run."""
        self.strikes = self.strikes + 1 if malformed else 0
        if self.strikes >= STRIKES:
            raise Stop("model", f"stopped: {STRIKES} replies in a row held no valid tool call")

    def finished(self, reason: Reason, message: str = "") -> TurnFinished:
        """The closing event."""
        denied = tuple(self.denied)
        return TurnFinished(reason, self.text, self.totals, denied, message, self.guard.end())
