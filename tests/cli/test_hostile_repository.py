"""A stranger's repository is opened, indexed, searched and left: nothing of it runs, nothing of it decides."""

import asyncio
import fcntl
import json
import os
import pickle
import pty
import select
import shutil
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.ended import Ended, ended
from support.endpoint import FakeEndpoint, calls, says
from support.hostile_repository import (
    COMMANDS,
    MODULES,
    PROGRAM,
    SETTINGS,
    Trap,
    elsewhere,
    environment,
    plant,
    reachable,
)

from aoci_agent.base.errors import BadUsage
from aoci_agent.base.places import Places
from aoci_agent.cli.arguments import parse
from aoci_agent.config import load_settings

Cases = Callable[[str, object], None]
LOOKS: tuple[tuple[str, dict[str, object]], ...] = (
    ("glob", {"pattern": "**/*.py"}),
    ("grep", {"pattern": "price"}),
    ("search", {"query": "price of an order"}),
    ("symbols", {"query": "price"}),
    ("index", {"query": "shop"}),
    ("read", {"path": "shop/prices.py"}),
    ("read", {"path": "AGENTS.md"}),
    ("definition", {"path": "shop/prices.py", "line": 1, "name": "price"}),
)
ACTS: tuple[tuple[str, dict[str, object]], ...] = (
    ("edit", {"path": "notes.txt", "old": "more", "new": "less"}),
    ("test", {}),
    ("bash", {"command": "git status"}),
)


@pytest.fixture(scope="module")
def trap(tmp_path_factory: pytest.TempPathFactory) -> Trap:
    return plant(tmp_path_factory.mktemp("hostile"))


async def run(trap: Trap, home: Path, *words: str, **env: str) -> Ended:
    argv = (str(PROGRAM), *words)
    return await ended(argv, cwd=trap.root, env=environment(trap, home, **env))


# -- the traps work ---------------------------------------------------------------------------------


@pytest.mark.gate("T01", "T08", "T27", control=True)
def test_the_traps_spring_for_the_programs_they_are_made_for(
    trap: Trap, record_property: Cases
) -> None:
    trap.clear()
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in ("status", "diff", "log -p -- notes.txt", "fetch", "st"):
        trap.run("git", *words.split())
    for message in ((), ("-m", "x")):
        trap.run("git", *who, "commit", "--allow-empty", "-q", *message)
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        ["git", "log"],
        cwd=trap.root,
        stdout=theirs,
        env={"PATH": os.environ["PATH"], "TERM": "xterm"},
    ):
        os.close(theirs)
    os.close(ours)
    trap.run("bash", "-c", ". ./.envrc")
    trap.run("make", "-s")
    trap.run("git", "status", PATH=f"{trap.root}/bin:{os.environ['PATH']}")
    for line in elsewhere(trap).values():
        trap.run("sh", "-c", line)
    expected = {
        *(f"git-{name}" for name in ("fsmonitor", "external", "textconv", "clean", "ssh", "alias", "editor", "pager", "hook-pre-commit", "hook-post-index-change", "hook-reference-transaction")),
        *("envrc", "make", "program-git"),
        *elsewhere(trap),
    }  # fmt: skip
    assert expected - trap.sprung() == set()
    record_property("cases", len(expected))


@pytest.mark.gate_only
@pytest.mark.gate("T22", "T25", "T26", control=True)
def test_the_traps_spring_for_python(trap: Trap) -> None:
    trap.clear()
    trap.run(sys.executable, "-c", "pass", PYTHONPATH=str(trap.root))
    trap.run(sys.executable, "-c", "import litellm, textual, json")
    trap.run(sys.executable, "setup.py")
    trap.run(str(PROGRAM.with_name("pytest")), "-q", "-p", "no:cacheprovider")
    pickle.loads((trap.root / ".aoci-agent" / "index.pkl").read_bytes())
    expected = {f"python-module-{name}" for name in ("litellm", "textual", "json")}
    expected |= {"python-sitecustomize", "python-setup", "python-conftest", "pickle"}
    assert expected - trap.sprung() == set()


@pytest.mark.gate_only
@pytest.mark.gate("T24", control=True)
@pytest.mark.parametrize(
    ("program", "words", "mark"),
    [
        ("npm", ["test"], "npm-script"),
        ("cargo", ["build", "--offline", "-q"], "cargo-build"),
        ("node", ["-e", "require('./node_modules/evil')"], "tsserver-plugin"),
    ],
)
def test_the_traps_spring_for_builds(trap: Trap, program: str, words: list[str], mark: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    trap.clear()
    (trap.root / ".cargo" / "wrapper").write_text('#!/bin/sh\nexec "$@"\n')
    home = {"HOME": os.environ.get("HOME", "/")} if program == "cargo" else {}
    target = str(trap.marks.parent / "target")
    trap.run(program, *words, CARGO_TARGET_DIR=target, npm_config_cache=target, **home)
    assert mark in trap.sprung()


@pytest.mark.gate("T02", "T30", control=True)
def test_what_the_files_say_would_count_as_the_persons_own(trap: Trap, tmp_path: Path) -> None:
    lines = (trap.root / ".env").read_text().splitlines()
    env = dict(line.split("=", 1) for line in lines)
    settings = load_settings(Places(env), env, {})
    assert (settings.mode, settings.navigation, settings.model) == (
        "full-auto",
        "live",
        "openai/evil",
    )
    assert env["OPENAI_BASE_URL"] == trap.listener


# -- nothing springs --------------------------------------------------------------------------------


@pytest.mark.gate_only
@pytest.mark.gate("T01", "T08", "T22", "T24", "T27", "S04")
def test_every_command_leaves_the_traps_alone(
    trap: Trap, tmp_path: Path, record_property: Cases
) -> None:
    copied = plant(tmp_path / "again")  # the index is written into this one
    copied.clear()
    lines = ("index build", "index update", "index check", "index show notes.txt", "search price",
             "symbols price", "definition price", "views build", "views status", "doctor",
             "sessions list", "trust --status", "index diff")  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-I", "-c", COMMANDS, *lines], cwd=copied.root, check=False,
        env=environment(copied, tmp_path), capture_output=True, text=True,
    )  # fmt: skip
    ended = [line for line in done.stdout.splitlines() if line.startswith(":: ")]
    assert len(ended) == len(lines), done.stderr
    assert copied.sprung() == set()
    record_property("cases", len(lines))


@pytest.mark.gate("T01", "T02", "T24", "T25", "T29", "T30", "S04")
async def test_a_scripted_session_leaves_the_traps_alone(
    endpoint: FakeEndpoint, tmp_path: Path, record_property: Cases
) -> None:
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.read(100))
        writer.close()

    listener = await asyncio.start_server(answer, "127.0.0.1", 0)
    trap = plant(tmp_path / "h", f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1")
    trap.clear()
    steps = [*LOOKS, *ACTS]
    endpoint.answers = [*(calls(name, json.dumps(given)) for name, given in steps), says("done")]
    code, out, err = await run(
        trap, tmp_path, "-p", "look around", "-m", "openai/x", "--output-format", "json",
        OPENAI_API_BASE=endpoint.url,
    )  # fmt: skip
    listener.close()
    await listener.wait_closed()
    result = json.loads(out)
    assert (code, result["mode"], len(result["denied_actions"])) == (4, "ask", 3), err
    assert trap.sprung() == set()
    assert reachable(tmp_path) == []
    assert asked == []
    assert (trap.root / "notes.txt").read_text() == "more text\n"
    first = endpoint.posts[0].body["messages"][0]["content"]
    assert "MARK-OF-THE-STRANGER" not in str(first)
    assert "Instructions of this project" not in str(first)
    record_property("cases", len(steps))


def screen(trap: Trap, home: Path, *keys: tuple[bytes, bytes]) -> tuple[int, bytes]:
    """The real program in a real terminal: after each text that is shown, the keys that go with it."""
    pid, file = pty.fork()
    if pid == 0:
        os.chdir(trap.root)
        os.execve(PROGRAM, [str(PROGRAM)], environment(trap, home))
    fcntl.ioctl(file, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    output, seen, ends = b"", 0, time.monotonic() + 30
    waiting = list(keys)
    while time.monotonic() < ends:
        if waiting and waiting[0][0] in output[seen:]:
            seen = len(output)
            time.sleep(0.4)  # a question listens to nothing that comes at once
            os.write(file, waiting.pop(0)[1])
        if not select.select([file], [], [], 0.2)[0]:
            continue
        try:
            piece = os.read(file, 65536)
        except OSError:
            break
        output += piece
    os.close(file)
    assert not waiting, output[-2000:]
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), output


@pytest.mark.gate("T01", "T24", "S04")
def test_the_screen_is_opened_and_left(trap: Trap, tmp_path: Path) -> None:
    trap.clear()
    code, output = screen(
        trap,
        tmp_path,
        (b"no model", b"/index price"),
        (b"price", b"\r"),
        (b"prices.py", b"/quit"),
        (b"quit", b"\r"),
    )
    assert code == 0
    assert trap.sprung() == set()
    assert b"full-auto" not in output


@pytest.mark.gate_only
@pytest.mark.gate("T26")
async def test_no_module_comes_from_the_folder(tmp_path: Path, record_property: Cases) -> None:
    trap = plant(tmp_path / "h")
    trap.clear()
    (trap.root / "sitecustomize.py").unlink()  # Python itself runs it, before any program
    for value in (str(trap.root), f".:{trap.root}/shop:{trap.root}"):
        code, _, err = await run(trap, tmp_path, "index", "show", "notes.txt", PYTHONPATH=value)
        assert code == 0, err
    assert trap.sprung() == set()
    record_property("cases", 2 * (len(MODULES) + 2))


# -- nothing decides --------------------------------------------------------------------------------


@pytest.mark.gate("T33")
@pytest.mark.parametrize(
    "words",
    [
        ["-p", "--", "--mode=full-auto"],
        ["-p", "x --mode full-auto --trust"],
        ["-p", "x", "--model", "--mode=full-auto"],
        ["-p", "x", "--model=openai/x --mode=full-auto"],
        ["-p", "x", "--resume=--mode=full-auto"],
        ["-p", "x", "--mod=full-auto"],
        ["-p", "x", "--dangerously"],
        ["-p", "x", "--tru"],
        ["--print", "aoci-agent://run?mode=full-auto"],
    ],
)
def test_no_value_becomes_a_flag(words: list[str]) -> None:
    try:
        given = parse(words)
    except BadUsage:
        return
    assert given.mode is None
    assert not given.trust
    assert not given.dangerously_no_sandbox


@pytest.mark.gate("T33", control=True)
def test_a_flag_is_a_flag() -> None:
    assert parse(["-p", "x", "--mode=full-auto"]).mode == "full-auto"


@pytest.mark.gate("T02")
def test_settings_come_from_the_persons_own_file_only(
    trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trap.root)
    assert load_settings(Places({"HOME": str(tmp_path)}), {}, {}).mode == "ask"
    own = tmp_path / ".config" / "aoci-agent" / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text(SETTINGS)
    assert load_settings(Places({"HOME": str(tmp_path)}), {}, {}).mode == "full-auto"
