"""What the sandbox costs: the same small command run bare, in the strong and in the partial layer.

    python -m aoci_agent.evals.sandbox_cost [--commands 200]

The three are run in turn, so that the machine's other work falls on all of them alike.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aoci_agent.base.box import Access, Box, Unboxed
from aoci_agent.base.environment import find_program
from aoci_agent.base.process import run_blocking
from aoci_agent.base.sandbox.ladder import strongest
from aoci_agent.base.sandbox.layout import layout_of

TARGET = 80.0  # milliseconds of median overhead (safety.md, section 4)


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds a command took in one layer."""

    name: str
    times: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median."""
        return statistics.median(self.times)

    @property
    def high(self) -> float:
        """What 95 of 100 stay under."""
        return sorted(self.times)[int(len(self.times) * 0.95)]


def measure(commands: int) -> tuple[Cost, ...]:
    """Each layer that this machine has, with `commands` runs each."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "workspace"
        boxes = dict(_boxes(root, Path(folder).resolve() / "cache"))
        times: dict[str, list[float]] = {name: [] for name in boxes}
        for _ in range(commands):
            for name, box in boxes.items():
                begun = time.perf_counter()
                run_blocking(box.enter(["/bin/true"], root, Access()), cwd=root)
                times[name].append((time.perf_counter() - begun) * 1e3)
    return tuple(Cost(name, tuple(taken)) for name, taken in times.items())


def _boxes(root: Path, cache: Path) -> list[tuple[str, Box]]:
    root.mkdir()
    scratch = cache / "caches"
    scratch.mkdir(parents=True)
    layout = layout_of(root, [cache], scratch, os.environ)
    found: list[tuple[str, Box]] = [("bare", Unboxed())]
    for program in (find_program("bwrap"), None):
        box = strongest(layout, cache, program)
        if box.kind and box.kind not in dict(found):
            found.append((box.kind, box))
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Print one line a layer; 1 when the strong one costs more than its target."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--commands", type=int, default=200)
    costs = measure(parser.parse_args(argv).commands)
    bare = costs[0].median
    for cost in costs:
        print(
            f"{cost.name:<12}{len(cost.times):>5} commands   median {cost.median:6.1f} ms   "
            f"p95 {cost.high:6.1f} ms   overhead {cost.median - bare:6.1f} ms"
        )
    strong = next((cost for cost in costs if cost.name == "bubblewrap"), None)
    return 1 if strong is not None and strong.median - bare > TARGET else 0


if __name__ == "__main__":
    raise SystemExit(main())
