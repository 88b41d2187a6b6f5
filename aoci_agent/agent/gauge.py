"""The context gauge: how full the window is. The last request and its reply, never sums of a session.

The figure is the provider's where the next request still begins with the last one and its reply ends it.
What came since (results of tools, a question that was interrupted) is counted locally on top. After a
rewrite, a switch or a resume all is counted locally at once and marked, until the next call measures it.
"""

from dataclasses import dataclass, field, replace

from aoci_agent.agent.conversation import Conversation
from aoci_agent.agent.forecast import continues
from aoci_agent.agent.ledger import index_of, scaled
from aoci_agent.agent.meter import Meter
from aoci_agent.agent.models.model import Model, Provenance
from aoci_agent.agent.room import CONVERSATION
from aoci_agent.policies.conversation import AssistantMessage


@dataclass(frozen=True, slots=True)
class Gauge:
    """The window now. `layers` sums to `prompt`; `window` is None when nobody stated one."""

    layers: dict[str, int] = field(default_factory=dict[str, int])
    output: int = 0  # the last reply, which the next request will hold
    window: int | None = None
    reserve: int = 0  # what is kept for the next reply
    provenance: Provenance = Provenance.ESTIMATED
    since: int = 0  # of the prompt, what came after the last reply, counted locally

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
    known = Gauge(layers, usage.output, window, reserve, usage.tokens_from)
    later = len(pieces) - len(sent.pieces)
    messages = request.messages[len(request.messages) - later :]
    since = messages[1:] if messages and isinstance(messages[0], AssistantMessage) else messages
    return _grown(known, meter.parts(replace(request, messages=since)), sent.scale)


def _grown(known: Gauge, parts: dict[str, int], scale: float) -> Gauge:
    """The gauge with what came since the last reply, counted by part in our tokens."""
    more = {name: round(parts.get(name, 0) * scale) for name in CONVERSATION}
    since = sum(more.values())
    if not since:
        return known
    layers = known.layers | {
        name: known.layers.get(name, 0) + count for name, count in more.items() if count
    }
    return replace(known, layers=layers, since=since, provenance=Provenance.ESTIMATED)
