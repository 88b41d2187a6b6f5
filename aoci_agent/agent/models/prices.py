"""What a call costs: the user's own prices first, then the table that ships with litellm."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from aoci_agent.agent.models.model import Provenance, Usage
from aoci_agent.agent.models.usage import Counted
from aoci_agent.base.errors import BadUsage

Table = Mapping[str, Mapping[str, Any]]

USER_KEYS = ("input", "output", "cache_read", "cache_write", "window")


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per token. A cache rate nobody stated is the plain input rate: never too low."""

    input: float
    output: float
    cache_read: float
    cache_write: float
    cache_write_1h: float

    def of(self, counted: Counted) -> float:
        """Dollars for one call."""
        return (
            counted.fresh * self.input
            + counted.cache_read * self.cache_read
            + (counted.cache_write - counted.write_1h) * self.cache_write
            + counted.write_1h * self.cache_write_1h
            + counted.output * self.output
        )


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices and windows of one model as the user named it.

    `user` maps a model name to dollars per million tokens and a window, e.g.
    `{"openai/my-model": {"input": 1.0, "output": 4.0, "cache_read": 0.1, "window": 128000}}`; it
    wins over everything (a declared window overridden by a catalogue is goose#11049). `local` is
    for endpoints on this machine: they cost nothing, and that is measured. `listed` is False for
    an unknown host behind a known model name: what it charges is not known.
    """

    model: str
    user: Table
    local: bool = False
    listed: bool = True

    def charge(self, counted: Counted) -> Usage:
        """The usage with its cost. The provider's own figure is taken before any table."""
        usage = counted.usage()
        if usage.cost is not None:
            return usage
        price = self._price(counted.fresh + counted.cache_read + counted.cache_write)
        if price is not None:
            return replace(usage, cost=price.of(counted), cost_from=Provenance.MEASURED)
        return replace(usage, cost=0.0, cost_from=Provenance.MEASURED) if self.local else usage

    def priced(self, usage: Usage) -> Usage:
        """The same for tokens that were counted locally."""
        buckets = (usage.fresh, usage.cache_read, usage.cache_write, usage.output, usage.reasoning)
        charged = self.charge(Counted(*buckets))
        source = Provenance.ESTIMATED if charged.cost else charged.cost_from
        return replace(usage, cost=charged.cost, cost_from=source)

    @property
    def user_window(self) -> int | None:
        """The context window the user stated."""
        own = self.user.get(self.model, {}).get("window")
        return own if isinstance(own, int) and own > 0 else None

    @property
    def window(self) -> int | None:
        """Context window in tokens, None when nobody has stated one."""
        if self.user_window:
            return self.user_window
        entry = {} if self.local or not self.listed else (listing(self.model) or {})
        stated = entry.get("max_input_tokens") or entry.get("max_tokens")
        return int(stated) if isinstance(stated, int | float) and stated > 0 else None

    def _price(self, prompt: int) -> Price | None:
        own = self.user.get(self.model)
        if own is not None and "input" in own:
            return user_price(self.model, own)
        if self.local or not self.listed:
            return None
        entry = listing(self.model)
        return listed_price(entry, prompt) if entry else None


def user_price(model: str, own: Mapping[str, Any]) -> Price:
    """A price as settings write it, in dollars per million tokens."""
    unknown = sorted(set(own) - set(USER_KEYS))
    values = [own.get(key) for key in USER_KEYS if own.get(key) is not None]
    if unknown or not all(isinstance(value, int | float) and value >= 0 for value in values):
        raise BadUsage(
            f"the price of {model} makes no sense: {json.dumps(dict(own), default=str)}",
            f"use numbers (dollars per million tokens) for {', '.join(USER_KEYS)}",
        )
    per_token = {key: float(own[key]) / 1e6 for key in USER_KEYS if own.get(key) is not None}
    fresh = per_token["input"]
    write = per_token.get("cache_write", fresh)
    return Price(
        fresh, per_token.get("output", fresh), per_token.get("cache_read", fresh), write, write
    )


def listed_price(entry: Mapping[str, Any], prompt: int) -> Price | None:
    """The price for a prompt of this many tokens: long prompts may be in a dearer band."""
    fresh = _rate(entry, "input_cost_per_token", prompt)
    output = _rate(entry, "output_cost_per_token", prompt)
    if fresh is None or output is None:
        return None
    read = _rate(entry, "cache_read_input_token_cost", prompt)
    write = _rate(entry, "cache_creation_input_token_cost", prompt)
    write = fresh if write is None else write
    longer = _rate(entry, "cache_creation_input_token_cost_above_1hr", prompt)
    return Price(
        fresh,
        output,
        fresh if read is None else read,
        write,
        write if longer is None else longer,
    )


def listing(model: str) -> Mapping[str, Any] | None:
    """The table's entry for a model, by full name and then without its provider."""
    known = table()
    return known.get(model) or known.get(model.partition("/")[2])


@cache
def table() -> Table:
    """The price table of the installed litellm, read as a file: importing it costs 7-10 s."""
    spec = find_spec("litellm")
    if spec is None or not spec.submodule_search_locations:
        return {}
    path = Path(spec.submodule_search_locations[0], "model_prices_and_context_window_backup.json")
    try:
        read: object = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    entries = cast("dict[str, object]", read) if isinstance(read, dict) else {}
    return {
        name: cast("Mapping[str, Any]", entry)
        for name, entry in entries.items()
        if isinstance(entry, dict) and name != "sample_spec"
    }


def _rate(entry: Mapping[str, Any], key: str, prompt: int) -> float | None:
    """A rate in the band the prompt falls in; bands are keys like `KEY_above_200k_tokens`."""
    best, rate = 0, entry.get(key)
    for name, value in entry.items():
        band = re.fullmatch(re.escape(key) + r"_above_(\d+)k_tokens", name)
        if band and best < int(band[1]) * 1000 < prompt:
            best, rate = int(band[1]) * 1000, value
    return float(rate) if isinstance(rate, int | float) and not isinstance(rate, bool) else None
