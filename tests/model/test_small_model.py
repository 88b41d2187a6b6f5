"""A real model of 135M parameters behind llama.cpp: the plumbing is asserted, never success."""

import asyncio
import json
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.asking import Heard, hear

from aoci_agent.agent.models.catalog import ModelSettings, open_model
from aoci_agent.agent.models.model import (
    CallPiece,
    ContextOverflow,
    Model,
    NoticePiece,
    Provenance,
    Request,
    TextPiece,
)
from aoci_agent.agent.models.probe import FILE
from aoci_agent.policies.conversation import Message, ToolMessage, UserMessage
from aoci_agent.policies.layers import Layer, Prefix, ToolSchema

GGUF = os.environ.get("AOCI_AGENT_TEST_GGUF", "")

pytestmark = [
    pytest.mark.model,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not GGUF, reason="AOCI_AGENT_TEST_GGUF names no model file"),
    pytest.mark.skipif(find_spec("xllamacpp") is None, reason="xllamacpp is not installed"),
]

OPEN = ToolSchema(
    "open",
    "Open a file.",
    {
        "type": "object",
        "properties": {"path": {"type": "string", "enum": ["app.py", "db.py", "mail.py"]}},
        "required": ["path"],
    },
)
INDEX = "app.py: starts the server\ndb.py: reads and writes the database\nmail.py: sends mail"
PREFIX = Prefix((OPEN,), (Layer("rules", "Find the file."), Layer("index", INDEX)))


@asynccontextmanager
async def small(settings: ModelSettings) -> AsyncGenerator[Model]:
    model = open_model(f"local:{GGUF}", {}, settings)
    try:
        yield model
    finally:
        await model.close()


def ask(*messages: Message, max_output: int = 1000) -> Request:
    question = UserMessage("Which file sends mail? Open it, then finish.")
    return Request(PREFIX, messages or (question,), max_output, {"temperature": 0})


async def test_every_turn_is_a_valid_action_and_the_prefix_is_read_from_the_cache() -> None:
    messages: list[Message] = list(ask().messages)
    turns: list[Heard] = []
    async with small(ModelSettings(call_style="schema")) as model:
        for _ in range(4):
            heard = await hear(model, ask(*messages))
            turns.append(heard)
            said = heard.reply.message
            messages.append(said)
            messages.extend(ToolMessage(c.id, c.name, "def send(): ...") for c in said.calls)
            if not said.calls:
                messages.append(UserMessage("And which one reads the database?"))
    for number, heard in enumerate(turns):
        reply = heard.reply
        assert reply.finish in ("calls", "stop")
        for call in reply.message.calls:
            assert call.name == "open"
            assert json.loads(call.arguments)["path"] in ("app.py", "db.py", "mail.py")
        assert len([piece for piece in heard.pieces if isinstance(piece, CallPiece)]) > 5
        assert reply.usage.tokens_from is Provenance.MEASURED
        assert reply.usage.output > 0
        assert reply.usage.cost == 0.0
        assert (reply.usage.cache_read > 0) == (number > 0)


async def test_a_prompt_over_the_window_is_an_overflow_and_the_model_lives_on() -> None:
    async with small(ModelSettings(call_style="native")) as model:
        assert model.window == 8192
        with pytest.raises(ContextOverflow):
            await hear(model, ask(UserMessage("all work and no play " * 3000)))
        assert (await hear(model, ask(max_output=5))).reply.usage.output > 0


async def test_the_output_limit_holds_and_is_said() -> None:
    async with small(ModelSettings(call_style="text")) as model:
        story = UserMessage("Tell a long story about a ship, in plain words.")
        heard = await hear(model, ask(story, max_output=12))
    assert heard.reply.finish == "length"
    assert heard.reply.usage.output <= 12
    assert len([piece for piece in heard.pieces if isinstance(piece, TextPiece)]) > 3
    assert isinstance(heard.pieces[0], NoticePiece)


async def test_the_call_style_is_found_out_and_remembered(tmp_path: Path) -> None:
    async with small(ModelSettings(state_dir=tmp_path)) as model:
        await hear(model, ask())
    known = json.loads((tmp_path / FILE).read_text())
    assert next(iter(known.values())) in ("native", "schema", "text")


async def test_closing_a_stream_frees_the_server() -> None:
    async with small(ModelSettings(call_style="native")) as model:
        story = UserMessage("Tell a long story about a ship, in plain words.")
        async with aclosing(model.stream(ask(story, max_output=2000))) as pieces:
            async for piece in pieces:
                if isinstance(piece, TextPiece):
                    break
        async with asyncio.timeout(30):
            assert (await hear(model, ask(max_output=5))).reply.usage.output > 0
