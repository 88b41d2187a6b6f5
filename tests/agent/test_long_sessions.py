"""Long sessions in a small window: never over it, nothing pinned is lost, and they resume."""

from pathlib import Path

import pytest

from aoci_agent.agent.events import TurnFinished
from aoci_agent.agent.resume import read
from aoci_agent.evals.long_script import LongModel, repository
from aoci_agent.evals.long_session import opened, run

TURNS = 120
WINDOW = 8192


@pytest.mark.gate("R17")
async def test_no_request_passes_the_window_and_no_fact_is_lost(tmp_path: Path) -> None:
    made = await run(tmp_path, TURNS, WINDOW)
    assert made.stopped == []
    assert made.lost == []
    assert made.largest <= WINDOW
    assert made.compactions > 10
    assert made.summaries > 1
    assert made.same
    assert made.checked > TURNS // 10
    assert made.changed == 20


async def test_a_session_goes_on_after_it_was_resumed_many_times(tmp_path: Path) -> None:
    """Items 16 to 19 too: sums go on, the gauge is not of a sum and not of a summary."""
    root, model = repository(tmp_path), LongModel(WINDOW)
    reasons: list[str] = []
    for turn in range(1, 31):
        session = opened(root, tmp_path, model)
        before = session.cost().steps
        async for event in session.run(model.begin(turn)):
            if isinstance(event, TurnFinished):
                reasons.append(event.reason)
        assert session.cost().steps > before
        gauge = session.account.gauge()
        assert gauge.used < WINDOW
        assert gauge.used < session.cost().tokens or turn == 1
        await session.close()
    assert reasons == ["done"] * 30
    assert model.lost == []
    assert model.largest <= WINDOW
    resumed = read(tmp_path / "long.jsonl")
    assert resumed.turns == 30
    assert len(resumed.steps) == model.requests == resumed.totals.steps
    assert sum(step.side for step in resumed.steps) == model.summaries > 0
