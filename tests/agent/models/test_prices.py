"""What calls cost, and when that is not known."""

from math import isclose

import pytest

from aoci_agent.agent.models.model import Provenance, Usage
from aoci_agent.agent.models.prices import Prices, listed_price, table

CALL = Usage(fresh=1000, cache_read=10_000, cache_write=2000, output=500)


def test_the_packaged_table_is_found_without_importing_litellm() -> None:
    assert len(table()) > 1000
    assert "sample_spec" not in table()


@pytest.mark.parametrize("name", ["claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"])
def test_a_listed_model_with_cache(name: str) -> None:
    usage = Prices(name, {}).priced(CALL)
    by_hand = 1000 * 3e-6 + 10_000 * 3e-7 + 2000 * 3.75e-6 + 500 * 1.5e-5
    assert isclose(usage.cost or 0, by_hand)
    assert usage.cost_from is Provenance.MEASURED


def test_long_prompts_fall_in_a_dearer_band() -> None:
    entry = {
        "input_cost_per_token": 1e-6,
        "output_cost_per_token": 2e-6,
        "cache_read_input_token_cost": 1e-7,
        "input_cost_per_token_above_128k_tokens": 2e-6,
        "input_cost_per_token_above_200k_tokens": 3e-6,
        "cache_read_input_token_cost_above_200k_tokens": 3e-7,
        "input_cost_per_token_above_200k_tokens_batches": 9e-6,
    }
    for prompt, rate in ((128_000, 1e-6), (128_001, 2e-6), (200_001, 3e-6)):
        price = listed_price(entry, prompt)
        assert price is not None
        assert price.input == rate
    banded = listed_price(entry, 300_000)
    assert banded is not None
    assert (banded.cache_read, banded.output) == (3e-7, 2e-6)


def test_an_unknown_model_has_no_cost_and_never_zero() -> None:
    usage = Prices("openai/my-finetune", {}).priced(CALL)
    assert (usage.cost, usage.cost_from) == (None, Provenance.UNKNOWN)


def test_a_known_name_on_an_unknown_host_has_no_cost() -> None:
    assert Prices("openai/gpt-4o", {}, listed=False).priced(CALL).cost is None
    assert Prices("openai/gpt-4o", {}).priced(CALL).cost is not None


def test_a_local_model_costs_nothing_unless_the_user_says_otherwise() -> None:
    usage = Prices("ollama/x", {}, local=True).priced(CALL)
    assert (usage.cost, usage.cost_from) == (0.0, Provenance.MEASURED)
    own = {"ollama/x": {"input": 1.0, "output": 2.0}}
    assert isclose(Prices("ollama/x", own, local=True).priced(CALL).cost or 0, 0.014)


def test_the_providers_figure_beats_every_table() -> None:
    said = Usage(1000, 0, 0, 10, 0, cost=0.25)
    own = {"claude-sonnet-4-5": {"input": 1.0, "output": 2.0}}
    assert Prices("claude-sonnet-4-5", own).priced(said).cost == 0.25


def test_user_prices_beat_the_table_and_an_unstated_cache_rate_is_the_full_one() -> None:
    own = {"claude-sonnet-4-5": {"input": 2.0, "output": 4.0, "window": 32_000}}
    prices = Prices("claude-sonnet-4-5", own)
    assert isclose(prices.priced(CALL).cost or 0, 0.013 * 2 + 0.0005 * 4)
    assert prices.window == 32_000


def test_windows() -> None:
    assert Prices("claude-sonnet-4-5", {}).window == 200_000
    assert Prices("openai/relay", {}, local=True).window is None
    assert Prices("openai/nobody-knows", {}).window is None


def test_an_estimate_stays_one() -> None:
    counted = Usage(fresh=1000, output=10, tokens_from=Provenance.ESTIMATED)
    usage = Prices("claude-sonnet-4-5", {}).priced(counted)
    assert isclose(usage.cost or 0, 1000 * 3e-6 + 10 * 1.5e-5)
    assert usage.cost_from is Provenance.ESTIMATED
    assert usage.tokens_from is Provenance.ESTIMATED
