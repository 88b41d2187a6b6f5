"""What a call used, in buckets that never overlap, and what it costs."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeGuard, cast

from aoci_agent.agent.models.model import Provenance, Request, Usage
from aoci_agent.agent.models.wire import request_parts
from aoci_agent.policies.conversation import AssistantMessage

Raw = Mapping[str, Any]


def normalise(raw: object) -> Usage | None:
    """Read the usage of a chat completion, also as litellm, DeepSeek, Kimi and OpenRouter write it.

    The prompt total contains cache reads and writes (litellm: also for Anthropic; measured with
    1.110.2), so fresh = prompt - read - write, never below 0. `cost` is the provider's own figure.
    None when no prompt was counted: the caller estimates.
    """
    usage = _mapping(raw)
    prompt = _count(usage, "prompt_tokens")
    told = _mapping(usage.get("prompt_tokens_details"))
    wrote = _mapping(usage.get("completion_tokens_details"))
    read = _count(told, "cached_tokens") or _count(
        usage, "cache_read_input_tokens", "prompt_cache_hit_tokens", "cached_tokens"
    )
    write = _count(told, "cache_creation_tokens", "cache_write_tokens") or _count(
        usage, "cache_creation_input_tokens"
    )
    if not (prompt or read or write):
        return None
    output = _count(usage, "completion_tokens")
    cost = usage.get("cost")
    cost = float(cost) if _is_figure(cost) else None
    return Usage(
        fresh=max(0, prompt - read - write),
        cache_read=read,
        cache_write=write,
        output=output,
        reasoning=min(output, _count(wrote, "reasoning_tokens")),
        cost=cost,
        cost_from=Provenance.UNKNOWN if cost is None else Provenance.MEASURED,
    )


def estimated(request: Request, message: AssistantMessage) -> Usage:
    """Counted locally. All of the prompt counts as fresh."""
    from aoci_agent.base import tokens

    written = message.text + "".join(call.name + call.arguments for call in message.calls)
    reasoning = tokens.count(message.reasoning) if message.reasoning else 0
    return Usage(
        fresh=sum(tokens.count(part) for part in request_parts(request)),
        output=tokens.count(written) + reasoning,
        reasoning=reasoning,
        tokens_from=Provenance.ESTIMATED,
    )


def _count(usage: Raw, *names: str) -> int:
    """The first of these that is a count, 0 if none is: providers send null, floats, even text."""
    return next((int(usage[name]) for name in names if _is_figure(usage.get(name))), 0)


def _is_figure(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15


def _mapping(value: object) -> Raw:
    return cast("Raw", value) if isinstance(value, Mapping) else {}


Entry = Mapping[str, Any]
Table = Mapping[str, Entry]


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per token. A cache rate nobody stated is the plain input rate: never too low."""

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None

    def of(self, usage: Usage) -> float:
        """Dollars for one call."""
        read = self.input if self.cache_read is None else self.cache_read
        write = self.input if self.cache_write is None else self.cache_write
        prompt = usage.fresh * self.input + usage.cache_read * read + usage.cache_write * write
        return prompt + usage.output * self.output


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
        """The usage with its cost, unless the provider has named one; unchanged without a price."""
        if usage.cost is not None:
            return usage
        price = self._price(usage.prompt)
        cost = price.of(usage) if price else 0.0 if self.local else None
        if cost is None:
            return usage
        return replace(
            usage, cost=cost, cost_from=usage.tokens_from if cost else Provenance.MEASURED
        )

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

    def _price(self, prompt: int) -> Price | None:
        own = self.user.get(self.model)
        return user_price(own) if own else listed_price(self._entry(), prompt)

    def _entry(self) -> Entry:
        return {} if self.local or not self.listed else listing(self.model)


def user_price(own: Entry) -> Price:
    """A price as settings write it, in dollars per million tokens."""
    rates = {key: own[key] / 1e6 for key in own if key != "window" and own[key] is not None}
    return Price(**rates)


def listed_price(entry: Entry, prompt: int) -> Price | None:
    """The price for a prompt of this many tokens: long prompts may be in a dearer band."""
    fresh = _rate(entry, "input_cost_per_token", prompt)
    output = _rate(entry, "output_cost_per_token", prompt)
    if fresh is None or output is None:
        return None
    read = _rate(entry, "cache_read_input_token_cost", prompt)
    return Price(fresh, output, read, _rate(entry, "cache_creation_input_token_cost", prompt))


def listing(model: str) -> Entry:
    """The table's entry for a model, by full name and then without its provider; {} if none."""
    known = table()
    return known.get(model) or known.get(model.partition("/")[2]) or {}


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
