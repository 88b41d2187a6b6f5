"""Complaints about other meters (token and cost), and why they do not hold here."""

from dataclasses import replace
from math import isclose
from typing import Any

import pytest
from support.asking import asking, hear
from support.endpoint import Answer, delta, events, says, serving

from aoci_agent.agent.models import prices as module
from aoci_agent.agent.models.model import Provenance, StreamCut, Usage
from aoci_agent.agent.models.openai_client import OpenAIClient
from aoci_agent.agent.models.prices import Prices
from aoci_agent.agent.models.providers import Endpoint
from aoci_agent.agent.models.usage import normalise
from aoci_agent.config import Price

SONNET = {
    "input_cost_per_token": 3e-6,
    "output_cost_per_token": 15e-6,
    "cache_read_input_token_cost": 0.3e-6,
    "cache_creation_input_token_cost": 3.75e-6,
    "cache_creation_input_token_cost_above_1hr": 6e-6,
}
NAME = "anthropic/claude-sonnet-4-5"


@pytest.fixture(autouse=True)
def catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that holds one model."""
    monkeypatch.setattr(module, "table", lambda: {"claude-sonnet-4-5": SONNET})


def litellm_usage(read: int, write: int, fresh: int, output: int) -> dict[str, Any]:
    """Anthropic's usage as litellm gives it."""
    prompt = fresh + read + write
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": {"cached_tokens": read, "cache_creation_tokens": write},
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": write,
    }


def spent(raw: dict[str, Any], model: str = NAME, **known: Any) -> Usage:
    usage = normalise(raw)
    assert usage is not None
    return Prices(model, {}, **known).priced(usage)


def test_cached_tokens_are_paid_once_at_the_cache_rate() -> None:
    """aider#5516, crush#596, crush#1036."""
    usage = spent(litellm_usage(read=17_000, write=1000, fresh=9, output=20))
    # 27 + 5,100 + 3,750 + 300 millionths; all at the full rate besides would be 54,000 more.
    assert isclose(usage.cost or 0, 0.009177)


def test_what_was_sent_is_the_providers_prompt_total() -> None:
    """aider#2304: writes were counted twice."""
    raw = litellm_usage(read=17_000, write=1000, fresh=9, output=20)
    assert spent(raw).prompt == raw["prompt_tokens"] == 18_009


@pytest.mark.parametrize(
    ("named", "disputed"),
    [(0.009177, False), (0.0091, False), (0.0093, True), (0.0090, True), (0.054327, True)],
)
def test_a_cost_that_does_not_follow_from_its_buckets_is_disputed(
    *, named: float, disputed: bool
) -> None:
    """litellm#11364: cached calls through Bedrock were priced wrongly. Both figures are kept."""
    raw = litellm_usage(read=17_000, write=1000, fresh=9, output=20) | {"cost": named}
    usage = spent(raw)
    assert (usage.cost, usage.price_from, usage.disputed) == (named, "provider", disputed)
    assert isclose(usage.own_cost or 0, 0.009177)


def test_thirty_turns_on_a_long_prefix() -> None:
    """conductor#427: every turn billed the prefix again, $51.08 for $8.

    48,000 tokens are written once. Each turn has 200 fresh tokens, 100 of output, and from the second
    turn on writes 300 more and reads all that was written:
      fresh   30 x 200                         =     6,000 x 3.00 =  18,000
      read    29 x 48,000 + 300 x (0+1+...+28) = 1,513,800 x 0.30 = 454,140
      written 48,000 + 29 x 300                =    56,700 x 3.75 = 212,625
      output  30 x 100                         =     3,000 x 15   =  45,000
                                                          together  729,765 millionths of a dollar
    """
    turns = [litellm_usage(read=0, write=48_000, fresh=200, output=100)]
    for turn in range(29):
        read = 48_000 + 300 * turn
        turns.append(litellm_usage(read=read, write=300, fresh=200, output=100))
    usages = [spent(raw) for raw in turns]
    assert sum(usage.fresh for usage in usages) == 6000
    assert sum(usage.cache_read for usage in usages) == 1_513_800
    assert sum(usage.cache_write for usage in usages) == 56_700
    assert isclose(sum(usage.cost or 0 for usage in usages), 0.729765)


def test_writes_for_an_hour_cost_more_than_writes_for_minutes() -> None:
    """ai-engineering-fluency#1589: priced at 1.25 instead of 2 times the input."""
    raw = {"input_tokens": 0, "output_tokens": 0, "cache_creation_input_tokens": 10_000}
    lives = {"ephemeral_5m_input_tokens": 4000, "ephemeral_1h_input_tokens": 6000}
    assert isclose(spent(raw).cost or 0, 10_000 * 3.75e-6)
    assert isclose(spent(raw | {"cache_creation": lives}).cost or 0, 4000 * 3.75e-6 + 6000 * 6e-6)


def test_a_model_without_a_price_is_unpriced_until_the_user_names_one() -> None:
    """pier#4: a model missing from the table was priced by another's rates."""
    usage = Usage(fresh=1000, cache_read=9000, output=100)
    unknown = Prices("house/new", {}).priced(usage)
    assert (unknown.cost, unknown.cost_from, unknown.price_from) == (None, Provenance.UNKNOWN, "")
    own = Price(input=1.0, output=4.0, cache_read=0.1).model_dump()
    known = Prices("house/new", {"house/new": own}).priced(usage)
    assert isclose(known.cost or 0, 1000e-6 + 900e-6 + 400e-6)
    assert known.price_from == "config"


def test_a_model_is_not_priced_by_another_providers_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    """pier#4 again. What it can read does not depend on who serves it."""
    table = {"deepseek/chat": SONNET | {"litellm_provider": "deepseek", "max_input_tokens": 9000}}
    monkeypatch.setattr(module, "table", lambda: table)
    own, relayed = Prices("deepseek/chat", {}), Prices("openrouter/deepseek/chat", {})
    assert own.priced(Usage(fresh=1000)).cost is not None
    assert relayed.priced(Usage(fresh=1000)).cost is None
    assert own.window == relayed.window == 9000


def test_settings_can_name_every_rate() -> None:
    own = Price(input=2, output=10, cache_read=0.2, cache_write=2.5, cache_write_1h=5).model_dump()
    usage = Usage(fresh=1, cache_read=10, cache_write=300, cache_write_1h=100, output=1000)
    cost = Prices("house/new", {"house/new": own}).priced(usage).cost
    assert isclose(cost or 0, (1 * 2 + 10 * 0.2 + 200 * 2.5 + 100 * 5 + 1000 * 10) / 1e6)


def test_a_model_no_table_has_costs_what_the_provider_says() -> None:
    """mini-swe-agent#952: recorded as $0.00 though the provider had sent the cost."""
    usage = spent({"prompt_tokens": 9, "completion_tokens": 1, "cost": 0.02}, "openrouter/new/one")
    assert (usage.cost, usage.cost_from) == (0.02, Provenance.MEASURED)
    assert (usage.price_from, usage.own_cost, usage.disputed) == ("provider", None, False)


def test_free_is_a_price() -> None:
    """mini-swe-agent#583: a free model was refused."""
    free = spent({"prompt_tokens": 9, "completion_tokens": 1, "cost": 0}, "openrouter/a/b:free")
    assert (free.cost, free.cost_from, free.price_from) == (0.0, Provenance.MEASURED, "provider")
    own = Prices("house/free", {"house/free": {"input": 0, "output": 0}}).priced(Usage(fresh=9))
    assert (own.cost, own.price_from) == (0.0, "config")


def test_a_local_model_costs_nothing_even_under_a_famous_name() -> None:
    """OpenHands#9158: dollars were shown for a local model."""
    usage = spent({"prompt_tokens": 900, "completion_tokens": 100}, NAME, local=True)
    assert (usage.cost, usage.cost_from, usage.price_from) == (0.0, Provenance.MEASURED, "local")


async def test_usage_is_asked_for_and_estimated_when_it_does_not_come() -> None:
    """crush#2891: the server sent none, the gauge stayed at 0 %."""
    async with serving(says("hi there", usage=None)) as server:
        client = OpenAIClient(Endpoint("openai/x", "x", server.url))
        usage = (await hear(client)).reply.usage
        await client.close()
    assert server.posts[0].body["stream_options"] == {"include_usage": True}
    assert usage.prompt > 20
    assert (usage.output, usage.tokens_from) == (2, Provenance.ESTIMATED)


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": 100, "completion_tokens": 2}])
async def test_configured_prices_hold_behind_any_server(usage: dict[str, int] | None) -> None:
    """crush#993: none of it worked through a LiteLLM proxy."""
    own = {"openai/proxied": {"input": 1000.0, "output": 5000.0}}
    async with serving(says("hi there", usage=usage)) as server:
        client = OpenAIClient(Endpoint("openai/proxied", "proxied", server.url), own)
        spent_there = (await hear(client)).reply.usage
        await client.close()
    assert isclose(spent_there.cost or 0, spent_there.fresh * 1e-3 + 2 * 5e-3)
    assert spent_there.price_from == "config"
    told = Provenance.MEASURED if usage else Provenance.ESTIMATED
    assert (spent_there.tokens_from, spent_there.cost_from) == (told, told)


async def test_a_cut_stream_is_an_estimate_with_a_price() -> None:
    """What was received has been paid for; litellm would call its own count the provider's."""
    own = {"openai/x": {"input": 1000.0, "output": 5000.0}}
    cut = Answer(events(delta(content="four words of text"), done=False))
    async with serving(cut) as server:
        client = OpenAIClient(Endpoint("openai/x", "x", server.url), own)
        with pytest.raises(StreamCut) as caught:
            await hear(client, asking())
        await client.close()
    usage = caught.value.usage
    assert usage is not None
    assert (usage.output, usage.cache_read, usage.cache_write) == (4, 0, 0)
    assert (usage.tokens_from, usage.cost_from) == (Provenance.ESTIMATED, Provenance.ESTIMATED)
    assert isclose(usage.cost or 0, usage.fresh * 1e-3 + 4 * 5e-3)
    assert usage.price_from == "config"


def test_nothing_is_disputed_where_there_is_one_figure() -> None:
    usage = Usage(fresh=1, cost=1.0)
    assert not usage.disputed
    assert not replace(usage, cost=None, own_cost=1.0).disputed
    assert not replace(usage, cost=0.0, own_cost=0.0).disputed
    assert replace(usage, cost=0.0, own_cost=0.1).disputed
