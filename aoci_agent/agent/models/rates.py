"""How a model's provider caches prompts, read from rates.toml beside this file."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from aoci_agent.agent.models.model import Provenance, Usage

Trigger = Literal["explicit", "automatic", "both"]
Mark = Literal["", "cache_control", "prompt_cache_breakpoint"]
Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Band:
    """Prompts of over this many tokens cost a multiple, all of their tokens."""

    over: int
    input: float
    output: float


@dataclass(frozen=True, slots=True)
class Rates:
    """The rules for one model. Costs are multiples of its plain input price, None when not known."""

    name: str
    trigger: Trigger
    source: str
    mark: Mark = ""
    breakpoints: int = 0
    lookback: int | None = None
    minimum: int | None = None  # tokens; None: not known
    lives: tuple[str, ...] = ()  # the default first
    read: float | None = None
    write: float | None = None
    write_1h: float | None = None
    write_12h: float | None = None
    band: Band | None = None
    key: bool = False  # a prompt_cache_key brings a session's requests to one cache
    reported: bool = True  # its usage says what was cached
    unproved: str = ""


def rates_for(model: str) -> Rates | None:
    """The rules for a model by the name a user gives it. None: nothing is known of its provider."""
    name = model.strip().lower()
    row = next((row for row in _rows() if re.search(str(row["models"]), name)), None)
    if row is None:
        return None
    minimum = _special(row.get("minimums", ()), name, cast("int | None", row.get("minimum")))
    read = _special(row.get("reads", ()), name, cast("float | None", row.get("read")))
    bands = (Band(*rest) for pattern, *rest in row.get("bands", ()) if re.search(pattern, name))
    plain = ("mark", "breakpoints", "lookback", "write", "write_1h", "write_12h", "key", "reported")
    return Rates(
        name=row["name"],
        trigger=row["trigger"],
        source=row["source"],
        minimum=minimum or None,
        lives=tuple(row.get("lives", ())),
        read=read,
        band=next(bands, None),
        unproved=row.get("unproved", ""),
        **{key: row[key] for key in plain if key in row},
    )


def cache_report(
    rates: Rates | None, prefix_tokens: int, usage: Usage, *, again: bool = False
) -> str:
    """What is wrong with the caching of a call, by its usage; "" when nothing is.

    `prefix_tokens` counts the fixed part of the prompt. `again`: the same prefix was sent before,
    within its lifetime.
    """
    if usage.tokens_from is not Provenance.MEASURED:
        return "the provider sent no usage: whether the prefix was cached is not known"
    if usage.cache_read:
        return ""
    if usage.cache_write:
        return "the prefix was written to the cache a second time, not read" if again else ""
    if rates is None:
        return "how this provider caches is not known; nothing was read from a cache"
    return _missed(rates, prefix_tokens, usage.prompt, again=again) if rates.reported else ""


def _missed(rates: Rates, prefix_tokens: int, prompt_tokens: int, *, again: bool) -> str:
    """Why nothing was read and nothing written, as far as that is a fault."""
    least = rates.minimum or 0
    # Automatic caches do not report every write: a first call without one tells nothing.
    silent = rates.trigger != "explicit" and not again
    if prefix_tokens < least and not (silent and prompt_tokens >= least):
        return (
            f"the prefix ({prefix_tokens:,} tokens) is below this provider's minimum of "
            f"{least:,}: nothing is cached"
        )
    if rates.trigger == "explicit":
        return "marked but nothing was read or written: caching did not happen"
    return "sent again but nothing was read from the cache" if again else ""


def _special(rows: Any, name: str, general: Number | None) -> Number | None:
    """The figure of the first row whose pattern is in the name, else the general one."""
    return next((figure for pattern, figure in rows if re.search(pattern, name)), general)


@cache
def _rows() -> list[dict[str, Any]]:
    text = Path(__file__).with_name("rates.toml").read_text("utf-8")
    return cast("list[dict[str, Any]]", tomllib.loads(text)["row"])
