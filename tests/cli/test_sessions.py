"""`sessions list|stats`: what the records of earlier sessions say, and what damage does to it."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aoci_agent.agent.events import SessionStarted, StepFinished, TurnStarted
from aoci_agent.agent.meter import StepRecord, total
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
    stamped = record.path.read_text().replace('"at": ', '"was": ')  # dated by their names
    record.path.write_text(stamped)
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


def test_the_list_has_the_newest_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(folder, "20261129-100000-aaaaaa", USAGE)
    keep(folder, "20261130-100000-bbbbbb", USAGE)
    lines = told(capsys, "list").splitlines()
    assert [line.split()[0] for line in lines[1:]] == [
        "20261130-100000-bbbbbb",
        "20261129-100000-aaaaaa",
    ]
    assert "fix it," in lines[1]


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
