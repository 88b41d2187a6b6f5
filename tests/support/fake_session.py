"""A session that plays scripted events: the fake at the seam between screen and agent."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, field, replace

from aoci_agent.agent.approval import Approver, Effect, Mode, Question
from aoci_agent.agent.budget import Budget, Line
from aoci_agent.agent.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Event,
    Notice,
    Replied,
    SessionStarted,
    StepFinished,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnFinished,
)
from aoci_agent.agent.gauge import Gauge
from aoci_agent.agent.ledger import scaled
from aoci_agent.agent.limits import Limits
from aoci_agent.agent.meter import StepRecord, Totals, total
from aoci_agent.agent.models.model import Provenance, Usage
from aoci_agent.agent.past import What
from aoci_agent.agent.preview import Choice
from aoci_agent.agent.rewind import Point, Preview as RewindPreview, Rewound
from aoci_agent.agent.saving import Saving
from aoci_agent.base.errors import BadUsage, ForUser, ModelUnavailable
from aoci_agent.base.trust_store import State, Trust
from aoci_agent.policies.conversation import AssistantMessage, Message, ToolCall
from aoci_agent.tools.tool import Preview, ToolResult
from aoci_agent.tui.approver import ScreenApprover

DIFF = """--- a/shop/quotes.py
+++ b/shop/quotes.py
@@ -10,7 +10,7 @@
 def price(quote: Quote) -> Decimal:
     total = sum(line.amount for line in quote.lines)
-    if quote.discount > 1:
+    if quote.discount >= 1:
         raise BadDiscount(quote.discount)
-    return total * quote.discount
+    return total * (1 - quote.discount)
 
 
"""


@dataclass(frozen=True)
class Hold:
    """Wait until the test opens it."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True)
class Ask:
    """Ask the approver."""

    question: Question


@dataclass(frozen=True)
class Fail:
    """Raise."""

    error: Exception


Item = Event | Hold | Ask | Fail


@dataclass(frozen=True)
class FakeStatus:
    model: str = "anthropic/claude-sonnet-5-5"
    policy: str = "aoci"
    mode: Mode = Mode.ASK
    index_status: str = "412 of 475 entries, 39.7k tokens, tier 1"
    window: int | None = 200_000
    branch: str = "main"
    sandbox: str = "strong"
    trusted: bool = True


STARTED = SessionStarted(
    session_id="20261130-1",
    root="/srv/shop",
    model="anthropic/claude-sonnet-5-5",
    policy="aoci",
    mode="ask",
    commit="0" * 40,
    prefix_id="f00d",
    index_id="1dec",
    index_status="412 of 475 entries, 39.7k tokens, tier 1",
    version="0.1.0",
)


class FakeRewind:
    """Points and previews as a test gives them; remembers what was rewound."""

    def __init__(self) -> None:
        self.known: tuple[Point, ...] = ()
        self.previews: dict[str, RewindPreview] = {}
        self.result = Rewound((), {})
        self.refuses: ForUser | None = None
        self.done: list[tuple[str, What, bool]] = []

    async def points(self) -> tuple[Point, ...]:
        return self.known

    async def preview(self, point: Point) -> RewindPreview:
        return self.previews.get(point.name, RewindPreview((), (), ()))

    async def restore(
        self, point: Point, what: What = "both", *, only_safe: bool = False
    ) -> Rewound:
        if self.refuses is not None:
            raise self.refuses
        self.done.append((point.name, what, only_safe))
        return self.result


class FakeSession:
    """Plays one list of items for each prompt; remembers what was sent and switched."""

    def __init__(
        self,
        *turns: Iterable[Item],
        status: FakeStatus | None = None,
        opens: Hold | Fail | None = None,
        found: tuple[str, ...] = (),
    ) -> None:
        self.status = status or FakeStatus()
        self.approver: Approver = ScreenApprover()
        self.prompts: list[str] = []
        self.interrupted = 0
        self.closed = False
        self.cleared = 0
        self._turns = [list(turn) for turn in turns]
        self._opens = opens
        self.opens_at_once = opens is None
        self._found = found
        self._steps: list[StepRecord] = []
        self._budget = Budget(Limits(cost=0.5))
        self.choices: tuple[Choice, ...] = ()
        self.saved: Saving | None = None
        self.previewed: list[str] = []
        self.notices: tuple[Notice, ...] = ()
        self.messages: tuple[Message, ...] = ()
        self.compacted: list[str] = []
        self.compacting: list[Item] = []
        self.rewind = FakeRewind()
        self.trust = Trust(State.TRUSTED)
        self.trusted: list[bool] = []

    async def ready(self) -> SessionStarted:
        opens, self._opens = self._opens, None
        if isinstance(opens, Hold):
            await opens.gate.wait()
        elif isinstance(opens, Fail):
            raise opens.error
        return STARTED

    async def run(self, prompt: str) -> AsyncGenerator[Event]:
        self.prompts.append(prompt)
        items = self._turns.pop(0) if self._turns else [finished()]
        try:
            for item in items:
                async for event in self._play(item):
                    yield event
        except (asyncio.CancelledError, GeneratorExit):
            self.interrupted += 1
            raise

    async def _play(self, item: Item) -> AsyncGenerator[Event]:
        match item:
            case Hold(gate):
                await gate.wait()
            case Fail(error):
                raise error
            case Ask(question):
                yield ApprovalAsked(question)
                decision = await self.approver.ask(question)
                yield ApprovalAnswered(question.call_id, decision)
            case StepFinished():
                self._steps.append(item.record)
                yield item
            case _:
                yield item

    def set_mode(self, mode: Mode) -> None:
        self.status = replace(self.status, mode=mode)

    async def set_model(self, name: str) -> str:
        if name.startswith("bad"):
            raise ModelUnavailable(f"no provider knows {name}", "try anthropic/claude-sonnet-5-5")
        self.status = replace(self.status, model=name)
        return f"model: {name}"

    def set_policy(self, name: str) -> str:
        if name not in ("aoci", "grep-read"):
            raise BadUsage(f"there is no policy {name}", "choose from aoci, grep-read")
        self.status = replace(self.status, policy=name)
        return f"policy: {name}, from the next turn on"

    async def compact(self, focus: str) -> AsyncGenerator[Event]:
        self.compacted.append(focus)
        for item in self.compacting:
            async for event in self._play(item):
                yield event

    def set_trust(self, *, trusted: bool) -> str:
        self.trusted.append(trusted)
        self.trust = Trust(State.TRUSTED if trusted else State.REFUSED)
        return "it is decided"

    def clear(self) -> None:
        self.cleared += 1

    def cost(self) -> Totals:
        return total(self._steps)

    def steps(self) -> tuple[StepRecord, ...]:
        return tuple(self._steps)

    def turn(self) -> Totals:
        return total(self._steps)

    def gauge(self) -> Gauge:
        return gauge_of(self._steps[-1] if self._steps else None, self.status.window)

    def saving(self) -> Saving | None:
        return self.saved

    def limits(self) -> tuple[Line, ...]:
        return self._budget.lines(self.cost())

    def set_limit(self, key: str, value: str) -> str:
        return self._budget.set(key, value)

    async def policies(self, prompt: str) -> tuple[Choice, ...]:
        self.previewed.append(prompt)
        return self.choices

    async def index(self, words: str) -> str:
        return f"index: {words or self.status.index_status}"

    async def models(self) -> tuple[str, ...]:
        return self._found

    async def close(self) -> None:
        self.closed = True


USAGE = Usage(
    fresh=1_200,
    cache_read=58_000,
    cache_write=1_900,
    output=640,
    cost=0.021,
    cost_from=Provenance.MEASURED,
)
LAYERS = {
    "tools": 1_100,
    "rules": 800,
    "index header": 300,
    "index": 39_700,
    "conversation": 19_200,
}


def gauge_of(record: StepRecord | None, window: int | None = 200_000) -> Gauge:
    """The gauge after a step; before the first, the prefix counted locally."""
    if record is None:
        return Gauge(LAYERS | {"conversation": 0}, 0, window, 8_192)
    layers = scaled(record.layers, record.usage.prompt)
    return Gauge(layers, record.usage.output, window, 8_192, record.usage.tokens_from)


def step(usage: Usage = USAGE, number: int = 1) -> StepFinished:
    record = StepRecord(number, "anthropic/claude-sonnet-5-5", "aoci", usage, LAYERS, seconds=3.2)
    return StepFinished(record, total([record]))


def said(text: str) -> list[Item]:
    return [*(TextDelta(piece) for piece in (text[:7], text[7:])), Replied(AssistantMessage(text))]


def finished(text: str = "", usage: Usage = USAGE) -> TurnFinished:
    return TurnFinished("done", text, total([step(usage).record]), seconds=3.2)


def call(name: str = "edit", call_id: str = "c1") -> ToolCall:
    return ToolCall(call_id, name, '{"path": "shop/quotes.py"}')


def edited() -> list[Item]:
    preview = Preview("diff", "edit shop/quotes.py", DIFF)
    result = ToolResult(
        "edited shop/quotes.py\n2 lines changed", changed=("shop/quotes.py",), diff=DIFF
    )
    return [ToolStarted(call(), preview), ToolFinished(call(), result, "done", 0.12)]


def ran(text: str = "1 failed, 11 passed", *, ok: bool = False) -> list[Item]:
    one = call("bash", "c2")
    preview = Preview("command", "bash python -m pytest -q", "python -m pytest -q")
    result = ToolResult(f"{text}\nFAILED tests/test_quotes.py::test_discount", ok=ok, summary=text)
    return [ToolStarted(one, preview), ToolFinished(one, result, "done" if ok else "failed", 2.4)]


def may_edit() -> Question:
    preview = Preview("diff", "edit shop/quotes.py", DIFF, "shop/quotes.py")
    why = "mode ask confirms edits"
    return Question("c1", "edit", Effect.EDIT, preview, why, always=("edit(/shop/quotes.py)",))


def may_run(command: str = "python -m pytest -q") -> Question:
    preview = Preview("command", "bash", command, command)
    why, box = "mode ask confirms commands", "sandbox: strong; no network"
    always = () if "\n" in command else (f"bash({command})",)
    return Question("c2", "bash", Effect.RUN, preview, why, (command,), always, box)
