"""How a model is asked to call tools: natively, in its text, or by a constrained schema."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Literal

from aoci_agent.agent.models.model import Model, Piece, Reply, Request
from aoci_agent.agent.models.prompted import prompted
from aoci_agent.agent.models.textcalls import TextCallsModel, with_calls
from aoci_agent.agent.models.wrapping import Wrapper
from aoci_agent.policies.conversation import AssistantMessage

Style = Literal["native", "text", "schema"]


class TextPromptModel(Wrapper):
    """For servers that refuse `tools`: the tools are told in the prompt, calls read from the text."""

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """The inner stream; only its Reply may change."""
        names = {tool.name for tool in request.prefix.tools}
        told = prompted(request, "text_calls.md", written_call)
        async with aclosing(self.inner.stream(told)) as pieces:
            async for piece in pieces:
                yield with_calls(piece, names, request) if isinstance(piece, Reply) else piece


def written_call(message: AssistantMessage) -> str:
    """A message as a model following text_calls.md writes it."""
    fences = [
        f'```json\n{{"name": {json.dumps(call.name)}, "arguments": {call.arguments}}}\n```'
        for call in message.calls
    ]
    return "\n\n".join([message.text, *fences] if message.text else fences)


def with_style(model: Model, style: Literal["auto", "native", "text", "schema"]) -> Model:
    """The model in a call style. `auto` is native calls, read from the text when there are none."""
    match style:
        case "auto":
            return TextCallsModel(model)
        case "native":
            return model
        case "text":
            return TextPromptModel(model)
        case "schema":
            from aoci_agent.agent.models.schemaaction import SchemaActionModel

            return SchemaActionModel(model)
