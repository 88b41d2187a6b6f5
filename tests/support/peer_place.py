"""A cell's folder and tree with a stand-in for another agent, and an endpoint that it is led to."""

import asyncio
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from support import fake_peer
from support.endpoint import FakeEndpoint, running
from support.solving_endpoint import BEFORE, FILE, SolvingEndpoint

from aoci_agent.base.box import Box, Strength, Unboxed
from aoci_agent.base.sandbox.ladder import open_box
from aoci_agent.evals.replay.attempt import Opening, Worked
from aoci_agent.evals.replay.cell import Tokens
from aoci_agent.evals.replay.exchange import REQUESTS, Exchange
from aoci_agent.evals.replay.peers.peer import Job, Peer
from aoci_agent.evals.replay.peers.running import Peered
from aoci_agent.evals.replay.task import Budget, Task

TASK = Task(id="add", prompt="add() subtracts; make it add", base="HEAD")
KEY = "sk-secret-of-the-user"


@contextmanager
def serving(endpoint: FakeEndpoint) -> Generator[FakeEndpoint]:
    """In a thread of its own: a solver has an event loop of its own."""
    loop, ready, stop = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    async def serve() -> None:
        async with running(endpoint):
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(10)
        yield endpoint
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


class Place:
    """A cell's folder and tree, and a fake agent that is installed outside of both."""

    def __init__(self, folder: Path) -> None:
        self.own = folder / "own"
        self.tree, self.cell = self.own / "trees" / "work", self.own / "cell"
        self.state = self.cell / "state"
        self.state.mkdir(parents=True)
        self.tree.mkdir(parents=True)
        (self.tree / FILE).write_text(BEFORE)
        identity = ("-c", "user.name=t", "-c", "user.email=t@t")
        for words in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-qm", "base")):
            subprocess.run(["git", *words], cwd=self.tree, check=True, capture_output=True)
        self.agents = folder / "agents"
        self.program = self.agents / "bin" / "fake"
        self.install(self.program)

    def install(self, program: Path) -> Path:
        """The stand-in, which goes by the name of its program."""
        program.parent.mkdir(parents=True, exist_ok=True)
        text = Path(fake_peer.__file__).read_text()
        program.write_text(f"#!{sys.executable} -I\n{text}")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return program

    @property
    def exchanges(self) -> list[Exchange]:
        lines = (self.cell / REQUESTS).read_text().splitlines()
        return [Exchange.model_validate_json(line) for line in lines]

    def boxed(self, root: Path, readable: Sequence[Path], state: Path) -> Box:
        box = open_box(root, (self.own,), state, os.environ, readable)
        if box.strength is not Strength.STRONG:
            pytest.skip(f"no strong sandbox: {box.why}")
        return box

    def solve(
        self,
        endpoint: FakeEndpoint,
        *options: str,
        budget: Budget | None = None,
        boxed: bool = False,
        variables: dict[str, str] | None = None,
    ) -> Worked:
        def words(job: Job) -> list[str]:
            return ["--litter", *options, job.prompt]

        return self.run(endpoint, replace(FAKE, words=words), budget, variables, boxed=boxed)

    def run(
        self,
        endpoint: FakeEndpoint,
        peer: Peer,
        budget: Budget | None = None,
        variables: dict[str, str] | None = None,
        *,
        boxed: bool,
        model: str = "openai/solver",
    ) -> Worked:
        env = {**os.environ, "OPENAI_API_KEY": KEY, "OPENAI_API_BASE": endpoint.url}
        env |= {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": endpoint.url}
        env.setdefault(peer.variable, str(self.program))
        opening = Opening(
            self.tree,
            self.state,
            peer.name,
            model,
            budget or Budget(),
            (),
            variables or {},
        )
        open_it = self.boxed if boxed else unboxed
        return Peered(peer, open_it, env, {}, grace=0.5).solve(TASK, opening, None)


def unboxed(root: Path, readable: Sequence[Path], state: Path) -> Box:
    del root, readable, state
    return Unboxed()


def _words(job: Job) -> list[str]:
    return ["--litter", job.prompt]


def _variables(job: Job) -> dict[str, str]:
    return {"OPENAI_API_KEY": "dummy", "OPENAI_API_BASE": job.url}


FAKE = Peer(
    "fake", "fake", "pip install fake", _words, _variables, litter=(".fake*",), kept=("notes.txt",)
)


def billed(endpoint: FakeEndpoint) -> Tokens:
    assert isinstance(endpoint, SolvingEndpoint)
    names = ("fresh", "read", "write", "output")
    return Tokens(**{name: sum(one[name] for one in endpoint.billed) for name in names})
