"""The report on what is installed and works, with servers played by a scripted program."""

import json
import sys
from pathlib import Path

import pytest

from aoci_agent.base.places import Places
from aoci_agent.cli.arguments import parse
from aoci_agent.cli.doctor import run
from aoci_agent.views.navigate.live import FOLDER
from aoci_agent.views.navigate.servers import Row
from aoci_agent.views.navigate.status import Status, keep

PROGRAM = Path(__file__).parents[1] / "support" / "fake_lsp.py"


def row(mode: str, log: Path) -> Row:
    return Row(
        mode,
        group=mode,
        command=sys.executable,
        languages={".fake": "fake"},
        arguments=("-I", "-S", str(PROGRAM), mode, str(log)),
        version=(),
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AOCI_AGENT_HOME", str(tmp_path / "home"))
    root = tmp_path / "repository"
    root.mkdir()
    places = Places({"AOCI_AGENT_HOME": str(tmp_path / "home")})
    last = Status("ty", state="failed", restarts=3, asked=9, late=2, peak=5_000_000, why="it ended")
    keep(places.cache / places.project(root) / FOLDER, [last])
    return root


def rows(tmp_path: Path) -> list[Row]:
    absent = Row("absent", "x", "no-such-program-anywhere", {".x": "x"}, install="get it")
    return [row("ok", tmp_path / "ok.log"), row("no start", tmp_path / "no.log"), absent]


def test_the_report_as_text(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(parse(["doctor", "--cwd", str(folder)]), rows(tmp_path)) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"Python {sys.version.split()[0]}" in said
    assert 'language servers (navigation = "static")' in said
    assert " ok v1.2.3, " in said
    assert (
        "no start DOES NOT WORK: no start did not start: it ended with exit code 1: error:" in said
    )
    assert "absent not installed (get it)" in said
    assert "ty failed, 9 questions, 2 late, 3 restarts, 5 MB at most; it ended" in said
    assert str(tmp_path / "home" / "config" / "config.toml") in said
    assert not list(folder.iterdir())


def test_the_report_as_json(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(parse(["doctor", "--json", "--cwd", str(folder)]), rows(tmp_path)) == 0
    report = json.loads(capsys.readouterr().out)
    assert [(server["name"], server["works"]) for server in report["servers"]] == [
        ("ok", True),
        ("no start", False),
        ("absent", False),
    ]
    assert report["servers"][0]["memory"] > 0
    assert report["extras"]["live"]["multilspy"]
    assert report["last_session"][0]["restarts"] == 3
