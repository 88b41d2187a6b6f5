"""The agent's own state: nobody else's to reach, made where no link is followed, and never believed."""

import pickle
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.hostile_repository import COMMANDS, PROGRAM, Trap, environment, plant

Cases = Callable[[str, object], None]


@pytest.fixture(scope="module")
def trap(tmp_path_factory: pytest.TempPathFactory) -> Trap:
    return plant(tmp_path_factory.mktemp("hostile"))


@pytest.mark.gate("T29")
def test_a_planted_name_is_not_followed(trap: Trap, tmp_path: Path) -> None:
    """Whoever could write there once put links where the state will be."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    data = tmp_path / ".local" / "share" / "aoci-agent"
    data.mkdir(parents=True)
    for name in ("trust.json", "trust.lock", "history.jsonl", "crash.log"):
        (data / name).symlink_to(victim)
    done = subprocess.run(
        [str(PROGRAM), "trust", "--yes"], cwd=trap.root, env=environment(trap, tmp_path),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "cannot keep the decision" in done.stderr
    assert victim.read_text() == "mine"


@pytest.mark.gate_only
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.gate("T29")
def test_every_file_is_made_in_a_place_of_its_own(trap: Trap, tmp_path: Path) -> None:
    """What is created: below the own folders, or a new unguessable name that follows no link."""
    log, scratch = tmp_path / "log", tmp_path / "scratch"
    scratch.mkdir()
    calls_of = "trace=openat,open,creat,mkdir,mkdirat,symlink,symlinkat"
    subprocess.run(
        ["strace", "-f", "-qq", "-o", str(log), "-e", calls_of, str(PROGRAM), "views", "build"],
        cwd=trap.root, env=environment(trap, tmp_path, TMPDIR=str(scratch)), check=True,
        capture_output=True,
    )  # fmt: skip
    made = [
        line for line in log.read_text().splitlines() if "O_CREAT" in line and ") = -1" not in line
    ]
    assert made
    own = str(tmp_path)
    outside = [
        line for line in made if own not in line and "O_TMPFILE" not in line and not relative(line)
    ]
    assert outside == []
    assert list(scratch.iterdir()) == []


def relative(line: str) -> bool:
    """A name in a folder that was opened before; that folder's own line was looked at."""
    return not line.partition('"')[2].startswith("/")


@pytest.mark.gate_only
@pytest.mark.gate("T22", "T23", "R24", "S11")
def test_damaged_state_is_made_again_or_refused_cleanly(
    tmp_path: Path, record_property: Cases
) -> None:
    trap = plant(tmp_path / "h")
    env, dice = environment(trap, tmp_path), random.Random(6)
    warm = [sys.executable, "-I", "-c", COMMANDS, "views build", "search price", "symbols price"]

    def run_once() -> str:
        done = subprocess.run(
            warm, cwd=trap.root, env=env, capture_output=True, text=True, check=False
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert "bug" not in done.stderr, done.stderr
        return done.stdout

    run_once()
    trap.clear()
    cache = tmp_path / ".cache" / "aoci-agent"
    rounds, damaged = 12, 0
    for _ in range(rounds):
        for file in [path for path in cache.rglob("*") if path.is_file()]:
            damaged += 1
            _damage(file, dice)
        assert "prices.py" in run_once()
    assert trap.sprung() == set()
    record_property("cases", damaged)


def _damage(file: Path, dice: random.Random) -> None:
    """Bits turned, a cut, zeros, a stranger's pickle, or nothing at all in its place."""
    data = bytearray(file.read_bytes())
    match dice.randrange(5):
        case 0:
            for _ in range(min(40, len(data))):
                data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        case 1:
            del data[dice.randrange(len(data) + 1) :]
        case 2:
            data[: len(data) // 2] = bytes(len(data) // 2)
        case 3:
            data = bytearray(pickle.dumps(print))
        case _:
            data = bytearray()
    file.write_bytes(data)
