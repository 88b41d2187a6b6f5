"""Budgets as a user meets them: real processes, a provider on loopback, the day's ledger on disk."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.ended import PROGRAM, ended
from support.endpoint import FakeEndpoint, calls, says as saying

from aoci_agent.agent.spending import Spending
from aoci_agent.base.errors import Exit
from aoci_agent.cli import main

PRICES = '[prices."openai/x"]\ninput = 10.0\noutput = 10.0\nwindow = 50000\n'


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "prices.py").write_text('"""Prices."""\n\n\ndef price(weight: int) -> int: ...\n')
    return folder


async def ask(endpoint: FakeEndpoint, shop: Path, settings: str, *words: str) -> dict[str, Any]:
    """One headless turn under these settings: the JSON result, with what went to stderr."""
    home = shop.parent / "home"
    (home / "config").mkdir(parents=True, exist_ok=True)
    (home / "config" / "config.toml").write_text(settings + PRICES)
    env = {
        "PATH": os.environ["PATH"],
        "AOCI_AGENT_HOME": str(home),
        "OPENAI_API_BASE": endpoint.url,
    }
    asked = ("-p", "where?", "-m", "openai/x", "--mode", "ask", "--output-format", "json")
    done = await ended((*PROGRAM, *asked, *words), cwd=shop, env=env)
    return done.result | {"stderr": done.err}


async def test_a_call_that_would_pass_is_not_sent_and_the_way_on_is_told(
    endpoint: FakeEndpoint, shop: Path
) -> None:
    done = await ask(endpoint, shop, "", "--max-cost", "0.001")
    assert (done["reason"], done["exit_code"], done["steps"]) == ("cost", Exit.LIMIT, 0)
    assert "--continue" in done["message"]
    assert endpoint.posts == []


async def test_the_estimate_of_the_index_and_the_split_are_in_the_result(
    endpoint: FakeEndpoint, shop: Path
) -> None:
    endpoint.answers = [calls("read", '{"path": "prices.py"}'), saying("There.")]
    done = await ask(endpoint, shop, "", "--max-time", "60")
    assert done["reason"] == "done"
    estimate = done["index_estimate"]
    assert (estimate["files"], estimate["steps"], estimate["sessions"]) == (["prices.py"], 2.0, 0)
    assert estimate["net_tokens"] == estimate["tokens"] - estimate["index_tokens"]
    usage = done["usage"]
    assert usage["layers"]["index"] > 0
    assert sum(usage["layers"].values()) == usage["prompt"]


async def test_a_day_is_of_all_processes_and_sessions_can_be_counted(
    endpoint: FakeEndpoint,
    shop: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    endpoint.answers = [saying("one"), saying("two")]
    day = "day_max_tokens = 6000\n"
    first = await ask(endpoint, shop, day)
    second = await ask(endpoint, shop, day, "--max-seconds", "60")
    assert first["reason"] == "done"
    spent = sum(one["usage"]["prompt"] + one["usage"]["output"] for one in (first, second))
    folder = shop.parent / "home/data/spending"
    assert Spending(folder).spent().tokens == spent
    (ledger,) = folder.glob("*.jsonl")
    with ledger.open("a") as file:
        file.write('{"call": "another process", "tokens": 5900, "cost": null}\n')
    third = await ask(endpoint, shop, day)
    assert (third["reason"], third["exit_code"]) == ("tokens", Exit.LIMIT)
    assert "go on tomorrow" in third["message"]
    assert len(endpoint.posts) == 2
    monkeypatch.setenv("AOCI_AGENT_HOME", str(shop.parent / "home"))
    monkeypatch.chdir(shop)
    assert main(["sessions", "stats", "--format", "json"]) == Exit.DONE
    told = json.loads(capsys.readouterr().out)
    assert (told["sum"]["sessions"], told["nothing_sent"]) == (2, 1)
    assert told["sum"]["prompt"] == first["usage"]["prompt"] + second["usage"]["prompt"]


async def test_a_limit_in_dollars_that_cannot_bind_is_said_once_before_the_call(
    endpoint: FakeEndpoint, shop: Path
) -> None:
    """What looks like a server of one's own may hand the call on to a provider that charges."""
    endpoint.answers = [calls("read", '{"path": "prices.py"}'), saying("There.")]
    free = ("-m", "openai/behind-a-proxy", "--max-cost", "0.5")
    done = await ask(endpoint, shop, "day_max_cost = 2.0\n", *free)
    told = [line for line in done["stderr"].splitlines() if "counts as free" in line]
    assert (done["steps"], len(told)) == (2, 1)
    assert "warning: openai/behind-a-proxy counts as free: a server on this machine" in told[0]
    assert "--max-cost and day_max_cost do not bind unless [prices] names this model" in told[0]
    assert done["stderr"].index("counts as free") < done["stderr"].index("step 1")
    day = await ask(endpoint, shop, "day_max_cost = 2.0\n", "-m", "openai/behind-a-proxy")
    assert "day_max_cost does not bind" in day["stderr"]


@pytest.mark.parametrize(
    "words", [("-m", "openai/behind-a-proxy"), ("-m", "openai/x", "--max-cost", "5")]
)
async def test_where_nothing_is_limited_or_a_price_is_stated_there_is_nothing_to_say(
    endpoint: FakeEndpoint, shop: Path, words: tuple[str, ...]
) -> None:
    endpoint.answers = [saying("There.")]
    done = await ask(endpoint, shop, "", *words)
    assert (done["reason"], "counts as free" in done["stderr"]) == ("done", False)
