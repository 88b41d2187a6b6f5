"""Sessions killed at random moments, resumed, killed again: is anything lost, is anything run twice?

    python -m aoci_agent.evals.kill_sessions [--kills 1000] [--seed 1]

A scripted model works through 30 steps (commands, edits, new files) in the product's own session.
Each attempt is a forked process that goes on where the record ends; it tells every event that was
reported, after it was reported, and is killed with SIGKILL at a random moment; one in ten is
starved of memory first. After each kill the files are looked at, at the end the record too.
"""

import argparse
import asyncio
import os
import random
import resource
import select
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from aoci_agent.agent.approval import DenyAll
from aoci_agent.agent.record import as_json, read_record
from aoci_agent.aoci.facts.extract import extract
from aoci_agent.base import tokens
from aoci_agent.base.places import Places
from aoci_agent.base.replace import PREFIX
from aoci_agent.evals.kill_script import StepModel, missing_in, torn_in, workspace

LONGEST = 0.25  # seconds an attempt lives at most once it is open, where it does not end before
PATIENCE = 60.0  # seconds it has for opening
EARLY = 5  # one attempt in so many may be killed while it opens
ATTEMPTS = 400  # for one session
STARVED = 10  # one attempt in so many
_GIVEN = 2_000_000  # bytes of memory that a starved one still gets
_LATE = (  # loaded when they are first used, which each attempt would pay for
    *(f"aoci_agent.tools.builtin.{name}" for name in ("bash", "edit", "read", "write")),
    *(f"aoci_agent.aoci.{name}" for name in ("present", "foreign", "refreshing")),
    *("aoci_agent.agent.continuing", "aoci_agent.agent.undo", "aoci_agent.views.standard"),
    "tree_sitter_bash",
)


@dataclass
class Counts:
    """What came of all sessions. `wrong` holds what must not be."""

    kills: int = 0
    starved: int = 0
    sessions: int = 0
    told: int = 0  # events that were reported
    runs: int = 0  # calls that changed something
    looks: int = 0  # calls after which it had to be looked, as they may have taken effect
    wrong: list[str] = field(default_factory=list[str])


class Killer:
    """Sessions one after another, each until it is done, until there were enough kills."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._dice = random.Random(seed)
        self._open = _door()
        self.counts = Counts()

    def run(self, kills: int) -> Counts:
        """Sessions until there were so many kills."""
        while self.counts.kills < kills and not self.counts.wrong:
            self._session(self._folder / f"session_{self.counts.sessions}")
        return self.counts

    def _session(self, folder: Path) -> None:
        root, told = folder / "work", Counter[str]()
        workspace(root)
        for _ in range(ATTEMPTS):
            lines, whole = self._attempt(root)
            told.update(line for line in lines if line[0] not in "!~=")
            self.counts.wrong += [line for line in lines if line[0] == "!"]
            self.counts.wrong += torn_in(root)
            if whole or self.counts.wrong:
                break
        else:
            self.counts.wrong.append(f"not done after {ATTEMPTS} attempts")
        self.counts.sessions += 1
        self.counts.told += told.total()
        self.counts.wrong += [*missing_in(root), *_lost(folder, told), *_strays(folder)]
        events = [_told(event) for event in _recorded(folder)]
        self.counts.runs += sum(line.startswith("ToolStarted do-") for line in events)
        self.counts.looks += sum(line.startswith("ToolStarted look-") for line in events)

    def _attempt(self, root: Path) -> tuple[list[str], bool]:
        """What one process told before it was killed; whether it came to its end."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _work(self._open, root, writing)
        os.close(writing)
        if self._dice.randrange(EARLY):
            select.select([reading], [], [], PATIENCE)
        life = self._dice.uniform(0.0, LONGEST)
        starved = self._dice.randrange(STARVED) == 0
        ended = _ended_within(child, life)
        if not ended and starved:
            self.counts.starved += _starve(child)
            ended = _ended_within(child, life)
        if not ended:
            self.counts.kills += 1
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        with os.fdopen(reading, encoding="utf-8") as told:
            lines = told.read().splitlines()
        if not starved:  # whatever ended it is a fault of the product
            lines = [line.replace("~", "!", 1) for line in lines]
        return lines, "TurnFinished done" in lines


def _ended_within(child: int, seconds: float) -> bool:
    handle = os.pidfd_open(child)
    try:
        if not select.select([handle], [], [], seconds)[0]:
            return False
    finally:
        os.close(handle)
    os.waitpid(child, 0)
    return True


def _starve(child: int) -> bool:
    """Let a process have hardly any more memory than it has."""
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path(f"/proc/{child}/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + _GIVEN
        resource.prlimit(child, resource.RLIMIT_AS, (most, most))
        return True
    return False


def _door() -> Callable[[Path], Any]:
    """How a session is opened: by the product's own assembly, which lies above and is taken by name."""
    bench, config = import_module("aoci_agent.bench"), import_module("aoci_agent.config")
    assembly = import_module("aoci_agent.assembly")
    for name in _LATE:
        import_module(name)
    tokens.count("text")
    extract("state.py", b"STEP = 0\n")

    def opened(root: Path) -> Any:
        env = {"AOCI_AGENT_HOME": str(root.parent / "home")}
        settings = config.Settings(mode="full-auto", policy="grep-read", navigation="static")
        records = sorted((root.parent / "home").glob("data/sessions/*/*.jsonl"))
        launch = bench.Launch(
            *(root, settings, Places(env), env),
            resume=next((file for file in records if _begun(file)), None),
            trust=True,
            no_sandbox=True,
        )
        return assembly.open_session(launch, DenyAll())

    return opened


def _begun(record: Path) -> bool:
    """Whether there is a session to go on with: its first line came to be written."""
    return any(event["type"] == "SessionStarted" for event in read_record(record))


def _work(opened: Callable[[Path], Any], root: Path, pipe: int) -> None:
    """One attempt, in its own process. Never returns."""
    model = StepModel([])
    code = 1
    try:
        session = opened(root)
        os.write(pipe, b"=open\n")
        asyncio.run(_turn(session, model, pipe))
        code = 0
    except BaseException as error:  # noqa: BLE001 - told to the parent, whatever it is
        with suppress(OSError):
            os.write(pipe, f"~{error!r}\n".encode())
    for bad in model.bad:
        os.write(pipe, f"!{bad}\n".encode())
    os._exit(code)


async def _turn(session: Any, model: StepModel, pipe: int) -> None:
    session.agent.model = model
    prompt = "go on" if session.messages else "do all the steps"
    async for event in session.run(prompt):
        if line := _told(as_json(event)):
            os.write(pipe, f"{line}\n".encode())
    await session.close()


def _told(event: dict[str, Any]) -> str:
    """An event in one line, "" for those that are not looked at."""
    match event:
        case {"type": "ToolStarted" | "ToolFinished" as kind, "call": {"id": name}}:
            return f"{kind} {name}"
        case {"type": "TurnFinished", "reason": reason}:
            return f"TurnFinished {reason}"
        case {"type": "Replied", "message": {"text": text, "calls": calls}}:
            return f"Replied {text} {[call['id'] for call in calls]}"
        case _:
            return ""


def _recorded(folder: Path) -> Iterator[dict[str, Any]]:
    for file in folder.glob("home/data/sessions/*/*.jsonl"):
        yield from read_record(file)


def _lost(folder: Path, told: Counter[str]) -> list[str]:
    """Events that were reported and are in no record; a session that fell apart into several."""
    kept = Counter(map(_told, _recorded(folder)))
    lost = told - kept
    begun = [file for file in folder.glob("home/data/sessions/*/*.jsonl") if _begun(file)]
    more = [f"{len(begun)} records of one session"] if len(begun) > 1 else []
    return [f"lost: {line}" for line in lost] + more


def _strays(folder: Path) -> list[str]:
    return [f"left behind: {file}" for file in folder.rglob(f"{PREFIX}*")]


def main(argv: Sequence[str] | None = None) -> int:
    """Print what it came to; 1 where anything was lost, torn or run twice."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(argv)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        made = Killer(Path(folder), chosen.seed).run(chosen.kills)
    print(f"kills {made.kills:,}, {made.starved:,} of them starved of memory before")
    print(f"sessions {made.sessions:,}, calls that change something {made.runs:,}")
    print(f"calls that may have taken effect when they were cut off {made.looks:,}")
    print(f"events reported {made.told:,}; lost, torn, run twice or left behind {len(made.wrong)}")
    print(f"{time.perf_counter() - began:.0f} s")
    for line in made.wrong[:10]:
        print(f"  {line}")
    return 1 if made.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
