"""What a call costs: by the provider's word, the user's prices, or the catalogue's."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from aoci_agent.agent.models.model import PriceSource, Provenance, Usage
from aoci_agent.agent.models.rates import Band, Rates, rates_for

Entry = Mapping[str, Any]
Table = Mapping[str, Entry]

_BAND = re.compile(r"^input_cost_per_token_above_\d+k_tokens$")


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per token. A cache rate nobody stated is the plain input rate: never too low."""

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None
    cache_write_1h: float | None = None  # not stated: as any other write
    reasoning: float | None = None  # not stated: as any other output

    def of(self, usage: Usage) -> float:
        """Dollars for one call."""
        read = self.input if self.cache_read is None else self.cache_read
        write = self.input if self.cache_write is None else self.cache_write
        hour = write if self.cache_write_1h is None else self.cache_write_1h
        thought = self.output if self.reasoning is None else self.reasoning
        short = usage.cache_write - usage.cache_write_1h
        prompt = usage.fresh * self.input + usage.cache_read * read
        prompt += short * write + usage.cache_write_1h * hour
        return prompt + (usage.output - usage.reasoning) * self.output + usage.reasoning * thought


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices and windows of one model as the user named it.

    `user` maps a model name to dollars per million tokens and a window, as the settings checked it:
    `{"openai/my-model": {"input": 1.0, "output": 4.0, "cache_read": 0.1, "window": 128000}}`; it
    wins over the table (a declared window overridden by a catalogue is goose#11049). `local` is
    for endpoints on this machine: they cost nothing, and that is measured. `listed` is False for
    an unknown host behind a known model name: what it charges is not known.
    """

    model: str
    user: Table
    local: bool = False
    listed: bool = True

    def priced(self, usage: Usage) -> Usage:
        """The usage with its cost and who named it; unchanged without a price.

        A cost the provider named stays, with ours beside it.
        """
        if usage.cost is not None and usage.price_from not in ("", "provider"):
            return usage
        price, source = self._price(usage.prompt)
        own = price.of(usage) if price else None
        if usage.cost is not None:
            return replace(usage, price_from="provider", own_cost=own)
        if own is None and self.local:
            own, source = 0.0, "local"
        if own is None:
            return usage
        told = usage.tokens_from if own else Provenance.MEASURED
        return replace(usage, cost=own, cost_from=told, price_from=source)

    @property
    def user_window(self) -> int | None:
        """The context window the user stated."""
        return self.user.get(self.model, {}).get("window")

    @property
    def window(self) -> int | None:
        """Context window in tokens, None when nobody has stated one."""
        entry = self._entry()
        stated = self.user_window or entry.get("max_input_tokens") or entry.get("max_tokens")
        return int(stated) if isinstance(stated, int | float) and stated > 0 else None

    def _price(self, prompt: int) -> tuple[Price | None, PriceSource]:
        rates, own = rates_for(self.model), self.user.get(self.model)
        if own:
            return user_price(own, rates), "config"
        entry = self._entry()
        price = listed_price(entry, prompt, rates) if _charges(self.model, entry) else None
        return price, "catalogue"

    def _entry(self) -> Entry:
        return {} if self.local or not self.listed else listing(self.model)


def user_price(own: Entry, rates: Rates | None = None) -> Price:
    """A price as settings write it, in dollars per million tokens.

    An hour's write that is not stated costs what the provider's multiple makes it: never too low.
    """
    stated = {key: own[key] / 1e6 for key in own if key != "window" and own[key] is not None}
    price = Price(**stated)
    if price.cache_write_1h is not None or rates is None or rates.write_1h is None:
        return price
    write = price.input if price.cache_write is None else price.cache_write
    return replace(price, cache_write_1h=max(write, price.input * rates.write_1h))


def listed_price(entry: Entry, prompt: int, rates: Rates | None = None) -> Price | None:
    """The price for a prompt of this many tokens: long prompts may be in a dearer band.

    Cache prices and bands the table does not name follow from the provider's multiples.
    """
    fresh = _rate(entry, "input_cost_per_token", prompt)
    output = _rate(entry, "output_cost_per_token", prompt)
    if fresh is None or output is None:
        return None
    band = rates.band if rates else None
    if band and prompt > band.over and not any(_BAND.search(name) for name in entry):
        return _dearer(_table_price(entry, prompt, fresh, output, rates), band)
    return _table_price(entry, prompt, fresh, output, rates)


def _table_price(
    entry: Entry, prompt: int, fresh: float, output: float, rates: Rates | None
) -> Price:
    def cached(key: str, multiple: float | None) -> float | None:
        stated = _rate(entry, key, prompt)
        return fresh * multiple if stated is None and multiple is not None else stated

    return Price(
        fresh,
        output,
        cached("cache_read_input_token_cost", rates and rates.read),
        cached("cache_creation_input_token_cost", rates and rates.write),
        cached("cache_creation_input_token_cost_above_1hr", rates and rates.write_1h),
        _rate(entry, "output_cost_per_reasoning_token", prompt),
    )


def _dearer(price: Price, band: Band) -> Price:
    def times(rate: float | None, factor: float) -> float | None:
        return None if rate is None else rate * factor

    return Price(
        price.input * band.input,
        price.output * band.output,
        times(price.cache_read, band.input),
        times(price.cache_write, band.input),
        times(price.cache_write_1h, band.input),
        times(price.reasoning, band.output),
    )


def listing(model: str) -> Entry:
    """The table's entry for a model, by full name and then without its provider; {} if none."""
    known = table()
    return known.get(model) or known.get(model.partition("/")[2]) or {}


def _charges(model: str, entry: Entry) -> bool:
    """Whether an entry is of the provider the name begins with: another may charge otherwise."""
    provider, slash, _ = model.partition("/")
    return not slash or model in table() or provider in str(entry.get("litellm_provider", provider))


@cache
def table() -> Table:
    """The price table of the installed litellm, read as a file: importing it costs 7-10 s."""
    spec = find_spec("litellm")
    if spec is None or not spec.submodule_search_locations:
        return {}
    path = Path(spec.submodule_search_locations[0], "model_prices_and_context_window_backup.json")
    try:
        read = cast("dict[str, Entry]", json.loads(path.read_text("utf-8")))
    except (OSError, ValueError):
        return {}
    read.pop("sample_spec", None)
    return read


def _rate(entry: Entry, key: str, prompt: int) -> float | None:
    """A rate in the band the prompt falls in; bands are keys like `KEY_above_200k_tokens`."""
    best, rate = 0, entry.get(key)
    for name, value in entry.items():
        band = re.fullmatch(re.escape(key) + r"_above_(\d+)k_tokens", name)
        if band and best < int(band[1]) * 1000 < prompt:
            best, rate = int(band[1]) * 1000, value
    return float(rate) if isinstance(rate, int | float) else None
