"""Run a shell command in the workspace."""

from functools import partial
from pathlib import Path

from pydantic import Field

from aoci_agent.base.box import Box
from aoci_agent.base.errors import TryAgain
from aoci_agent.base.files import Workspace
from aoci_agent.base.process import Limits, Outcome, find_program
from aoci_agent.base.terminal import one_line
from aoci_agent.tools.boxed import WITH_NETWORK, Boxed, Ended
from aoci_agent.tools.commands import test_run
from aoci_agent.tools.output import ending, plain, within
from aoci_agent.tools.reports.reading import report_of
from aoci_agent.tools.tool import Arguments, Check, Effect, Preview, ToolResult, prompt

TOKENS = 4_000
TITLE = 100  # cells


class BashArguments(Arguments):
    """A command line for bash; seconds until it is killed; whether it is to have the network."""

    command: str
    timeout: int = Field(default=120, ge=1, le=600)
    network: bool = False


class Bash:
    """Gives the exit code first, then the output; notices when the command was a test run."""

    name = "bash"
    effect = Effect.RUN
    arguments = BashArguments
    description = prompt("bash")

    def __init__(self, workspace: Workspace, spill_dir: Path, box: Box) -> None:
        self._root = workspace.root
        self._spill_dir = spill_dir
        self._boxed = Boxed(workspace.root, spill_dir, box)

    def preview(self, arguments: BashArguments) -> Preview:
        command = arguments.command
        if not command.strip():
            raise TryAgain("command is empty")
        if "\x00" in command:
            raise TryAgain("command has a NUL character, which no shell can run")
        title = f"{WITH_NETWORK} {command}" if arguments.network else command
        return Preview("command", one_line(title, TITLE), command, key=command)

    async def run(self, arguments: BashArguments) -> ToolResult:
        self.preview(arguments)
        shell = find_program("bash", outside=self._root) or "/bin/sh"
        return await self._boxed.run(
            [shell, "-c", arguments.command],
            partial(self._result, arguments.command),
            cwd=self._root,
            limits=Limits(seconds=float(arguments.timeout)),
            network=arguments.network,
        )

    def _result(self, command: str, ended: Ended) -> ToolResult:
        outcome = ended.outcome
        text = plain(outcome.output).rstrip("\n")
        shown = within(text, TOKENS, outcome, self._spill_dir) if text else "(no output)"
        how = ending(outcome)
        brief = f"{how}, {outcome.seconds:.1f} s"
        if outcome.cancelled:
            lines = len(text.splitlines())
            brief = "1 line printed" if lines == 1 else f"{lines} lines printed"
        return ToolResult(
            "\n".join(filter(None, (how, shown, ended.refused, ended.later))),
            ok=outcome.exit_code == 0,
            summary="; ".join(filter(None, (brief, ended.later))),
            check=_check(command, outcome, text),
        )


def _check(command: str, outcome: Outcome, text: str) -> Check | None:
    """The verdict of a test run: by its report if there is one, else by the exit code."""
    found = test_run(command)
    if found is None or outcome.cancelled:
        return None
    report = report_of(text)
    failing = report.failing if report else ()
    if found.reliable or outcome.exit_code is None:
        return Check(command, passed=outcome.exit_code == 0, failing=failing)
    # Behind a pipe or a `;` the exit code is another program's.
    if report is None:
        return None
    return Check(command, passed=report.failed == 0 and report.passed > 0, failing=failing)
