"""Any conversation that can be sent, and what must be true of it whatever is done to it."""

from collections.abc import Sequence

from hypothesis import strategies as st

from aoci_agent.base import tokens
from aoci_agent.policies.conversation import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
    said,
)
from aoci_agent.policies.digest import Digest
from aoci_agent.tools.tool import Check


def size(message: Message) -> int:
    calls = message.calls if isinstance(message, AssistantMessage) else ()
    return tokens.estimate(message.text + "".join(c.name + c.arguments for c in calls)) + 4


def valid(messages: Sequence[Message]) -> bool:
    """Every call has exactly one answer, right behind its message, and there is no other answer."""
    waiting: list[str] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            if message.call_id not in waiting:
                return False
            waiting.remove(message.call_id)
        elif waiting:
            return False
        elif isinstance(message, AssistantMessage):
            waiting = [call.id for call in message.calls]
    return not waiting


WORDS = st.text("abc \n", min_size=1, max_size=40).filter(str.strip)
OUTPUT = st.integers(0, 300).map(lambda n: f"head {n}\n" + "word " * n)
CHECKS = st.sampled_from([None, None, Check("pytest", True), Check("pytest", False, ("a",))])


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Message, ...]:
    messages: list[Message] = []
    number = 0
    for _ in range(draw(st.integers(0, 5))):
        blocks = draw(st.sampled_from(["", "1. a.py:1-2\n    x\n" * 9]))
        messages.append(said(draw(WORDS), blocks, "[note]"))
        for _ in range(draw(st.integers(0, 4))):
            calls = draw(st.lists(st.sampled_from(["read", "bash", "todo"]), max_size=3))
            made = tuple(ToolCall(f"c{number + at}", name, "{}") for at, name in enumerate(calls))
            number += len(made)
            messages.append(AssistantMessage(draw(st.sampled_from(["", "so it is"])), made))
            messages += [
                ToolMessage(call.id, call.name, draw(OUTPUT), check=draw(CHECKS)) for call in made
            ]
        if draw(st.booleans()):
            messages.append(UserMessage("run the check", harness=True))
    return tuple(messages)


def opening_of(messages: Sequence[Message]) -> int | None:
    places = [at for at, m in enumerate(messages) if isinstance(m, UserMessage) and not m.harness]
    return places[-1] if places else None


def asked(messages: Sequence[Message]) -> list[str]:
    """The person's words in order, wherever they stand."""
    found: list[str] = []
    for message in messages:
        if isinstance(message, Digest):
            found += [one.asked for one in message.past if one.asked]
        elif isinstance(message, UserMessage) and not message.harness:
            found.append(message.question)
    return found
