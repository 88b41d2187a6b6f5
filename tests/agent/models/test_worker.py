"""The parent's side of the worker protocol, against small stand-in programs."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from textwrap import dedent

import pytest

from aoci_agent.agent.models.connection import Timeouts
from aoci_agent.agent.models.litellm_client import Message, Worker
from aoci_agent.agent.models.reading import Dropped
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.base.process import Peer

QUICK = Timeouts(event=0.3, gap=0.3)

HEAD = """
import json, sys
def say(**message): print(json.dumps(message), flush=True)
def hear(): return json.loads(sys.stdin.readline() or "null")
"""


@asynccontextmanager
async def session(program: str, folder: Path) -> AsyncGenerator[Worker]:
    argv = [sys.executable, "-c", HEAD + dedent(program)]
    running = Worker(await Peer.start(argv, cwd=folder, env={}))
    try:
        yield running
    finally:
        await running.close()


async def ask(running: Worker, timeouts: Timeouts | None = None) -> list[Message]:
    messages: list[Message] = []
    async with aclosing(running.ask({"model": "m"}, timeouts or Timeouts())) as answers:
        async for message in answers:
            messages.append(message)
    return messages


async def test_answers_find_the_request_they_belong_to(tmp_path: Path) -> None:
    program = """
        one, two = hear(), hear()
        say(id=two["id"], chunk={"n": 2})
        say(id=one["id"], chunk={"n": 1})
        say(id=99, chunk={})
        say(id=one["id"], done=True)
        say(id=two["id"], done=True)
        hear()
    """
    async with session(program, tmp_path) as running:
        first, second = await asyncio.gather(ask(running), ask(running))
    assert [message.get("chunk") for message in first] == [{"n": 1}, None]
    assert [message.get("chunk") for message in second] == [{"n": 2}, None]


async def test_a_death_before_the_first_message_names_what_it_last_said(tmp_path: Path) -> None:
    async with session('hear(); sys.exit("no module named boto3")', tmp_path) as running:
        with pytest.raises(ModelUnavailable, match="no module named boto3"):
            await ask(running)
        assert not running.usable


async def test_a_death_in_the_middle_is_a_drop(tmp_path: Path) -> None:
    program = 'say(id=hear()["id"], chunk={}); sys.exit("killed")'
    async with session(program, tmp_path) as running:
        with pytest.raises(Dropped, match="killed"):
            await ask(running)


async def test_a_dead_worker_cannot_be_asked(tmp_path: Path) -> None:
    async with session("sys.exit(1)", tmp_path) as running:
        with pytest.raises(ModelUnavailable):
            await ask(running)


async def test_a_cancel_is_confirmed(tmp_path: Path) -> None:
    program = """
        number = hear()["id"]
        say(id=number, chunk={})
        assert hear() == {"id": number, "cancel": True}
        say(id=number, done=True)
        hear()
    """
    async with session(program, tmp_path) as running:
        async with aclosing(running.ask({}, Timeouts())) as answers:
            assert await anext(answers) == {"id": 1, "chunk": {}}
        assert running.usable


async def test_a_worker_that_ignores_a_cancel_is_stuck(tmp_path: Path) -> None:
    program = 'say(id=hear()["id"], chunk={}); hear(); hear()'
    async with session(program, tmp_path) as running:
        async with aclosing(running.ask({}, Timeouts())) as answers:
            await anext(answers)
        assert not running.usable


@pytest.mark.gate("R16")
async def test_silence_is_a_drop(tmp_path: Path) -> None:
    async with session("hear(); hear(); hear()", tmp_path) as running:
        with pytest.raises(Dropped, match="nothing"):
            await ask(running, QUICK)
