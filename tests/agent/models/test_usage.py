"""Raw usage of every provider shape, and the buckets it means."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from support.asking import asking

from aoci_agent.agent.models import usage as usage_module
from aoci_agent.agent.models.model import Provenance
from aoci_agent.agent.models.prices import Prices
from aoci_agent.agent.models.usage import estimated, normalise
from aoci_agent.policies.conversation import AssistantMessage, ToolCall

Raw = dict[str, Any]

# name, raw usage, (fresh, read, write, output, reasoning)
SHAPES: list[tuple[str, Raw, tuple[int, int, int, int, int]]] = [
    ("plain", {"prompt_tokens": 10, "completion_tokens": 3}, (10, 0, 0, 3, 0)),
    (
        "OpenAI",
        {
            "prompt_tokens": 2006,
            "completion_tokens": 300,
            "total_tokens": 2306,
            "prompt_tokens_details": {"cached_tokens": 1920, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 128},
        },
        (86, 1920, 0, 300, 128),
    ),
    (
        "litellm for Anthropic: 9 fresh, 1000 written, 17000 read",
        {
            "prompt_tokens": 18009,
            "completion_tokens": 20,
            "prompt_tokens_details": {"cached_tokens": 17000, "cache_creation_tokens": 1000},
            "cache_read_input_tokens": 17000,
            "cache_creation_input_tokens": 1000,
        },
        (9, 17000, 1000, 20, 0),
    ),
    (
        "litellm mirror fields alone",
        {
            "prompt_tokens": 18009,
            "completion_tokens": 20,
            "cache_read_input_tokens": 17000,
            "cache_creation_input_tokens": 1000,
        },
        (9, 17000, 1000, 20, 0),
    ),
    (
        "DeepSeek",
        {
            "prompt_tokens": 900,
            "completion_tokens": 5,
            "prompt_cache_hit_tokens": 832,
            "prompt_cache_miss_tokens": 68,
        },
        (68, 832, 0, 5, 0),
    ),
    ("Kimi", {"prompt_tokens": 9, "completion_tokens": 1, "cached_tokens": 8}, (1, 8, 0, 1, 0)),
    (
        "OpenRouter",
        {
            "prompt_tokens": 500,
            "completion_tokens": 10,
            "cost": 0.00123,
            "prompt_tokens_details": {"cached_tokens": 300, "cache_write_tokens": 150},
        },
        (50, 300, 150, 10, 0),
    ),
    (
        "nulls where details could be",
        {"prompt_tokens": 10, "completion_tokens": None, "prompt_tokens_details": None},
        (10, 0, 0, 0, 0),
    ),
    (
        "more cached than there was",
        {
            "prompt_tokens": 10,
            "completion_tokens": 1,
            "prompt_tokens_details": {"cached_tokens": 64},
        },
        (0, 64, 0, 1, 0),
    ),
    (
        "negative and textual figures",
        {
            "prompt_tokens": 10,
            "completion_tokens": -4,
            "prompt_tokens_details": {"cached_tokens": "8"},
        },
        (10, 0, 0, 0, 0),
    ),
    ("floats", {"prompt_tokens": 10.0, "completion_tokens": 3.0}, (10, 0, 0, 3, 0)),
]


@pytest.mark.parametrize(("raw", "buckets"), [x[1:] for x in SHAPES], ids=[x[0] for x in SHAPES])
def test_shapes(raw: Raw, buckets: tuple[int, int, int, int, int]) -> None:
    usage = normalise(raw)
    assert usage is not None
    assert buckets == (
        usage.fresh,
        usage.cache_read,
        usage.cache_write,
        usage.output,
        usage.reasoning,
    )
    assert usage.tokens_from is Provenance.MEASURED


@pytest.mark.parametrize("raw", [None, {}, [], "42", 42, {"total_tokens": 5}])
def test_nothing_usable(raw: object) -> None:
    assert normalise(raw) is None


def test_the_providers_own_cost_comes_first() -> None:
    usage = normalise({"prompt_tokens": 1, "completion_tokens": 1, "cost": 0.5})
    assert usage is not None
    assert (usage.cost, usage.cost_from) == (0.5, Provenance.MEASURED)


def test_an_estimate_counts_system_tools_and_conversation() -> None:
    usage = estimated(
        asking(), AssistantMessage("four words of text", (ToolCall("a", "read", "{}"),))
    )
    assert usage.tokens_from is Provenance.ESTIMATED
    assert usage.fresh > 80
    assert usage.output == 6
    assert usage.cost is None


NAMES = sorted(
    set(re.findall(r'"([a-zA-Z_0-9]+)"', Path(usage_module.__file__).read_text("utf-8")))
)
FIGURES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**18), 10**18),
    st.floats(),
    st.text(max_size=3),
    st.lists(st.dictionaries(st.sampled_from(NAMES), st.integers(-9, 9)), max_size=2),
)
DETAILS = st.dictionaries(
    st.sampled_from(NAMES), FIGURES | st.dictionaries(st.sampled_from(NAMES), FIGURES)
)


@given(st.dictionaries(st.sampled_from(NAMES), FIGURES | DETAILS))
def test_whatever_is_sent_no_bucket_is_negative_and_none_holds_more_than_its_whole(
    raw: Raw,
) -> None:
    usage = normalise(raw)
    if usage is None:
        return
    assert min(usage.fresh, usage.cache_read, usage.output) >= 0
    assert 0 <= usage.cache_write_1h <= usage.cache_write
    assert 0 <= usage.reasoning <= usage.output
    assert usage.cost is None or usage.cost >= 0
    assert Prices("claude-sonnet-4-5", {}).priced(usage).cost is not None
