"""A prefix cache as providers keep one: of token ids, for a time, and only what was really sent."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

STEP = 128  # tokens: automatic caches match in whole steps
MINIMUM = 1_024  # tokens: a shorter prefix is not kept
LOOK_BACK = 20  # blocks a marked cache looks back from each breakpoint
MINUTES = 60.0
TTLS = {"5m": 5 * MINUTES, "1h": 60 * MINUTES}


class Refused(Exception):
    """The provider does not take these breakpoints."""


@dataclass(frozen=True)
class Mark:
    """A breakpoint: the prefix of `end` tokens, which is `block` blocks long."""

    end: int
    block: int
    ttl: str


@dataclass(frozen=True)
class Laid:
    """A prompt as tokens. `blocks` are the places where one block ends and the next begins."""

    ids: Sequence[int]
    blocks: Sequence[int]
    marks: Sequence[Mark] = ()


@dataclass(frozen=True)
class Split:
    """What a prompt came from. fresh = prompt - read - write_5m - write_1h."""

    prompt: int
    read: int = 0
    write_5m: int = 0
    write_1h: int = 0

    @property
    def fresh(self) -> int:
        return self.prompt - self.read - self.write_5m - self.write_1h


@dataclass
class AutomaticCache:
    """Keeps every whole step of every prompt; writing is not told (OpenAI before 5.6)."""

    kept: dict[bytes, float] = field(default_factory=dict[bytes, float])  # digest: until when

    def take(self, model: str, laid: Laid, now: float) -> Split:
        ends = range(STEP, len(laid.ids) + 1, STEP)
        digests = dict(zip(ends, _digests(model, laid.ids, ends), strict=True))
        usable = [end for end in ends if end >= MINIMUM]
        hits = [end for end in usable if self.kept.get(digests[end], 0.0) > now]
        for end in usable:
            self.kept[digests[end]] = now + TTLS["5m"]
        return Split(len(laid.ids), read=max(hits, default=0))


@dataclass
class MarkedCache:
    """Keeps the prefix at each breakpoint, for as long as the breakpoint says (Anthropic)."""

    kept: dict[bytes, float] = field(default_factory=dict[bytes, float])

    def take(self, model: str, laid: Laid, now: float) -> Split:
        _check(laid.marks)
        ends = sorted({*laid.blocks, *(mark.end for mark in laid.marks)})
        digests = dict(zip(ends, _digests(model, laid.ids, ends), strict=True))
        marks = [mark for mark in laid.marks if mark.end >= MINIMUM]
        read = max((self._hit(mark, laid, digests, now) for mark in marks), default=0)
        for mark in marks:
            key = digests[mark.end]
            known = self.kept.get(key, 0.0)
            self.kept[key] = max(now + TTLS[mark.ttl], known if known > now else 0.0)
        last = max((mark.end for mark in marks), default=0)
        hour = max((mark.end for mark in marks if mark.ttl == "1h"), default=0)
        long = max(0, hour - read)
        return Split(len(laid.ids), read, max(0, last - read) - long, long)

    def _hit(self, mark: Mark, laid: Laid, digests: dict[int, bytes], now: float) -> int:
        """The longest kept prefix that ends at this breakpoint or at most 20 blocks before it."""
        near = laid.blocks[max(0, mark.block - LOOK_BACK) : mark.block]
        return max((end for end in near if self.kept.get(digests[end], 0.0) > now), default=0)


def _check(marks: Sequence[Mark]) -> None:
    if len(marks) > 4:
        raise Refused(
            f"A maximum of 4 blocks with cache_control may be provided. Found {len(marks)}."
        )
    ttls = [mark.ttl for mark in marks]
    if ttls != sorted(ttls, key=["1h", "5m"].index):
        raise Refused("a ttl='1h' cache_control block must not come after a ttl='5m' one")


def _digests(model: str, ids: Sequence[int], ends: Sequence[int]) -> Iterator[bytes]:
    """A digest of the prefix up to each of these places, in their order."""
    running = blake2b(model.encode(), digest_size=16)
    laid, start = array("i", ids), 0
    for end in ends:
        running.update(laid[start:end])
        start = end
        yield running.digest()
