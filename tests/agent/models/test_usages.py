"""The judged table: raw usages, their buckets and their cost worked out by hand (usages.toml)."""

import json
import tomllib
from collections import Counter
from dataclasses import replace
from math import isclose
from pathlib import Path
from typing import Any

import pytest

from aoci_agent.agent.ledger import Ledger
from aoci_agent.agent.models import prices
from aoci_agent.agent.models.model import Provenance, Request, Usage
from aoci_agent.agent.models.prices import Prices, listing
from aoci_agent.agent.models.usage import estimated, normalise
from aoci_agent.base import tokens
from aoci_agent.policies.conversation import AssistantMessage, ToolCall, UserMessage
from aoci_agent.policies.layers import Layer, Prefix

DATA: dict[str, Any] = tomllib.loads(Path(__file__).with_name("usages.toml").read_text("utf-8"))
ROWS: list[dict[str, Any]] = DATA["usage"]
KEYS = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "read": "cache_read_input_token_cost",
    "write": "cache_creation_input_token_cost",
    "write_1h": "cache_creation_input_token_cost_above_1hr",
    "reasoning": "output_cost_per_reasoning_token",
}
rows = pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of usages.toml in place of litellm's, in litellm's form."""
    table: dict[str, dict[str, float]] = {}
    for model, row in DATA["catalogue"].items():
        table[model] = {KEYS[key]: row[key] / 1e6 for key in KEYS if key in row}
        for key, dollars in row.get("over", {}).items():
            table[model][f"{KEYS[key]}_above_{row['band']}k_tokens"] = dollars / 1e6
    monkeypatch.setattr(prices, "table", lambda: table)


def by_hand(row: dict[str, Any]) -> float | None:
    """Dollars by the row's written sum."""
    if "sum" not in row:
        return None
    parts = [part.split(" x ") for part in row["sum"].split(" + ")]
    return sum(int(count) * float(dollars) for count, dollars in parts) / 1e6


def close(one: float, other: float) -> bool:
    return isclose(one, other, rel_tol=0, abs_tol=1e-9)


def read(row: dict[str, Any]) -> Usage:
    usage = normalise(json.loads(row["raw"]))
    assert usage is not None
    return usage


def test_the_table_holds_what_the_issue_asks_for() -> None:
    assert len(ROWS) >= 40
    assert len({row["name"] for row in ROWS}) == len(ROWS)
    sources = Counter(row["from"] for row in ROWS)
    assert set(sources) == {"provider", "config", "catalogue", "local", ""}


@rows
def test_buckets(row: dict[str, Any]) -> None:
    usage = read(row)
    assert row["buckets"] == [
        usage.fresh,
        usage.cache_read,
        usage.cache_write,
        usage.cache_write_1h,
        usage.output,
        usage.reasoning,
    ]
    assert usage.tokens_from is Provenance.MEASURED
    assert usage.cache_write_1h <= usage.cache_write
    assert usage.reasoning <= usage.output


@rows
def test_the_buckets_add_up_to_the_total_the_provider_sent(row: dict[str, Any]) -> None:
    usage, raw = read(row), json.loads(row["raw"])
    names = ("total_tokens", "totalTokenCount", "total_token_count", "totalTokens")
    total = next((raw[name] for name in names if raw.get(name)), None)
    if total is not None and not row.get("odd"):
        assert usage.prompt + usage.output == total


@rows
@pytest.mark.usefixtures("catalogue")
def test_cost_and_who_named_it(row: dict[str, Any]) -> None:
    local, listed = row.get("local", False), row.get("listed", True)
    usage = Prices(row["model"], DATA["config"], local, listed).priced(read(row))
    assert usage.price_from == row["from"]
    worked_out = by_hand(row)
    if row["cost"] == "?":
        assert (usage.cost, usage.cost_from) == (None, Provenance.UNKNOWN)
        return
    assert usage.cost is not None
    assert close(usage.cost, row["cost"])
    assert usage.cost_from is Provenance.MEASURED
    if row["from"] == "provider":
        assert (usage.own_cost is None) == (worked_out is None)
        assert worked_out is None or close(usage.own_cost or 0, worked_out)
    else:
        assert worked_out is None or close(worked_out, row["cost"])
        assert usage.own_cost is None
    assert usage.disputed is row.get("disputed", False)


@rows
@pytest.mark.usefixtures("catalogue")
def test_pricing_twice_changes_nothing(row: dict[str, Any]) -> None:
    pricing = Prices(row["model"], DATA["config"], row.get("local", False))
    once = pricing.priced(read(row))
    assert pricing.priced(once) == once


NONE_SENT: list[object] = [
    *(None, {}, [], "42", 42, {"total_tokens": 5}, {"prompt_tokens": None}),
    *({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, {"input_tokens": 0}),
    *({"promptTokenCount": 0}, {"inputTokens": 0}, {"prompt_tokens": -5}, {"prompt_tokens": "9"}),
]


@pytest.mark.parametrize("raw", NONE_SENT, ids=repr)
@pytest.mark.usefixtures("catalogue")
def test_no_usage_sent_is_counted_locally_and_said_to_be(raw: object) -> None:
    assert normalise(raw) is None
    request = Request(Prefix((), (Layer("rules", "Be brief."),)), (UserMessage("hello"),))
    reply = AssistantMessage("four words of text", (ToolCall("a", "read", "{}"),), "well well")
    usage = Prices("anthropic/claude-sonnet-4-5", {}).priced(estimated(request, reply))
    sent = sum(Ledger().parts(request).values())  # what the gauge shows
    assert sent >= tokens.count("Be brief.") + tokens.count("hello")
    said = tokens.count("four words of textread{}") + tokens.count("well well")
    assert (usage.fresh, usage.output, usage.reasoning) == (sent, said, tokens.count("well well"))
    assert (usage.tokens_from, usage.cost_from) == (Provenance.ESTIMATED, Provenance.ESTIMATED)
    assert close(usage.cost or 0, (sent * 3 + said * 15) / 1e6)
    assert usage.price_from == "catalogue"


@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "claude-sonnet-5-5", "gpt-5.6", "gpt-4o"])
def test_the_installed_catalogue_prices_by_the_rates_it_names(model: str) -> None:
    entry = listing(model)
    fresh, output = entry["input_cost_per_token"], entry["output_cost_per_token"]
    cached = entry["cache_read_input_token_cost"]
    usage = Usage(fresh=100, cache_read=50_000, output=300)
    cost = Prices(model, {}).priced(usage).cost
    assert close(cost or 0, 100 * fresh + 50_000 * cached + 300 * output)
    hour = entry.get("cache_creation_input_token_cost_above_1hr")
    if hour is not None:
        written = replace(usage, cache_write=2000, cache_write_1h=2000)
        assert close((Prices(model, {}).priced(written).cost or 0) - (cost or 0), 2000 * hour)
