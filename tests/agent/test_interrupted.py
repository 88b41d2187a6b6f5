"""An interrupted call says how far it came: to the model, in the record, to whoever shows it (P92)."""

import asyncio
import json
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.fakes import FakeTool, FixedApprover, Text, call, says
from support.permitted import permitted

from aoci_agent.agent.approval import Mode
from aoci_agent.agent.budget import Budget
from aoci_agent.agent.conversation import Conversation
from aoci_agent.agent.dispatch import Dispatcher
from aoci_agent.agent.events import Event, SessionStarted, ToolFinished, TurnFinished
from aoci_agent.agent.freshness import unchanged
from aoci_agent.agent.guard import Guards
from aoci_agent.agent.limits import Limits
from aoci_agent.agent.loop import Agent
from aoci_agent.agent.masking import KeepsSecrets
from aoci_agent.agent.models.scripted import ScriptedModel
from aoci_agent.agent.record import SessionRecord
from aoci_agent.agent.resume import read
from aoci_agent.agent.toolbox import Bound, Toolbox
from aoci_agent.base import tokens
from aoci_agent.base.box import Unboxed
from aoci_agent.base.cancelled import carried
from aoci_agent.base.files import Workspace
from aoci_agent.base.secrets import Mask
from aoci_agent.policies.conversation import ToolCall, ToolMessage
from aoci_agent.policies.layers import Layer, Prefix
from aoci_agent.policies.plain import GrepRead
from aoci_agent.policies.validity import NOT_STARTED, STARTED
from aoci_agent.tools.builtin.bash import Bash
from aoci_agent.tools.builtin.test import TestTool
from aoci_agent.tools.tool import AnyTool, Effect, Preview, ToolResult

SESSION = SessionStarted("one", "/r", "m", "grep-read", "ask", "", "p", "", "", "")
PERSON = (
    "Interrupted by the person; it may have taken effect in part: look before running it again."
)
KEY = "kw9Qe7Tz2Lp4Vb8Nx3Rm6Ys1"
HANGS = "echo $$ >pid; exec sleep 300"


class Slow:
    """A guard that takes its time at the end of a call."""

    def __init__(self) -> None:
        self.leaving, self.left = asyncio.Event(), asyncio.Event()

    async def before(self, call: Bound) -> None:
        pass

    async def after(self, call: Bound, result: ToolResult) -> ToolResult:
        self.leaving.set()
        await self.left.wait()
        return result


class Desk:
    """An agent with real tools in a folder, and the record of its session."""

    def __init__(self, base: Path, *more: FakeTool) -> None:
        self.root, self.spill, self.file = base / "work", base / "spill", base / "one.jsonl"
        self.root.mkdir()
        self.workspace = Workspace(self.root)
        self.record = SessionRecord(self.file)
        self.record.write(SESSION)
        self.slow = Slow()
        self.slow.left.set()
        self._more = more

    def agent(self, *calls: ToolCall, seconds: float | None = None) -> Agent:
        """One whose model makes these calls in its first reply, and says something in its second."""
        box, mask = Unboxed(), Mask((KEY,))
        real = (Bash(self.workspace, self.spill, box), TestTool(self.workspace, self.spill, box))
        tools: tuple[AnyTool, ...] = (*real, *self._more)
        toolbox = Toolbox(tools)
        guards = Guards((KeepsSecrets(mask, self.spill), self.slow))
        self.model = ScriptedModel([says("", *calls), says("so")], cost=0.0)
        return Agent(
            self.model,
            Conversation(Prefix(toolbox.schemas, (Layer("rules", "be good"),)), GrepRead(), mask),
            Dispatcher(toolbox, permitted(Mode.FULL_AUTO), FixedApprover([]), unchanged, guards),
            self.record,
            Budget(Limits(seconds=seconds)),
        )

    async def begun(self) -> None:
        """Wait until the command has said who it is."""
        async with asyncio.timeout(60):
            while not (self.root / "pid").exists():  # noqa: ASYNC110 - a file tells no event
                await asyncio.sleep(0.01)

    async def cut(self, agent: Agent) -> tuple[ToolFinished, ...]:
        """Interrupt a turn once its command runs; what the cancellation carries."""
        task = asyncio.ensure_future(all_of(agent))
        await self.begun()
        task.cancel()
        return await ends_of(task)

    async def answers(self, agent: Agent) -> list[str]:
        """What the next request tells the model of the calls; a resumed session sends the same."""
        await all_of(agent)
        sent = self.model.requests[-1].messages
        said = [message.text for message in sent if isinstance(message, ToolMessage)]
        kept = [m.text for m in read(self.file).messages if isinstance(m, ToolMessage)]
        assert kept == said
        return said


async def all_of(agent: Agent) -> list[Event]:
    return [event async for event in agent.run("do it")]


async def ends_of(task: "asyncio.Task[list[Event]]") -> tuple[ToolFinished, ...]:
    with pytest.raises(asyncio.CancelledError) as caught:
        await task
    assert task.cancelled()
    return carried(caught.value, ToolFinished)


@pytest.fixture
def desk(tmp_path: Path) -> Generator[Callable[..., Desk]]:
    made: list[Desk] = []

    def opens(*more: FakeTool) -> Desk:
        made.append(Desk(tmp_path, *more))
        return made[-1]

    yield opens
    for one in made:
        one.record.close()
        one.workspace.close()


def bash(script: str, name: str = "b1") -> ToolCall:
    return ToolCall(name, "bash", json.dumps({"command": script}))


def running(folder: Path) -> bool:
    file = Path("/proc", (folder / "pid").read_text().strip(), "stat")
    return file.exists() and file.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.gate("P92", "P93")
async def test_what_a_command_had_printed_reaches_the_model_and_the_record(
    desk: Callable[..., Desk],
) -> None:
    it = desk()
    agent = it.agent(bash(f"echo one of three; {HANGS}"), bash("touch never", "b2"))
    (ended,) = await it.cut(agent)
    assert (ended.call.id, ended.status, ended.result.ok) == ("b1", "interrupted", False)
    assert ended.result.summary == "1 line printed"
    assert not running(it.root)
    first, second = await it.answers(agent)
    assert first.splitlines()[0] == PERSON
    assert first.splitlines()[1].startswith("stopped after ")
    assert first.splitlines()[2:] == ["one of three"]
    assert (first, second) == (ended.result.text, NOT_STARTED)
    assert not (it.root / "never").exists()
    kinds = [line["type"] for line in map(json.loads, it.file.read_text().splitlines())]
    at = kinds.index("TurnFinished")
    assert kinds[at - 2 : at] == ["Grew", "ToolFinished"]


@pytest.mark.gate("P92")
async def test_a_test_run_says_how_far_it_came(desk: Callable[..., Desk]) -> None:
    it = desk()
    (it.root / "pyproject.toml").write_text("")
    (it.root / "tests").mkdir()
    (it.root / "tests/test_it.py").write_text("")
    program = it.root / ".venv/bin/python"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho test_it.py::test_one PASSED\n{HANGS}\n")
    program.chmod(0o755)
    package = it.root / ".venv/lib/python3.12/site-packages/pytest/__init__.py"
    package.parent.mkdir(parents=True)
    package.write_text("")
    agent = it.agent(ToolCall("t1", "test", "{}"))
    (ended,) = await it.cut(agent)
    assert (ended.status, ended.result.ok, ended.result.check) == ("interrupted", False, None)
    (told,) = await it.answers(agent)
    assert told.startswith(f"{PERSON}\npytest: ")
    assert "(stopped after " in told
    assert told.endswith("test_it.py::test_one PASSED")


@pytest.mark.gate("P92", "P93")
async def test_long_output_with_a_credential_is_cut_kept_and_masked(
    desk: Callable[..., Desk],
) -> None:
    it = desk()
    agent = it.agent(bash(f"seq 1 30000; echo {KEY[:9]}''{KEY[9:]}; {HANGS}"))
    (ended,) = await it.cut(agent)
    (told,) = await it.answers(agent)
    assert tokens.count(told) < 4_300
    (kept,) = it.spill.iterdir()
    assert told.endswith(f"all of it: {kept}]")
    whole = kept.read_text()
    assert whole.startswith("1\n2\n")
    assert "30000\n<secret" in whole
    assert "<secret" in ended.result.text
    assert KEY not in told + whole + it.file.read_text()


@pytest.mark.gate("P92")
async def test_a_limit_of_time_is_not_the_person(desk: Callable[..., Desk]) -> None:
    it = desk()
    agent = it.agent(bash(f"echo begun; {HANGS}"), seconds=3.0)
    events = await all_of(agent)
    assert isinstance(events[-1], TurnFinished)
    assert events[-1].reason == "time"
    assert isinstance(events[-2], ToolFinished)
    assert events[-2].result.text.startswith("Interrupted by the limit of time; ")
    assert events[-2].result.text.endswith("\nbegun")
    assert not running(it.root)
    agent.budget.set("time", "none")
    assert await it.answers(agent) == [events[-2].result.text]


@pytest.mark.gate("P92", "P93")
@pytest.mark.parametrize("seconds", [None, 600.0])
async def test_a_second_interruption_loses_nothing(
    desk: Callable[..., Desk], seconds: float | None
) -> None:
    """While the command is being ended, and while the guards are being left."""
    it = desk()
    it.slow.left.clear()
    script = "trap 'touch asked' TERM; echo stubborn; echo $$ >pid; while :; do sleep 0.02; done"
    agent = it.agent(bash(script), seconds=seconds)
    task = asyncio.ensure_future(all_of(agent))
    await it.begun()
    task.cancel()
    async with asyncio.timeout(60):
        while not (it.root / "asked").exists():  # noqa: ASYNC110 - a file tells no event
            await asyncio.sleep(0.005)
    task.cancel()
    await it.slow.leaving.wait()
    task.cancel()
    (ended,) = await ends_of(task)
    assert ended.result.text.splitlines()[2] == "stubborn"
    it.slow.left.set()
    assert await it.answers(agent) == [ended.result.text]
    async with asyncio.timeout(10):
        while running(it.root):  # noqa: ASYNC110 - a process that ends tells nobody here
            await asyncio.sleep(0.01)


@dataclass
class Gated(FakeTool):
    """A read that ends at once, or never."""

    async def run(self, arguments: Text) -> ToolResult:
        self.calls.append(arguments.text)
        if arguments.text.startswith("slow"):
            await asyncio.Event().wait()
        return self.act(arguments.text)


def reads() -> Gated:
    return Gated("look", Effect.READ, lambda text: ToolResult(f"saw {text}", read=(text,)))


@pytest.mark.gate("P92", "P93")
async def test_of_reads_that_run_together_those_that_ended_keep_their_results(
    desk: Callable[..., Desk],
) -> None:
    tool = reads()
    it = desk(tool)
    agent = it.agent(call("look", "a"), call("look", "slow"), call("look", "c"), bash("true"))
    task = asyncio.ensure_future(all_of(agent))
    while len(tool.calls) < 3:  # noqa: ASYNC110 - the tool tells no event
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    ended = await ends_of(task)
    assert [(one.call.id, one.status) for one in ended] == [("look-a", "done"), ("look-c", "done")]
    assert await it.answers(agent) == ["saw a", STARTED, "saw c", NOT_STARTED]


@pytest.mark.gate("P92")
async def test_a_call_that_ended_before_the_interruption_is_told_as_it_ended(
    desk: Callable[..., Desk],
) -> None:
    it = desk()
    it.slow.left.clear()
    agent = it.agent(bash("echo whole"))
    task = asyncio.ensure_future(all_of(agent))
    await it.slow.leaving.wait()
    task.cancel()
    (ended,) = await ends_of(task)
    assert (ended.status, ended.result.text) == ("done", "exit 0\nwhole")
    assert await it.answers(agent) == ["exit 0\nwhole"]


async def test_each_call_is_read_and_judged_once(desk: Callable[..., Desk]) -> None:
    seen: list[str] = []

    @dataclass
    class Seen(FakeTool):
        def preview(self, arguments: Text) -> Preview:
            seen.append(arguments.text)
            return FakeTool.preview(self, arguments)

    look = Seen("look", Effect.READ, lambda text: ToolResult(f"saw {text}"))
    change = Seen("change", Effect.EDIT, lambda text: ToolResult(f"changed {text}"))
    it = desk(look, change)
    names = [("look", "a"), ("look", "b"), ("change", "c"), ("look", "d")]
    await all_of(it.agent(*(call(*one) for one in names)))
    assert seen == ["a", "b", "c", "d"]
