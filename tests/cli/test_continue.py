"""`--continue`, `--resume` and a policy that does not fit, as a user runs them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.ended import PROGRAM, Ended, ended
from support.endpoint import FakeEndpoint, calls, says as saying

from aoci_agent.base.errors import Exit
from aoci_agent.base.places import Places
from aoci_agent.cli import main

CONFIG = '[prices."openai/m"]\ninput = 1.0\noutput = 1.0\nwindow = {window}\n'


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    for number in range(120):
        text = f'"""Keeps the rows of ledger {number} and weighs them."""\n\n\ndef weigh_{number}(row):\n'
        (folder / f"ledger_{number}.py").write_text(f"{text}    return row * {number}\n")
    return folder


async def run(endpoint: FakeEndpoint, folder: Path, *words: str) -> Ended:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "OPENAI_API_BASE": endpoint.url}
    return await ended((*PROGRAM, "-p", *words), cwd=folder, env=env)


def window(folder: Path, tokens: int) -> None:
    config = folder.parent / ".config/aoci-agent/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(CONFIG.format(window=tokens))


async def test_a_session_is_gone_on_with_by_the_next_process(
    endpoint: FakeEndpoint, shop: Path
) -> None:
    endpoint.answers = [saying("It costs two."), saying("Still two.")]
    code, _, _ = await run(endpoint, shop, "--model", "openai/m", "price?")
    assert code == Exit.DONE
    code, out, err = await run(endpoint, shop, "--continue", "--output-format", "json", "sure?")
    result = json.loads(out)
    assert (code, result["result"], result["model"]) == (Exit.DONE, "Still two.", "openai/m")
    assert "going on with session" in err
    before, after = (post.body["messages"] for post in endpoint.posts)
    assert [message["role"] for message in after] == ["system", "user", "assistant", "user"]
    assert before == after[:2]
    code, _, err = await run(endpoint, shop, "--resume", "1999", "sure?")
    assert code == Exit.USAGE
    assert result["session_id"] in err


async def test_a_policy_that_does_not_fit_is_refused_with_a_budget_that_does(
    endpoint: FakeEndpoint, shop: Path
) -> None:
    """23: before any call, with the numbers; what it offers works."""
    window(shop, 6000)
    endpoint.answers = [saying("Two.")]
    code, _, err = await run(endpoint, shop, "--model", "openai/m", "--policy", "aoci", "price?")
    assert code == Exit.USAGE
    assert endpoint.posts == []
    assert "at most 60%" in err
    offered = err.split("--index-budget ")[1].split(",")[0]
    words = ("--model", "openai/m", "--policy", "aoci", "--index-budget", offered, "price?")
    code, out, _ = await run(endpoint, shop, *words)
    assert (code, out.strip()) == (Exit.DONE, "Two.")


async def test_a_headless_run_goes_on_after_room_was_made(
    endpoint: FakeEndpoint, shop: Path
) -> None:
    """32: it does not end in mid-task with a zero."""
    window(shop, 5000)
    reads = [calls("read", json.dumps({"path": f"ledger_{n}.py"})) for n in range(60)]
    endpoint.answers = [*reads, saying("All were read.")]
    words = ("--model", "openai/m", "--policy", "grep-read", "--output-format", "stream-json")
    code, out, _ = await run(endpoint, shop, *words, "read them all")
    events = [json.loads(line) for line in out.splitlines()]
    assert code == Exit.DONE
    assert events[-1]["result"] == "All were read."
    assert any(event["type"] == "HistoryRewritten" for event in events)


SPOKEN = """{{"type": "TurnStarted", "prompt": "{words}", "policy": "aoci"}}
{{"type": "Grew", "messages": [{{"text": "{words}"}}]}}
"""


@pytest.fixture
def typed(tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose sessions are in a home of the test; their folder."""
    monkeypatch.setenv("AOCI_AGENT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(shop)
    subprocess.run(["git", "init", "-q", str(shop)], check=True)
    return _sessions(shop)


def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the test itself: pytest puts other streams in place behind the fixtures."""
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)


def _sessions(root: Path) -> Path:
    places = Places(os.environ)
    folder = places.data / "sessions" / places.project(root.resolve())
    folder.mkdir(parents=True)
    for number in range(7):
        file = folder / f"2026113{number}-120000-abcd.jsonl"
        file.write_text(SPOKEN.format(words=f"question {number}"))
        os.utime(file, (1_000 - number, 1_000 - number))
    return folder


def test_resume_without_an_id_names_the_newest_and_opens_no_screen(
    typed: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _terminal(monkeypatch)
    assert main(["-r"]) == Exit.USAGE
    err = capsys.readouterr().err
    assert "-r takes the ID of a session" in err
    shown = [line.split()[0] for line in err.splitlines() if "question" in line]
    assert shown == [f"2026113{number}-120000-abcd" for number in range(5)]
    assert main(["-r", "1999"]) == Exit.USAGE
    assert "-r takes an ID; the newest are" in capsys.readouterr().err


def test_words_behind_resume_are_no_prompt(
    typed: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _terminal(monkeypatch)
    assert main(["-p", "-r", "why is it so?"]) == Exit.USAGE
    assert "-r takes an ID: 'why is it so?' was taken for one" in capsys.readouterr().err


def test_a_folder_in_a_repository_says_whose_sessions_are_looked_at(
    typed: Path, shop: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _terminal(monkeypatch)
    (shop / "lib").mkdir()
    monkeypatch.chdir(shop / "lib")
    for words in (["-c"], ["-r"], ["-p", "-c", "go on"]):
        assert main(words) == Exit.USAGE
        err = capsys.readouterr().err
        assert f"only lib/ is looked at; all of the repository: --cwd {shop.resolve()}" in err
        assert "there is no earlier session" in err


@pytest.mark.parametrize("figure", ["inf", "nan"])
def test_a_limit_that_is_no_figure_is_refused_by_its_flag(
    typed: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, figure: str
) -> None:
    _terminal(monkeypatch)
    assert main(["-p", "go", "--max-cost", figure]) == Exit.USAGE
    assert "--max-cost: Input should be a finite number" in capsys.readouterr().err
