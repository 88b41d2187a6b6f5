"""The model's own list."""

import pytest
from pydantic import ValidationError
from support.desk import Desk

from aoci_agent.tools.builtin.todo import Todo


async def test_the_list_is_kept_and_given_back(desk: Desk) -> None:
    items = [
        {"text": "look", "status": "done"},
        {"text": "mend", "status": "active"},
        {"text": "test"},
    ]
    result = await desk.call("todo", items=items)
    assert result.text == "[x] look\n[>] mend\n[ ] test"
    assert result.summary == "1 of 3 done"
    todo = desk.tools["todo"]
    assert isinstance(todo, Todo)
    assert [item.status for item in todo.items] == ["done", "active", "pending"]
    assert (await desk.call("todo", items=[])).text == "the list is empty"
    assert todo.items == ()


def test_other_words_for_a_status_are_refused(desk: Desk) -> None:
    with pytest.raises(ValidationError):
        desk.preview("todo", items=[{"text": "a", "status": "started"}])
