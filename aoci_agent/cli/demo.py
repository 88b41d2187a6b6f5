"""`aoci-agent demo`: the whole loop on a bundled project, with recorded replies or a live model."""

import asyncio
import sys
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from aoci_agent.agent.approval import DenyAll
from aoci_agent.agent.events import Event, Replied, SessionStarted, ToolFinished, TurnFinished
from aoci_agent.agent.meter import StepRecord, Totals
from aoci_agent.agent.mode import Mode
from aoci_agent.agent.session import Session
from aoci_agent.assembly import open_session
from aoci_agent.base.box import Strength
from aoci_agent.base.errors import Exit
from aoci_agent.base.terminal import clean
from aoci_agent.bench import Bench, Launch
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.figures import index_tokens, table, turn_line
from aoci_agent.cli.headless import report
from aoci_agent.cli.launch import launch_from
from aoci_agent.evals import demo

RECORDED = "recorded replies: no model is being asked; tools, edits and tests are real"


def run(arguments: Arguments) -> int:
    """Copy the project, run the turn, check the tests independently, print the table."""
    folder = demo.copy_project()
    launch = _confined(_launch(arguments, folder))
    on_screen = not arguments.plain and sys.stdin.isatty() and sys.stdout.isatty()
    try:
        before = demo.check(folder)
        steps, totals = (_screen if on_screen else _plain)(launch, before)
        after = demo.check(folder)
        _summary(launch, steps, totals, (before, after))
        return Exit.DONE if after.passed and steps else Exit.FAILED
    finally:
        if arguments.keep:
            print(f"the project is kept in {folder}")
        else:
            demo.remove(folder)


def _launch(arguments: Arguments, folder: Path) -> Launch:
    """A live model comes from --model alone: a configured one must not turn the demo into a paid call."""
    launch = replace(launch_from(arguments), root=folder)
    live = arguments.model is not None
    settings = launch.settings.model_copy(
        update={
            "mode": Mode(arguments.mode) if arguments.mode else Mode.FULL_AUTO,
            "model": arguments.model or "",
        }
    )
    return replace(
        launch,
        settings=settings,
        trust=True,
        replay_from=None if live else demo.recorded_replies(),
        pace=arguments.pace,
    )


def _confined(launch: Launch) -> Launch:
    """The project is ours, and so are the recorded commands: they may run where there is no strong box."""
    if launch.replay_from is None or Bench(launch).box.strength is Strength.STRONG:
        return launch
    return replace(launch, no_sandbox=True)


def _plain(launch: Launch, before: demo.CheckRun) -> tuple[tuple[StepRecord, ...], Totals]:
    return asyncio.run(_play(open_session(launch, DenyAll()), before))


async def _play(session: Session, before: demo.CheckRun) -> tuple[tuple[StepRecord, ...], Totals]:
    _heading(session.started, before, recorded=session.agent.model.recorded)
    try:
        async with aclosing(session.run(demo.TASK)) as events:
            async for event in events:
                _show(event)
    finally:
        await session.close()
    return session.steps(), session.cost()


def _heading(started: SessionStarted, before: demo.CheckRun, *, recorded: bool) -> None:
    print("aoci-agent demo: a parcel-pricing project with one failing test")
    print(f"  model   {RECORDED if recorded else started.model}")
    print(f"  index   {started.index_status}, pinned in the prompt ({started.policy})")
    print(f"  before  {before.last_line}")
    print(f"  task    {demo.TASK}\n", flush=True)


def _show(event: Event) -> None:
    match event:
        case Replied(message) if message.text:
            print(clean(message.text), flush=True)
        case ToolFinished(result=result) if result.diff:
            report(event)
            print(clean(result.diff), flush=True)
        case TurnFinished(message=message) if message:
            print(clean(message), file=sys.stderr)
        case _:
            report(event)


def _screen(launch: Launch, before: demo.CheckRun) -> tuple[tuple[StepRecord, ...], Totals]:
    from aoci_agent.cli.deferred import DeferredSession, Pending
    from aoci_agent.tui.app import run_app
    from aoci_agent.tui.approver import ScreenApprover

    approver = ScreenApprover()
    pending = Pending(launch.settings.model, launch.settings.policy, launch.settings.mode)
    session = DeferredSession(lambda: launch, approver, pending)
    what = RECORDED if launch.replay_from else f"live model; tests before: {before.last_line}"
    banner = f"{what} · Ctrl+D ends the demo and shows the table"
    run_app(session, approver, first_prompt=demo.TASK, banner=banner)
    return session.steps(), session.totals


def _summary(
    launch: Launch,
    steps: tuple[StepRecord, ...],
    totals: Totals,
    checks: tuple[demo.CheckRun, demo.CheckRun],
) -> None:
    before, after = checks
    print()
    print(table(steps, totals))
    label = " (as recorded)" if launch.replay_from else ""
    print(f"\n{turn_line(totals)}{label}")
    if totals.prompt:
        share = sum(index_tokens(step) for step in steps)
        first = index_tokens(steps[0])
        print(
            f"index layer: {first} tokens a call, {share} of {totals.prompt} prompt tokens "
            f"({share / totals.prompt:.0%}); {totals.hit_rate:.0%} of the prompt came from the cache"
        )
    print(f"tests before: {before.last_line}\ntests after:  {after.last_line}")
