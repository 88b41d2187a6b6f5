"""The model's own list of what is to be done."""

from typing import Literal

from pydantic import BaseModel

from aoci_agent.base.errors import TryAgain
from aoci_agent.tools.tool import Arguments, Effect, Preview, ToolResult, prompt

MOST = 50
MARKS = {"pending": "[ ]", "active": "[>]", "done": "[x]"}


class TodoItem(BaseModel, frozen=True):
    """One thing to do."""

    text: str
    status: Literal["pending", "active", "done"] = "pending"


class TodoArguments(Arguments):
    """The whole list, as it is to be from now on."""

    items: tuple[TodoItem, ...]


class Todo:
    """Holds the list for the screen and gives it back to the model."""

    name = "todo"
    effect = Effect.NOTE
    arguments = TodoArguments
    description = prompt("todo")

    def __init__(self) -> None:
        self._items: tuple[TodoItem, ...] = ()

    @property
    def items(self) -> tuple[TodoItem, ...]:
        """The list as it is now."""
        return self._items

    def preview(self, arguments: TodoArguments) -> Preview:
        return Preview("text", f"todo: {_progress(arguments.items)}", _text(arguments.items))

    async def run(self, arguments: TodoArguments) -> ToolResult:
        if len(arguments.items) > MOST:
            raise TryAgain(f"{len(arguments.items)} items are too many: at most {MOST}")
        self._items = arguments.items
        return ToolResult(_text(self._items) or "the list is empty", summary=_progress(self._items))


def _text(items: tuple[TodoItem, ...]) -> str:
    return "\n".join(f"{MARKS[item.status]} {item.text}" for item in items)


def _progress(items: tuple[TodoItem, ...]) -> str:
    done = sum(item.status == "done" for item in items)
    return f"{done} of {len(items)} done"
