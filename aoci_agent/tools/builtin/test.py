"""Run the project's tests and report what failed, never the whole log."""

import asyncio
import os
import re
import shlex
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pydantic import Field

from aoci_agent.base import tokens
from aoci_agent.base.box import Box
from aoci_agent.base.errors import TryAgain
from aoci_agent.base.files import Workspace
from aoci_agent.base.process import Limits, Outcome
from aoci_agent.base.terminal import one_line
from aoci_agent.tools.boxed import WITH_NETWORK, Boxed, Ended
from aoci_agent.tools.output import ending, plain, spilled, within
from aoci_agent.tools.reports.reading import report_of
from aoci_agent.tools.reports.report import Report
from aoci_agent.tools.runners.finding import find_runner
from aoci_agent.tools.runners.runner import Runner
from aoci_agent.tools.tool import Arguments, Check, Effect, Preview, ToolResult, prompt

TOKENS = 1_500  # of the failures' own words, or of an unknown runner's output
ONE = 500  # of one failure
WIDTH = 300  # cells of a runner's error line
NAMES = 30
NOT_FOUND = 127  # the shell's exit code for a command that does not exist
OUTPUT = 2_000_000  # bytes kept for reading the report
ERRORS = 4  # lines of a runner that could not start
# How pytest, unittest, cargo, go, npm and a python that fails say what was wrong.
_ERROR = re.compile(
    r"^(?:(?:E +)?[\w.]*(?:Error|Exception)\b.*|ERROR: (?!usage:).*|(?:[^:\n]+: )?error(?:\[\w+\])?: .*"
    r"|go: .*|npm (?:ERR!|error) .*|.*: No module named .*)$",
    re.MULTILINE,
)


class TestArguments(Arguments):
    """What to run ("" for all), more words for the runner, and whether it is to have the network."""

    __test__ = False  # not a test class, whatever pytest thinks of the name
    target: str = ""
    args: str = ""
    timeout: int = Field(default=300, ge=1, le=600)
    network: bool = False


@dataclass(frozen=True, slots=True)
class _Ran:
    runner: Runner
    outcome: Outcome
    text: str
    report: Report | None

    @property
    def passed(self) -> bool:
        """By the exit code; a run that counted nothing has shown nothing."""
        return self.outcome.exit_code == 0 and not (
            self.report and (self.report.failed or not self.report.passed)
        )

    @property
    def errors(self) -> list[str]:
        """What the runner complained of, when it ended without running a test."""
        counted = self.report and (self.report.failed or self.report.passed)
        if counted or self.outcome.exit_code in {0, None}:
            return []
        found = dict.fromkeys(line.strip() for line in _ERROR.findall(self.text))
        return [one_line(line, WIDTH) for line in found][:ERRORS]


class TestTool:
    """Finds the runner from the project's files; the whole log goes into a file."""

    __test__ = False
    name = "test"
    effect = Effect.RUN
    arguments = TestArguments
    description = prompt("test")

    def __init__(self, workspace: Workspace, spill_dir: Path, box: Box, path: str = "") -> None:
        self._workspace = workspace
        self._spill_dir = spill_dir
        self._boxed = Boxed(workspace.root, spill_dir, box)
        ours = os.get_exec_path()
        self._prepared = [one for one in path.split(os.pathsep) if one and one not in ours]

    def preview(self, arguments: TestArguments) -> Preview:
        command = self._runner(arguments).command
        title = f"test {arguments.target}".rstrip()
        if arguments.network:
            title = f"{WITH_NETWORK} {title}"
        return Preview("command", title, command, key=command)

    async def run(self, arguments: TestArguments) -> ToolResult:
        runner = await asyncio.to_thread(self._runner, arguments)
        return await self._boxed.run(
            runner.argv,
            partial(self._result, runner),
            cwd=self._workspace.root / runner.folder,
            env=dict(runner.env),
            limits=Limits(seconds=float(arguments.timeout), output_bytes=OUTPUT),
            network=arguments.network,
        )

    def _runner(self, arguments: TestArguments) -> Runner:
        try:
            extra = shlex.split(arguments.args)
        except ValueError as error:
            raise TryAgain(f"args cannot be split into words: {error}") from error
        return find_runner(self._workspace, arguments.target.strip(), extra, self._prepared)

    def _result(self, runner: Runner, ended: Ended) -> ToolResult:
        outcome = ended.outcome
        text = plain(outcome.output).strip("\n")
        report = report_of(text, runner.reader)
        ran = _Ran(runner, outcome, text, report)
        counts = report.counts if report else "no counts in its output"
        summary = f"{runner.name}: {counts} ({ending(outcome)})"
        parts = [*ran.errors, summary, f"command: {runner.command}"]
        if report and report.failing:
            parts.append("failing:\n" + _names(report.failing))
        parts.append(self._details(ran))
        if outcome.exit_code == NOT_FOUND:
            parts.append("a program was not found: are the project's dependencies installed?")
        parts += [ended.refused, ended.later]
        failing = report.failing if report else ()
        check = None if outcome.cancelled else Check(runner.command, ran.passed, failing)
        counted = bool(report and (report.passed or report.failed)) and not outcome.cancelled
        ok = outcome.exit_code == 0 or counted
        return ToolResult("\n".join(filter(None, parts)), ok=ok, summary=summary, check=check)

    def _details(self, ran: _Ran) -> str:
        if ran.passed and ran.report:
            return ""
        if ran.report and ran.report.messages:
            log = spilled(ran.outcome, self._spill_dir)
            return f"{_failures(ran.report.messages)}\nfull log: {log}"
        return within(ran.text or "(no output)", TOKENS, ran.outcome, self._spill_dir)


def _names(names: tuple[str, ...]) -> str:
    shown = "\n".join(f"  {name}" for name in names[:NAMES])
    more = len(names) - NAMES
    return shown + (f"\n  [{more} more not shown]" if more > 0 else "")


def _failures(messages: tuple[tuple[str, str], ...]) -> str:
    """The first failures, each cut in its middle, as many as fit."""
    shown: list[str] = []
    left = TOKENS
    for heading, message in messages:
        cut = tokens.cut_middle(tokens.shorten_lines(message, 500), min(ONE, left))
        piece = f"--- {heading}\n{cut.text}"
        left -= tokens.count(piece)
        if shown and left < 0:
            break
        shown.append(piece)
    more = len(messages) - len(shown)
    return "\n".join(shown) + (f"\n[{more} more failures in the full log]" if more else "")
