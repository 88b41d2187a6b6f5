"""One cell of `policies`: a session of a policy on a case, from the question to its score."""

import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from aoci_agent.agent.events import HistoryRewritten, ToolFinished, TurnFinished
from aoci_agent.agent.meter import StepRecord
from aoci_agent.agent.models.model import Model, ModelError, Provenance
from aoci_agent.agent.session import Session
from aoci_agent.base.errors import ForModel, ForUser
from aoci_agent.evals.policies_cases import Task
from aoci_agent.evals.policies_score import AGAIN, CONTRACT, Score, locations, score
from aoci_agent.policies.conversation import AssistantMessage
from aoci_agent.policies.layers import Prefix

STEPS = 16  # model calls of a turn
FAILED: Final = "failed"
FORCED = 2  # answers asked for without tools when there is none


@dataclass(frozen=True, slots=True)
class Opening:
    """What a session is opened with. `state` takes what is derived of the repository."""

    root: Path
    state: Path
    policy: str
    model: str  # "" for one that is put in afterwards
    steps: int = STEPS


Opener = Callable[[Opening], Session]


@dataclass(frozen=True, slots=True)
class Row:
    """One cell. Token sums are None where one call's usage was not reported, `dollars` without a price."""

    case: str
    repository: str
    policy: str
    model: str
    score: Score
    steps: int
    forced: int
    answer: str
    reason: str  # how the turn ended: done, steps, ... or failed
    tokens: dict[str, int] | None  # fresh, read, write, output
    dollars: float | None
    seconds: float
    calls: tuple[str, ...] = ()  # the trajectory: what was called, in order
    message: str = ""  # why it failed

    @property
    def trajectory(self) -> int | None:
        """All tokens of all calls."""
        return None if self.tokens is None else sum(self.tokens.values())

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self) | {"score": self.score._asdict()}

    @classmethod
    def of(cls, data: dict[str, Any]) -> "Row":
        """From plain data. Raises KeyError, TypeError."""
        own: dict[str, Any] = {"score": Score(**data["score"]), "calls": tuple(data["calls"])}
        return cls(**(data | own))


class _Turn(NamedTuple):
    answer: str
    reason: str
    calls: tuple[str, ...]
    message: str


async def cell(task: Task, opening: Opening, opener: Opener, model: Model | None) -> Row:
    """Run it. `model` takes the place of the session's own. A cell that fails scores 0."""
    started = time.perf_counter()
    session = opener(opening)
    if model is not None:
        session.agent.model = model
    forced = 0
    try:
        _contract(session)
        turn = await _turn(session, task.case.query)
        answer = turn.answer
        while not locations(answer) and forced < FORCED and turn.reason != FAILED:
            forced += 1
            answer = await _forced(session) or answer
        steps = session.steps()
    finally:
        await session.close()
    return Row(
        task.case.id,
        task.case.repository,
        opening.policy,
        session.agent.model.name,
        score(locations(answer) if turn.reason != FAILED else (), task.blocks, task.case.files),
        len(steps),
        forced,
        answer,
        turn.reason,
        _tokens(steps),
        _dollars(steps),
        time.perf_counter() - started,
        turn.calls,
        turn.message,
    )


def _contract(session: Session) -> None:
    """Put the form of the answer into the rules: in the question it would be searched for."""
    conversation = session.agent.conversation
    rules, *others = conversation.prefix.layers
    rules = replace(rules, text=f"{rules.text}\n\n{CONTRACT}")
    conversation.prefix = Prefix(conversation.prefix.tools, (rules, *others))


async def _turn(session: Session, question: str) -> _Turn:
    finished: TurnFinished | None = None
    calls: list[str] = []
    try:
        async with aclosing(session.run(question)) as events:
            async for event in events:
                if isinstance(event, ToolFinished):
                    calls.append(event.title + ("" if event.result.ok else " (failed)"))
                elif isinstance(event, HistoryRewritten):
                    calls.append(f"[{event.reason}]")
                elif isinstance(event, TurnFinished):
                    finished = event
    except (ForModel, ForUser) as error:
        return _Turn("", FAILED, tuple(calls), str(error))
    if finished is None:
        return _Turn("", FAILED, tuple(calls), "the turn did not end")
    broken = finished.reason in ("model", "overflow")
    reason = FAILED if broken else finished.reason
    return _Turn(finished.text, reason, tuple(calls), finished.message)


async def _forced(session: Session) -> str:
    """An answer without tools: one more call, metered as every other."""
    agent = session.agent
    agent.conversation.remind(AGAIN)
    request = agent.conversation.request(agent.model.window)
    request = replace(request, extra=request.extra | {"tool_choice": "none"})
    call = agent.meter.start(request, agent.model, agent.conversation.policy.name)
    try:
        async with aclosing(agent.model.stream(request)) as pieces:
            async for piece in pieces:
                call.saw(piece)
        call.finish()
    except ModelError as error:
        call.abort(error)
    text = call.text
    agent.conversation.hear(AssistantMessage(text))
    return text


def _tokens(steps: tuple[StepRecord, ...]) -> dict[str, int] | None:
    """By bucket; None when nobody measured one of the calls."""
    if not steps or any(step.usage.tokens_from is not Provenance.MEASURED for step in steps):
        return None
    return {
        "fresh": sum(step.usage.fresh for step in steps),
        "read": sum(step.usage.cache_read for step in steps),
        "write": sum(step.usage.cache_write for step in steps),
        "output": sum(step.usage.output for step in steps),
    }


def _dollars(steps: tuple[StepRecord, ...]) -> float | None:
    costs = [step.usage.cost for step in steps]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if steps and len(known) == len(costs) else None
