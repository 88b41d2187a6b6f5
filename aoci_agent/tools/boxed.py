"""Running a model's command: in the box, and with a look at what it left for others to run."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aoci_agent.base.autorun import autorun_files, changed, runs_later, told_later
from aoci_agent.base.box import Access, Box
from aoci_agent.base.process import Limits, Outcome, run
from aoci_agent.tools.denied import denial

WITH_NETWORK = "with network:"  # before the title of a call that asks for it


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that ended. `refused`: what the box had to do with its failure, for the model.

    `later`: which files it changed that other programs run by themselves, for both (T16).
    """

    outcome: Outcome
    refused: str
    later: str


@dataclass(frozen=True, slots=True)
class Boxed:
    """Starts the commands of one workspace."""

    root: Path
    spill_dir: Path
    box: Box

    async def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        limits: Limits,
        env: Mapping[str, str] | None = None,
        network: bool = False,
    ) -> Ended:
        """Run it to its end. Raises ForModel when it cannot be started."""
        access = Access(network=network)
        before = await asyncio.to_thread(autorun_files, self.root)
        entry = self.box.enter(argv, cwd, access)
        outcome = await run(entry, cwd=cwd, limits=limits, env=env, spill_dir=self.spill_dir)
        after = await asyncio.to_thread(autorun_files, self.root)
        later = told_later(runs_later(changed(before, after)))
        return Ended(outcome, denial(outcome, self.box, access, self.root), later)
