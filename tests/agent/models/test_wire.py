"""The bytes that are sent, and where cache breakpoints stand."""

import json
from dataclasses import replace

from support.asking import PREFIX, READ, asking

from aoci_agent.agent.models.wire import (
    conversation,
    marked_conversation,
    message,
    request_parts,
    tools,
)
from aoci_agent.policies.conversation import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
)


def steps(count: int) -> list[Message]:
    said: list[Message] = [UserMessage("do it")]
    for at in range(count):
        said.append(AssistantMessage("", (ToolCall(f"c{at}", "read", "{}"),)))
        said.append(ToolMessage(f"c{at}", "read", f"text {at}"))
    return said


def test_equal_schemas_are_equal_bytes_whatever_their_key_order() -> None:
    turned = replace(READ, parameters=dict(reversed(READ.parameters.items())))
    assert json.dumps(tools([READ])) == json.dumps(tools([turned]))


def test_the_fixed_part_is_the_same_bytes_in_every_step() -> None:
    heads = set[str]()
    for count in range(5):
        request = asking(*steps(count))
        heads.add("".join(request_parts(request)[:2]))
        heads.add("".join(request_parts(request)[:2]))
    assert len(heads) == 1


def test_each_request_extends_the_one_before() -> None:
    for count in range(4):
        before, after = (request_parts(asking(*steps(n))) for n in (count, count + 1))
        assert after[: len(before)] == before


def marks(request: list[dict[str, object]]) -> list[int]:
    return [at for at, item in enumerate(request) if "cache_control" in json.dumps(item)]


def test_breakpoints_stand_after_rules_index_and_the_newest_messages() -> None:
    sent = marked_conversation(asking(*steps(3)))
    blocks = sent[0]["content"]
    assert ["cache_control" in block for block in blocks] == [True, True]
    assert "".join(block["text"] for block in blocks) == PREFIX.system
    assert marks(sent) == [0, 5, 7]
    assert json.dumps(sent).count("cache_control") == 4


def test_the_first_request_marks_its_only_message() -> None:
    assert marks(marked_conversation(asking(UserMessage("hi")))) == [0, 1]


def test_marks_change_no_text() -> None:
    request = asking(*steps(2))
    for plain, marked in zip(conversation(request), marked_conversation(request), strict=True):
        content = marked["content"]
        text = content if isinstance(content, str | None) else "".join(b["text"] for b in content)
        assert text == plain["content"]


def test_reasoning_is_sent_back_only_where_it_is_asked_for() -> None:
    said = AssistantMessage("", (ToolCall("c", "read", "{}"),), "because")
    assert "reasoning_content" not in message(said)
    assert message(said, echo_reasoning=True)["reasoning_content"] == "because"
