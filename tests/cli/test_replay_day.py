"""A limit of the day in config.toml holds for the runs of replay, and what they use counts for the day."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import solving_endpoint
from support.replays import calculator, needs_bwrap, tasks_in

from aoci_agent.agent.spending import Spending
from aoci_agent.evals.replay.task import written

MODEL = "openai/solver"
PRICE = f'[prices."{MODEL}"]\ninput = 10\noutput = 10\n'


@needs_bwrap
@pytest.mark.gate_only
def test_a_run_ends_where_the_day_does(tmp_path: Path) -> None:
    """First the run of a day without a limit; then one whose limit is that and a half."""
    repository, home, log = calculator(tmp_path / "calc"), tmp_path / "own", tmp_path / "log"
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text(written(tasks_in(repository), ".jsonl"))
    (home / "config").mkdir(parents=True)
    path = Path(solving_endpoint.__file__)
    server = subprocess.Popen(
        [sys.executable, str(path), str(log)],
        env={**os.environ, "PYTHONPATH": str(path.parents[1])},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    keys = {"AOCI_AGENT_HOME": str(home), "OPENAI_API_KEY": "sk-none"}
    env = {**os.environ, **keys, "OPENAI_API_BASE": server.stdout.readline().strip()}

    def run(name: str, settings: str) -> "subprocess.CompletedProcess[str]":
        (home / "config/config.toml").write_text(settings + PRICE)
        words = ("run", "--policies", "grep-read", "--models", MODEL, "--tasks", str(tasks))
        command = [sys.executable, "-m", "aoci_agent", "replay", *words, "--yes", "--name", name]
        return subprocess.run(
            command, cwd=repository.root, env=env, capture_output=True, text=True, check=False
        )

    try:
        whole = run("whole", "")
        day = Spending(home / "data/spending")
        assert whole.returncode == 0, whole.stderr
        tokens = sum(json.loads(line)["total_tokens"] for line in log.read_text().splitlines())
        used = day.spent()
        assert (used.tokens, used.unpriced) == (tokens, 0)
        limit = round(used.cost * 1.75, 6)
        ended = run("half", f"day_max_cost = {limit}\n")
        assert ended.returncode == 3, ended.stderr
        assert "tomorrow, or with a larger day_max_cost in config.toml" in ended.stderr
        assert used.cost < day.spent().cost <= limit
    finally:
        server.terminate()
        server.communicate()
