"""Limits: warned of at 80 %, stopped before the call that would pass, and how to go on."""

import multiprocessing
from pathlib import Path

import pytest
from support.fakes import FakeTool, Harness, call, harness, look, says

from aoci_agent.agent.budget import Budget
from aoci_agent.agent.events import Event, Notice, StepFinished, TurnFinished
from aoci_agent.agent.limits import Limits
from aoci_agent.agent.meter import Totals
from aoci_agent.agent.models.model import ContextOverflow, StreamCut, Usage
from aoci_agent.agent.spending import Spending
from aoci_agent.base.errors import BadUsage, ModelUnavailable
from aoci_agent.tools.tool import Effect, ToolResult


def looking(
    limits: Limits, cost: float | None = 0.1, day: Spending | None = None, steps: int = 12
) -> Harness:
    lines = [says("", call("look", str(number))) for number in range(steps)]
    return harness([*lines, says("done")], look(), limits=limits, cost=cost, day=day)


def closing(events: list[Event]) -> TurnFinished:
    assert isinstance(events[-1], TurnFinished)
    return events[-1]


def warnings(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice) and "budget" in event.text]


async def test_the_call_that_would_pass_the_cost_is_not_sent() -> None:
    h = looking(Limits(cost=0.5))
    events = await h.turn()
    finished = closing(events)
    assert (finished.reason, len(h.model.requests)) == ("cost", 5)
    assert "would pass --max-cost $0.50" in finished.message
    assert "/budget cost N" in finished.message
    assert warnings(events) == ["the budget comes to its end: $0.40 of $0.50 (--max-cost)"]


async def test_a_raised_limit_goes_on_where_it_stopped() -> None:
    h = looking(Limits(cost=0.5))
    await h.turn()
    assert h.agent.budget.set("cost", "$2").startswith("cost: $2.00")
    assert closing(await h.turn("go on")).reason == "done"
    assert len(h.model.requests) == 13


async def test_a_limit_is_of_the_session_not_of_a_turn() -> None:
    h = harness([says("one"), says("two")], look(), limits=Limits(cost=0.15), cost=0.1)
    assert closing(await h.turn()).reason == "done"
    assert closing(await h.turn()).reason == "cost"
    assert len(h.model.requests) == 1


async def test_tokens_are_predicted_before_the_call() -> None:
    h = looking(Limits(tokens=1))
    assert closing(await h.turn()).reason == "tokens"
    assert h.model.requests == []


async def test_steps_are_of_the_session_and_a_turn_that_runs_away_ends() -> None:
    h = looking(Limits(turn_steps=3))
    assert "say go on" in closing(await h.turn()).message
    assert closing(await h.turn()).reason == "steps"
    assert len(h.model.requests) == 6
    h.agent.budget.set("steps", "7")
    events = await h.turn()
    assert "after 7 steps (--max-steps)" in closing(events).message
    assert warnings(events) == ["the budget comes to its end: 7 steps of 7 steps (--max-steps)"]


async def test_a_limit_changed_in_a_running_turn_holds_at_once() -> None:
    h = looking(Limits(steps=2))
    reasons: list[str] = []
    async for event in h.agent.run("go"):
        if isinstance(event, StepFinished) and h.agent.meter.session.steps == 1:
            h.agent.budget.set("steps", "none")
        if isinstance(event, TurnFinished):
            reasons.append(event.reason)
    assert reasons == ["done"]


async def test_a_free_model_never_passes_a_cost() -> None:
    assert closing(await looking(Limits(cost=0.0), cost=0.0).turn()).reason == "done"


async def test_an_unknown_price_with_a_cost_is_refused_before_the_first_call() -> None:
    h = looking(Limits(cost=5.0), cost=None)
    finished = closing(await h.turn())
    assert (finished.reason, h.model.requests) == ("cost", [])
    assert "no known price" in finished.message
    assert "[prices]" in finished.message
    h.agent.budget.set("cost", "none")
    assert closing(await h.turn()).reason == "done"


def test_a_provider_that_names_its_costs_needs_no_price_of_ours() -> None:
    budget = Budget(Limits(cost=1.0))
    session = Totals(steps=4, fresh=900, output=100, cost=0.5, priced=0.5)
    budget.before(Usage(fresh=400, output=100), session)  # 0.25 more at the same rate


async def test_a_day_counts_over_sessions(tmp_path: Path) -> None:
    limits = Limits(day_cost=0.5)
    first = looking(limits, day=Spending(tmp_path), steps=2)
    assert closing(await first.turn()).reason == "done"
    second = looking(limits, day=Spending(tmp_path))
    events = await second.turn()
    finished = closing(events)
    assert (finished.reason, len(second.model.requests)) == ("cost", 2)
    assert "tomorrow" in finished.message
    assert warnings(events) == ["the budget comes to its end: $0.40 of $0.50 (day_max_cost)"]


async def test_a_new_day_begins_at_nothing(tmp_path: Path) -> None:
    days = ["2026-11-30"]
    spending = Spending(tmp_path, lambda: days[0])
    spending.write("a", 100, 0.5)
    assert spending.spent().cost == 0.5
    days[0] = "2026-12-01"
    assert spending.spent().calls == 0
    spending.write("a", 120, 0.6)  # it ended after midnight: it is no call of both days
    assert spending.spent().calls == 0
    assert Spending(tmp_path, lambda: "2026-11-30").spent().cost == 0.6


def test_recorded_replies_are_no_spending(tmp_path: Path) -> None:
    budget = Budget(Limits(day_tokens=1), Spending(tmp_path))
    budget.before(Usage(fresh=100), Totals(), recorded=True)
    budget.release()
    assert list(tmp_path.iterdir()) == []


async def test_a_refused_call_takes_nothing_and_a_cut_one_what_came(tmp_path: Path) -> None:
    spending = Spending(tmp_path)
    h = harness([ModelUnavailable("no key")], look(), cost=0.1, day=spending)
    await h.turn()
    assert (spending.spent().tokens, spending.spent().cost) == (0, 0.0)
    h = harness([StreamCut("cut", "half"), says("whole")], look(), cost=0.1, day=spending)
    await h.turn()
    assert spending.spent().tokens == h.agent.meter.session.tokens
    assert round(spending.spent().cost, 9) == 0.2


async def test_a_call_that_was_too_long_takes_nothing(tmp_path: Path) -> None:
    spending = Spending(tmp_path)
    looks = [says("", call("look", str(number))) for number in range(9)]
    big = FakeTool("look", Effect.READ, lambda text: ToolResult(f"{text}\n" + "word " * 500))
    h = harness([*looks, ContextOverflow("too long"), says("fits")], big, cost=0.1, day=spending)
    assert closing(await h.turn()).text == "fits"
    assert spending.spent().tokens == h.agent.meter.session.tokens


async def test_a_ledger_that_fails_behind_a_call_takes_no_step_out_of_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spending = Spending(tmp_path)
    h = looking(Limits(day_cost=9.0), day=spending)
    write, written = spending.write, list[str]()

    def full(call: str, tokens: int, cost: float | None) -> None:
        written.append(call)
        if len(written) > 1:
            raise OSError(28, "No space left on device")
        write(call, tokens, cost)

    monkeypatch.setattr(spending, "write", full)
    assert "No space left" in closing(await h.turn()).message
    steps = [event for event in h.recorder.events if isinstance(event, StepFinished)]
    assert len(steps) == len(h.model.requests) == h.agent.meter.session.steps == 1


def test_damaged_lines_and_a_torn_end_are_left_out(tmp_path: Path) -> None:
    spending = Spending(tmp_path, lambda: "2026-11-30")
    spending.write("a", 10, 0.1)
    file = tmp_path / "2026-11-30.jsonl"
    with file.open("ab") as out:
        out.write(
            b'nonsense\n[]\n{"call": 1}\n{"call": "x", "tokens": -1, "cost": NaN}\n{"call": "b'
        )
    spending.write("c", 5, None)
    spent = spending.spent()
    assert (spent.tokens, spent.cost, spent.calls, spent.unpriced) == (15, 0.1, 2, 1)
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_call_that_is_running_elsewhere_counts(tmp_path: Path) -> None:
    one, other = (Budget(Limits(day_tokens=150), Spending(tmp_path)) for _ in range(2))
    one.before(Usage(fresh=100), Totals())
    with pytest.raises(Exception, match="day_max_tokens"):
        other.before(Usage(fresh=100), Totals())
    one.release()
    other.before(Usage(fresh=100), Totals())


def spend(folder: str) -> None:
    budget = Budget(Limits(day_tokens=1000), Spending(Path(folder)))
    for _ in range(30):
        try:
            budget.before(Usage(fresh=10), Totals())
        except Exception:  # noqa: BLE001 - Stop: the day is full
            return


def test_processes_together_never_pass_the_day(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=spend, args=(str(tmp_path),)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for _ in range(4):
        spend(str(tmp_path))
    assert Spending(tmp_path).spent().tokens == 1000


async def test_a_ledger_that_cannot_be_written_stops_only_who_has_a_day_limit(
    tmp_path: Path,
) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    assert closing(await looking(Limits(), day=Spending(blocker)).turn()).reason == "done"
    stopped = closing(await looking(Limits(day_cost=9.0), day=Spending(blocker)).turn())
    assert "the day's ledger cannot be kept" in stopped.message


@pytest.mark.parametrize(("key", "value"), [("cots", "1"), ("cost", "-1"), ("cost", "nan")])
def test_what_is_no_limit_is_refused(key: str, value: str) -> None:
    with pytest.raises(BadUsage):
        Budget(Limits()).set(key, value)
