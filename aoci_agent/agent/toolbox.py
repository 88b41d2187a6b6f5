"""From the raw call a model wrote to a tool and its checked arguments."""

import difflib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from pydantic import ValidationError

from aoci_agent.base.errors import TryAgain
from aoci_agent.policies.conversation import ToolCall
from aoci_agent.policies.layers import ToolSchema
from aoci_agent.tools.schema import parameters
from aoci_agent.tools.tool import AnyTool, Arguments, Effect

SHOWN = 200  # characters of a malformed call that are quoted back


@dataclass(frozen=True, slots=True)
class Bound:
    """A call that passed parsing: ready to be previewed, judged and run."""

    call: ToolCall
    tool: AnyTool
    arguments: Arguments


class Toolbox:
    """The tools of a session, by name."""

    def __init__(self, tools: tuple[AnyTool, ...]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    @cached_property
    def schemas(self) -> tuple[ToolSchema, ...]:
        """What the model is shown, in registration order."""
        return tuple(
            ToolSchema(tool.name, tool.description, parameters(tool.arguments))
            for tool in self._tools.values()
        )

    def effect(self, name: str) -> Effect | None:
        """What calls of this tool can do; None for an unknown name."""
        tool = self._tools.get(name)
        return tool.effect if tool else None

    def bind(self, call: ToolCall) -> Bound:
        """Parse strictly: known name, complete JSON object, declared arguments only. Raises TryAgain."""
        tool = self._tools.get(call.name)
        if tool is None:
            near = difflib.get_close_matches(call.name, self._tools, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise TryAgain(
                f"There is no tool '{call.name[:60]}'.{hint} Tools: {', '.join(self._tools)}."
            )
        data = parse_object(call.arguments)
        if data is None:
            raise TryAgain(
                f"The arguments of {call.name} are not a complete JSON object: "
                f"{call.arguments[:SHOWN]!r}. Nothing was run; send the whole call again."
            )
        try:
            return Bound(call, tool, tool.arguments.model_validate(data))
        except ValidationError as error:
            raise TryAgain(
                f"Bad arguments for {call.name}: {_faults(error)}. Nothing was run."
            ) from error


def parse_object(text: str) -> dict[str, object] | None:
    """The JSON object in `text`, or None. An empty string is an empty object (some servers send it)."""
    if not text.strip():
        return {}
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", data) if isinstance(data, dict) else None


def storable(call: ToolCall) -> ToolCall:
    """The call as it may enter history: providers refuse arguments that are not a JSON object."""
    return call if parse_object(call.arguments) is not None else ToolCall(call.id, call.name, "{}")


def _faults(error: ValidationError) -> str:
    shown = [
        f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors()[:4]
    ]
    return "; ".join(shown)
