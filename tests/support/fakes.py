"""Fakes at the seams of the loop: tools that do what a test says, an approver with fixed answers."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from support.permitted import permitted

from aoci_agent.agent.approval import Answer, Decision, Mode, Question
from aoci_agent.agent.budget import Budget
from aoci_agent.agent.conversation import Conversation
from aoci_agent.agent.dispatch import Dispatcher
from aoci_agent.agent.events import Event
from aoci_agent.agent.freshness import unchanged
from aoci_agent.agent.limits import Limits
from aoci_agent.agent.loop import Agent
from aoci_agent.agent.models.scripted import Line, ScriptedModel
from aoci_agent.agent.permissions import Permissions
from aoci_agent.agent.spending import Spending
from aoci_agent.agent.toolbox import Toolbox
from aoci_agent.policies.conversation import AssistantMessage, ToolCall
from aoci_agent.policies.layers import Layer, Prefix
from aoci_agent.policies.plain import GrepRead
from aoci_agent.policies.policy import Policy
from aoci_agent.tools.tool import Arguments, Check, Effect, Preview, ToolResult


class Text(Arguments):
    text: str


@dataclass
class FakeTool:
    """A tool whose behaviour is a function; it remembers what it was called with."""

    name: str
    effect: Effect
    act: Callable[[str], ToolResult]
    description: str = "A fake."
    arguments: type[Text] = Text
    calls: list[str] = field(default_factory=list[str])

    def preview(self, arguments: Text) -> Preview:
        return Preview("text", f"{self.name} {arguments.text}", key=arguments.text)

    async def run(self, arguments: Text) -> ToolResult:
        self.calls.append(arguments.text)
        return self.act(arguments.text)


@dataclass
class FixedApprover:
    answers: list[Decision]
    asked: list[Question] = field(default_factory=list[Question])

    async def ask(self, question: Question) -> Decision:
        self.asked.append(question)
        return self.answers.pop(0) if self.answers else Decision(Answer.DENY, "no more answers")


@dataclass
class ListRecorder:
    events: list[Event] = field(default_factory=list[Event])

    def write(self, event: Event) -> None:
        self.events.append(event)

    def close(self) -> None:
        pass


@dataclass
class Harness:
    """An agent on fakes, and everything a test looks at afterwards."""

    agent: Agent
    model: ScriptedModel
    tools: dict[str, FakeTool]
    approver: FixedApprover
    recorder: ListRecorder
    permissions: Permissions

    async def turn(self, prompt: str = "do it", note: str = "") -> list[Event]:
        return [event async for event in self.agent.run(prompt, note)]


def call(name: str, text: str, call_id: str = "") -> ToolCall:
    return ToolCall(call_id or f"{name}-{text}", name, f'{{"text": "{text}"}}')


def says(text: str, *calls: ToolCall) -> AssistantMessage:
    return AssistantMessage(text, calls)


def harness(
    lines: Iterable[Line],
    *tools: FakeTool,
    mode: Mode = Mode.FULL_AUTO,
    answers: Iterable[Decision] = (),
    limits: Limits | None = None,
    policy: Policy | None = None,
    window: int | None = None,
    cost: float | None = 0.0,
    day: Spending | None = None,
) -> Harness:
    model = ScriptedModel(lines, window=window, cost=cost)
    toolbox = Toolbox(tools)
    permissions = permitted(mode)
    approver = FixedApprover(list(answers))
    recorder = ListRecorder()
    prefix = Prefix(toolbox.schemas, (Layer("rules", "be good"),))
    agent = Agent(
        model,
        Conversation(prefix, policy or GrepRead()),
        Dispatcher(toolbox, permissions, approver, unchanged),
        recorder,
        Budget(limits or Limits(), day),
    )
    return Harness(agent, model, {t.name: t for t in tools}, approver, recorder, permissions)


def look() -> FakeTool:
    return FakeTool("look", Effect.READ, lambda text: ToolResult(f"saw {text}", read=(text,)))


def change() -> FakeTool:
    return FakeTool(
        "change", Effect.EDIT, lambda text: ToolResult(f"changed {text}", changed=(text,))
    )


def shell(*, passed: bool = True) -> FakeTool:
    return FakeTool(
        "shell",
        Effect.RUN,
        lambda text: ToolResult(f"ran {text}", passed, check=Check(text, passed)),
    )
