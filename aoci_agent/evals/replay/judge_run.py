"""The judge at work: which cells of a run are to be judged, and one call of the model after the other."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from random import Random
from typing import NamedTuple

from aoci_agent.agent.budget import Budget
from aoci_agent.agent.meter import Meter, total
from aoci_agent.agent.models.model import BrokenReply, Model, ModelError, Reply
from aoci_agent.base.errors import NotPossible
from aoci_agent.base.git import Repository
from aoci_agent.base.secrets import Mask
from aoci_agent.evals.replay.cell import Cell, Spent
from aoci_agent.evals.replay.gold import changed_by
from aoci_agent.evals.replay.judge import (
    Case,
    Judgement,
    case_of,
    change_in,
    judgements_in,
    keep,
    read_answer,
    version,
)
from aoci_agent.evals.replay.store import RunFolder
from aoci_agent.evals.replay.task import Task

_SEED = 0  # of the order in which cells are judged: it tells nothing of the grid
PURPOSE = "judge"
_KEPT = 500  # characters of a reply that says nothing


class Pending(NamedTuple):
    """A cell that this model has not judged."""

    cell: Cell
    change: str  # digest of its diff
    case: Case


class ToJudge(NamedTuple):
    """The changes of a run. Cells that changed nothing have nothing to quote, and are not asked about."""

    pending: list[Pending]
    judged: int
    unchanged: int


def to_judge(folder: RunFolder, source: Repository, model: str, mask: Mask) -> ToJudge:
    """The cells of a run that ended by themselves, in an order that is always the same. NotPossible."""
    made, fixes = folder.run(), dict[str, str]()
    found = ToJudge([], 0, 0)
    for outcome in folder.outcomes():
        cell, place = outcome.cell, folder.place(outcome.cell)
        change, digest = change_in(place)
        if outcome.broken:
            continue
        if not change:
            found = found._replace(unchanged=found.unchanged + 1)
        elif (version(), model, digest) in {one.key for one in judgements_in(place)}:
            found = found._replace(judged=found.judged + 1)
        else:
            task = made.task(cell)
            if task.id not in fixes:
                fixes[task.id] = _fix(source, task)
            case = case_of(task.prompt, fixes[task.id], change, mask, passed=outcome.passed)
            found.pending.append(Pending(cell, digest, case))
    Random(_SEED).shuffle(found.pending)
    return found


def ahead(pending: Sequence[Pending], model: Model) -> tuple[int, float | None]:
    """Tokens and dollars that judging will take, counted here; None where no price is known."""
    meter = Meter()
    usages = [meter.ahead(meter.pieces(one.case.request()), model).usage for one in pending]
    costs = [usage.cost for usage in usages if usage.cost is not None]
    tokens = sum(usage.prompt + usage.output for usage in usages)
    return tokens, sum(costs) if len(costs) == len(usages) else None


class Judge:
    """Judges cells one by one. Each is written down as soon as it is judged."""

    def __init__(self, folder: RunFolder, model: Model, budget: Budget) -> None:
        self.meter = Meter()
        self._folder, self._model, self._budget = folder, model, budget

    async def run(
        self, pending: Sequence[Pending], tell: Callable[[Pending, Judgement | str], None]
    ) -> int:
        """How many could not be judged, which `tell` is told with the reason.

        Raises Stop before a call that would pass a limit, and ForUser where the model cannot be asked.
        """
        failed = 0
        for one in pending:
            try:
                made = await self._judged(one)
            except ModelError as error:
                failed += 1
                tell(one, str(error))
            else:
                keep(self._folder.place(one.cell), made)
                tell(one, made)
        return failed

    async def _judged(self, one: Pending) -> Judgement:
        before = len(self.meter.records)
        try:
            text = await self._asked(one.case)
        except BrokenReply:  # once more
            text = await self._asked(one.case)
        findings = read_answer(text, one.case.change)
        return Judgement(
            rubric=version(),
            model=self._model.name,
            change=one.change,
            findings=findings,
            spent=Spent.of(total(self.meter.records[before:])),
            reply="" if any(one.answer != "void" for one in findings.values()) else text[:_KEPT],
        )

    async def _asked(self, case: Case) -> str:
        request = case.request()
        call = self.meter.start(request, self._model, PURPOSE, side=True)
        recorded = self._model.recorded
        self._budget.before(call.ahead.usage, self.meter.session, recorded=recorded)
        try:
            async with aclosing(self._model.stream(request)) as pieces:
                text = ""
                async for piece in pieces:
                    call.saw(piece)
                    if isinstance(piece, Reply):
                        text = piece.message.text
            self._budget.after(call.finish())
        except (BrokenReply, asyncio.CancelledError) as error:
            self._budget.after(call.abort(error))
            raise
        finally:
            self._budget.release()
        return text


def _fix(source: Repository, task: Task) -> str:
    """What the person changed, without the hidden tests; "" for a task that names no fix."""
    if not task.fix:
        return ""
    try:
        touched = changed_by(source, task.base, task.fix)
        paths = [path for path in touched if path not in task.hidden]
        return source.git("diff-tree", "-p", task.base, task.fix, "--", *paths) if paths else ""
    except NotPossible as error:
        raise NotPossible(f"the fix of {task.id} cannot be read: {error}") from error
