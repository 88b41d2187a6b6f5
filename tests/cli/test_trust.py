"""`aoci-agent trust`: shows, asks, decides, and says by its exit code what holds."""

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aoci_agent.base.errors import BadUsage
from aoci_agent.cli.arguments import parse


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AOCI_AGENT_HOME", str(tmp_path / "home"))
    root = tmp_path / "shop"
    root.mkdir()
    (root / "AGENTS.md").write_text("use tabs")
    (root / "Makefile").write_text("all:\n")
    return root


def trust(folder: Path, *words: str) -> int:
    arguments = parse(["trust", *words, "--cwd", str(folder)])
    return arguments.command(arguments)


def test_it_shows_decides_lists_and_forgets(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert trust(folder, "--status") == 4
    assert trust(folder, "--yes") == 0
    assert trust(folder, "--status") == 0
    assert trust(folder) == 0  # nothing to ask
    assert trust(folder, "--list") == 0
    assert f"trusted  {time.strftime('%Y-')}" in capsys.readouterr().out
    (folder / "AGENTS.md").write_text("use spaces")
    assert trust(folder, "--status") == 4
    assert "new or changed:\n  AGENTS.md" in capsys.readouterr().out
    assert trust(folder, "--revoke") == 0
    assert trust(folder, "--status", "--json") == 4
    shown = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (shown["state"], shown["folder"]) == ("unknown", str(folder))
    assert {item["name"]: item["compared"] for item in shown["what"]} == {
        "AGENTS.md": True,
        "Makefile": False,
    }
    assert trust(folder, "--list", "--json") == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.gate("T02")
@pytest.mark.parametrize("words", [(), ("--json",)])
def test_without_a_person_nothing_is_trusted(folder: Path, words: tuple[str, ...]) -> None:
    with pytest.raises(BadUsage, match="nobody is there"):
        trust(folder, *words)
    assert trust(folder, "--status") == 4


@pytest.mark.parametrize("words", [("--yes", "--revoke"), ("--status", "--yes"), ("--stat",)])
def test_options_that_contradict_are_refused(folder: Path, words: tuple[str, ...]) -> None:
    with pytest.raises(BadUsage):
        trust(folder, *words)


def answered(folder: Path, keys: bytes, *, early: bytes = b"") -> tuple[int, bytes]:
    """The command in a terminal: keys before the question, and after it."""
    ours, theirs = pty.openpty()
    os.write(ours, early)
    argv = [sys.executable, "-I", "-m", "aoci_agent", "trust", "--cwd", str(folder)]
    output = b""
    with subprocess.Popen(argv, stdin=theirs, stdout=theirs, stderr=theirs) as child:
        os.close(theirs)
        while b"[y/N]" not in output:
            output += os.read(ours, 4096)
        os.write(ours, keys)
        code = child.wait(30)
    os.close(ours)
    return code, output


@pytest.mark.gate("T21")
def test_the_question_wants_a_yes_typed_after_it(folder: Path) -> None:
    code, output = answered(folder, b"\n", early=b"y\ny\n")
    assert code == 4
    assert b"becomes part of the rules of the model:\r\n  AGENTS.md" in output
    assert trust(folder, "--revoke") == 0
    assert answered(folder, b"y\n")[0] == 0
    assert trust(folder, "--status") == 0
