"""Another agent in the grid, from the command line to its trajectory."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support import fake_peer, solving_endpoint
from support.solving_endpoint import AFTER, BEFORE, FILE, HIDDEN

from aoci_agent.base.errors import ForUser
from aoci_agent.cli.replay_peers import peers_asked

CHECK = f"{sys.executable} -c 'import sys; sys.path.insert(0, \".\"); import test_calc as t; t.test_add()'"
IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@t")


def git(folder: Path, *words: str) -> str:
    told = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return told.stdout.strip()


class Grid:
    """A repository with one task, a fake agent, an endpoint in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.repository, self.log = folder / "project", folder / "served.jsonl"
        self.repository.mkdir()
        git(self.repository, "init", "-q")
        (self.repository / FILE).write_text(BEFORE)
        git(self.repository, "add", "-A")
        git(self.repository, *IDENTITY, "commit", "-qm", "base")
        base = git(self.repository, "rev-parse", "HEAD")
        (self.repository / FILE).write_text(AFTER)
        (self.repository / "test_calc.py").write_text(HIDDEN)
        git(self.repository, "add", "-A")
        git(self.repository, *IDENTITY, "commit", "-qm", "fix")
        task = {"id": "add", "prompt": "make add() add", "base": base, "setup": "true"}
        task |= {"fix": git(self.repository, "rev-parse", "HEAD"), "check": CHECK}
        self.tasks = folder / "tasks.jsonl"
        self.tasks.write_text(
            json.dumps({**task, "hidden": ["test_calc.py"], "gold_files": [FILE]})
        )
        program = folder / "agents" / "bin" / "mini"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!{sys.executable} -I\n{Path(fake_peer.__file__).read_text()}")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        self.env = {
            **os.environ,
            "AOCI_AGENT_HOME": str(folder / "own"),
            "AOCI_REPLAY_MINI_SWE_AGENT": str(program),
            "OPENAI_API_KEY": "sk-secret-of-the-user",
        }

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "aoci_agent", "replay", *words]
        return subprocess.run(
            command, cwd=self.repository, env=self.env, capture_output=True, text=True, check=False
        )


@pytest.fixture
def grid(tmp_path: Path) -> Grid:
    return Grid(tmp_path)


def test_an_agent_runs_in_the_grid_and_its_cell_can_be_looked_at(grid: Grid) -> None:
    path = Path(solving_endpoint.__file__)
    serving = {**os.environ, "PYTHONPATH": str(path.parents[1])}
    server = subprocess.Popen(
        [sys.executable, str(path), str(grid.log)], env=serving, stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        grid.env["OPENAI_API_BASE"] = server.stdout.readline().strip()
        asked = ("--policies", "", "--peers", "mini-swe-agent", "--models", "openai/solver")
        ran = grid.run("run", *asked, "--tasks", str(grid.tasks), "--yes", "--name", "one")
        if "no strong sandbox" in ran.stderr:
            pytest.skip(ran.stderr)
        assert ran.returncode == 0, ran.stderr
    finally:
        server.terminate()
        server.communicate()
    (file,) = (Path(grid.env["AOCI_AGENT_HOME"])).rglob("outcome.json")
    outcome = json.loads(file.read_text())
    assert (outcome["status"], outcome["recall"], outcome["steps"]) == ("passed", 1.0, 4)
    billed = [json.loads(line) for line in grid.log.read_text().splitlines()]
    assert sum(outcome["spent"]["tokens"].values()) == sum(one["total_tokens"] for one in billed)
    assert outcome["version"].startswith("digest ")
    shown = grid.run("show", "mini").stdout
    for words in (
        "> make add() add",
        "-- step 3",
        "* bash cat calc.py",
        "+    return",
    ):
        assert words in shown
    assert grid.run("show", "one", "nowhere").returncode == 2
    assert "sk-secret" not in file.with_name("requests.jsonl").read_text()


@pytest.mark.parametrize(
    ("agents", "model", "told"),
    [
        ("aider", "openai/x", "pip install aider-chat"),
        ("nobody", "openai/x", "mini-swe-agent, aider"),
        ("pi", "gold", "the harness's own"),
        ("pi", "bedrock/x", "other agents"),
        ("pi", "openai/x", "OPENAI_API_KEY is not set"),
    ],
)
def test_what_cannot_run_is_said_before_anything_starts(
    agents: str, model: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AOCI_REPLAY_AIDER", "/nowhere/aider")
    monkeypatch.setenv("AOCI_REPLAY_PI", sys.executable)
    for name in ("OPENAI_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ForUser) as error:
        peers_asked(agents, [model], tmp_path, here=True)
    assert told in f"{error.value} {error.value.hint}"


def test_on_other_machines_it_is_their_matter_what_is_installed(tmp_path: Path) -> None:
    assert peers_asked("aider,codex,aider", ["openai/x"], tmp_path, here=False) == [
        "aider",
        "codex",
    ]
