"""The bytes that are sent, and where cache breakpoints stand."""

import json
from dataclasses import replace
from typing import Any, cast

import pytest
from support.asking import PREFIX, READ, asking

from aoci_agent.agent.models.rates import Rates, rates_for
from aoci_agent.agent.models.wire import (
    MARKS,
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
from aoci_agent.policies.layers import Layer


def rates(model: str) -> Rates:
    found = rates_for(model)
    assert found is not None
    return found


CLAUDE = rates("anthropic/claude-sonnet-4-5")


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
    sent = marked_conversation(asking(*steps(3)), CLAUDE)
    blocks = sent[0]["content"]
    assert ["cache_control" in block for block in blocks] == [True, True]
    assert "".join(block["text"] for block in blocks) == PREFIX.system
    assert marks(sent) == [0, 5, 7]
    assert json.dumps(sent).count("cache_control") == 4


def test_the_first_request_marks_its_only_message() -> None:
    assert marks(marked_conversation(asking(UserMessage("hi")), CLAUDE)) == [0, 1]


def test_a_layer_is_the_same_bytes_whether_another_follows_or_not() -> None:
    whole = marked_conversation(asking(), CLAUDE)[0]["content"]
    rules = replace(asking(), prefix=replace(PREFIX, layers=PREFIX.layers[:1]))
    assert marked_conversation(rules, CLAUDE)[0]["content"] == whole[:1]


def test_marks_change_no_text() -> None:
    request = asking(*steps(2))
    for plain, marked in zip(
        conversation(request), marked_conversation(request, CLAUDE), strict=True
    ):
        content = marked["content"]
        text = content if isinstance(content, str | None) else "".join(b["text"] for b in content)
        assert text == plain["content"]


def test_reasoning_is_sent_back_only_where_it_is_asked_for() -> None:
    said = AssistantMessage("", (ToolCall("c", "read", "{}"),), "because")
    assert "reasoning_content" not in message(said)
    assert message(said, echo_reasoning=True)["reasoning_content"] == "because"


def mark_list(sent: object) -> list[dict[str, str]]:
    """The marks in the order in which they stand in the prompt."""
    found: list[dict[str, str]] = []
    if isinstance(sent, dict):
        for key, value in cast("dict[str, Any]", sent).items():
            found += [value] if key in MARKS else mark_list(value)
    if isinstance(sent, list):
        for item in cast("list[Any]", sent):
            found += mark_list(item)
    return found


def test_openai_from_5_6_on_is_marked_after_the_fixed_layers_alone() -> None:
    sent = marked_conversation(asking(*steps(3)), rates("openai/gpt-5.6"), long_prefix=True)
    assert mark_list(sent) == [{"mode": "explicit"}] * 2
    assert mark_list(sent[0]) == mark_list(sent)


@pytest.mark.parametrize(
    "model", ["openai/gpt-4o", "gemini/gemini-2.5-pro", "deepseek/deepseek-chat"]
)
def test_providers_that_cache_by_themselves_get_no_marks(model: str) -> None:
    request = asking(*steps(3))
    assert marked_conversation(request, rates(model)) == conversation(request)


def test_an_hour_for_the_fixed_layers_and_five_minutes_for_what_grows() -> None:
    sent = marked_conversation(asking(*steps(3)), CLAUDE, long_prefix=True)
    hour, short = {"type": "ephemeral", "ttl": "1h"}, {"type": "ephemeral"}
    assert mark_list(sent) == [hour, hour, short, short]
    assert mark_list(sent[0]) == [hour, hour]


@pytest.mark.parametrize("long_prefix", [False, True])
@pytest.mark.parametrize("layers", range(5))
@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_marks_are_four_at_most_and_the_long_ones_first(
    *, long_prefix: bool, layers: int, count: int
) -> None:
    prefix = replace(PREFIX, layers=tuple(Layer(f"l{at}", f"text {at}") for at in range(layers)))
    request = replace(asking(*steps(count)), prefix=prefix)
    found = mark_list(marked_conversation(request, CLAUDE, long_prefix=long_prefix))
    assert 1 <= len(found) <= 4
    lives = [mark.get("ttl", "5m") for mark in found]
    assert lives == sorted(lives)  # 1h before 5m


@pytest.mark.parametrize(("room", "where"), [(1, [0]), (2, [0, 7]), (3, [0, 5, 7]), (4, [0, 5, 7])])
def test_with_less_room_the_end_of_the_index_and_the_newest_message_come_first(
    room: int, where: list[int]
) -> None:
    sent = marked_conversation(asking(*steps(3)), replace(CLAUDE, breakpoints=room))
    assert marks(sent) == where
    assert len(mark_list(sent)) == room


def test_what_the_last_request_ended_with_is_marked_again_in_the_next() -> None:
    """A provider looks back 20 blocks from a mark; one step may add more than that."""
    many = tuple(ToolCall(f"m{at}", "read", "{}") for at in range(30))
    before = steps(2)
    grown = [*before, AssistantMessage("", many), *(ToolMessage(c.id, "read", "x") for c in many)]
    first, second = (marked_conversation(asking(*said), CLAUDE) for said in (before, grown))
    assert marks(first)[-1] in marks(second)
