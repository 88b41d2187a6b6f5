"""The hidden check in a tree: the tests laid over it, the command run, the verdict read."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from aoci_agent.base.box import Access, Box
from aoci_agent.base.environment import find_program
from aoci_agent.base.errors import ForModel, NotPossible
from aoci_agent.base.files import Workspace
from aoci_agent.base.git import Repository
from aoci_agent.base.process import Limits, run_blocking
from aoci_agent.evals.replay.environment import Environment
from aoci_agent.tools.reports.reading import report_of

SECONDS = 900.0
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LIMITS = Limits(seconds=SECONDS, output_bytes=200_000, spill_bytes=20_000_000)
_ACCESS = Access(network=False)


@dataclass(frozen=True, slots=True)
class Trial:
    """What a check said. `exit` is None when it did not end in time; `failing` is empty without a report."""

    exit: int | None
    output: str
    failing: tuple[str, ...] = ()
    ran: int = 0  # tests that passed or failed; 0 also when nothing counts them

    @property
    def passed(self) -> bool:
        """By the exit code alone."""
        return self.exit == 0

    def passed_but_for(self, known: frozenset[str]) -> bool:
        """It passed, or only what fails anyway failed, and something else ran."""
        only_known = bool(self.failing) and known.issuperset(self.failing)
        # Runners say so by 1, 8 (ctest), 101 (cargo) or a count; a signal is something else.
        ended = self.exit is not None and self.exit < 128
        return self.passed or (ended and only_known and self.ran > len(self.failing))


def overlay(repository: Repository, commit: str, paths: tuple[str, ...], tree: Path) -> None:
    """Write these files into a tree as they are in a commit. NotPossible for one that is not there."""
    blobs = repository.blobs_of(commit)
    missing = [path for path in paths if path not in blobs]
    if missing:
        raise NotPossible(f"{missing[0]} is not in {commit[:12]}")
    data = dict(repository.contents(blobs[path] for path in paths))
    with Workspace(tree) as workspace:
        for path in paths:
            workspace.write_bytes(path, data[blobs[path].id])


def remove(paths: tuple[str, ...], tree: Path) -> None:
    """Take files away; one that is not there is no fault. NotPossible where a link leads out of it."""
    root = tree.resolve()
    for path in paths:
        if not (root / path).parent.resolve().is_relative_to(root):
            raise NotPossible(f"{path} leads out of the work tree")
        (root / path).unlink(missing_ok=True)


def check(
    command: str, tree: Path, environment: Environment, box: Box, seconds: float = SECONDS
) -> Trial:
    """Run a shell command at the root of a tree, without network. NotPossible where it cannot start."""
    shell = find_program("bash", outside=tree) or "/bin/sh"
    limits = replace(_LIMITS, seconds=seconds)
    argv = (shell, "-c", f"{{ {command}\n}} 2>&1")
    try:
        done = run_blocking(
            box.enter(argv, tree, _ACCESS), cwd=tree, limits=limits, env=environment.variables()
        )
    except ForModel as error:
        raise NotPossible(str(error)) from error
    output = _ESCAPE.sub("", done.stdout.decode("utf-8", "replace"))
    report = report_of(output)
    if report is None:
        return Trial(done.exit_code, output)
    return Trial(done.exit_code, output, report.failing, report.passed + report.failed)
