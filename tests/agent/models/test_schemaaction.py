"""One constrained action per reply."""

import json
from typing import Any, cast

import pytest
from support.asking import BASH, PREFIX, READ, asking, hear

from aoci_agent.agent.models.model import CallPiece, MalformedReply, Reply, TextPiece, Usage
from aoci_agent.agent.models.schemaaction import (
    SchemaActionModel,
    bounded,
    response_format,
    written_action,
)
from aoci_agent.agent.models.scripted import ScriptedModel
from aoci_agent.policies.conversation import AssistantMessage, ToolCall, ToolMessage, UserMessage


def action(name: str, thought: str = "hm", **arguments: object) -> AssistantMessage:
    return AssistantMessage(
        json.dumps({"thought": thought, "action": name, "arguments": arguments})
    )


async def test_an_action_becomes_a_call() -> None:
    heard = await hear(SchemaActionModel(ScriptedModel([action("read", path="ä.py")])))
    call = ToolCall("call00000", "read", '{"path": "ä.py"}')
    assert heard.reply.message == AssistantMessage("hm", (call,))
    assert heard.reply.finish == "calls"
    assert isinstance(heard.pieces[0], CallPiece)
    assert heard.pieces[-2] == TextPiece("hm")


async def test_finish_becomes_an_answer() -> None:
    heard = await hear(SchemaActionModel(ScriptedModel([action("finish", answer="it is a.py")])))
    assert heard.reply.message == AssistantMessage("it is a.py", (), "hm")
    assert heard.reply.finish == "stop"


async def test_what_the_server_is_sent() -> None:
    inner = ScriptedModel([action("read", path="a"), action("finish", answer="x")])
    model = SchemaActionModel(inner)
    first = (await hear(model, asking(UserMessage("go"), temperature=0))).reply.message
    result = ToolMessage("call00000", "read", "text of a")
    await hear(model, asking(UserMessage("go"), first, result))
    one, two = inner.requests
    assert one.prefix == two.prefix
    assert one.prefix.tools == ()
    assert one.prefix.layers[1:] == PREFIX.layers
    assert one.extra["temperature"] == 0
    assert one.extra["response_format"] == two.extra["response_format"]
    assert two.messages == (
        UserMessage("go"),
        AssistantMessage('{"thought": "hm", "action": "read", "arguments": {"path": "a"}}'),
        UserMessage("Result of read:\ntext of a", harness=True),
    )


def test_every_text_and_list_has_an_end_and_the_thought_comes_first() -> None:
    schema = response_format((READ, BASH))["response_format"]["json_schema"]["schema"]
    names = [option["properties"]["action"]["enum"] for option in schema["anyOf"]]
    assert names == [["read"], ["bash"], ["finish"]]
    for option in schema["anyOf"]:
        assert list(option["properties"]) == ["thought", "action", "arguments"]
        assert option["required"] == ["thought", "action", "arguments"]
    _check_bounds(schema)


def _check_bounds(value: object) -> None:
    if isinstance(value, list):
        for item in cast("list[object]", value):
            _check_bounds(item)
    if isinstance(value, dict):
        node = cast("dict[str, Any]", value)
        if node.get("type") == "string" and "enum" not in node:
            assert node["maxLength"] <= 2000
        if node.get("type") == "array":
            assert node["maxItems"] <= 16
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
        for inner in node.values():
            _check_bounds(inner)


def test_bounding_keeps_names_that_look_like_keywords() -> None:
    shape = {
        "type": "object",
        "properties": {
            "properties": {"type": "string"},
            "default": {"type": "array", "items": {"type": "string", "maxLength": 5}},
        },
    }
    assert bounded(shape)["properties"] == {
        "properties": {"type": "string", "maxLength": 2000},
        "default": {
            "type": "array",
            "maxItems": 16,
            "items": {"type": "string", "maxLength": 5},
        },
    }


@pytest.mark.parametrize(
    "text",
    [
        "I will read it.",
        "[]",
        '{"thought": "x"}',
        '{"thought": "x", "action": "fly", "arguments": {}}',
        '{"thought": "x", "action": {}, "arguments": {}}',
        '{"thought": "x", "action": "read", "arguments": "a.py"}',
    ],
)
async def test_a_server_that_ignores_the_schema_is_named(text: str) -> None:
    with pytest.raises(MalformedReply, match="schema"):
        await hear(SchemaActionModel(ScriptedModel([AssistantMessage(text)])))


async def test_an_object_cut_by_the_limit_is_handed_on_as_text() -> None:
    cut = Reply(AssistantMessage('{"thought": "I th'), Usage(), "length", "m")
    assert (await hear(SchemaActionModel(ScriptedModel([cut])))).reply == cut


def test_history_is_written_as_the_model_writes() -> None:
    said = AssistantMessage("why", (ToolCall("c", "read", '{"path": "a"}'),))
    assert json.loads(written_action(said)) == {
        "thought": "why",
        "action": "read",
        "arguments": {"path": "a"},
    }
    answer = json.loads(written_action(AssistantMessage("it is done")))
    assert answer["arguments"] == {"answer": "it is done"}
