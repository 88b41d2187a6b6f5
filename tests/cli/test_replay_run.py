"""`replay run`: a grid from the command line; killed, interrupted and gone on with; on a Dask cluster."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.commits import git
from support.replays import begun, calculator, needs_bwrap, tasks_in

from aoci_agent.base.git import Repository
from aoci_agent.base.places import Places
from aoci_agent.cli import main
from aoci_agent.cli.replay_places import runs_home
from aoci_agent.evals.replay.store import RunFolder
from aoci_agent.evals.replay.task import tasks_of, written

COMMAND = [sys.executable, "-m", "aoci_agent", "replay"]
# What differs from run to run: the times, also those a test runner tells the model, by a token.
TASKS = Path(".aoci-agent/tasks.toml")
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


def runs(root: Path) -> Path:
    """Where the runs of the repository are kept."""
    found = Repository.find(root)
    assert found is not None
    return runs_home(Places({"AOCI_AGENT_HOME": str(root.parent / "home")}), found)


def trees(root: Path) -> list[Path]:
    return list((root.parent / "home/cache/replay").glob("*/trees/*"))


def test_a_run_without_consent_starts_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    assert replay("run", "--models", "openai/gpt-4o,gold", "--name", "r") == 2
    said = capsys.readouterr().err
    assert re.search(r"estimate: about [\d,]+ tokens, \$\d+\.\d\d, assuming 20 calls a cell", said)
    assert "16 sessions" in said
    assert replay("list") == 0
    assert "no run yet" in capsys.readouterr().err
    assert replay("run", "--models", "gold,idle") == 2
    assert "estimate: no model is asked" in capsys.readouterr().err


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
        (("--max-cost", "-1", "--yes"), "--max-cost -1.0: at least 0"),
        (("--max-cost", "nan", "--yes"), "--max-cost nan: at least 0"),
        (("--max-tokens", "-1", "--yes"), "--max-tokens -1: at least 0"),
        (("--tasks", "nofix.jsonl", "--yes"), "gold cannot work on tasks that name no fix: add"),
        (("--policies", ""), "neither a policy nor another agent"),
        (("--seeds", "0"), "--seeds 0: at least 1"),
        (("--jobs", "0"), "--jobs 0: at least 1"),
        (("--name", "../r"), "--name ../r: letters, digits"),
        (("--name", "/r"), "--name /r: letters, digits"),
        (("--resume",), "takes no --models"),
    ],
)
def test_what_cannot_be_run(
    root: Path, words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = [task.model_copy(update={"fix": "", "hidden": ()}) for task in tasks_of(TASKS)]
    Path("nofix.jsonl").write_text(written(tasks[:1], ".jsonl"))
    assert replay("run", "--models", "gold", *words) == 2
    assert told in capsys.readouterr().err
    assert not list(runs(root).glob("*"))


def test_no_cell_runs_twice_for_being_named_twice(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay("run", "--models", "gold,gold", "--policies", "aoci,aoci", "--only", "add") == 2
    assert "1 of 1 cell to run" in capsys.readouterr().err


def test_a_run_that_cannot_be_read_is_no_reason_to_list_none(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = runs(root)
    begun(home / "good")
    begun(home / "bad")
    (home / "bad/run.json").write_text("{}")
    assert replay("list", "--json") == 0
    said = capsys.readouterr()
    assert [row["run"] for row in json.loads(said.out)] == ["good"]
    assert "run.json is damaged" in said.err


def test_results_go_only_where_their_run_is_named(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = runs(root)
    for name in ("one", "two"):
        begun(home / name)
    prepared = root.parent / "home/cache/replay" / home.name / "environments/e"
    prepared.mkdir(parents=True)
    assert replay("clean") == 2  # nobody said yes
    said = capsys.readouterr().err
    assert "environments: 1, 0 MB" in said
    assert "runs and tasks stay" in said
    assert prepared.is_dir()
    assert replay("clean", "", "--yes") == replay("clean", "none", "--yes") == 2
    with RunFolder(home / "two").held():
        assert replay("clean", "--yes") == replay("clean", "two", "--yes") == 2
    assert prepared.is_dir()
    assert replay("clean", "two", "--yes") == 0
    assert sorted(path.name for path in home.iterdir()) == ["one"]
    assert prepared.is_dir()
    assert replay("clean", "--yes") == 0
    assert (home / "one/run.json").is_file()
    assert not prepared.parent.parent.exists()


@needs_bwrap
@pytest.mark.gate_only
@pytest.mark.timeout(300)
def test_a_model_that_never_answers_is_given_up_and_is_no_cap(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:1/v1")  # nobody listens
    words = ("--models", "openai/none", "--policies", "aoci", "--seeds", "3", "--jobs", "2")
    assert replay("run", *words, "--yes") == 1
    said = capsys.readouterr().err
    assert "6 cells could not be run; to try them again: aoci-agent replay run --resume" in said
    assert said.count("  ! ") < 6
    assert "cap" not in said


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
    for line in ("✓ add--aoci--gold--0", "✗ add--aoci--idle--0"):
        assert line in said
        assert replay("show", "r", line[2:], "--plain") == 0
    capsys.readouterr()
    for form in ("text", "markdown", "csv", "json"):
        assert replay("report", "r", "--format", form) == 0
        assert "aoci" in capsys.readouterr().out
    assert replay("run", "--resume", "--yes") == 0
    assert "0 of 2 cells to run" in capsys.readouterr().err
    assert trees(root) == []


GRID = ("--models", "gold", "--policies", "grep-read,aoci", "--seeds", "2", "--jobs", "2", "--yes")


@needs_bwrap
@pytest.mark.gate_only
@pytest.mark.timeout(900)
def test_a_run_that_was_ended_goes_on(root: Path) -> None:
    assert replay("run", *GRID, "--name", "whole") == 0
    before = _state(root)
    for name in ("SIGKILL", "SIGINT", "SIGTERM", "SIGHUP", "SIGINT-often"):
        number = signal.Signals[name.removesuffix("-often")]
        started = subprocess.Popen(
            [*COMMAND, "run", *GRID, "--name", name], stderr=subprocess.PIPE, text=True
        )
        assert started.stderr is not None
        next(line for line in started.stderr if line.startswith("  ✓"))
        while not any(path.is_dir() for path in trees(root)):
            time.sleep(0.05)  # until the next cells are at work
        started.send_signal(number)
        while name.endswith("often") and started.poll() is None:
            time.sleep(0.05)  # somebody who has no patience
            started.send_signal(number)
        started.communicate()
        assert started.returncode in ((-9,) if number == signal.SIGKILL else (130, -number))
        if number != signal.SIGKILL:  # of that one, its cells find out by themselves
            assert trees(root) == _processes(root, seconds=0) == []
        ended = cells(root, name)
        assert replay("run", "--resume", "--name", name, "--yes") == 0
        assert {one: cells(root, name)[one] for one in ended} == ended
        records = list(runs(root).glob(f"{name}/cells/*/state/data/sessions/*/*.jsonl"))
        assert len(records) == len(cells(root, name)) == 8  # what was cut lies aside
        assert cells(root, name) == cells(root, "whole")
        assert _state(root) == before
        assert trees(root) == _processes(root) == []


@needs_bwrap
@pytest.mark.gate_only
@pytest.mark.timeout(900)
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


def _processes(root: Path, seconds: float = 20) -> list[str]:
    """Processes that work for a run of this home, once those that end by themselves had time to."""
    deadline = time.monotonic() + seconds
    while True:
        listed = subprocess.run(["ps", "-eo", "args"], check=True, capture_output=True, text=True)
        left = [line for line in listed.stdout.splitlines() if f"{root.parent}/home" in line]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.5)


def _state(root: Path) -> list[str]:
    """Files, refs, index, stash and worktrees of the person's own repository."""
    asked = ("rev-parse HEAD", "for-each-ref", "ls-files -s", "stash list", "worktree list")
    said = [git(root, *words.split()).stdout for words in asked]
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return [*said, *(f"{path} {path.stat().st_mtime_ns}" for path in files)]
