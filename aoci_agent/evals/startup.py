"""How quickly the program answers: `python -m aoci_agent.evals.startup [--repo PATH]`.

It starts programs itself instead of through `base.process`, since it needs a terminal and the
processor time of one child. Every run has its own empty home, so nothing of the user's is used.
"""

import argparse
import os
import pty
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aoci_agent.evals.endpoint import MODEL, endpoint

RUNS = 5
LINES, COLUMNS = 40, 120
GIVE_UP_S = 60.0
RESEND_S = 0.5
LETTER = "Ж".encode()  # in no text the program prints by itself
PROGRAM = (sys.executable, "-m", "aoci_agent")


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of one run: by the clock, and of processor time (user + system, children included)."""

    wall: float
    cpu: float


def command(arguments: Sequence[str], env: Mapping[str, str], cwd: Path) -> Timing:
    """Run to the end. Raises RuntimeError with the output when it fails."""
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        child = subprocess.Popen(
            [*PROGRAM, *arguments],
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            output.seek(0)
            text = output.read().decode(errors="replace")
            raise RuntimeError(f"{' '.join(arguments)} ended with {child.returncode}\n{text}")
    return Timing(wall, used.ru_utime + used.ru_stime)


def key_echo(env: Mapping[str, str], cwd: Path) -> Timing:
    """From start until a typed letter shows in the TUI, on a terminal of 120x40 that echoes nothing."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (LINES, COLUMNS))
    _stop_echo(theirs)
    start = time.perf_counter()
    child = subprocess.Popen(
        PROGRAM,
        cwd=cwd,
        env=dict(env),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        seen = _type_until_seen(ours, start)
    finally:
        os.killpg(child.pid, signal.SIGKILL)
        _, _, used = os.wait4(child.pid, 0)
        child.returncode = -signal.SIGKILL
        os.close(ours)
    return Timing(seen, used.ru_utime + used.ru_stime)


def _stop_echo(terminal: int) -> None:
    settings = termios.tcgetattr(terminal)
    settings[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, settings)


def _type_until_seen(terminal: int, start: float) -> float:
    shown = b""
    resend = 0.0
    while (now := time.perf_counter() - start) < GIVE_UP_S:
        if now >= resend:
            os.write(terminal, LETTER)
            resend += RESEND_S
        if select.select([terminal], [], [], 0.01)[0]:
            try:
                shown = shown[-len(LETTER) :] + os.read(terminal, 65_536)
            except OSError as error:  # how Linux says that the other end was closed
                raise RuntimeError("the screen closed before the letter was shown") from error
            if LETTER in shown:
                return time.perf_counter() - start
    raise RuntimeError(f"no letter was shown in {GIVE_UP_S:.0f} s")


def headless(env: Mapping[str, str], cwd: Path) -> Timing:
    """One command and then an answer, with `-p`, against an endpoint that answers at once."""
    with endpoint("echo measured", "Done.") as address:
        local = {"OPENAI_API_BASE": address, "OPENAI_API_KEY": "none"}
        task = ["-p", "say it", "--mode", "full-auto", "--model", f"openai/{MODEL}"]
        return command(task, {**env, **local}, cwd)


def own_environment(home: Path) -> dict[str, str]:
    """An environment in which the program finds no key, no settings and no earlier state."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return kept | {"HOME": str(home), "TERM": "xterm-256color", "COLORTERM": "truecolor"}


def measure(repo: Path, home: Path) -> dict[str, list[Timing]]:
    """All figures, the first (cold) run of each left out."""
    env = own_environment(home)
    command(["index", "build", "--cwd", str(repo)], env, repo)
    runs = {
        "--version": lambda: command(["--version"], env, repo),
        "--help": lambda: command(["--help"], env, repo),
        "typed key echoed": lambda: key_echo(env, repo),
        "-p, one command, then an answer": lambda: headless(env, repo),
    }
    return {name: [run() for _ in range(RUNS + 1)][1:] for name, run in runs.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the medians."""
    parser = argparse.ArgumentParser(prog="python -m aoci_agent.evals.startup", description=__doc__)
    parser.add_argument(
        "--repo", type=Path, help="measure in this repository (its index is built there)"
    )
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        repo = options.repo.resolve() if options.repo else Path(folder, "project")
        if not options.repo:
            shutil.copytree(Path(__file__).parent / "demo" / "project", repo)
        home = Path(folder, "home")
        home.mkdir()
        for name, timings in measure(repo, home).items():
            wall = statistics.median(timing.wall for timing in timings)
            cpu = statistics.median(timing.cpu for timing in timings)
            print(f"{name:<32} {wall:6.2f} s wall  {cpu:6.2f} s CPU   (median of {len(timings)})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
