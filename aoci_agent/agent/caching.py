"""Whether the provider's cache did what the prompt was laid out for: read from usage, never assumed."""

import time
from collections.abc import Callable

from aoci_agent.agent.ledger import BEFORE_INDEX, INDEX
from aoci_agent.agent.meter import StepRecord
from aoci_agent.agent.models.model import Provenance
from aoci_agent.agent.models.rates import cache_report, rates_for

ALIVE = 240.0  # seconds after which a prefix of five minutes' life may be gone
_FIXED = (*BEFORE_INDEX, *INDEX)


class CacheWatch:
    """Says once what is wrong with the caching of a session's calls."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._sent: tuple[str, str] = ("", "")  # model and prefix of the newest call
        self._at = 0.0
        self._told: set[str] = set()

    def saw(self, record: StepRecord, model: str, prefix_id: str) -> str:
        """What to tell after this call; "" when all is well, was told, or nobody pays for it."""
        now, usage = self._clock(), record.usage
        again = self._sent == (model, prefix_id) and now - self._at < ALIVE
        self._sent, self._at = (model, prefix_id), now
        if record.recorded or record.side or usage.price_from == "local":
            return ""
        if usage.tokens_from is not Provenance.MEASURED:
            return ""  # the `~` of every figure says so
        rates = rates_for(model)
        if rates is None and not again:
            return ""
        fixed = sum(record.layers.get(name, 0) for name in _FIXED)
        told = cache_report(rates, fixed, usage, again=again)
        if not told or told in self._told:
            return ""
        self._told.add(told)
        return f"cache: {told}"
