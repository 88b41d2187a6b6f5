"""What an agent did in a cell: events, from the record of a session or from what the proxy saw; and in short."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from aoci_agent.agent import events as happened
from aoci_agent.agent.events import Event
from aoci_agent.agent.meter import StepRecord, Totals
from aoci_agent.agent.models.model import Provenance, Usage
from aoci_agent.agent.recorded_events import recorded_events
from aoci_agent.base.terminal import one_line
from aoci_agent.evals.replay.exchange import REQUESTS, Exchange, exchanges_in, parsed
from aoci_agent.evals.replay.store import record_in
from aoci_agent.policies.conversation import AssistantMessage, ToolCall
from aoci_agent.tools.tool import Preview, ToolResult

_TITLE = 100  # characters of another agent's call in its line
_TOLD = 2_000  # and of what it told the model later


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that happened. `kind`: call, text, rewrite, notice or end."""

    step: int
    kind: str
    title: str
    ok: bool = True
    detail: str = ""  # what came of a call, in one line
    tokens: int | None = None  # of the model call that led to it; on its first act only


def events_of(place: Path) -> Iterator[Event]:
    """Of the folder of a cell, whoever worked in it; none where nothing was recorded."""
    record = record_in(place)
    return recorded_events(record) if record else _of_peer(exchanges_in(place / REQUESTS))


def acts_of(events: Iterable[Event]) -> Iterator[Act]:
    """The acts among the events of a session."""
    step, tokens, said = 0, None, ""
    for event in events:
        match event:
            case happened.Replied(message):
                said = message.text.strip()
            case happened.StepFinished(record):
                step, tokens = step + 1, _tokens(record.usage)
                if said:
                    yield Act(step, "text", said, tokens=tokens)
                    tokens = None
            case happened.ToolFinished():
                title = event.title or event.call.name
                ok = event.status == "done"
                yield Act(step, "call", title, ok, event.result.summary, tokens)
                tokens = None
            case happened.HistoryRewritten(reason):
                yield Act(step, "rewrite", reason)
            case happened.Notice(text, level):
                yield Act(step, "notice", text, ok=level == "info")
            case happened.TurnFinished(reason):
                words = event.text.strip() or event.message
                told = "" if words == said else words
                yield Act(step, "end", reason, reason == "done", told, tokens)
                tokens = None
            case _:
                pass


def text_in(place: Path, name: str) -> str:
    """A text that a cell left behind; "" where it left none."""
    try:
        return (place / name).read_text("utf-8", errors="replace")
    except OSError:
        return ""


def _tokens(usage: Usage) -> int | None:
    """None where nobody counted them."""
    count = usage.prompt + usage.output
    return count if count or usage.tokens_from is Provenance.MEASURED else None


def _of_peer(log: Iterable[Exchange]) -> Iterator[Event]:
    calls = [call for call in log if call.api != "other"]
    answers = {said.answers: said.text for call in calls for said in call.told if said.answers}
    sums = Totals()
    for number, call in enumerate(calls, 1):
        yield from _told(call, first=number == 1)
        usage = call.usage
        yield happened.StepStarted(number, usage.fresh + usage.read + usage.write if usage else 0)
        if not call.step:
            yield happened.Notice(f"{call.ended} ({call.status}): {call.message}", "error")
            continue
        record = _record(number, call)
        sums = sums.plus(record)
        reply = call.reply
        made = tuple(ToolCall(c.id, c.name, c.arguments) for c in reply.calls) if reply else ()
        yield happened.Replied(AssistantMessage(reply.text if reply else "", made))
        yield happened.StepFinished(record, sums)
        for one in made:
            yield from _ran(one, answers.get(one.id))
        if call.ended == "cut":
            yield happened.Notice("the reply broke off here", "warning")


def _told(call: Exchange, *, first: bool) -> Iterator[Event]:
    """The prompt as it was sent, and of the agent's own instructions the beginning; later, what it added."""
    for said in call.told:
        if said.answers:
            continue
        if said.role != "user":
            size = f"{said.role}, {len(said.text):,} characters: "
            yield happened.Notice(size + one_line(said.text, _TITLE))
        else:
            yield happened.TurnStarted(said.text) if first else happened.Notice(said.text[:_TOLD])


def _record(number: int, call: Exchange) -> StepRecord:
    used = call.usage
    if used is None:
        usage = Usage(cost=call.dollars, tokens_from=Provenance.ESTIMATED)
    else:
        usage = Usage(used.fresh, used.read, used.write, used.output, cost=call.dollars)
    return StepRecord(number, call.model, "", usage, seconds=call.seconds, finish=call.ended)


def _ran(call: ToolCall, answer: str | None) -> Iterator[Event]:
    given = parsed(call.arguments.encode("utf-8", "replace"))
    words = " ".join(map(str, given.values())) if given else call.arguments
    title = one_line(" ".join(f"{call.name} {words}".split()), _TITLE)
    yield happened.ToolStarted(call, Preview("text", title))
    told = "its result was not sent back" if answer is None else ""
    yield happened.ToolFinished(call, ToolResult(answer or "", summary=told), "done", 0.0, title)
