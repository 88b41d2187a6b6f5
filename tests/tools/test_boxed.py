import os
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from aoci_agent.base.box import Access, Entry, Strength, Unboxed
from aoci_agent.base.files import Workspace
from aoci_agent.base.process import Outcome
from aoci_agent.base.sandbox.ladder import open_box
from aoci_agent.tools.denied import HOME, NETWORK, WRITES, denial
from aoci_agent.tools.registry import builtin_tools
from aoci_agent.tools.tool import AnyTool, ToolResult


class Room:
    """A workspace in a home, and the tools that run commands there in the strongest box of this system."""

    def __init__(self, base: Path) -> None:
        self.home = base / "home"
        self.root = self.home / "project"
        self.root.mkdir(parents=True)
        (self.home / ".cargo/bin").mkdir(parents=True)
        own = self.home / "own"
        own.mkdir()
        self.spill = own / "output"
        self.box = open_box(self.root, [own], own / "project", os.environ, [self.spill])
        self.workspace = Workspace(self.root)
        made = builtin_tools(self.workspace, None, self.spill, box=self.box)
        self.tools: dict[str, AnyTool] = {tool.name: tool for tool in made}

    async def call(self, tool: str, **arguments: Any) -> ToolResult:
        return await self.tools[tool].run(self.tools[tool].arguments(**arguments))


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Room]:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    made = Room(tmp_path)
    yield made
    made.workspace.close()


@pytest.fixture
def strong(room: Room) -> Room:
    if room.box.strength is not Strength.STRONG:
        pytest.skip(room.box.why)
    return room


@pytest.mark.gate("R18", "T13")
async def test_a_refusal_of_the_box_is_told_as_one(strong: Room) -> None:
    room = strong
    result = await room.call("bash", command="echo x > ~/.cargo/bin/planted")
    assert result.text.endswith(WRITES)
    assert not (room.home / ".cargo/bin/planted").exists()
    result = await room.call("bash", command="python3 -m pip download --no-deps six")
    assert NETWORK in result.text
    result = await room.call("bash", command="cat ~/.ssh/id_rsa")
    assert result.text.endswith(HOME)
    result = await room.call("bash", command="mkdir .git; echo made > made")
    assert (room.root / "made").exists()
    assert "sandbox" not in (await room.call("bash", command="exit 3")).text


@pytest.mark.gate("T16")
async def test_what_runs_later_is_told_to_both(room: Room) -> None:
    result = await room.call("bash", command="mkdir .vscode; echo {} > .vscode/tasks.json; touch a")
    line = "changed, and run by other programs later: .vscode/tasks.json (VS Code)"
    assert result.text.endswith(line)
    assert result.summary.endswith(line)
    assert "later" not in (await room.call("bash", command="touch b")).text


@pytest.mark.gate("T25")
async def test_tests_run_in_the_box(strong: Room) -> None:
    room = strong
    (room.home / ".ssh").mkdir()
    (room.home / ".ssh/id").write_text("PRIVATE")
    (room.root / "conftest.py").write_text(
        "import pathlib, socket\n"
        f"home = pathlib.Path({str(room.home)!r})\n"
        "try:\n    (home / 'planted').write_text('x')\n    raise SystemExit(8)\n"
        "except OSError:\n    pass\n"
        "assert not (home / '.ssh/id').exists()\n"
        "try:\n    socket.create_connection(('192.0.2.1', 80), 1)\n    raise SystemExit(9)\n"
        "except OSError:\n    pass\n"
    )
    (room.root / "test_a.py").write_text("def test_a():\n    assert True\n")
    result = await room.call("test")
    assert "1 passed" in result.text
    assert not (room.home / "planted").exists()


@pytest.mark.gate("T25", control=True)
async def test_without_a_box_tests_write_the_home(room: Room) -> None:
    tools = {tool.name: tool for tool in builtin_tools(room.workspace, None, room.spill)}
    (room.root / "conftest.py").write_text(
        f"import pathlib\npathlib.Path({str(room.home)!r}, 'planted').write_text('x')\n"
    )
    (room.root / "test_a.py").write_text("def test_a():\n    assert True\n")
    await tools["test"].run(tools["test"].arguments())
    assert (room.home / "planted").exists()


@pytest.mark.gate("T34")
def test_the_network_is_asked_for_in_plain_sight(
    room: Room, record_property: Callable[[str, object], None]
) -> None:
    bash, test = room.tools["bash"], room.tools["test"]
    preview = bash.preview(bash.arguments(command="pip install x", network=True))
    assert preview.title == "with network: pip install x"
    assert "network" not in bash.preview(bash.arguments(command="pip install x")).title
    (room.root / "test_a.py").touch()
    assert test.preview(test.arguments(network=True)).title.startswith("with network: test")
    asked = ("sandbox", "unsandboxed", "dangerouslyDisableSandbox", "box", "no_sandbox", "access")
    for tool in room.tools.values():
        for name in asked:
            with pytest.raises(ValidationError):
                tool.arguments(**{name: True})
    record_property("cases", len(asked) * len(room.tools))


class Named:
    """A box by name only."""

    kind = ""
    gaps: tuple[str, ...] = ()
    why = ""

    def __init__(self, strength: Strength) -> None:
        self.strength = strength

    def enter(self, argv: Sequence[str], cwd: Path, access: Access) -> Entry:
        return Entry(tuple(argv), {})


SAID = [
    ("fatal: Unable to create '/w/.git/index.lock': Read-only file system", WRITES, "both"),
    ("bash: /etc/x: Permission denied", WRITES, "weak"),
    ("bash: /w/x: Permission denied", "", "weak"),
    ("bash: ./x: Permission denied", "", "weak"),
    ("curl: (6) Could not resolve host: example.com", NETWORK, "both"),
    ("npm error code EAI_AGAIN", NETWORK, "both"),
    ("OSError: [Errno 101] Network is unreachable", NETWORK, "both"),
    ("dial tcp: lookup proxy.golang.org: no such host", NETWORK, "both"),
    ("socket.socket: [Errno 1] Operation not permitted", NETWORK, "weak"),
    ("AssertionError: 1 != 2", "", "both"),
]


@pytest.mark.gate("R18")
@pytest.mark.parametrize(("line", "told", "where"), SAID)
def test_denials_are_recognised(line: str, told: str, where: str) -> None:
    outcome = Outcome(1, f"begin\n{line}\nend\n", 0, None, timed_out=False, seconds=0.1)
    strengths = (Strength.PARTIAL, *[Strength.STRONG] * (where == "both"))
    for box in map(Named, strengths):
        assert denial(outcome, box, Access(), Path("/w")) == told
    assert denial(outcome, Unboxed(), Access(), Path("/w")) == ""
    if told == NETWORK:
        assert denial(outcome, Named(strengths[-1]), Access(network=True), Path("/w")) == ""
