"""Calls read out of text, and what must not be taken for one."""

import json

import pytest
from support.asking import asking, hear

from aoci_agent.agent.models.model import Reply, TextPiece, Usage
from aoci_agent.agent.models.scripted import ScriptedModel
from aoci_agent.agent.models.textcalls import (
    TextCallsModel,
    TextPromptModel,
    read_calls,
    written_call,
)
from aoci_agent.policies.conversation import AssistantMessage, ToolCall, ToolMessage, UserMessage

NAMES = {"read", "bash"}
CALL = '{"name": "read", "arguments": {"path": "a.py"}}'
BASH = '{"name": "bash", "arguments": {"command": "ls"}}'
READ_A = ("read", '{"path": "a.py"}')
LS = ("bash", '{"command": "ls"}')

TAKEN: list[tuple[str, str, str, list[tuple[str, str]]]] = [
    (
        "a fence that opens the reply, and an invented result after it",
        f"```json\n{CALL}\n```\n\nAfter reading it, the fault is clear.",
        "",
        [READ_A],
    ),
    ("bare", CALL, "", [READ_A]),
    ("bare with space", f"\n  {CALL}\n\n", "", [READ_A]),
    ("bare over lines", json.dumps(json.loads(CALL), indent=2), "", [READ_A]),
    ("fenced", f"```json\n{CALL}\n```", "", [READ_A]),
    ("fenced, no language", f"```\n{CALL}\n```", "", [READ_A]),
    ("fence not closed", f"```json\n{CALL}", "", [READ_A]),
    ("text before a fence", f"I will look.\n\n```json\n{CALL}\n```\n", "I will look.", [READ_A]),
    ("text before bare", f"I will look.\n{CALL}", "I will look.", [READ_A]),
    ("two fences", f"```json\n{CALL}\n```\n\n```json\n{BASH}\n```", "", [READ_A, LS]),
    ("a list", f"[{CALL}, {BASH}]", "", [READ_A, LS]),
    ("tool_calls", f'{{"tool_calls": [{CALL}]}}', "", [READ_A]),
    ("tagged", f"<tool_call>\n{CALL}\n</tool_call>", "", [READ_A]),
    ("tagged twice", f"ok <tool_call>{CALL}</tool_call>\n<tool_call>{BASH}</tool_call>", "ok", [READ_A, LS]),
    ("tag not closed", f"<tool_call>\n{CALL}", "", [READ_A]),
    ("end mark", f"{CALL}<|im_end|>", "", [READ_A]),
    ("tool and args", '{"tool": "read", "args": {"path": "a.py"}}', "", [READ_A]),
    ("action", '{"action": "read", "action_input": {"path": "a.py"}}', "", [READ_A]),
    ("thought beside it", '{"thought": "hm", "action": "read", "arguments": {"path": "a.py"}}', "", [READ_A]),
    ("function as name", '{"function": "read", "parameters": {"path": "a.py"}}', "", [READ_A]),
    ("OpenAI shape", f'{{"id": "1", "type": "function", "function": {CALL}}}', "", [READ_A]),
    ("arguments as text", '{"name": "read", "arguments": "{\\"path\\": \\"a.py\\"}"}', "", [READ_A]),
    ("no arguments needed", '{"name": "read", "arguments": {}}', "", [("read", "{}")]),
    (
        "an earlier example stays text",
        f"Like\n```json\n{BASH}\n```\nbut now:\n```json\n{CALL}\n```",
        f"Like\n```json\n{BASH}\n```\nbut now:",
        [READ_A],
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "before", "calls"), [x[1:] for x in TAKEN], ids=[x[0] for x in TAKEN]
)
def test_taken(text: str, before: str, calls: list[tuple[str, str]]) -> None:
    found = read_calls(text, NAMES)
    assert found is not None
    assert (found.text, list(found.calls)) == (before, calls)


LEFT: list[tuple[str, str]] = [
    ("empty", ""),
    ("prose", "I would read a.py with the tool read."),
    ("an example with prose after it", f"Call it so:\n```json\n{CALL}\n```\nThen wait."),
    ("bare with prose after it", f"{CALL}\nThis reads the file."),
    ("inside a sentence", f"Write {CALL} to read."),
    ("an unknown tool", '{"name": "fly", "arguments": {}}'),
    ("one of two unknown", f'[{CALL}, {{"name": "fly", "arguments": {{}}}}]'),
    ("single quotes", "{'name': 'read', 'arguments': {'path': 'a.py'}}"),
    ("trailing comma", '{"name": "read", "arguments": {"path": "a.py",}}'),
    ("cut off", CALL[:-3]),
    ("NaN", '{"name": "read", "arguments": {"path": NaN}}'),
    ("no arguments key", '{"name": "read"}'),
    ("arguments are a list", '{"name": "read", "arguments": ["a.py"]}'),
    ("arguments are prose", '{"name": "read", "arguments": "a.py"}'),
    ("other keys", '{"name": "read", "version": "1.0", "arguments": {}}'),
    ("a package.json", '```json\n{"name": "read", "version": "1.0.0", "scripts": {}}\n```'),
    ("two names", '{"name": "read", "tool": "bash", "arguments": {}}'),
    ("a number", "42"),
    ("a list of numbers", "[1, 2]"),
    ("an empty list", "[]"),
    ("name is no text", '{"name": {"a": 1}, "arguments": {}}'),
    ("another language", f"```python\n{CALL}\n```"),
    ("tag with prose after it", f"<tool_call>{CALL}</tool_call> is how."),
    ("deep nesting", "[" * 5000 + "]" * 5000),
]


@pytest.mark.parametrize("text", [x[1] for x in LEFT], ids=[x[0] for x in LEFT])
def test_left_alone(text: str) -> None:
    assert read_calls(text, NAMES) is None


async def test_the_reply_is_changed_and_the_stream_is_not() -> None:
    inner = ScriptedModel([AssistantMessage(f"Look.\n```json\n{CALL}\n```")])
    heard = await hear(TextCallsModel(inner))
    assert heard.reply.message == AssistantMessage("Look.", (ToolCall("call00000", *READ_A),))
    assert heard.reply.finish == "calls"
    assert "".join(p.text for p in heard.pieces if isinstance(p, TextPiece)).startswith(
        "Look.\n```"
    )


async def test_native_calls_and_cut_replies_are_left_alone() -> None:
    native = AssistantMessage(CALL, (ToolCall("n", "bash", "{}"),))
    cut = Reply(AssistantMessage(CALL), Usage(), "length", "m")
    model = TextCallsModel(ScriptedModel([native, cut]))
    assert (await hear(model)).reply.message == native
    assert (await hear(model)).reply == cut


async def test_ids_stay_unique_over_a_conversation() -> None:
    model = TextCallsModel(ScriptedModel([AssistantMessage(CALL)]))
    before = AssistantMessage("", (ToolCall("call00000", *READ_A),))
    request = asking(UserMessage("go"), before, ToolMessage("call00000", "read", "x"))
    assert (await hear(model, request)).reply.message.calls[0].id == "call00001"


async def test_told_in_words_the_prefix_is_fixed_and_no_tools_are_sent() -> None:
    inner = ScriptedModel([AssistantMessage(CALL), AssistantMessage("done")])
    model = TextPromptModel(inner)
    first = (await hear(model, asking(UserMessage("go")))).reply.message
    result = ToolMessage("call00000", "read", "no such file", ok=False)
    await hear(model, asking(UserMessage("go"), first, result))
    one, two = inner.requests
    assert one.prefix == two.prefix
    assert one.prefix.tools == ()
    assert '"path": "string"' in one.prefix.system
    assert '"seconds?": "integer"' in one.prefix.system
    assert two.messages[: len(one.messages)] == one.messages
    assert [message.text for message in two.messages[1:]] == [
        f"```json\n{CALL}\n```",
        "Error of read:\nno such file",
    ]


def test_what_is_written_can_be_read_again() -> None:
    message = AssistantMessage("Both.", (ToolCall("a", *READ_A), ToolCall("b", *LS)))
    found = read_calls(written_call(message), NAMES)
    assert found is not None
    assert (found.text, list(found.calls)) == ("Both.", [READ_A, LS])
