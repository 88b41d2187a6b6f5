"""A session of this program on a task, from its prompt to its end, with what it used counted."""

import time
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from aoci_agent import __version__
from aoci_agent.agent.events import ToolFinished, TurnFinished
from aoci_agent.agent.models.model import Model
from aoci_agent.agent.session import Session
from aoci_agent.base.errors import ForModel, ForUser
from aoci_agent.evals.replay.cell import Cell, Outcome, Spent, Status
from aoci_agent.evals.replay.task import Budget

RUNNING = ("bash", "test")
EDITING = ("edit", "write")


@dataclass(frozen=True, slots=True)
class Opening:
    """What a session is opened with. `state` takes its record and what is derived of the tree.

    `readable` are folders outside of the tree that its commands need, `variables` their environment.
    """

    tree: Path
    state: Path
    policy: str
    model: str  # "" for one that is put in afterwards
    budget: Budget
    readable: tuple[Path, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict[str, str])


Opener = Callable[[Opening], Session]


@dataclass(frozen=True, slots=True)
class Worked:
    """How the agent's turn went. `broke`: the infrastructure ended it, not the agent."""

    reason: str
    message: str
    spent: Spent
    steps: int
    seconds: float
    commands: int = 0
    failed_edits: int | None = 0  # None: another agent's are not told apart
    broke: bool = False
    version: str = ""  # of the agent

    def outcome(self, cell: Cell, status: Status, **judged: Any) -> Outcome:
        """What came of a cell, with what the turn took; `judged` are the other fields, or others."""
        same = (one.name for one in fields(self) if one.name != "broke")
        taken = {name: getattr(self, name) for name in same}
        return Outcome.model_validate({**taken, "cell": cell, "status": status, **judged})


async def attempt(prompt: str, opening: Opening, opener: Opener, model: Model | None) -> Worked:
    """Run one turn. `model` takes the place of the session's own. Raises ForUser where it cannot open."""
    begun = time.monotonic()
    session = opener(opening)
    if model is not None:
        session.agent.model = model
    finished, message = None, ""
    commands = failed = 0
    untested = ""
    try:
        async with aclosing(session.run(prompt)) as events:
            async for event in events:
                if isinstance(event, ToolFinished):
                    commands += event.call.name in RUNNING
                    failed += event.call.name in EDITING and not event.result.ok
                    if event.call.name == "test" and not event.result.ok:
                        untested = event.result.text.partition("\n")[0]
                elif isinstance(event, TurnFinished):
                    finished, message = event, event.message
    except (ForModel, ForUser) as error:
        message = str(error)
    finally:
        await session.close()
    if model is not None and untested and not message:  # else nobody would hear of it
        message = f"its tests could not be run: {untested}"
    return Worked(
        reason=finished.reason if finished else "failed",
        message=message,
        spent=Spent.of(session.cost()),
        steps=session.cost().steps,
        seconds=time.monotonic() - begun,
        commands=commands,
        failed_edits=failed,
        broke=finished is None or finished.reason == "model",
        version=__version__,
    )
