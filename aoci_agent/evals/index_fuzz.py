"""Does any file stop the index? `python -m aoci_agent.evals.index_fuzz REPO... [--files N] [--seed N]`.

Damaged copies of the files of these repositories are read and given entries; with `--repeats BYTES`
one piece repeated to that size, in each kind of file. Files are read in a process of their own, so that
a hang or a crash of the interpreter costs one file. Exit 1 when one hangs, crashes or is not understood.
"""

import argparse
import faulthandler
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.facts.model import Facts, from_record, to_record
from aoci_agent.aoci.gather import problems
from aoci_agent.aoci.generate import generate
from aoci_agent.aoci.lock import Lock
from aoci_agent.aoci.scan import Listing
from aoci_agent.base.errors import ForUser
from aoci_agent.evals.index_fuzz_cases import Case, mutated, repeated

FILES = 2000
HANGS = 20.0  # seconds after which a file counts as one that hangs
SLOW = 1.0  # CPU seconds worth a line
_MODULE = "aoci_agent.evals.index_fuzz"
_FRAME = re.compile(r'File ".*?(aoci_agent/aoci/[\w/]+\.py)", line (\d+)')


@dataclass
class Tally:
    """What one run gave."""

    read: int = 0
    slowest: float = 0.0
    bad: list[str] = field(default_factory=list[str])
    slow: list[str] = field(default_factory=list[str])
    world: dict[str, Facts] = field(default_factory=dict[str, Facts])
    left_out: Counter[str] = field(default_factory=Counter[str])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was slow or bad, how many files have a problem said, and the entries made."""
    parser = argparse.ArgumentParser(prog=f"python -m {_MODULE}")
    parser.add_argument("repositories", nargs="*", type=Path, metavar="REPO")
    parser.add_argument("--files", type=int, default=FILES, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--repeats", type=int, default=0, metavar="BYTES")
    parser.add_argument("--hangs", type=float, default=HANGS, metavar="SECONDS")
    parser.add_argument("--from", type=int, default=0, dest="first", help=argparse.SUPPRESS)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        return _child(options)
    tally = Tally()
    try:
        for row in _rows(options):
            _count(row, tally)
    except ForUser as error:
        print(f"{error.message}\n{error.hint}", file=sys.stderr)
        return 1
    _report(tally, _entries(tally))
    return 1 if tally.bad else 0


def _cases(options: argparse.Namespace) -> Iterator[Case]:
    if options.repeats:
        return repeated(options.repeats, options.seed)
    return mutated(options.repositories, options.files, options.seed)


def _child(options: argparse.Namespace) -> int:
    """One JSON row before each file and one after it."""
    for number, case in enumerate(_cases(options)):
        if number < options.first:
            continue
        print(json.dumps({"number": number, "path": case.path, "how": case.how}), flush=True)
        faulthandler.dump_traceback_later(options.hangs, exit=True)
        spent = time.process_time()
        try:
            facts = extract(case.path, case.data)
        except Exception as error:  # noqa: BLE001 - the point is that there is none
            facts = Facts("none", problem=f"crash: {error!r}")
        spent = time.process_time() - spent
        faulthandler.cancel_dump_traceback_later()
        print(json.dumps({"facts": to_record(facts), "seconds": spent}), flush=True)
    print(json.dumps({"end": True}), flush=True)
    return 0


def _rows(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """One row per file; after a hang or a crash the rest is read by a new process."""
    first: int | None = options.first
    while first is not None:
        command = [sys.executable, "-m", _MODULE, "--child", "--from", str(first)]
        for name in ("seed", "files", "repeats", "hangs"):
            command += [f"--{name}", str(getattr(options, name))]
        first = yield from _read_by([*command, *map(str, options.repositories)])


def _read_by(command: list[str]) -> Generator[dict[str, Any], None, int | None]:
    """The rows of one process, and where to go on after the file that ended it."""
    row: dict[str, Any] = {}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True) as child:
            for line in child.stdout or ():
                row |= json.loads(line)
                if "facts" in row:
                    yield row
                    row = {}
        if "end" in row:
            return None
        said.seek(0)
        where = next((f"{m[1]}:{m[2]}" for m in _FRAME.finditer(said.read())), "a library")
    if "number" not in row:
        raise ForUser("reading ended before its first file", f"exit code {child.returncode}")
    yield row | {"stopped": f"ended the process ({child.returncode}) in {where}"}
    return int(row["number"]) + 1


def _count(row: dict[str, Any], tally: Tally) -> None:
    tally.read += 1
    told = f"{row['number']} {row['path']} ({row['how']})"
    if "stopped" in row:
        tally.bad.append(f"{told}: {row['stopped']}")
        print(tally.bad[-1], flush=True)
        return
    facts, seconds = from_record(row["facts"]), float(row["seconds"])
    tally.slowest = max(tally.slowest, seconds)
    if seconds > SLOW:
        tally.slow.append(f"{told}: {seconds:.1f} s {facts.problem}")
        print(f"slow {tally.slow[-1]}", flush=True)
    if "not understood" in facts.problem or "crash" in facts.problem:
        tally.bad.append(f"{told}: {seconds:.1f} s {facts.problem}")
        print(tally.bad[-1], flush=True)
    if facts.left_out:
        tally.left_out[facts.left_out] += 1
    else:
        folder = f"{row['number']}/" if row["path"] in tally.world else ""
        tally.world[folder + row["path"]] = facts


def _entries(tally: Tally) -> int:
    """Entries of all files together, as one repository; several thousand of one name are none."""
    world = dict(islice(sorted(tally.world.items()), FILES))
    entries = generate(world, Lock(), Listing()).made.entries
    if len(entries) != len(world):
        tally.bad.append(f"{len(world)} files have {len(entries)} entries")
    return len(entries)


def _report(tally: Tally, entries: int) -> None:
    said = sum(bool(facts.problem) for facts in tally.world.values())
    left_out = ", ".join(f"{count} {reason}" for reason, count in tally.left_out.most_common())
    print(
        f"{tally.read} files read, {len(tally.bad)} bad, {len(tally.slow)} over {SLOW:.0f} s",
        end="",
    )
    print(f" (slowest {tally.slowest:.1f} s), {entries} entries, {said} with a problem", end="")
    print(f", left out: {left_out}" if left_out else "")
    for line in problems(tally.world):
        print(f"  {line}")


if __name__ == "__main__":
    sys.exit(main())
