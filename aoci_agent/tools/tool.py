"""The contract between the loop and a tool."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, cast

from pydantic import BaseModel, ConfigDict, model_validator


class Effect(StrEnum):
    """What a call can do to the world. Permissions are decided from this, never from wording."""

    READ = "read"
    NOTE = "note"  # changes only the agent's own memory (todo)
    EDIT = "edit"
    RUN = "run"


class Arguments(BaseModel):
    """Base of every tool's arguments: immutable, unknown names refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    @model_validator(mode="before")
    @classmethod
    def _null_is_not_given(cls, given: Any) -> Any:
        """Models write `null` for an optional argument they leave out."""
        if not isinstance(given, dict):
            return given
        given = cast("dict[str, Any]", given)
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Preview:
    """What a person is shown before a call runs.

    `title` is one line ("edit src/app.py"); `body` is a unified diff, a command line or plain text;
    `key` names exactly what "always in this session" would allow.
    """

    kind: Literal["diff", "command", "text"]
    title: str
    body: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of running the project's own tests, or a command that looks like them."""

    command: str
    passed: bool
    failing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call. `text` is what the model reads; `summary` is one line for a person."""

    text: str
    ok: bool = True
    summary: str = ""
    changed: tuple[str, ...] = ()  # repository paths written by this call
    read: tuple[str, ...] = ()  # repository paths whose content the model has now seen
    check: Check | None = None
    diff: str = ""  # unified diff of what was changed, for the screen
    malformed: bool = False  # the call could not even be read: unknown tool, bad arguments


A = TypeVar("A", bound=Arguments)


class Tool(Protocol[A]):
    """One thing the model can do. Implementations hold their dependencies; calls hold only data."""

    @property
    def name(self) -> str:
        """The name the model calls; lower case, one word."""
        ...

    @property
    def effect(self) -> Effect:
        """The widest effect a call can have."""
        ...

    @property
    def arguments(self) -> type[A]:
        """The argument model; its JSON schema is what the model is shown."""
        ...

    @property
    def description(self) -> str:
        """The text of the tool's prompt file."""
        ...

    def preview(self, arguments: A) -> Preview:
        """What a person sees on the call's line and in an approval. Raises ForModel on bad input."""
        ...

    async def run(self, arguments: A) -> ToolResult:
        """Do it. Raises ForModel for everything the model must hear; cancellation must clean up."""
        ...


AnyTool = Tool[Any]


def prompt(name: str) -> str:
    """The text a model reads about a tool: `builtin/<name>.md`, without the final newline."""
    path = Path(__file__).parent / "builtin" / f"{name}.md"
    return path.read_text(encoding="utf-8").strip()
