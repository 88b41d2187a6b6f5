"""The prediction of a call against what a provider with a real prefix cache then charges for it."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Literal

import pytest
from support.caching_provider import Said, providing
from support.long_sessions import AUTOMATIC, MARKED, make_repository, opened, path_of

from aoci_agent.agent.events import StepFinished, StepStarted
from aoci_agent.agent.forecast import Ahead
from aoci_agent.agent.models.model import Usage
from aoci_agent.agent.session import Session

Kind = Literal["automatic", "marked"]
MODELS: dict[Kind, str] = {"automatic": AUTOMATIC, "marked": MARKED}
STEP = 128  # an automatic cache reads in steps of so many tokens


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("forecast")
    make_repository(folder / "shop", 150)
    return folder


def turn(*numbers: int) -> list[Said]:
    return [*(Said("", [("read", {"path": path_of(number)})]) for number in numbers), Said("So.")]


async def calls(session: Session, prompt: str) -> AsyncGenerator[tuple[Ahead, Usage]]:
    """Each call of a turn: as it was predicted before it was sent, and as it was charged."""
    before = Ahead(Usage())
    async for event in session.run(prompt):
        if isinstance(event, StepStarted):
            before = session.account.ahead()
        if isinstance(event, StepFinished):
            yield before, event.record.usage


@pytest.mark.parametrize("kind", ["automatic", "marked"])
async def test_calls_take_what_was_predicted_also_across_switches(place: Path, kind: Kind) -> None:
    script = [*turn(1, 2, 3), *turn(4, 5), *turn(6), *turn(7, 8)]
    policies = ("aoci", "grep-read", "eager", "compact,no-index")
    seen: list[tuple[Ahead, Usage]] = []
    async with providing(kind, *script) as provider:
        session = opened(place / "shop", place, provider, policy="aoci", model=MODELS[kind])
        for policy in policies:
            session.set_policy(policy)
            seen += [one async for one in calls(session, f"Which one, under {policy}?")]
        await session.close()
    assert len(seen) == len(script)
    for ahead, usage in seen:
        assert abs(ahead.usage.prompt - usage.prompt) <= 0.01 * usage.prompt
        off = abs(ahead.kept - usage.cache_read)
        # After a switch the provider may still know the prefix of an earlier policy: it reads more.
        assert off <= STEP or ahead.kept <= usage.cache_read
    exact = sum(abs(ahead.kept - usage.cache_read) <= STEP for ahead, usage in seen)
    assert exact >= len(seen) - (len(policies) - 1)


@pytest.mark.parametrize("kind", ["automatic", "marked"])
async def test_the_row_of_a_policy_is_the_call_after_the_switch(place: Path, kind: Kind) -> None:
    question = "Which ledger weighs amber?"
    async with providing(kind, *turn(1), *turn(2)) as provider:
        session = opened(place / "shop", place, provider, policy="aoci", model=MODELS[kind])
        _ = [one async for one in calls(session, question)]
        rows = {row.name: row for row in await session.policies(question)}
        told = session.set_policy("eager")
        charged, *_ = [usage async for _, usage in calls(session, question)]
        await session.close()
    row = rows["eager"]
    assert "cached tokens stay" in told
    assert row.layers["candidates"] > 0
    assert abs(row.usage.prompt - charged.prompt) <= 0.01 * charged.prompt
    assert abs(row.kept - charged.cache_read) <= STEP
    assert rows["grep-read"].kept < row.kept
