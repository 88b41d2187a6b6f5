"""The context gauge: how full the window is. The last request and its reply, never sums of a session.

The figure is the provider's where the next request still begins with the last one. After a rewrite, a
switch or a resume it is counted locally at once and marked, until the next call measures it.
"""

from dataclasses import dataclass, field

from aoci_agent.agent.conversation import Conversation
from aoci_agent.agent.forecast import continues
from aoci_agent.agent.ledger import index_of, scaled
from aoci_agent.agent.meter import Meter
from aoci_agent.agent.models.model import Model, Provenance


@dataclass(frozen=True, slots=True)
class Gauge:
    """The window now. `layers` sums to `prompt`; `window` is None when nobody stated one."""

    layers: dict[str, int] = field(default_factory=dict[str, int])
    output: int = 0  # the last reply, which the next request will hold
    window: int | None = None
    reserve: int = 0  # what is kept for the next reply
    provenance: Provenance = Provenance.ESTIMATED

    @property
    def prompt(self) -> int:
        return sum(self.layers.values())

    @property
    def used(self) -> int:
        return self.prompt + self.output

    @property
    def left(self) -> int | None:
        """Tokens for more, the reserve kept; None without a window."""
        return None if self.window is None else max(0, self.window - self.used - self.reserve)

    @property
    def index(self) -> int:
        """What the index layer takes of it."""
        return index_of(self.layers)


def gauge(meter: Meter, conversation: Conversation, model: Model) -> Gauge:
    """The gauge of a conversation as it stands."""
    request = conversation.request(model.window)
    window, reserve = model.window, request.max_output
    pieces = meter.pieces(request)
    parts, sent = meter.parts(request), meter.sent
    if sent is None or sent.model != model.name:
        return Gauge(parts, 0, window, reserve)
    if not continues(sent.pieces, pieces):
        counted = round(sum(parts.values()) * sent.scale)
        return Gauge(scaled(parts, counted), 0, window, reserve)
    usage = sent.usage
    layers = scaled(sent.parts, usage.prompt)
    return Gauge(layers, usage.output, window, reserve, usage.tokens_from)
