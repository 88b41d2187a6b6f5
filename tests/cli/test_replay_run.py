"""`replay run`: a grid from the command line; killed, interrupted and gone on with; on a Dask cluster."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.commits import git
from support.replays import calculator, needs_bwrap, tasks_in

from aoci_agent.cli import main
from aoci_agent.evals.replay.task import written

COMMAND = [sys.executable, "-m", "aoci_agent", "replay"]
# What differs from run to run: the times, also those a test runner tells the model, by a token.
WITHOUT = ("seconds", "attempts", "spent", "charged")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a task file."""
    monkeypatch.setenv("AOCI_AGENT_HOME", str(tmp_path / "home"))
    repository = calculator(tmp_path / "calc")
    (repository.root / ".aoci-agent").mkdir()
    text = written(tasks_in(repository))
    (repository.root / ".aoci-agent/tasks.toml").write_text(text)
    monkeypatch.chdir(repository.root)
    return repository.root


def replay(*words: str) -> int:
    return main(["replay", *words])


def cells(root: Path, name: str) -> dict[str, dict[str, object]]:
    """What is kept of every cell that ended, but for times."""
    found: dict[str, dict[str, object]] = {}
    for file in (root.parent / "home/data/replay").glob(f"*/{name}/cells/*/outcome.json"):
        row = json.loads(file.read_text())
        found[file.parent.name] = {key: row[key] for key in row if key not in WITHOUT}
    return found


def trees(root: Path) -> list[Path]:
    return list((root.parent / "home/cache/replay").glob("*/trees/*"))


def test_a_run_without_consent_starts_nothing(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay("run", "--models", "gold", "--name", "r") == 2
    said = capsys.readouterr().err
    assert "estimate: about" in said
    assert "8 sessions" in said
    assert replay("list") == 0
    assert "no run yet" in capsys.readouterr().err


def test_a_model_without_a_key_is_told_of_before_anything_starts(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert replay("run", "--models", "openai/gpt-4o", "--policies", "aoci", "--yes") == 1
    assert "OPENAI_API_KEY is not set" in capsys.readouterr().err
    assert not list(root.parent.glob("home/data/replay/*/*/cells"))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--only", "nothing"), "has no task nothing"),
        (("--policies", "magic"), "no policy 'magic'"),
        (("--executor", "slurm", "--only", "add", "--policies", "aoci", "--yes"), "no executor"),
    ],
)
def test_what_cannot_be_run(
    root: Path, words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay("run", "--models", "gold", *words) == 2
    assert told in capsys.readouterr().err


def test_cells_are_not_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        replay("--help")
    listed = [line.split()[:1] for line in capsys.readouterr().out.splitlines()]
    assert ["run"] in listed
    assert ["cell"] not in listed


@needs_bwrap
@pytest.mark.slow
def test_a_grid_ends_with_its_table(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--models", "gold,idle", "--policies", "aoci", "--only", "add", "--jobs", "2")
    assert replay("run", *words, "--name", "r", "--yes") == 0
    said = capsys.readouterr().err
    assert "✓ add · aoci · gold · 0" in said
    assert "✗ add · aoci · idle · 0" in said
    for form in ("text", "markdown", "csv", "json"):
        assert replay("report", "r", "--format", form) == 0
        assert "aoci" in capsys.readouterr().out
    assert replay("run", "--resume", "--yes") == 0
    assert "0 of 2 cells to run" in capsys.readouterr().err
    assert trees(root) == []


GRID = ("--models", "gold", "--policies", "grep-read,aoci", "--seeds", "2", "--jobs", "2", "--yes")


@needs_bwrap
@pytest.mark.gate_only
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_run_that_was_ended_goes_on(root: Path, number: int) -> None:
    assert replay("run", *GRID, "--name", "whole") == 0
    before = _state(root)
    started = subprocess.Popen(
        [*COMMAND, "run", *GRID, "--name", "cut"], stderr=subprocess.PIPE, text=True
    )
    assert started.stderr is not None
    next(line for line in started.stderr if line.startswith("  ✓"))
    started.send_signal(number)
    started.communicate()
    assert started.returncode == (-9 if number == signal.SIGKILL else 130)
    ended = cells(root, "cut")
    assert replay("run", "--resume", "--name", "cut", "--yes") == 0
    assert {name: cells(root, "cut")[name] for name in ended} == ended
    records = list(root.parent.glob("home/data/replay/*/cut/cells/*/state/data/sessions/*/*.jsonl"))
    assert len(records) == len(cells(root, "cut")) == 8  # each has one; what was cut lies aside
    assert cells(root, "cut") == cells(root, "whole")
    assert _state(root) == before
    assert trees(root) == []
    assert _processes(root) == []


@needs_bwrap
@pytest.mark.gate_only
def test_a_dask_cluster_runs_the_same_grid_to_the_same_table(root: Path) -> None:
    pytest.importorskip("distributed")
    assert replay("run", *GRID, "--name", "here") == 0
    with _cluster(root.parent) as address:
        said = subprocess.run(
            [*COMMAND, "run", *GRID, "--name", "there", "--executor", f"dask://{address}"],
            check=False,
            capture_output=True,
            text=True,
        )
    assert said.returncode == 0, said.stderr
    assert cells(root, "there") == cells(root, "here")


@contextmanager
def _cluster(folder: Path) -> Generator[str]:
    """A scheduler and two workers, each a process of this machine; HOST:PORT of the scheduler."""
    file = folder / "scheduler.json"
    host = ["--host", "127.0.0.1", "--no-dashboard"]
    dask = [sys.executable, "-m", "distributed.cli"]
    words = [
        [f"{dask[-1]}.dask_scheduler", *host, "--port", "0", "--scheduler-file", str(file)],
        *[[f"{dask[-1]}.dask_worker", *host, "--nthreads", "1", "--scheduler-file", str(file)]] * 2,
    ]
    started = [
        subprocess.Popen(
            [*dask[:-1], *line],
            cwd=folder,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for line in words
    ]
    try:
        deadline = time.monotonic() + 60
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        yield json.loads(file.read_text())["address"].removeprefix("tcp://")
    finally:
        for process in started:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(30)


def _processes(root: Path) -> list[str]:
    """Processes that work for a run of this home, once those that end by themselves had time to."""
    left: list[str] = []
    for _ in range(40):
        listed = subprocess.run(["ps", "-eo", "args"], check=True, capture_output=True, text=True)
        left = [line for line in listed.stdout.splitlines() if f"{root.parent}/home" in line]
        if not left:
            break
        time.sleep(0.5)
    return left


def _state(root: Path) -> list[str]:
    """Files, refs, index, stash and worktrees of the person's own repository."""
    asked = ("rev-parse HEAD", "for-each-ref", "ls-files -s", "stash list", "worktree list")
    said = [git(root, *words.split()).stdout for words in asked]
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return [*said, *(f"{path} {path.stat().st_mtime_ns}" for path in files)]
