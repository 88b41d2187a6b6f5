"""`sessions list|stats`: what the records of earlier sessions say, and what damage does to it."""

import csv
import io
import json
import os
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aoci_agent.agent.events import (
    Event,
    SessionStarted,
    StepFinished,
    StepStarted,
    TurnFinished,
    TurnStarted,
)
from aoci_agent.agent.meter import StepRecord, Totals, total
from aoci_agent.agent.models.model import Provenance, Usage
from aoci_agent.agent.record import SessionRecord
from aoci_agent.agent.sessions import use_of
from aoci_agent.base.errors import BadUsage, Exit
from aoci_agent.base.places import Places
from aoci_agent.cli import main
from aoci_agent.cli.arguments import parse

USAGE = Usage(
    1_000, 8_000, 1_000, 500, 100, 0.02, cost_from=Provenance.MEASURED, cache_write_1h=400
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of this repository's records."""
    monkeypatch.setenv("AOCI_AGENT_HOME", str(tmp_path / "home"))
    repository = tmp_path / "shop"
    repository.mkdir()
    monkeypatch.chdir(repository)
    places = Places({"AOCI_AGENT_HOME": str(tmp_path / "home")})
    return places.data / "sessions" / places.project(repository)


def keep(
    folder: Path,
    name: str,
    *usages: Usage,
    model: str = "anthropic/claude",
    policies: tuple[str, ...] = ("aoci",),
) -> Path:
    """The record of a session with one turn of these calls."""
    record = SessionRecord(folder / f"{name}.jsonl")
    ids = ("id", "id", "1 of 1 entries", "0.1.0")
    record.write(SessionStarted(name, "/srv/shop", model, policies[0], "ask", "", *ids))
    record.write(TurnStarted(f"fix it,\nin {name}"))
    for number, usage in enumerate(usages, 1):
        policy = policies[min(number, len(policies)) - 1]
        step = StepRecord(number, model, policy, usage, {"index": 100}, seconds=2.0)
        record.write(StepFinished(step, total([step])))
    record.close()
    text = re.sub(r', "crc": "\w{8}"\}', "}", record.path.read_text())  # as older versions wrote
    record.path.write_text(text.replace('"at": ', '"was": '))  # dated by their names
    return record.path


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["sessions", *words]) == Exit.DONE
    return capsys.readouterr().out


def data(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    return json.loads(told(capsys, *words, "--format", "json"))


def test_sums_by_bucket(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(folder, "20261129-100000-aaaaaa", USAGE, USAGE)
    keep(folder, "20261130-100000-bbbbbb", USAGE, policies=("grep-read",))
    found = data(capsys, "stats")
    first, second = found["sessions"]
    assert (first["turns"], first["steps"], first["cache_read"]) == (1, 2, 16_000)
    assert (first["hit_rate"], first["cost"], first["cache_write_1h"]) == (0.8, 0.04, 800)
    assert (first["started"], first["provenance"]) == ("2026-11-29 10:00:00", "measured")
    assert (second["policy"], second["model"]) == ("grep-read", "anthropic/claude")
    sums = found["sum"]
    assert (sums["sessions"], sums["steps"], sums["prompt"], sums["cost"]) == (2, 3, 30_000, 0.06)


def test_an_unknown_price_is_no_zero(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    free = replace(USAGE, cost=0.0)
    unknown = replace(USAGE, cost=None, tokens_from=Provenance.ESTIMATED)
    keep(folder, "20261129-100000-aaaaaa", USAGE, unknown)
    keep(folder, "20261129-110000-bbbbbb", free)
    found = data(capsys, "stats")
    first, second = found["sessions"]
    assert (first["cost"], first["priced"], first["unpriced_steps"]) == (None, 0.02, 1)
    assert (first["provenance"], second["cost"]) == ("estimated", 0.0)
    assert found["sum"]["cost"] is None
    table = told(capsys, "stats")
    assert "~$0.020 + $?" in table
    assert "~2.0k" in table


def test_switches_and_disputes_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    disputed = replace(USAGE, own_cost=0.03, price_from="provider")
    keep(folder, "20261129-100000-aaaaaa", USAGE, disputed, policies=("aoci", "eager"))
    table = told(capsys, "stats")
    assert "aoci + eager" in table
    assert "1 disputed" in table


def test_a_day_limits_what_is_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(folder, "20261129-100000-aaaaaa", USAGE)
    keep(folder, "20261130-000000-bbbbbb", USAGE)
    found = data(capsys, "stats", "--since", "2026-11-30")
    assert [row["session"] for row in found["sessions"]] == ["20261130-000000-bbbbbb"]
    with pytest.raises(BadUsage, match="no date"):
        parse(words := ["sessions", "stats", "--since", "yesterday"]).command(parse(words))


def test_csv_is_rows_that_a_spreadsheet_reads_as_text(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(folder, "20261129-100000-aaaaaa", USAGE, model="=1+1")
    (row,) = csv.DictReader(io.StringIO(told(capsys, "stats", "--format", "csv")))
    assert (row["fresh"], row["cost"], row["model"]) == ("1000", "0.02", "'=1+1")


@pytest.mark.gate("P94")
def test_the_list_has_the_one_used_last_first(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(folder, "20261130-110000-bbbbbb", USAGE)
    keep(folder, "20261129-100000-aaaaaa", USAGE)
    keep(folder, "20261130-100000-bbbbbb", USAGE)
    for name, age in (("20261129-100000-aaaaaa", 60), ("20261130-110000-bbbbbb", 120)):
        used = time.time() - age
        os.utime(folder / f"{name}.jsonl", (used, used))
    lines = told(capsys, "list").splitlines()
    assert [line.split()[0] for line in lines[1:]] == [
        "20261130-100000-bbbbbb",
        "20261129-100000-aaaaaa",
        "20261130-110000-bbbbbb",
    ]
    assert "[interrupted] fix it," in lines[1]
    first = data(capsys, "list")["sessions"][0]
    assert first["interrupted"] is True
    record = SessionRecord(folder / f"{first['session']}.jsonl")
    record.write(TurnFinished("done", "", Totals()))
    record.close()
    assert data(capsys, "list")["sessions"][0]["interrupted"] is False


def test_all_repositories(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(folder, "20261129-100000-aaaaaa", USAGE)
    keep(folder.parent / "other-1", "20261129-110000-bbbbbb", USAGE)
    assert data(capsys, "stats")["sum"]["sessions"] == 1
    assert data(capsys, "stats", "--all")["sum"]["sessions"] == 2
    assert "other-1" in told(capsys, "stats", "--all")


def test_nothing_is_no_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "stats") == ""
    assert data(capsys, "list") == {"sessions": []}
    assert not folder.exists()


@pytest.mark.parametrize(
    "damage",
    [
        b"\x00\x00\n",
        b'{"type": "StepFinished", "record": {"usage": {"fresh": -5}}}\n',
        b'{"type": "StepFinished", "record": {"usage": {"fresh": "many"}}}\n',
        b'{"type": "StepFinished", "record": {"usage": {"fresh": 1, "cost": NaN}}}\n',
        b'{"type": "StepFinished", "record": {"usage": {"fresh": 1e400}}}\n',
        b'{"type": "StepFinished", "record": []}\n',
        b'{"type": "StepFinished"' + b"[" * 100_000 + b"\n",
        b'{"type": "StepFin',
    ],
)
def test_damage_is_counted_and_the_rest_still_read(folder: Path, damage: bytes) -> None:
    path = keep(folder, "20261129-100000-aaaaaa", USAGE)
    whole = path.read_bytes()
    path.write_bytes(whole + damage)
    sums = use_of(path).sums
    assert (sums.steps, sums.cost, sums.damaged) == (1, 0.02, 1)


def test_any_cut_of_a_record_can_be_read(folder: Path) -> None:
    path = keep(folder, "20261129-100000-aaaaaa", USAGE, USAGE)
    whole = path.read_bytes()
    for cut in range(0, len(whole), 37):
        path.write_bytes(whole[:cut])
        assert use_of(path).sums.steps <= 2


def add(path: Path, *events: Event) -> None:
    record = SessionRecord(path)
    for event in events:
        record.write(event)
    record.close()


def started(name: str, model: str) -> SessionStarted:
    return SessionStarted(name, "/srv/shop", model, "aoci", "ask", "", "i", "i", "1 of 1", "0.1.0")


def test_recorded_replies_are_no_spending(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = keep(folder, "20261129-100000-aaaaaa", USAGE)
    for usage in (USAGE, replace(USAGE, cost=None)):
        step = StepRecord(2, "recorded replies", "aoci", usage, recorded=True)
        add(path, StepFinished(step, total([step])))
    (row,) = data(capsys, "stats")["sessions"]
    assert (row["cost"], row["steps"], row["recorded_steps"]) == (0.02, 3, 2)
    assert row["prompt"] == 30_000
    assert main(["sessions", "stats"]) == Exit.DONE
    shown = capsys.readouterr()
    assert "2 recorded" in shown.out
    assert "note: 2 recorded replies: no dollars were spent" in shown.err


@pytest.mark.parametrize("times", [1, 2])
def test_a_killed_call_is_counted(
    folder: Path, capsys: pytest.CaptureFixture[str], times: int
) -> None:
    path = keep(folder, "20261129-100000-aaaaaa", USAGE)
    refused = TurnFinished("model", "", Totals(), message="no")
    add(path, StepStarted(2, 900), refused)  # a call that was refused has ended
    for _ in range(times):  # killed, and gone on with
        add(path, started("20261129-100000-aaaaaa", "anthropic/claude"), StepStarted(1, 900))
    (row,) = data(capsys, "stats")["sessions"]
    assert (row["steps"], row["unended_calls"]) == (1, times)
    assert main(["sessions", "stats"]) == Exit.DONE
    shown = capsys.readouterr()
    calls = "1 call had not ended" if times == 1 else "2 calls had not ended"
    assert calls in shown.out
    assert f"note: {calls}" in shown.err


def test_a_session_that_sent_nothing_is_counted_beside(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(folder, "20261129-100000-aaaaaa", USAGE)
    keep(folder, "20261129-110000-bbbbbb")
    found = data(capsys, "stats")
    assert (len(found["sessions"]), found["sum"]["sessions"], found["nothing_sent"]) == (1, 1, 1)
    assert main(["sessions", "stats"]) == Exit.DONE
    shown = capsys.readouterr()
    assert "bbbbbb" not in shown.out
    assert "note: 1 session started, nothing sent" in shown.err
    assert len(data(capsys, "list")["sessions"]) == 2


@pytest.mark.parametrize("command", ["stats", "list"])
def test_csv_without_rows_has_its_head(
    folder: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    empty = told(capsys, command, "--format", "csv")
    keep(folder, "20261129-100000-aaaaaa", USAGE)
    assert [empty.strip()] == told(capsys, command, "--format", "csv").splitlines()[:1]


def test_a_local_model_is_local_and_zero(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(folder, "20261129-100000-aaaaaa", replace(USAGE, cost=0.0, price_from="local"))
    assert told(capsys, "stats").splitlines()[1].split()[-1] == "local"
    (row,) = data(capsys, "stats")["sessions"]
    assert (row["cost"], row["unpriced_steps"], row["local_steps"]) == (0.0, 0, 1)


def test_a_model_has_one_name_also_in_older_records(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They hold the name of the reply where it ended, and the chosen one where it was cut."""
    path = keep(folder, "20261129-100000-aaaaaa", USAGE, model="openai/x")
    step = StepRecord(2, "x", "aoci", USAGE)
    add(path, StepFinished(step, total([step])))
    (row,) = data(capsys, "stats")["sessions"]
    assert row["model"] == "openai/x"
