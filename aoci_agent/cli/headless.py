"""`-p`: one turn without a screen. stdout carries only the result; progress goes to stderr."""

import asyncio
import contextlib
import json
import signal
import sys
from dataclasses import asdict, replace
from typing import Any

from aoci_agent.agent.approval import DenyAll
from aoci_agent.agent.events import (
    Event,
    Notice,
    Reason,
    SessionStarted,
    StepFinished,
    ToolFinished,
    TurnFinished,
)
from aoci_agent.agent.meter import Totals
from aoci_agent.agent.record import as_json
from aoci_agent.agent.saving import Saving
from aoci_agent.agent.session import Session
from aoci_agent.assembly import open_session
from aoci_agent.base.cancelled import carried
from aoci_agent.base.errors import Exit, ForUser
from aoci_agent.base.terminal import clean, one_line
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.figures import step_line, turn_line
from aoci_agent.cli.launch import launch_from, prompt_from, say_resumed
from aoci_agent.tui.account_lines import saving_line

EXIT_OF: dict[Reason, Exit] = {
    "done": Exit.DONE,
    "interrupted": Exit.INTERRUPTED,
    "steps": Exit.LIMIT,
    "tokens": Exit.LIMIT,
    "cost": Exit.LIMIT,
    "time": Exit.LIMIT,
    "repeats": Exit.LIMIT,
    "model": Exit.FAILED,
    "overflow": Exit.FAILED,
}


def run(arguments: Arguments) -> int:
    """Run one turn and print its result. Returns the exit code."""
    prompt = prompt_from(arguments)
    say_resumed(arguments)
    try:
        session = open_session(launch_from(arguments), DenyAll())
        for notice in session.notices:
            if notice.level != "error":  # what does not fit is refused in a moment
                report(notice)
        return asyncio.run(_turn(session, prompt, arguments.output_format))
    except ForUser as error:
        if arguments.output_format != "text":
            failed = {"result": "", "reason": "error", "message": error.message, "hint": error.hint}
            _print_json({"type": "Result"} | failed | {"exit_code": int(error.exit_code)})
        raise


async def _turn(session: Session, prompt: str, output_format: str) -> int:
    task = asyncio.ensure_future(_consume(session, prompt, output_format))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    try:
        finished = await task
    except asyncio.CancelledError as cut:
        for event in carried(cut, ToolFinished):
            _show(event, output_format)
        finished = TurnFinished("interrupted", "", session.cost(), message="interrupted")
    finally:
        await session.close()
    if session.left:
        print(f"  note: {clean(session.left)}", file=sys.stderr)
    print_result(session.started, finished, output_format, session.account.saving())
    return exit_code(finished)


async def _consume(session: Session, prompt: str, output_format: str) -> TurnFinished:
    if output_format == "stream-json":
        _print_json(as_json(session.started))
    finished: TurnFinished | None = None
    async with contextlib.aclosing(session.run(prompt)) as events:
        async for event in events:
            _show(event, output_format)
            if isinstance(event, TurnFinished):
                finished = event
    if finished is None:
        raise RuntimeError("the turn ended without its closing event")
    return replace(finished, text=session.agent.conversation.mask.mask(finished.text))


def _show(event: Event, output_format: str) -> None:
    if output_format == "stream-json":
        _print_json(as_json(event))
    else:
        report(event)


def report(event: Event) -> None:
    """One line of progress on stderr for the events a person wants to see go by."""
    match event:
        case ToolFinished(call, result, status, seconds, title):
            mark = {"done": "✓", "failed": "✗", "denied": "⊘", "interrupted": "⊘"}[status]
            text = one_line(f"{title or call.name}  {result.summary}", 110)
            print(f"  {mark} {text}  {seconds:.1f}s", file=sys.stderr)
        case StepFinished(record, _):
            print(f"  · {step_line(record)}", file=sys.stderr)
        case Notice(text, level):
            print(f"  {level}: {one_line(text, 200)}", file=sys.stderr)
        case _:
            pass


def exit_code(finished: TurnFinished) -> Exit:
    """The exit code of a turn: denied actions are never reported as success (peers.md 97)."""
    code = EXIT_OF[finished.reason]
    return Exit.DENIED if code is Exit.DONE and finished.denied else code


def print_result(
    started: SessionStarted,
    finished: TurnFinished,
    output_format: str,
    saving: Saving | None = None,
) -> None:
    """The result on stdout in the chosen format; in text form, why it stopped goes to stderr."""
    if output_format == "text":
        if finished.text:
            print(clean(finished.text))
        if finished.message:
            print(f"aoci-agent: {clean(finished.message)}", file=sys.stderr)
        for denied in finished.denied:
            print(f"aoci-agent: denied: {one_line(denied, 200)}", file=sys.stderr)
        if finished.turn.steps:
            print(turn_line(finished.turn), file=sys.stderr)
        if finished.turn.steps and saving is not None:
            print(saving_line(saving), file=sys.stderr)
        return
    estimate = None if saving is None else _estimate(saving)
    _print_json({"type": "Result"} | result(started, finished) | {"index_estimate": estimate})


def result(started: SessionStarted, finished: TurnFinished) -> dict[str, Any]:
    """The turn as one JSON object: result, reason, usage by bucket, cost and where it comes from."""
    return {
        "result": finished.text,
        "reason": finished.reason,
        "message": finished.message,
        "exit_code": int(exit_code(finished)),
        "session_id": started.session_id,
        "model": started.model,
        "policy": started.policy,
        "mode": started.mode,
        "steps": finished.turn.steps,
        "usage": usage(finished.turn),
        "denied_actions": list(finished.denied),
        "index": started.index_status,
        "index_id": started.index_id,
        "prefix_id": started.prefix_id,
    }


def _estimate(saving: Saving) -> dict[str, Any]:
    """What the index saved in the turn: an estimate. Negative nets are losses."""
    net = {"net_tokens": saving.net_tokens, "net_cost": saving.net_cost}
    return asdict(saving) | net


def usage(totals: Totals) -> dict[str, Any]:
    """Totals as JSON; `cost` is null when no price is known, never zero."""
    data = asdict(totals)
    data.pop("steps")
    return data | {"prompt": totals.prompt, "hit_rate": round(totals.hit_rate, 4)}


def _print_json(data: dict[str, Any]) -> None:
    print(json.dumps(data, ensure_ascii=False), flush=True)
