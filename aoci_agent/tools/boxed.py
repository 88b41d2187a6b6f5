"""Running a model's command: in the box, and with a look at what it left for others to run."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aoci_agent.base.autorun import autorun_files, changed, runs_later, told_later
from aoci_agent.base.box import Access, Box
from aoci_agent.base.cancelled import carried
from aoci_agent.base.process import Limits, Outcome, run
from aoci_agent.tools.denied import denial
from aoci_agent.tools.tool import ToolResult

WITH_NETWORK = "with network:"  # before the title of a call that asks for it


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that ended. `refused`: what the box had to do with its failure, for the model.

    `later`: which files it changed that other programs run by themselves, for both (T16).
    """

    outcome: Outcome
    refused: str = ""
    later: str = ""


@dataclass(frozen=True, slots=True)
class Boxed:
    """Starts the commands of one workspace."""

    root: Path
    spill_dir: Path
    box: Box

    async def run(
        self,
        argv: Sequence[str],
        told: Callable[[Ended], ToolResult],
        *,
        cwd: Path,
        limits: Limits,
        env: Mapping[str, str] | None = None,
        network: bool = False,
    ) -> ToolResult:
        """Run it to its end, and what is `told` of that. Raises ForModel when it cannot be started.

        The CancelledError of a call that is cancelled carries the result so far.
        """
        access = Access(network=network)
        before = await asyncio.to_thread(autorun_files, self.root)
        entry = self.box.enter(argv, cwd, access)
        ended: tuple[Ended, ...] = ()
        try:
            outcome = await run(entry, cwd=cwd, limits=limits, env=env, spill_dir=self.spill_dir)
            ended = (Ended(outcome, denial(outcome, self.box, access, self.root)),)
            after = await asyncio.to_thread(autorun_files, self.root)
            later = told_later(runs_later(changed(before, after)))
            ended = (replace(ended[0], later=later),)
            return await asyncio.to_thread(told, ended[0])
        except asyncio.CancelledError as cut:
            known = ended or map(Ended, carried(cut, Outcome))
            raise asyncio.CancelledError(*map(told, known)) from cut
