import os
import sys
from pathlib import Path

import pytest

from aoci_agent.base.process import Limits, find_program, run_blocking, scrubbed_environment

SECRETS = {
    "OPENAI_API_KEY": "sk-planted-1",
    "ANTHROPIC_API_KEY": "sk-planted-2",
    "AWS_SECRET_ACCESS_KEY": "planted-3",
    "GITHUB_TOKEN": "ghp_planted-4",
    "HTTPS_PROXY": "http://user:planted-5@host",
    "SSH_AUTH_SOCK": "/planted-6",
    "PYTHONPATH": "/planted-7",
    "LD_PRELOAD": "",
    "GIT_DIR": "/planted-8",
    "AOCI_SOMETHING": "planted-9",
    "BASH_ENV": "/planted-10",
}


def program(path: Path, text: str = "#!/bin/sh\necho fake\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.mark.gate("T12")
def test_no_secret_reaches_a_child(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LC_MESSAGES", "C")
    outcome = run_blocking(["env"], cwd=tmp_path, env={"EXTRA": "given"})
    text = outcome.stdout.decode()
    assert "planted" not in text
    assert not any(line.split("=")[0] in SECRETS for line in text.splitlines())
    for line in ("EXTRA=given", "LC_MESSAGES=C", "PAGER=cat", "GIT_TERMINAL_PROMPT=0", "CI=1"):
        assert line in text.splitlines()


def test_extra_settings_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PATH")
    assert scrubbed_environment({"PAGER": "less"})["PAGER"] == "less"
    assert scrubbed_environment()["PATH"] == os.defpath


@pytest.mark.gate("T27", control=True)
def test_programs_are_found_on_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = program(tmp_path / "bin" / "some-tool")
    (tmp_path / "bin" / "data").write_text("not executable")
    monkeypatch.setenv("PATH", f"{tmp_path}/nowhere:{tmp_path}/bin")
    assert find_program("some-tool") == str(found)
    assert find_program("data") is None
    assert find_program("no-such-tool") is None
    assert find_program(str(found)) == str(found)
    assert find_program("bin/some-tool") is None
    assert find_program(Path(sys.executable).name) == sys.executable


@pytest.mark.gate("T27")
def test_nothing_in_the_workspace_is_a_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    workspace = tmp_path / "ws"
    fake = program(workspace / "bin" / "git")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "linked").symlink_to(fake)
    (workspace / "way-out").symlink_to("/bin")
    real = program(tmp_path / "good" / "git")
    monkeypatch.chdir(workspace / "bin")
    entries = ["", ".", "bin", f"{workspace}/bin", f"{workspace}/way-out", f"{tmp_path}/good"]
    monkeypatch.setenv("PATH", ":".join(entries))
    assert find_program("git", outside=workspace) == str(real)
    monkeypatch.setenv("PATH", str(outside))
    assert find_program("linked", outside=workspace) is None
    assert find_program("linked") == str(outside / "linked")
    monkeypatch.setenv("PATH", f"{workspace}/way-out")
    assert find_program("sh", outside=workspace) is None
    assert find_program("sh", outside=tmp_path / "elsewhere") is not None


def test_output_and_errors_come_apart(tmp_path: Path) -> None:
    outcome = run_blocking(
        ["sh", "-c", "cat; echo err >&2; exit 4"], cwd=tmp_path, stdin=b"in\0put"
    )
    assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (4, b"in\0put", b"err\n")


def test_a_blocking_command_is_bounded(tmp_path: Path) -> None:
    limits = Limits(seconds=0.2, output_bytes=1000, spill_bytes=100_000)
    flood = run_blocking(["yes"], cwd=tmp_path, limits=limits)
    assert flood.truncated
    assert flood.exit_code is None
    slow = run_blocking(["sleep", "60"], cwd=tmp_path, limits=limits)
    assert slow.timed_out
    noisy = run_blocking(["sh", "-c", "yes | head -c 90000 >&2"], cwd=tmp_path, limits=limits)
    assert noisy.exit_code == 0
    assert len(noisy.stderr) == 1000


def test_a_held_pipe_does_not_hold_a_blocking_command(tmp_path: Path) -> None:
    outcome = run_blocking(["sh", "-c", "sleep 60 & echo done"], cwd=tmp_path)
    assert (outcome.exit_code, outcome.stdout) == (0, b"done\n")
    closed = run_blocking(["sh", "-c", "exec >&- 2>&-; sleep 0.1; exit 5"], cwd=tmp_path)
    assert closed.exit_code == 5
