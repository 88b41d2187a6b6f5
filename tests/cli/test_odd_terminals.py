"""The program on terminals and in environments that lack something: one line or less, never a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.ptys import terminal

from aoci_agent.agent.sessions import use_of
from aoci_agent.base.sealed import sealed

ODD: dict[str, dict[str, str | None]] = {
    "unknown terminal": {"TERM": "no-such-terminal"},
    "no terminal name": {"TERM": None},
    "no home": {"HOME": None},
    "home that is no folder": {"HOME": "/dev/null"},
    "home that cannot be written": {"HOME": "/proc"},
    "home that is missing": {"HOME": "/nonexistent/home"},
    "C locale": {"LANG": "C", "LC_ALL": "C"},
    "no UTF-8": {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}
SIZES = {"20 columns": (20, 5), "one cell": (1, 1), "very wide": (500, 4)}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "prices.py").write_text('"""Prices."""\n')
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


def opened_and_left(
    repository: Path, environment: dict[str, str | None], size: tuple[int, int] = (80, 24)
) -> None:
    settings = {"AOCI_AGENT_HOME": None, "HOME": str(repository.parent), **environment}
    with terminal("-m", "aoci_agent", cwd=repository, environment=settings, size=size) as it:
        it.until(b"\x1b[?2004h")  # the screen takes keys
        it.type(b"\x04")
        assert it.wait() == 0
        assert it.restored
        assert b"Traceback" not in it.output


@pytest.mark.gate("R34")
@pytest.mark.parametrize(
    "name",
    ["no UTF-8", *(pytest.param(n, marks=pytest.mark.gate_only) for n in ODD if n != "no UTF-8")],
)
def test_it_opens_and_leaves_whatever_the_environment_lacks(repository: Path, name: str) -> None:
    opened_and_left(repository, ODD[name])


@pytest.mark.gate("R34", "P75")
@pytest.mark.parametrize(
    "name",
    [
        "20 columns",
        *(pytest.param(n, marks=pytest.mark.gate_only) for n in SIZES if n != "20 columns"),
    ],
)
def test_it_opens_and_leaves_at_any_size(repository: Path, name: str) -> None:
    opened_and_left(repository, {}, SIZES[name])


@pytest.mark.gate("R34")
def test_a_terminal_that_can_only_write_lines_is_told_in_one(repository: Path) -> None:
    with terminal("-m", "aoci_agent", cwd=repository, environment={"TERM": "dumb"}) as it:
        assert it.wait() == 2
        assert b"TERM=dumb" in it.output
        assert b"-p" in it.output
        assert b"\x1b" not in it.output


@pytest.mark.gate("R34", "P96")
def test_without_a_terminal_the_way_out_is_said(repository: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "aoci_agent"],
        cwd=repository,
        env={"PATH": os.environ["PATH"], "HOME": str(repository.parent)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "not a terminal" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.gate("R34")
@pytest.mark.parametrize("clock", [(5e9, 4.0, -1e12, 1e18), (0.0, 1e300)])
def test_a_clock_that_jumped_costs_no_session(tmp_path: Path, clock: tuple[float, ...]) -> None:
    record = tmp_path / "20261130-101500-abcd.jsonl"
    events = [{"type": "TurnStarted", "prompt": f"ask {n}", "at": at} for n, at in enumerate(clock)]
    record.write_bytes(b"".join(sealed(event) for event in events))
    use = use_of(record)
    assert use.prompt == "ask 0"
    assert use.sums.turns == len(clock)
