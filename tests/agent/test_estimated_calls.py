"""Calls whose usage nobody told: split as they were predicted, against what the provider charged."""

from contextlib import aclosing
from pathlib import Path

import pytest
from support.caching_provider import Charged, Said, providing
from support.long_sessions import AUTOMATIC, MARKED, Followed, make_repository, opened, path_of

from aoci_agent.agent.events import TextDelta
from aoci_agent.agent.meter import StepRecord
from aoci_agent.agent.models.model import Provenance, same_model

PRICE = {"input": 3.0, "output": 15.0, "cache_read": 0.3, "cache_write": 3.75}
PRICES = {MARKED: PRICE, AUTOMATIC: PRICE}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("estimated")
    make_repository(folder / "shop", 150)
    return folder


def near(record: StepRecord, charged: Charged) -> bool:
    """The buckets of an estimate are those that were charged, but for 2 % of the prompt."""
    usage, split = record.usage, charged.split
    written = split.write_5m + split.write_1h
    off = (usage.cache_read - split.read, usage.cache_write - written, usage.prompt - split.prompt)
    dollars = split.read * 0.3 + written * 3.75 + (split.prompt - split.read - written) * 3.0
    paid = (dollars + usage.output * 15.0) / 1e6
    return (
        usage.tokens_from is usage.cost_from is Provenance.ESTIMATED
        and max(map(abs, off)) <= 0.02 * split.prompt
        and usage.cost is not None
        and abs(usage.cost - paid) <= 0.1 * paid
    )


READ = Said("", [("read", {"path": path_of(1)})])


@pytest.mark.parametrize("last", [Said("Half an ans", cut=True), Said("Whole.", usage=False)])
async def test_a_call_without_usage_is_split_as_it_was_predicted(place: Path, last: Said) -> None:
    async with providing("marked", READ, Said("One."), last, Said("Whole.")) as provider:
        followed = Followed(
            opened(place / "shop", place, provider, model=MARKED, prices=PRICES), provider
        )
        await followed.turn("Which?")
        await followed.turn("And?")
        await followed.session.close()
    steps = followed.session.steps()
    assert near(steps[2], provider.charged[2])
    assert steps[2].usage.cache_read > 0.9 * steps[2].usage.prompt


async def test_an_interrupted_call_too(place: Path) -> None:
    script = (READ, Said("One."), Said("a long reply " * 50))
    async with providing("marked", *script) as provider:
        session = opened(place / "shop", place, provider, model=MARKED, prices=PRICES)
        await Followed(session, provider).turn("Which?")
        async with aclosing(session.run("And?")) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    break
        await session.close()
    cut = session.steps()[2]
    assert (cut.finish, cut.usage.output > 0) == ("cut", True)
    assert near(cut, provider.charged[2])


async def test_a_server_that_never_says_usage_is_believed_to_cache_as_its_provider_does(
    place: Path,
) -> None:
    silent = [Said(said.text, said.calls, usage=False) for said in (READ, Said("One."), READ)]
    async with providing("marked", *silent, Said("Two.", usage=False)) as provider:
        session = opened(place / "shop", place, provider, model=MARKED, prices=PRICES)
        followed = Followed(session, provider)
        await followed.turn("Which?")
        await followed.turn("And?")
        await session.close()
    assert all(map(near, session.steps(), provider.charged))


async def test_all_is_fresh_where_nothing_is_known_of_the_provider(place: Path) -> None:
    async with providing("automatic", Said("Half", cut=True), Said("Whole.")) as provider:
        followed = Followed(opened(place / "shop", place, provider, prices=PRICES), provider)
        await followed.turn("Which?")
        await followed.session.close()
    usage = followed.session.steps()[0].usage
    assert (usage.fresh, usage.cache_read, usage.cache_write) == (usage.prompt, 0, 0)


async def test_a_step_has_the_name_the_user_chose_and_the_replys_beside_it(place: Path) -> None:
    async with providing("automatic", Said("Half", cut=True), Said("Whole.")) as provider:
        session = opened(place / "shop", place, provider)
        await Followed(session, provider).turn("Which?")
        await session.close()
    names = [(step.model, step.served) for step in session.steps()]
    assert names == [(AUTOMATIC, ""), (AUTOMATIC, "fake-1")]


@pytest.mark.parametrize(
    ("chosen", "told", "same"),
    [
        ("openai/x", "x", True),
        ("x", "x", True),
        ("openrouter/anthropic/claude", "anthropic/claude", True),
        ("openai/x", "x-2026-11-01", False),
        ("openai/x", "openai/y", False),
    ],
)
def test_a_provider_before_the_name_makes_no_other_model(
    chosen: str, told: str, *, same: bool
) -> None:
    assert same_model(chosen, told) is same
