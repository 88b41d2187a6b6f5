"""A session that says foreign words in everything a session can say."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from dataclasses import replace

from support.fake_session import (
    USAGE,
    Fail,
    FakeSession,
    FakeStatus,
    Item,
    finished,
    gauge_of,
)
from support.hostile_words import KIND, TEXTS, asked

from aoci_agent.agent.approval import Answer, Decision, Effect, Question
from aoci_agent.agent.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Event,
    HistoryRewritten,
    Notice,
    Replied,
    SessionStarted,
    ToolFinished,
    ToolStarted,
    TurnFinished,
)
from aoci_agent.agent.gauge import Gauge
from aoci_agent.agent.meter import Totals
from aoci_agent.agent.preview import Choice
from aoci_agent.base.errors import BadUsage, ForUser
from aoci_agent.policies.conversation import (
    AssistantMessage,
    Message,
    ToolCall,
    UserMessage,
)
from aoci_agent.policies.digest import Digest
from aoci_agent.tools.tool import Preview, ToolResult


class At:
    """Text for a place: a group of payloads, or in a raw run the place's own sequence."""

    def __init__(self, group: str) -> None:
        self._group = group

    def __call__(self, place: str) -> str:
        asked.add(place)
        return f"\x1b]52;c;{place}\x1b\\" if KIND == "raw" else self._group


def groups(size: int) -> Iterator[At]:
    """The payloads in order, as many together as `size` characters hold."""
    group = ""
    for text in TEXTS:
        if group and len(group) + len(text) >= size:
            yield At(group)
            group = ""
        group = f"{group} {text}" if group else text
    yield At(group)


def blocks(at: At) -> list[Item]:
    """One event of each kind with the text wherever text can be."""
    call = ToolCall("c", at("tool name"), at("arguments"))
    diff = f"--- a/{at('diff old name')}\n+++ b/{at('diff new name')}\n@@ -1 +1 @@\n"
    diff += f"-{at('diff old')}\n+{at('diff new')}\n"
    fenced = f"```{at('fence name')}\n{at('fenced')}\n```"
    prose = f"# {at('heading')}\n`{at('code')}` **{at('bold')}** {at('prose')}\n{fenced}"
    title = Preview("text", at("call title"), at("call body"))
    question = Question("q", at("question tool"), Effect.RUN, title, "")
    result = ToolResult(at("call output"), summary=at("call summary"), diff=diff)
    return [
        Replied(AssistantMessage(prose)),
        ToolStarted(call, title),
        ToolFinished(call, result, "done", 0.1),
        ToolFinished(
            ToolCall("d", "x", ""), ToolResult("no", ok=False), "denied", 0.1, at("denied title")
        ),
        ToolFinished(ToolCall("e", at("untitled"), ""), ToolResult("no", ok=False), "failed", 0.1),
        ApprovalAsked(question),
        ApprovalAnswered("q", Decision(Answer.DENY, at("comment"))),
        ApprovalAsked(question),
        ApprovalAnswered("q", Decision(Answer.SESSION)),
        Notice(at("notice"), "warning"),
        HistoryRewritten(at("rewritten"), ()),
    ]


def endings(at: At) -> list[list[Item]]:
    """Every way a turn can end with words."""
    return [
        [TurnFinished("model", "", Totals(), message=at("model error"))],
        [TurnFinished("steps", at("last answer"), Totals(), message=at("limit"))],
        [Fail(ForUser(at("error"), at("hint")))],
        [Fail(ZeroDivisionError(at("crash")))],
    ]


def questions(at: At) -> Iterator[Question]:
    """Every kind of question."""
    for kind in ("text", "command", "diff"):
        body = at(f"{kind} body")
        if kind == "diff":
            body = f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-{at('asked old')}\n+{body}\n"
        preview = Preview(kind, at(f"{kind} title"), body)
        question = Question("a", "bash", Effect.RUN, preview, at(f"{kind} reason"))
        yield replace(question, parts=(at("part"),), always=(at("always"),), box=at("box"))


class Hostile(FakeSession):
    """Says the texts in everything a session can say."""

    def __init__(self) -> None:
        at = next(groups(10_000))
        super().__init__(found=(at("found model"),), status=status(at))
        self.at = at
        self.drive: Callable[[], Coroutine[None, None, None]] | None = None
        self.notices = (Notice(at("session notice"), "warning"),)
        self.messages: tuple[Message, ...] = (
            UserMessage(at("earlier question")),
            AssistantMessage(at("earlier answer")),
            Digest(at("digest")),
        )
        self.turns: list[list[Item]] = []

    async def ready(self) -> SessionStarted:
        assert self.drive is not None
        self._driving = asyncio.create_task(self.drive())
        started = await super().ready()
        at = self.at
        return replace(started, root=at("root"), version=at("version"))

    async def run(self, prompt: str) -> AsyncGenerator[Event]:
        for item in self.turns.pop(0) if self.turns else [finished()]:
            async for event in self._play(item):
                yield event

    async def set_model(self, name: str) -> str:
        raise ForUser(f"no model {name}", self.at("model hint"))

    def set_policy(self, name: str) -> str:
        raise BadUsage(f"there is no policy {name}", self.at("policy hint"))

    def set_limit(self, key: str, value: str) -> str:
        return f"{key} {value} {self.at('limit set')}"

    async def index(self, words: str) -> str:
        return f"{words} {self.at('index answer')}"

    async def policies(self, prompt: str) -> tuple[Choice, ...]:
        return (Choice(self.at("policy choice"), True, {"conversation": 9}, USAGE, 0),)

    def gauge(self) -> Gauge:
        gauge = gauge_of(None)
        return replace(gauge, layers={self.at("context layer"): 10})


def status(at: At) -> FakeStatus:
    return FakeStatus(
        model=at("model"), policy=at("policy"), branch=at("branch"), index_status=at("index status")
    )
