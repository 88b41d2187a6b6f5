"""What the next call will use, predicted without sending it: from what the last one left in the cache.

Everything here is an estimate. Sizes are counted locally and scaled to the provider's own count of
the last request; what is read is the beginning the two requests share, as far as a cache can hold it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from aoci_agent.agent.ledger import Piece
from aoci_agent.agent.models.model import Provenance, Usage
from aoci_agent.agent.models.rates import Rates

TYPICAL_OUTPUT = 500  # tokens of a reply, until a reply of this session was measured
_LIFE = re.compile(r"(\d+)(?:-\d+)?([mh])")


@dataclass(frozen=True, slots=True)
class Sent:
    """The newest request that went out, and what the provider said of it. `at` is in seconds."""

    pieces: tuple[Piece, ...]
    parts: dict[str, int]  # the same by layer
    usage: Usage
    model: str
    at: float

    @property
    def scale(self) -> float:
        """The provider's tokens for each of ours."""
        counted = size(self.pieces)
        measured = self.usage.tokens_from is Provenance.MEASURED
        return self.usage.prompt / counted if measured and counted else 1.0


@dataclass(frozen=True, slots=True)
class Ahead:
    """The next call by bucket; `kept` is what of it the cache is believed to hold now."""

    usage: Usage
    shared: int = 0  # tokens at the beginning that the last request had too

    @property
    def kept(self) -> int:
        return self.usage.cache_read


def forecast(
    pieces: Sequence[Piece],
    sent: Sent | None,
    rates: Rates | None,
    model: str,
    *,
    now: float,
    output: int = TYPICAL_OUTPUT,
) -> Ahead:
    """The buckets of a request made of these pieces. `rates` None: nothing is known of the provider."""
    scale = sent.scale if sent else 1.0
    prompt = round(size(pieces) * scale)
    shared = read = 0
    if sent is not None and sent.model == model:
        shared = round(_shared(sent.pieces, pieces) * scale)
        read = min(shared, _cached(sent, rates, now), prompt)
    least = (rates.minimum or 0) if rates else 0
    read = read if read >= least else 0
    writes = rates is not None and rates.mark != "" and prompt >= least
    rest = prompt - read
    usage = Usage(
        fresh=0 if writes else rest,
        cache_read=read,
        cache_write=rest if writes else 0,
        output=output,
        tokens_from=Provenance.ESTIMATED,
    )
    return Ahead(usage, shared)


def continues(before: Sequence[Piece], now: Sequence[Piece]) -> bool:
    """Whether a request begins with all of an earlier one."""
    pairs = zip(before, now, strict=False)
    return len(now) >= len(before) and all(_same(one, other) for one, other in pairs)


def size(pieces: Sequence[Piece]) -> int:
    """Tokens of all of them, as counted locally."""
    return sum(piece.tokens for piece in pieces)


def _shared(before: Sequence[Piece], now: Sequence[Piece]) -> int:
    """Tokens of the pieces at the beginning that are the same in both."""
    pairs = zip(before, now, strict=False)
    same = takewhile(lambda pair: _same(*pair), pairs)
    return sum(one.tokens for one, _ in same)


def _same(one: Piece, other: Piece) -> bool:
    return one.content is other.content or one.content == other.content


def _cached(sent: Sent, rates: Rates | None, now: float) -> int:
    """Tokens of the last request that a cache holds now, by what the provider said of it."""
    usage = sent.usage
    if rates and now - sent.at >= _life(rates):
        return 0
    if usage.cache_write or (rates and rates.trigger == "explicit"):
        return usage.cache_read + usage.cache_write
    if usage.cache_read:
        return usage.prompt
    # An automatic cache does not say what it wrote: a prompt seen once is believed to be there.
    return usage.prompt if rates and rates.reported else 0


def _life(rates: Rates) -> float:
    """Seconds a prefix is kept after its last use, the shortest the provider names; else no end."""
    stated = _LIFE.fullmatch(rates.lives[0]) if rates.lives else None
    if stated is None:
        return float("inf")
    return int(stated[1]) * (60.0 if stated[2] == "m" else 3600.0)
