"""Sessions of 30 steps against a provider with a real prefix cache: every bucket is what arithmetic says."""

import itertools
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.cache_arithmetic import (
    AFTER,
    AROUND,
    KINDS,
    MODELS,
    Arithmetic,
    Kind,
    fixed_size,
    measured,
    size,
)
from support.caching_provider import Charged, Said, providing
from support.long_sessions import (
    MARKED,
    Followed,
    Step,
    make_repository,
    opened,
    path_of,
    text_of,
)

from aoci_agent.agent.events import SessionStarted, TurnFinished
from aoci_agent.agent.meter import Totals
from aoci_agent.agent.models.model import Provenance
from aoci_agent.base import tokens
from aoci_agent.policies.catalog import POLICIES

CHOICES = (
    *(policy.name for policy in POLICIES),
    *("eager,snippets", "eager,no-index", "compact,no-index"),
)
STEPS = 30


def reads(*numbers: int, text: str = "") -> Said:
    return Said(text, [("read", {"path": path_of(number)}) for number in numbers])


def greps(word: str) -> Said:
    return Said("", [("grep", {"pattern": word, "glob": "*_00?.py"})])


def turns() -> list[tuple[str, list[Said]]]:
    """Three questions, ten steps each; every turn searches, then reads, and once 25 files at a time."""
    return [
        (
            "Which ledger weighs amber?",
            [greps("amber"), *(reads(n) for n in range(1, 9)), Said("In the first one.")],
        ),
        (
            "And who counts birch, packs cedar, and sends what is left to the others?",
            [
                greps("birch"),
                reads(11, 12, text="Two at once."),
                reads(*range(20, 45)),
                *(reads(n, text=f"Ledger {n} next.") for n in range(50, 56)),
                Said("Three of them do.\n\nThe others wait."),
            ],
        ),
        (
            "What does the last ledger keep?",
            [reads(900), greps("keep"), *(reads(n) for n in range(901, 908)), Said("Spruce.")],
        ),
    ]


def pause(step: int) -> float:
    """Seconds before a step. A prefix lives five minutes from its last use."""
    return {8: 200.0, 9: 200.0, 15: 300.0, 22: 299.0}.get(step, 1.0)


@dataclass
class Ran:
    """What is left of a session."""

    started: SessionStarted
    steps: list[Step]
    charged: list[Charged]
    session: Totals
    turns: list[Totals]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the ledgers in `shop`, and room beside them."""
    folder = tmp_path_factory.mktemp("ledgers")
    make_repository(folder / "shop")
    return folder


async def run(place: Path, policy: str, kind: Kind, ttl: str = "5m") -> Ran:
    script = [said for _, saids in turns() for said in saids]
    async with providing(kind, *script, ttl=ttl) as provider:
        session = opened(place / "shop", place, provider, policy=policy, model=MODELS[kind])
        followed = Followed(session, provider, pause)
        finished: list[TurnFinished] = []
        for question, _ in turns():
            ended = (await followed.turn(question))[-1]
            assert isinstance(ended, TurnFinished)
            assert ended.reason == "done"
            finished.append(ended)
        await session.close()
        sums = session.cost()
    turned = [one.turn for one in finished]
    return Ran(session.started, followed.steps, provider.charged, sums, turned)


KNOWN: dict[tuple[str, Kind], Ran] = {}


async def known(place: Path, policy: str, kind: Kind) -> Ran:
    """The session under this policy; several tests look at one."""
    if (policy, kind) not in KNOWN:
        KNOWN[policy, kind] = await run(place, policy, kind)
    return KNOWN[policy, kind]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("policy", CHOICES)
async def test_every_step_has_the_buckets_that_arithmetic_gives(
    place: Path, policy: str, kind: Kind
) -> None:
    ran = await known(place, policy, kind)
    arithmetic = Arithmetic(kind, fixed_size(ran.charged[0]))
    by_hand = arithmetic.of(ran.steps)
    assert len(by_hand) == STEPS
    assert measured(ran.steps) == by_hand
    assert all(step.record.usage.tokens_from is Provenance.MEASURED for step in ran.steps)
    sums = tuple(map(sum, zip(*by_hand, strict=True)))
    session = ran.session
    assert (session.fresh, session.cache_read, session.cache_write) == sums
    assert sum(turn.prompt for turn in ran.turns) == session.prompt == sum(sums)
    assert [turn.steps for turn in ran.turns] == [10, 10, 10]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("policy", CHOICES)
async def test_the_gauge_is_what_the_provider_counts(place: Path, policy: str, kind: Kind) -> None:
    ran = await known(place, policy, kind)
    counted = [charged.split.prompt for charged in ran.charged]
    assert [step.gauge for step in ran.steps] == counted
    assert [sum(step.record.layers.values()) for step in ran.steps] == counted


@pytest.mark.parametrize("policy", CHOICES)
async def test_the_index_is_there_when_the_policy_wants_it(place: Path, policy: str) -> None:
    ran = await known(place, policy, "automatic")
    fixed = fixed_size(ran.charged[0])
    assert (fixed > 40_000) == (policy != "grep-read" and "no-index" not in policy)
    assert fixed < 44_000
    rewritten = sum(
        later.messages[: len(earlier.messages)] != earlier.messages
        for earlier, later in itertools.pairwise(ran.steps)
    )
    assert rewritten == (3 if policy.startswith("compact") else 0)  # once a turn


async def test_steps_of_one_size_have_a_closed_form(place: Path) -> None:
    """Marked: each token is written once and read ever after, but for the one after the mark."""
    async with providing("marked", *(reads(n) for n in range(100, 129)), Said("Read.")) as provider:
        session = opened(place / "shop", place, provider, model=MARKED)
        followed = Followed(session, provider)
        await followed.turn("Read them all.")
        await session.close()
    first = fixed_size(provider.charged[0]) + size(followed.steps[0].messages[0])
    grown = [shown_call(n) + shown_file(n) for n in range(100, 129)]
    prompts = list(itertools.accumulate([first, *grown]))
    assert measured(followed.steps) == [
        (AFTER, 0, first - AFTER),
        *((AFTER, before - AFTER, more) for before, more in zip(prompts, grown, strict=False)),
    ]
    assert session.cost().cache_write == prompts[-1] - AFTER
    assert session.cost().cache_read == sum(prompts[:-1]) - 29 * AFTER


def shown_call(number: int) -> int:
    return tokens.count(f'read{{"path": "{path_of(number)}"}}') + AROUND


def shown_file(number: int) -> int:
    lines = text_of(number).splitlines()
    return tokens.count("\n".join(f"{at}\t{line}" for at, line in enumerate(lines, 1))) + AROUND
