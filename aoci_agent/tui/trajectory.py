"""What happened in a session that is over, cut into steps to look at one after the other; as plain text too."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aoci_agent.agent import events as happened
from aoci_agent.agent.events import Event
from aoci_agent.agent.meter import Totals, total
from aoci_agent.tui.figures import buckets, cost, seconds


@dataclass(frozen=True, slots=True)
class Ending:
    """What came of it: the output of a check, a diff. `kind` says how it is shown."""

    title: str
    text: str
    kind: str = "text"  # or "diff"


@dataclass(frozen=True, slots=True)
class Trajectory:
    """`about` is one line of whose it is. Events as they were recorded, or made from another's log."""

    about: str
    events: tuple[Event, ...]
    endings: tuple[Ending, ...] = ()

    def steps(self) -> list[tuple[Event, ...]]:
        """The prompt and what stood before the first call of the model, then each call with what followed."""
        found: list[list[Event]] = [[]]
        for event in self.events:
            if isinstance(event, happened.StepStarted):
                found.append([])
            found[-1].append(event)
        return [tuple(step) for step in found]

    @property
    def started(self) -> happened.SessionStarted | None:
        """How the session began, None where nobody recorded it."""
        starts = (one for one in self.events if isinstance(one, happened.SessionStarted))
        return next(starts, None)


def used(events: Sequence[Event]) -> Totals:
    """Sums of the model calls among these events."""
    return total(one.record for one in events if isinstance(one, happened.StepFinished))


def figures(sums: Totals) -> str:
    """Tokens by bucket and dollars, "nothing" where no call was measured."""
    return f"{buckets(sums)} {cost(sums)}" if sums.steps else "no tokens counted"


def plain(trajectory: Trajectory) -> Iterator[str]:
    """All of it as text, step by step."""
    yield trajectory.about
    so_far: list[Event] = []
    for number, step in enumerate(trajectory.steps()):
        so_far += step
        if number:
            yield ""
            yield f"-- step {number} · {figures(used(step))} · so far {figures(used(so_far))}"
        for event in step:
            yield from _lines(event)
    for ending in trajectory.endings:
        yield ""
        yield f"-- {ending.title}"
        yield ending.text.rstrip("\n")


def _lines(event: Event) -> Iterator[str]:
    match event:
        case happened.TurnStarted(prompt):
            yield f"> {prompt}"
        case happened.Replied(message) if message.text.strip():
            yield message.text.strip("\n")
        case happened.ToolFinished():
            yield _call(event)
            if event.result.diff or event.result.text:
                yield (event.result.diff or event.result.text).rstrip("\n")
        case happened.HistoryRewritten(reason):
            yield f"· history rewritten: {reason}"
        case happened.Notice(text):
            yield f"· {text}"
        case happened.TurnFinished():
            told = f": {event.message}" if event.message and event.reason != "done" else ""
            yield f"· ended: {event.reason}{told}, {seconds(event.seconds)}, {figures(event.turn)}"
        case _:
            pass


def _call(event: happened.ToolFinished) -> str:
    words = (event.title or event.call.name, event.status, event.result.summary)
    return f"* {' · '.join(filter(None, words))} · {seconds(event.seconds)}"
