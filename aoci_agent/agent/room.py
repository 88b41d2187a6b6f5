"""How much fits: the request as it will be sent, in our tokens, against the window less the reply."""

from dataclasses import dataclass

from aoci_agent.agent.ledger import index_of
from aoci_agent.agent.models.model import Model, Provenance, Usage
from aoci_agent.base.errors import BadUsage

MAX_OUTPUT = 8192
FIXED_SHARE = 0.6  # of the window, the most that tools, rules and index may take
FULL, GOAL = 0.85, 0.6  # of the conversation's room: where cutting begins, and how far it goes
_REPLY = 6  # in a small window every sixth token is kept for the reply
_UNMEASURED = 0.97  # of the window, until a provider has said how it counts
_LEAST, _MOST = 1.0, 2.5  # what a provider may count for one token of ours; less is not believed
_ENOUGH = 200  # tokens of a request that say something about how a provider counts
_REFUSED = 0.9  # of what was refused, the most that is sent again
_SMALLEST_INDEX = 1_000  # the least --index-budget there is


def reply_room(window: int | None) -> int:
    """Tokens of the window that are kept for the reply; less in a small window."""
    return MAX_OUTPUT if window is None else max(1, min(MAX_OUTPUT, window // _REPLY))


class Scale:
    """How many tokens this model's provider counts for one of ours: learned from its usage."""

    def __init__(self) -> None:
        self._model = ""
        self._ratio: float | None = None
        self._ceiling: int | None = None

    def learn(self, model: str, local: int, usage: Usage) -> None:
        """A request of `local` tokens was measured. What was only estimated teaches nothing."""
        self._follow(model)
        if usage.tokens_from is Provenance.MEASURED and usage.prompt and local >= _ENOUGH:
            self._ratio = min(max(usage.prompt / local, _LEAST), _MOST)

    def refused(self, model: str, local: int) -> None:
        """The provider said that a request of `local` tokens is too long, whatever we counted."""
        self._follow(model)
        self._ceiling = int(local * _REFUSED)

    def limit(self, model: Model) -> int | None:
        """The most tokens of ours that one request may have; None when nobody knows."""
        self._follow(model.name)
        limits = [] if self._ceiling is None else [self._ceiling]
        if model.window is not None:
            ratio = 1 / _UNMEASURED if self._ratio is None else self._ratio
            limits.append(int((model.window - reply_room(model.window)) / ratio))
        return min(limits, default=None)

    def _follow(self, model: str) -> None:
        if model != self._model:
            self._model, self._ratio, self._ceiling = model, None, None


@dataclass(frozen=True, slots=True)
class Room:
    """What the conversation takes and may take, in our tokens. `limit` is None without a known window."""

    parts: dict[str, int]  # the request by part, counted locally
    fixed: int  # tools, rules, index
    limit: int | None  # the most that the messages may take

    @property
    def messages(self) -> int:
        """What they take now."""
        return sum(self.parts.values()) - self.fixed

    @property
    def fits(self) -> bool:
        """Whether it can be sent."""
        return self.limit is None or self.messages <= self.limit

    @property
    def full(self) -> bool:
        """Whether it is time to make room."""
        return self.limit is not None and self.messages > self.limit * FULL

    @property
    def goal(self) -> int:
        """What they are cut down to, so that the cached prefix is broken rarely."""
        return int((self.limit or self.messages) * GOAL)


CONVERSATION = ("conversation", "candidates", "tool results")


def room_of(parts: dict[str, int], limit: int | None) -> Room:
    """The room of a request counted by part, `limit` for all of it."""
    fixed = sum(_fixed(parts).values())
    return Room(parts, fixed, None if limit is None else max(0, limit - fixed))


def fixed_fits(parts: dict[str, int], window: int | None) -> bool:
    """Whether tools, rules and index leave room to work: they take at most 60 % of the window."""
    return window is None or sum(_fixed(parts).values()) <= window * FIXED_SHARE


def must_fit(policy: str, parts: dict[str, int], window: int | None) -> None:
    """Raise BadUsage when tools, rules and index take more than 60 % of the window, with the way out.

    A conversation over them would be cut after every step (peers.md 23).
    """
    if window is None or fixed_fits(parts, window):
        return
    fixed = _fixed(parts)
    size = sum(fixed.values())
    index = index_of(fixed)
    counted = ", ".join(f"{name} {n:,}" for name, n in fixed.items())
    room = int(window * FIXED_SHARE) - (size - index)
    ways = ["--policy grep-read (or /policy grep-read)"] if index and room > 0 else []
    if index and room >= _SMALLEST_INDEX:
        ways.insert(0, f"--index-budget {room // 100 * 100}")
    ways.append("a model with a larger window")
    raise BadUsage(
        f"policy {policy} does not fit this model: its fixed part has {size:,} tokens ({counted}), "
        f"{size / window:.0%} of a window of {window:,}; at most {FIXED_SHARE:.0%} leave room to work",
        ", or ".join(ways),
    )


def _fixed(parts: dict[str, int]) -> dict[str, int]:
    return {name: count for name, count in parts.items() if name not in CONVERSATION}
