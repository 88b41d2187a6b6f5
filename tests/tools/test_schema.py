"""The tools as the model is shown them."""

import json
from typing import Any

import pytest
from pydantic import ValidationError
from support.desk import Desk

from aoci_agent.base import tokens
from aoci_agent.tools.schema import parameters
from aoci_agent.tools.tool import Arguments, Effect

NAMES = [
    "read",
    "write",
    "edit",
    "bash",
    "test",
    "grep",
    "glob",
    "index",
    "search",
    "symbols",
    "definition",
    "references",
    "todo",
]


def shown(desk: Desk) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": parameters(tool.arguments),
            },
        }
        for tool in desk.tools.values()
    ]


def test_the_tools_in_their_order(desk: Desk) -> None:
    assert list(desk.tools) == NAMES


def test_all_tools_together_leave_room_for_the_rules(desk: Desk) -> None:
    assert tokens.exact()
    assert tokens.count(json.dumps(shown(desk), separators=(",", ":"))) <= 1_450


def test_no_words_are_spent_on_what_pydantic_adds(desk: Desk) -> None:
    text = json.dumps(shown(desk))
    for word in (
        "title",
        "additionalProperties",
        "$defs",
        "$ref",
        "anyOf",
        'default":',
        "Arguments",
    ):
        assert word not in text


def test_keys_are_sorted_and_the_bytes_do_not_change(desk: Desk) -> None:
    for tool in desk.tools.values():
        schema = parameters(tool.arguments)
        assert json.dumps(schema) == json.dumps(schema, sort_keys=True)
        assert schema == parameters(tool.arguments)


def test_nested_items_are_written_out(desk: Desk) -> None:
    items = parameters(desk.tools["todo"].arguments)["properties"]["items"]
    assert items["items"]["properties"]["status"]["enum"] == ["pending", "active", "done"]


def test_an_optional_is_shown_as_its_plain_type() -> None:
    class Some(Arguments):
        word: str | None = None

    assert parameters(Some) == {"properties": {"word": {"type": "string"}}, "type": "object"}


def test_every_prompt_names_only_arguments_that_exist(desk: Desk) -> None:
    for tool in desk.tools.values():
        assert tool.description
        assert "\n" not in tool.description


def test_effects(desk: Desk) -> None:
    effects = {name: tool.effect for name, tool in desk.tools.items()}
    assert effects["todo"] is Effect.NOTE
    assert {effects["write"], effects["edit"]} == {Effect.EDIT}
    assert {effects["bash"], effects["test"]} == {Effect.RUN}
    assert {effects[name] for name in ("read", "grep", "glob", "index")} == {Effect.READ}


def test_unknown_arguments_are_refused_and_null_means_not_given(desk: Desk) -> None:
    read = desk.tools["read"].arguments
    assert read(path="a", offset=None, limit=None) == read(path="a")
    with pytest.raises(ValidationError):
        read(path="a", lines=3)
    with pytest.raises(ValidationError):
        read(path=None)
