"""How providers cache, as data; and what a call's usage says about it."""

import re
import tomllib
from dataclasses import asdict
from math import isclose
from pathlib import Path
from typing import Any

import pytest

from aoci_agent.agent.models import rates as module
from aoci_agent.agent.models.model import Provenance, Usage
from aoci_agent.agent.models.prices import Prices, listed_price, table
from aoci_agent.agent.models.rates import Band, Rates, cache_report, rates_for
from aoci_agent.agent.models.wire import MARKS

ROWS: list[dict[str, Any]] = tomllib.loads(
    Path(module.__file__).with_name("rates.toml").read_text("utf-8")
)["row"]


def of(model: str) -> Rates:
    found = rates_for(model)
    assert found is not None, model
    return found


def test_every_row_is_of_the_form_and_names_its_source() -> None:
    for row in ROWS:
        re.compile(row["models"])
        assert row["source"]
        assert row["trigger"] in ("explicit", "automatic", "both")
        assert row["lives"]
        assert ("mark" in row) == (row["trigger"] != "automatic")
        assert row.get("mark", "cache_control") in MARKS
        assert row.get("breakpoints", 4) == 4
    assert len({row["name"] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize(
    ("model", "row"),
    [
        ("anthropic/claude-sonnet-4-5", "Anthropic"),
        ("claude-opus-5", "Anthropic"),
        ("bedrock/us.anthropic.claude-sonnet-5-v1:0", "Anthropic"),
        ("vertex_ai/claude-opus-4-1@20250805", "Anthropic"),
        ("openrouter/anthropic/claude-sonnet-4.5", "Anthropic"),
        ("openai/gpt-5.6", "OpenAI 5.6 and later"),
        ("gpt-6.2-sol", "OpenAI 5.6 and later"),
        ("openai/gpt-10-mini", "OpenAI 5.6 and later"),
        ("openai/gpt-5.5", "OpenAI before 5.6"),
        ("openai/gpt-5", "OpenAI before 5.6"),
        ("openai/gpt-5-codex", "OpenAI before 5.6"),
        ("gpt-4o-mini", "OpenAI before 5.6"),
        ("o3", "OpenAI before 5.6"),
        ("gemini/gemini-2.5-flash", "Gemini"),
        ("vertex_ai/gemini-3-pro", "Gemini"),
        ("deepseek/deepseek-chat", "DeepSeek"),
        ("groq/moonshotai/kimi-k2", "Groq"),
        ("mistral/devstral-medium", "Mistral"),
        ("moonshot/kimi-k2", "Kimi"),
        ("xai/grok-code-fast-1", "xAI"),
        ("ollama/qwen3", "a server on this machine"),
        ("local:/models/coder.gguf", "a server on this machine"),
    ],
)
def test_a_model_finds_its_row(model: str, row: str) -> None:
    assert of(model).name == row


@pytest.mark.parametrize(
    "model",
    ["", "house/model", "azure/gpt-4o", "openrouter/openai/gpt-6-sol", "cohere/command-a"],
)
def test_an_unknown_provider_is_said_to_be_unknown(model: str) -> None:
    assert rates_for(model) is None


@pytest.mark.parametrize(
    ("model", "minimum"),
    [
        ("claude-opus-5", 512),
        ("claude-fable-5", 512),
        ("claude-opus-5-20260801", 512),
        ("claude-sonnet-5", 1024),
        ("claude-sonnet-4-5", 1024),
        ("claude-opus-4-8", 1024),
        ("claude-opus-4-7", 4096),
        ("claude-opus-4-6", 4096),
        ("anthropic/claude-haiku-4-5-20251001", 4096),
        ("claude-3-5-haiku-20241022", 2048),
        ("claude-sonnet-5-5", None),
        ("openai/gpt-5.6", 1024),
        ("gpt-4o", 1024),
        ("gemini/gemini-2.5-flash", 1024),
        ("gemini/gemini-2.5-pro", 4096),
        ("mistral/devstral", None),
    ],
)
def test_minimums(model: str, minimum: int | None) -> None:
    assert of(model).minimum == minimum


@pytest.mark.parametrize(
    ("model", "read"),
    [
        ("claude-sonnet-4-5", 0.1),
        ("claude-sonnet-5-5", 0.05),
        ("claude-opus-5-5", 0.05),
        ("claude-fable-5-1", 0.025),
        ("gpt-5.6", 0.1),
        ("gpt-6.1-sol", 0.05),
        ("gpt-6.2-sol", 0.05),
        ("gpt-4o", 0.5),
        ("gpt-4.1", 0.25),
        ("gpt-5.4", 0.1),
        ("gemini/gemini-2.5-pro", 0.1),
        ("moonshot/kimi-k2", None),
    ],
)
def test_reads(model: str, read: float | None) -> None:
    assert of(model).read == read


def test_writes_lives_and_bands() -> None:
    claude, openai = of("claude-sonnet-4-5"), of("gpt-5.6")
    assert (claude.write, claude.write_1h, claude.lives) == (1.25, 2.0, ("5m", "1h"))
    assert (openai.write, openai.write_12h, openai.lives) == (1.25, 2.5, ("30m", "12h"))
    assert (claude.band, openai.band) == (None, Band(272_000, 2.0, 1.5))
    assert of("claude-haiku-5-5").band == Band(100_000, 5.0, 5.0)
    assert of("gpt-4o").write == 1.0


@pytest.mark.parametrize(
    "model",
    ["claude-sonnet-4-5", "claude-sonnet-5-5", "claude-haiku-5-5", "gpt-5.6", "gpt-6.1-sol"],
)
@pytest.mark.parametrize("prompt", [1000, 150_000, 300_000])
def test_the_multiples_agree_with_the_installed_catalogue(model: str, prompt: int) -> None:
    entry = table()[model]
    plain = {key: entry[key] for key in ("input_cost_per_token", "output_cost_per_token")}
    ours, theirs = listed_price(plain, prompt, of(model)), listed_price(entry, prompt)
    assert ours is not None
    assert theirs is not None
    named = {key: rate for key, rate in asdict(theirs).items() if rate is not None}
    assert len(named) >= 4
    assert all(isclose(asdict(ours)[key], rate) for key, rate in named.items())


def test_one_pause_makes_an_hours_write_the_cheaper_one() -> None:
    # One pause of ten minutes with 48,000 tokens: two writes for 5 minutes, or one for an hour and a read.
    prices = Prices("claude-sonnet-4-5", {})
    twice = prices.priced(Usage(cache_write=96_000)).cost
    once = prices.priced(Usage(cache_write=48_000, cache_write_1h=48_000, cache_read=48_000)).cost
    assert (twice or 0) > (once or 0)


NOTHING, READ, WROTE = Usage(fresh=900), Usage(cache_read=900), Usage(cache_write=900)
LARGE = Usage(fresh=50_000)
BELOW = "the prefix (900 tokens) is below this provider's minimum of 1,024: nothing is cached"
MISSED = "marked but nothing was read or written: caching did not happen"


@pytest.mark.parametrize(
    ("model", "prefix", "usage", "again", "said"),
    [
        ("claude-sonnet-4-5", 900, NOTHING, False, BELOW),
        ("claude-sonnet-4-5", 900, LARGE, False, BELOW),
        ("claude-sonnet-4-5", 900, WROTE, False, ""),  # usage is the judge, not the minimum
        ("claude-sonnet-4-5", 2000, LARGE, False, MISSED),
        ("claude-sonnet-5-5", 900, NOTHING, False, MISSED),  # its minimum is in no source
        ("claude-sonnet-4-5", 2000, WROTE, False, ""),
        ("claude-sonnet-4-5", 2000, READ, True, ""),
        (
            *("claude-sonnet-4-5", 2000, WROTE, True),
            "the prefix was written to the cache a second time, not read",
        ),
        ("gpt-4o", 900, NOTHING, False, BELOW),
        ("gpt-4o", 900, LARGE, False, ""),  # the rest of the prompt may have been written
        ("gpt-4o", 2000, LARGE, False, ""),
        ("gpt-4o", 2000, LARGE, True, "sent again but nothing was read from the cache"),
        ("gpt-5.6", 2000, LARGE, False, ""),
        ("ollama/x", 2000, LARGE, True, ""),
        (
            *("house/model", 2000, LARGE, False),
            "how this provider caches is not known; nothing was read from a cache",
        ),
        ("house/model", 2000, READ, False, ""),
    ],
)
def test_what_usage_says_about_the_cache(
    *, model: str, prefix: int, usage: Usage, again: bool, said: str
) -> None:
    assert cache_report(rates_for(model), prefix, usage, again=again) == said


def test_without_usage_nothing_is_claimed() -> None:
    counted = Usage(fresh=50_000, tokens_from=Provenance.ESTIMATED)
    said = cache_report(of("claude-sonnet-4-5"), 900, counted)
    assert said == "the provider sent no usage: whether the prefix was cached is not known"
