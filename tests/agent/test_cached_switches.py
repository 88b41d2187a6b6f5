"""What a provider's cache keeps when a session changes its model, its policy or its history underway."""

import json
from pathlib import Path

import pytest
from support.cache_arithmetic import (
    AFTER,
    KINDS,
    MODELS,
    Arithmetic,
    Kind,
    fixed_size,
    measured,
    size,
)
from support.caching_provider import CachingProvider, Said, encoded, providing
from support.long_sessions import Followed, make_repository, opened, path_of, record_of, text_of

from aoci_agent.agent.events import HistoryRewritten, Notice
from aoci_agent.agent.models.model import Provenance
from aoci_agent.policies.layers import Prefix

WINDOW = 30_000


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the ledgers in `shop`, and room beside them."""
    folder = tmp_path_factory.mktemp("ledgers")
    make_repository(folder / "shop")
    return folder


def reads(*numbers: int) -> Said:
    return Said("", [("read", {"path": path_of(number)}) for number in numbers])


def follow(place: Path, provider: CachingProvider, **settings: object) -> Followed:
    model = MODELS[provider.kind]
    session = opened(place / "shop", place, provider, None, **({"model": model} | settings))
    return Followed(session, provider)


def gauges(followed: Followed) -> list[int]:
    return [step.gauge for step in followed.steps]


def prompts(provider: CachingProvider) -> list[int]:
    return [charged.split.prompt for charged in provider.charged]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_cache_belongs_to_one_model(place: Path, kind: Kind) -> None:
    async with providing(kind, *(reads(1), Said("One.")) * 3) as provider:
        followed = follow(place, provider)
        session = followed.session
        await followed.turn("Which?")
        await session.set_model(f"{MODELS[kind]}-too")
        await followed.turn("And now?")
        await session.set_model(MODELS[kind])
        await followed.turn("And then?")
        await session.close()
    one, other = (Arithmetic(kind, fixed_size(provider.charged[0])) for _ in "12")
    steps = followed.steps
    assert measured(steps) == [*one.of(steps[:2]), *other.of(steps[2:4]), *one.of(steps[4:])]
    assert steps[2].record.usage.cache_read == 0
    assert steps[4].record.usage.cache_read >= 40_000


@pytest.mark.parametrize("kind", KINDS)
async def test_policies_with_the_same_layers_share_all_of_the_prefix(
    place: Path, kind: Kind
) -> None:
    async with providing(kind, *(reads(1), Said("One.")) * 3) as provider:
        followed = follow(place, provider, policy="aoci")
        await followed.turn("Which weighs amber?")
        followed.session.set_policy("eager,snippets")
        await followed.turn("Which counts birch?")
        followed.session.set_policy("compact")
        await followed.turn("Which packs cedar?")
        await followed.session.close()
    arithmetic = Arithmetic(kind, fixed_size(provider.charged[0]))
    assert measured(followed.steps) == arithmetic.of(followed.steps)
    assert all(step.record.usage.cache_read >= 40_000 for step in followed.steps[1:])


async def switched(place: Path, kind: Kind) -> tuple[Followed, Prefix]:
    """grep-read for a turn, then aoci, then grep-read again; the prefix of the last."""
    async with providing(kind, *(reads(1), Said("One.")) * 3) as provider:
        followed = follow(place, provider, policy="grep-read")
        for policy in ("grep-read", "aoci", "grep-read"):
            followed.session.set_policy(policy)
            await followed.turn("Which?")
        await followed.session.close()
    return followed, followed.session.agent.conversation.prefix


async def test_an_index_that_comes_or_goes_leaves_tools_and_rules(place: Path) -> None:
    followed, prefix = await switched(place, "automatic")
    body = json.loads(followed.provider.charged[0].raw)
    tools = json.dumps([tool["function"] for tool in body["tools"]], separators=(",", ":"))
    # The last token of the rules is another one where a blank line follows.
    shared = len(encoded(tools)) + 3 + len(encoded(prefix.system)) - 1
    reads = [step.record.usage.cache_read for step in followed.steps]
    assert shared > 1024
    assert reads[2] == shared // 128 * 128  # aoci after grep-read
    assert reads[4] == (prompts(followed.provider)[1] // 128) * 128  # and back: all of its own


async def test_marks_keep_tools_and_rules_when_the_index_comes(place: Path) -> None:
    followed, prefix = await switched(place, "marked")
    body = json.loads(followed.provider.charged[0].raw)
    tools = json.dumps([tool["function"] for tool in body["tools"]], separators=(",", ":"))
    shared = len(encoded(tools)) + 3 + len(encoded(prefix.system))
    assert shared > 1024
    assert followed.steps[2].record.usage.cache_read == shared


async def test_writes_for_an_hour_are_told_apart_and_live_that_long(place: Path) -> None:
    async with providing("marked", *(reads(n) for n in range(5)), Said("One."), ttl="1h") as made:
        followed = follow(place, made)
        followed.pause = lambda step: {3: 3_599.0, 5: 3_600.0}.get(step, 1.0)
        await followed.turn("Which?")
        await followed.session.close()
    sent = [fixed_size(made.charged[0]) + sum(map(size, s.messages)) for s in followed.steps]
    cold, ends = (0, 4), [total - AFTER for total in sent]
    usages = [step.record.usage for step in followed.steps]
    assert [usage.cache_read for usage in usages] == [
        0 if at in cold else ends[at - 1] for at in range(6)
    ]
    assert [usage.cache_write_1h for usage in usages] == [usage.cache_write for usage in usages]
    assert [usage.cache_write for usage in usages] == [
        ends[at] if at in cold else ends[at] - ends[at - 1] for at in range(6)
    ]


@pytest.mark.parametrize("policy", ["aoci", "compact"])
@pytest.mark.parametrize("kind", KINDS)
async def test_a_resumed_session_reads_all_it_had_sent(
    place: Path, kind: Kind, policy: str
) -> None:
    async with providing(kind, *(reads(1), reads(2), Said("One.")) * 2) as provider:
        followed = follow(place, provider, policy=policy)
        await followed.turn("Which weighs amber?")
        await followed.session.close()
        record = record_of(followed.session, place)
        provider.now += 200
        followed.session = opened(place / "shop", place, provider, record)
        assert followed.session.status.model == MODELS[kind]
        await followed.turn("Which counts birch?")
        await followed.session.close()
    arithmetic = Arithmetic(kind, fixed_size(provider.charged[0]))
    by_hand = arithmetic.of(followed.steps)
    assert measured(followed.steps) == by_hand
    session = followed.session.cost()
    sums = tuple(map(sum, zip(*by_hand, strict=True)))
    assert (session.fresh, session.cache_read, session.cache_write) == sums


async def test_a_session_resumed_after_edits_still_reads_the_index(place: Path) -> None:
    home = place / "edited"
    make_repository(home / "shop", 100)
    old = text_of(1).splitlines()[0]
    edit = Said("", [("edit", {"path": path_of(1), "old": old, "new": '"""Holds nothing."""'})])
    script = [reads(1), edit, Said("Done."), Said("Nothing checks it."), Said("Again.")]
    async with providing("marked", *script) as provider:
        followed = follow(home, provider)
        await followed.turn("Change it.")
        await followed.session.close()
        record = record_of(followed.session, home)
        followed.session = opened(home / "shop", home, provider, record)
        await followed.turn("And?")
        await followed.session.close()
    before, after = fixed_size(provider.charged[0]), fixed_size(provider.charged[-1])
    assert after > before  # what changed stands behind the index
    assert followed.steps[-1].record.usage.cache_read == before - AFTER


@pytest.mark.parametrize("kind", KINDS)
async def test_cleared_history_leaves_the_fixed_part(place: Path, kind: Kind) -> None:
    async with providing(kind, *(reads(1), Said("One.")) * 2) as provider:
        followed = follow(place, provider)
        await followed.turn("Which?")
        followed.session.clear()
        await followed.turn("Who?")
        await followed.session.close()
    arithmetic = Arithmetic(kind, fixed_size(provider.charged[0]))
    assert measured(followed.steps) == arithmetic.of(followed.steps)
    assert followed.steps[2].record.usage.cache_read >= 40_000


def finds(hundred: int) -> Said:
    glob = f"*_{hundred}??.py"
    return Said(
        "", [("grep", {"pattern": word, "glob": glob}) for word in ("def", "return", '"""')]
    )


async def narrow(place: Path, kind: Kind) -> Followed:
    """Ten steps of searches with long answers in a window that has room for about five of them."""
    async with providing(kind, *map(finds, range(10)), Said("All.")) as provider:
        price = {MODELS[kind]: {"input": 0.0, "output": 0.0, "window": WINDOW}}
        followed = follow(place, provider, policy="grep-read", prices=price)
        await followed.turn("Find them.")
        await followed.session.close()
    return followed


@pytest.mark.parametrize("kind", KINDS)
async def test_what_compaction_leaves_is_still_read(place: Path, kind: Kind) -> None:
    followed = await narrow(place, kind)
    assert any(isinstance(event, HistoryRewritten) for event in followed.events)
    assert len(followed.steps) == 11
    arithmetic = Arithmetic(kind, fixed_size(followed.provider.charged[0]))
    assert measured(followed.steps) == arithmetic.of(followed.steps)


async def test_no_request_is_longer_than_the_window(place: Path) -> None:
    followed = await narrow(place, "automatic")
    assert max(prompts(followed.provider)) <= WINDOW


async def test_without_usage_the_step_is_an_estimate_and_says_so(place: Path) -> None:
    script = [reads(1), Said("Two.", usage=False), Said("Three.")]
    async with providing("automatic", *script) as provider:
        followed = follow(place, provider)
        await followed.turn("Which?")
        await followed.turn("And?")
        await followed.session.close()
    usages = [step.record.usage for step in followed.steps]
    assert [usage.tokens_from for usage in usages] == [
        *(Provenance.MEASURED, Provenance.ESTIMATED, Provenance.MEASURED)
    ]
    assert (usages[1].cache_read, usages[1].cache_write) == (0, 0)
    assert abs(usages[1].prompt / prompts(provider)[1] - 1) < 0.05
    assert usages[2].cache_read == prompts(provider)[1] // 128 * 128  # it was cached all the same
    assert followed.session.cost().estimated


async def test_a_cut_call_was_paid_for_and_left_its_prompt_in_the_cache(place: Path) -> None:
    script = [Said("Half an ans", cut=True), Said("Whole.")]
    async with providing("automatic", *script) as provider:
        followed = follow(place, provider)
        events = await followed.turn("Which?")
        await followed.session.close()
    assert any(isinstance(event, Notice) and event.level == "warning" for event in events)
    cut, whole = followed.session.steps()
    assert (cut.finish, cut.usage.tokens_from) == ("cut", Provenance.ESTIMATED)
    assert (cut.usage.cache_read, cut.usage.cache_write) == (0, 0)
    assert abs(cut.usage.prompt / prompts(provider)[0] - 1) < 0.05
    assert whole.usage.cache_read == prompts(provider)[0] // 128 * 128
    assert followed.session.cost().prompt == cut.usage.prompt + whole.usage.prompt


async def test_an_estimate_is_what_the_gauge_said(place: Path) -> None:
    async with providing("automatic", Said("Two.", usage=False)) as provider:
        followed = follow(place, provider)
        await followed.turn("Which?")
        await followed.session.close()
    assert [step.record.usage.prompt for step in followed.steps] == gauges(followed)


@pytest.mark.parametrize("kind", KINDS)
async def test_the_gauge_holds_after_compaction_and_switches(place: Path, kind: Kind) -> None:
    followed = await narrow(place, kind)
    assert gauges(followed) == prompts(followed.provider)
    async with providing(kind, *(reads(1), Said("One.")) * 5) as provider:
        followed = follow(place, provider)
        await followed.turn("Which?")
        await followed.session.set_model(f"{MODELS[kind]}-too")
        await followed.turn("And now?")
        followed.session.set_policy("compact,no-index")
        await followed.turn("And with amber?")
        followed.session.clear()
        await followed.turn("Again?")
        await followed.session.close()
        record = record_of(followed.session, place)
        followed.session = opened(place / "shop", place, provider, record)
        await followed.turn("And once more?")
        await followed.session.close()
    assert gauges(followed) == prompts(provider)
