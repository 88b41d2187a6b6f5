"""Other agents as solvers: run in the sandbox, measured by the proxy, judged like any cell."""

import asyncio
import json
import os
import shutil
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
from support.endpoint import Answer, FakeEndpoint, refuses, running
from support.solving_endpoint import AFTER, BEFORE, FILE, HIDDEN, SolvingEndpoint

from aoci_agent.base.box import Box, Strength, Unboxed
from aoci_agent.base.errors import BadUsage, NotPossible
from aoci_agent.base.sandbox.ladder import open_box
from aoci_agent.evals.replay import oracle
from aoci_agent.evals.replay.attempt import Opening, Worked
from aoci_agent.evals.replay.cell import Cell, Tokens
from aoci_agent.evals.replay.exchange import REQUESTS, Exchange
from aoci_agent.evals.replay.peers.catalog import PEERS
from aoci_agent.evals.replay.peers.peer import Job, Peer
from aoci_agent.evals.replay.peers.program import argv_of, peer_named, program_of
from aoci_agent.evals.replay.peers.running import OUTPUT, Peered
from aoci_agent.evals.replay.store import Run, RunFolder
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
        self.tree, self.cell, self.own = folder / "tree", folder / "own" / "cell", folder / "own"
        self.state = self.cell / "state"
        self.state.mkdir(parents=True)
        self.tree.mkdir()
        (self.tree / FILE).write_text(BEFORE)
        identity = ("-c", "user.name=t", "-c", "user.email=t@t")
        for words in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-qm", "base")):
            subprocess.run(["git", *words], cwd=self.tree, check=True, capture_output=True)
        self.program = folder / "agents" / "bin" / "fake"
        self.program.parent.mkdir(parents=True)
        text = Path(fake_peer.__file__).read_text()
        self.program.write_text(f"#!{sys.executable} -I\n{text}")
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)

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

        return self.run(endpoint, replace(_FAKE, words=words), budget, variables, boxed=boxed)

    def run(
        self,
        endpoint: FakeEndpoint,
        peer: Peer,
        budget: Budget | None = None,
        variables: dict[str, str] | None = None,
        *,
        boxed: bool,
    ) -> Worked:
        env = {**os.environ, "OPENAI_API_KEY": KEY, "OPENAI_API_BASE": endpoint.url}
        env.setdefault(peer.variable, str(self.program))
        opening = Opening(
            self.tree,
            self.state,
            peer.name,
            "openai/solver",
            budget or Budget(),
            (),
            variables or {},
        )
        open_it = self.boxed if boxed else _unboxed
        return Peered(peer, open_it, env, {}, grace=0.5).solve(TASK, opening, None)


def _unboxed(root: Path, readable: Sequence[Path], state: Path) -> Box:
    del root, readable, state
    return Unboxed()


def _words(job: Job) -> list[str]:
    return ["--litter", job.prompt]


def _variables(job: Job) -> dict[str, str]:
    return {"OPENAI_API_KEY": "dummy", "OPENAI_API_BASE": job.url}


_FAKE = Peer(
    "fake", "fake", "pip install fake", _words, _variables, litter=(".fake*",), kept=("notes.txt",)
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize("options", [(), ("--stream",)])
def test_an_agent_solves_a_task_and_its_tokens_are_what_the_endpoint_billed(
    place: Place, options: tuple[str, ...]
) -> None:
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.solve(endpoint, *options)
    assert isinstance(endpoint, SolvingEndpoint)
    assert (worked.reason, worked.broke, worked.steps, worked.commands) == ("done", False, 3, 3)
    assert (place.tree / FILE).read_text() == AFTER
    billed = endpoint.billed
    read = sum(one["prompt_tokens_details"]["cached_tokens"] for one in billed)
    prompt = sum(one["prompt_tokens"] for one in billed)
    output = sum(one["completion_tokens"] for one in billed)
    assert worked.spent.tokens == Tokens(fresh=prompt - read, read=read, output=output)
    assert [line.asked for line in place.exchanges] == ["mine"] * 3
    left = {path.name for path in place.tree.iterdir()}
    assert left == {".git", FILE}  # not the log it wrote
    assert {path.name for path in place.state.iterdir()} == {OUTPUT}


def test_in_the_sandbox_it_reaches_the_proxy_and_nothing_else(place: Place) -> None:
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.solve(endpoint, "--look", boxed=True)
        seen = endpoint.posts[0].headers["authorization"]
    output = (place.state / OUTPUT).read_text()
    told = json.loads(output.splitlines()[0])
    assert "unreachable" in told["network"]
    assert told["secrets"] == []
    assert worked.reason == "done", output
    assert (place.tree / FILE).read_text() == AFTER
    assert seen == f"Bearer {KEY}"
    assert all(KEY not in file.read_text() for file in place.cell.rglob("*") if file.is_file())


def test_beyond_its_budget_it_is_refused_and_ended_and_judged_all_the_same(place: Place) -> None:
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.solve(endpoint, "--greedy", budget=Budget(steps=2))
    assert (worked.reason, worked.broke, worked.steps) == ("steps", False, 2)
    assert place.exchanges[-1].ended == "budget"
    assert "used up" in (place.state / OUTPUT).read_text()


def test_one_that_goes_on_without_its_model_is_ended(place: Place) -> None:
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.solve(endpoint, "--greedy", "--slow", budget=Budget(steps=1))
    assert (worked.reason, worked.broke) == ("steps", False)


def test_one_whose_time_is_over_is_ended(place: Place) -> None:
    with serving(FakeEndpoint([Answer(b"", stall=0)])) as endpoint:
        worked = place.solve(endpoint, budget=Budget(time=1.0))
    assert (worked.reason, worked.broke) == ("time", False)
    assert worked.spent.tokens is None  # what was asked is not known to have cost nothing


@pytest.mark.parametrize("status", [401, 429, 503])
def test_a_fault_of_the_endpoint_is_the_infrastructures(place: Place, status: int) -> None:
    with serving(FakeEndpoint([refuses(status, "no")])) as endpoint:
        worked = place.solve(endpoint)
    assert (worked.reason, worked.broke, worked.steps) == ("model", True, 0)


def test_one_that_cannot_start_says_why(place: Place) -> None:
    place.program.write_text(f"#!{sys.executable} -I\nraise SystemExit('a library is missing')\n")
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.solve(endpoint)
    assert worked.broke
    assert "a library is missing" in worked.message


def test_the_tasks_python_path_reaches_commands_and_not_the_agents_own_imports(
    place: Place, tmp_path: Path
) -> None:
    venv = tmp_path / "agents" / "bin" / "python"
    venv.symlink_to(sys.executable)
    assert argv_of(replace(_FAKE, python=True), place.program)[:2] == [str(venv), "-I"]
    (place.tree / "socket.py").write_text("raise RuntimeError('of the project')\n")
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.run(
            endpoint,
            replace(_FAKE, python=True),
            None,
            {"PYTHONPATH": str(place.tree)},
            boxed=False,
        )
    assert worked.reason == "done"


def test_the_harness_own_models_are_refused(place: Place) -> None:
    opening = Opening(place.tree, place.state, "fake", "", Budget())
    peered = Peered(_FAKE, _unboxed, {}, {})
    with pytest.raises(NotPossible, match="in this program only"):
        peered.solve(TASK, opening, oracle.idle())


@pytest.mark.parametrize("peer", PEERS.values(), ids=PEERS)
def test_one_that_is_not_installed_is_told_how(peer: Peer, tmp_path: Path) -> None:
    with pytest.raises(BadUsage) as told:
        program_of(peer, {peer.variable: str(tmp_path / "nowhere")})
    assert peer.install in (told.value.hint or "")
    assert peer.variable in (told.value.hint or "")


def test_an_unknown_name_is_told_which_are_known() -> None:
    with pytest.raises(BadUsage, match="no agent 'x'"):
        peer_named("x")


@pytest.mark.parametrize("peer", PEERS.values(), ids=PEERS)
def test_no_command_line_or_file_of_an_agent_has_the_key_or_this_home(
    peer: Peer, tmp_path: Path
) -> None:
    job = Job("do it", "http://127.0.0.1:1/v1", "some/model", tmp_path)
    told = [*peer.words(job), *peer.variables(job).values(), *peer.files(job).values()]
    assert any("127.0.0.1:1" in one for one in told)
    assert any("some/model" in one for one in told)
    assert "do it" in peer.words(job)
    assert str(Path.home()) not in "".join(told)
    for name, text in peer.files(job).items():
        assert not Path(name).is_absolute()
        if name.endswith(".json"):
            json.loads(text)


@pytest.mark.gate_only
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, peer in PEERS.items() if peer.proved])
def test_the_real_agent_solves_the_task_in_the_sandbox(name: str, place: Place) -> None:
    peer = PEERS[name]
    found = os.environ.get(peer.variable) or shutil.which(peer.program)
    if not found:
        pytest.skip(f"{name} is not installed: {peer.install}, or set {peer.variable}")
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.run(endpoint, peer, boxed=True)
    assert isinstance(endpoint, SolvingEndpoint)
    assert worked.reason == "done", worked.message
    (place.tree / "test_calc.py").write_text(HIDDEN)
    check = [
        sys.executable,
        "-I",
        "-c",
        "import sys; sys.path.insert(0, '.'); import test_calc as t; t.test_add()",
    ]
    subprocess.run(check, cwd=place.tree, check=True)
    assert worked.spent.tokens is not None
    assert worked.spent.tokens.all == sum(one["total_tokens"] for one in endpoint.billed)


def test_an_attempt_that_died_is_charged_for_what_the_proxy_wrote_down(
    place: Place, tmp_path: Path
) -> None:
    cell = Cell(task="add", solver="fake", model="openai/solver")
    made = Run(repository="r", tasks=(TASK,), solvers=("fake",), models=("openai/solver",))
    folder = RunFolder(tmp_path / "run")
    folder.create(made)
    folder.place(cell).mkdir(parents=True)
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.solve(endpoint)
    whole = (place.cell / REQUESTS).read_bytes()
    (folder.place(cell) / REQUESTS).write_bytes(whole + whole[:40])  # the last line was torn off
    assert folder.died(cell, "killed").spent == worked.spent
    _, attempts, charged = folder.begin(cell)
    assert (attempts, charged) == (1, worked.spent)
