"""`replay judge` and `replay report`: from the command line, with recorded replies."""

import asyncio
import json
from pathlib import Path

import pytest
from support.replays import calculator, run_of

from aoci_agent.agent.models.model import Request
from aoci_agent.agent.models.recorded import RecordingModel
from aoci_agent.agent.models.scripted import ScriptedModel
from aoci_agent.base.places import Places
from aoci_agent.cli import main
from aoci_agent.cli.replay_places import runs_home
from aoci_agent.evals.replay.cell import Outcome
from aoci_agent.evals.replay.exchange import REQUESTS, Exchange, Said
from aoci_agent.evals.replay.judge import CLASSES, JUDGED
from aoci_agent.evals.replay.store import DIFF, RunFolder
from aoci_agent.policies.conversation import AssistantMessage
from aoci_agent.policies.layers import Layer, Prefix

EVIL = "\x1b]52;c;AA\x07"
CHANGE = "diff --git a/add.py b/add.py\n--- a/add.py\n+++ b/add.py\n@@ -2 +2 @@\n-    value = None\n+    value = {} + 0\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """A run of two tasks under two solvers, in the repository it is of; nothing has ended."""
    monkeypatch.setenv("AOCI_AGENT_HOME", str(tmp_path / "home"))
    repository = calculator(tmp_path / "calc")
    monkeypatch.chdir(repository.root)
    home = runs_home(Places({"AOCI_AGENT_HOME": str(tmp_path / "home")}), repository)
    return run_of(repository, home / "r", solvers=("grep-read", "aoci"), models=("vendor/m",))


def end_all(folder: RunFolder) -> None:
    for number, cell in enumerate(folder.run().cells()):
        defects = ("contract: add.py asks for what is not there",) if number == 0 else ()
        folder.end(Outcome(cell=cell, status="passed" if number else "failed", defects=defects))
        (folder.place(cell) / DIFF).write_text(CHANGE.format(number))


def recording(path: Path, count: int) -> Path:
    """Replies of a judge that finds a contract guessed in the change of the first cell."""
    said = {name: {"answer": "no", "evidence": ""} for name in CLASSES}
    yes = {"answer": "yes", "evidence": "+    value = 0 + 0"}
    text = json.dumps({**said, "contract": yes})
    model = RecordingModel(ScriptedModel([AssistantMessage(text)] * count, cost=0.25), path)

    async def record() -> None:
        for _ in range(count):
            async for _ in model.stream(
                Request(Prefix((), (Layer("rules", "word " * 1_000),)), ())
            ):
                pass

    asyncio.run(record())
    return path


def replay(*words: str) -> int:
    return main(["replay", *words])


def test_nothing_is_sent_without_consent(
    folder: RunFolder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    end_all(folder)
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    assert replay("judge", "--model", "openai/gpt-4o") == 2
    said = capsys.readouterr().err
    assert "4 changes to judge under rubric 1" in said
    assert "estimate: about" in said
    assert "$" in said
    assert "nobody is there to answer" in said
    assert replay("judge", "--model", "vendor/m") == 1  # no provider knows it
    assert replay("judge") == 2
    assert "no model is named" in capsys.readouterr().err
    assert not list(folder.path.glob(f"cells/*/{JUDGED}"))


def test_a_run_is_judged_and_reported_in_all_forms(
    folder: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    end_all(folder)
    replies = str(recording(tmp_path / "replies.jsonl", 4))
    assert replay("report", "r") == 0
    assert "not judged" in capsys.readouterr().out
    assert replay("judge", "r", "--fake-responses", replies, "--yes") == 0
    said = capsys.readouterr().err
    assert "$1.00" in said
    assert "contract" in said
    assert said.count("1 of 5 void") == 3
    assert "no defect" not in said
    assert replay("judge", "r", "--fake-responses", replies, "--yes") == 0
    assert "0 changes to judge" in capsys.readouterr().err
    assert replay("report", "r") == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    # One yes is proved by a line of the change; of the other three the line is in another change.
    assert ["contract", "1", "1", "0", "3", "1", "0", "0", "0", "-"] in rows
    assert ["schema", "0", "0", "4", "0", "0", "0", "0", "4", "-"] in rows
    assert replay("report", "r", "--format", "json") == 0
    data = json.loads(capsys.readouterr().out)
    assert [row["judged"]["findings"]["contract"]["answer"] for row in data] == [
        *("yes", "void", "void", "void")
    ]
    begins = {
        "md": "## Replay r",
        "csv": "cell.",
        "html": "<!doctype",
        "json": "[",
        "txt": "tasks: ",
    }
    for ending, begin in begins.items():
        assert replay("report", "r", "-o", str(tmp_path / f"x.{ending}")) == 0
        text = (tmp_path / f"x.{ending}").read_text()
        assert text.startswith(begin)
        assert "contract" in text
        assert text.endswith("\n")
    assert replay("report", "r", "--format", "csv", "-o", str(tmp_path / "x.html")) == 0
    assert (tmp_path / "x.html").read_text() == (tmp_path / "x.csv").read_text()
    assert replay("report", "r", "-o", str(tmp_path)) == 2


def test_the_cap_ends_it_and_the_rest_is_judged_another_time(
    folder: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    end_all(folder)
    replies = str(recording(tmp_path / "replies.jsonl", 4))
    told = ("judge", "--fake-responses", replies, "--yes")
    assert replay(*told, "--max-tokens", "2500") == 3
    said = capsys.readouterr().err
    assert "--max-tokens" in said
    assert "/budget" not in said
    left = 4 - len(list(folder.path.glob(f"cells/*/{JUDGED}")))
    assert 0 < left < 4
    assert f"{left} are left" in said
    assert replay(*told) == 0
    assert len(list(folder.path.glob(f"cells/*/{JUDGED}"))) == 4


def test_a_run_in_which_nothing_ended_says_how_to_go_on(
    folder: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay("report") == 2
    assert "replay run --resume --name r" in capsys.readouterr().err
    cells = list(folder.run().cells())
    for cell in cells[:2]:
        folder.died(cell, "the machine <b>was</b> lost")
    for form in ("text", "markdown", "csv", "json", "html"):
        assert replay("report", "--format", form) == 0
        told = capsys.readouterr()
        standing = (
            "0 of 4 cells ended by themselves, 2 broken (by the infrastructure: 2), 2 not run yet"
        )
        assert f"{standing}; to go on: aoci-agent replay run --resume --name r" in told.err
        assert form in ("csv", "json") or standing in " ".join(told.out.split())
        assert told.out.endswith("\n")
    assert replay("list") == 0
    assert standing in capsys.readouterr().out
    assert replay("judge", "--fake-responses", str(recording(tmp_path / "x", 1)), "--yes") == 0


def test_a_cell_is_shown_with_what_was_found_in_its_change(
    folder: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    end_all(folder)
    replies = str(recording(tmp_path / "replies.jsonl", 4))
    assert replay("judge", "--fake-responses", replies, "--yes") == 0
    (cell, other, *_) = folder.run().cells()
    assert replay("show", cell.id, "--plain") == 2
    assert "left no record" in capsys.readouterr().err
    for one in (cell, other):
        said = Said(role="assistant", text=f"Done. {EVIL}")
        log = Exchange(number=1, at=0, api="chat", path="/chat/completions", reply=said)
        (folder.place(one) / REQUESTS).write_text(f"{log.model_dump_json()}\n")
    assert replay("show", cell.id, "--plain") == 0
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert "static · contract: add.py asks for what is not there" in told
    assert "· contract: +    value = 0 + 0" in told
    assert "the hidden check did not run" in told
    assert replay("show", other.id, "--plain") == 0
    assert "· void: contract" in capsys.readouterr().out
