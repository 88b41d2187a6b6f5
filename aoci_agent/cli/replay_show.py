"""`aoci-agent replay show`: one cell's trajectory, on the screen or as text."""

import sys
from collections.abc import Iterator
from pathlib import Path

from aoci_agent.agent import events as happened
from aoci_agent.agent.meter import StepRecord, Totals
from aoci_agent.agent.models.model import Usage
from aoci_agent.agent.recorded_events import recorded_events
from aoci_agent.base.errors import BadUsage, Exit
from aoci_agent.base.places import Places
from aoci_agent.base.terminal import clean
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.replay_places import repository_of, run_named, runs_home
from aoci_agent.config import environment
from aoci_agent.evals.replay.cell import Cell
from aoci_agent.evals.replay.exchange import REQUESTS, Exchange, exchanges_in
from aoci_agent.evals.replay.store import CHECK, DIFF, RunFolder, record_in
from aoci_agent.policies.conversation import AssistantMessage, ToolCall
from aoci_agent.tools.tool import Preview, ToolResult
from aoci_agent.tui.trajectory import Ending, Trajectory, plain

TITLE = 100  # characters of a call's arguments in its line


def show(arguments: Arguments) -> int:
    """Open the screen on it; on no terminal, or with --plain, print it."""
    home = runs_home(Places(environment()), repository_of(arguments.cwd))
    *runs, word = arguments.words
    if len(runs) > 1:
        raise BadUsage("too many words", "aoci-agent replay show [RUN] CELL")
    folder = run_named(home, runs[0] if runs else "")
    trajectory = trajectory_of(folder, cell_named(folder, word))
    if arguments.plain or not (sys.stdout.isatty() and sys.stdin.isatty()):
        for text in plain(trajectory):
            print(clean(text))
        return Exit.DONE
    from aoci_agent.tui.replay import run_replay

    return run_replay(trajectory)


def cell_named(folder: RunFolder, word: str) -> Cell:
    """The cell whose id has that word in it. Raises BadUsage naming those that could be meant."""
    cells = list(folder.run().cells())
    found = [cell for cell in cells if word in cell.id]
    exact = [cell for cell in found if cell.id == word]
    if len(exact or found) == 1:
        return (exact or found)[0]
    told = f"{len(found)} cells have" if found else "no cell has"
    names = "\n  ".join(cell.id for cell in (found or cells)[:12])
    raise BadUsage(f"{told} {word!r} in their name", f"one of\n  {names}")


def trajectory_of(folder: RunFolder, cell: Cell) -> Trajectory:
    """What happened in a cell. Raises BadUsage where it left nothing behind."""
    place, outcome = folder.place(cell), folder.outcome(cell)
    status = f"{outcome.status} ({outcome.reason})" if outcome else "has not ended"
    about = f"{cell.task} · {cell.solver} · {cell.model} · seed {cell.seed} · {status}"
    record = record_in(place)
    if record is not None:
        events = tuple(recorded_events(record))
    else:
        events = tuple(_of_peer(place / REQUESTS))
    if not events:
        told = f": {outcome.message}" if outcome and outcome.message else ""
        raise BadUsage(f"cell {cell.id} left no record{told}", "another cell of the run")
    names = f" in {', '.join(outcome.changed)}" if outcome and outcome.changed else ""
    change = _text(place / DIFF) or "nothing was changed"
    endings = [Ending(f"the change{names}", change, "diff")]
    check = _text(place / CHECK)
    if check or outcome:
        exit_code = "" if outcome is None else f", exit code {outcome.check_exit}"
        endings.insert(0, Ending(f"the hidden check{exit_code}", check or "it said nothing"))
    return Trajectory(about, events, tuple(endings))


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", errors="replace")
    except OSError:
        return ""


def _of_peer(log: Path) -> Iterator[happened.Event]:
    """What the proxy saw, as events."""
    calls = [call for call in exchanges_in(log) if call.api != "other"]
    answers = {said.answers: said.text for call in calls for said in call.told if said.answers}
    sums = Totals()
    for number, call in enumerate(calls, 1):
        yield from _told(call, first=number == 1)
        usage = call.usage
        yield happened.StepStarted(number, usage.fresh + usage.read + usage.write if usage else 0)
        if not call.step:
            yield happened.Notice(f"{call.ended} ({call.status}): {call.message}", "error")
            continue
        record = _record(number, call)
        sums = sums.plus(record)
        reply = call.reply
        made = tuple(ToolCall(c.id, c.name, c.arguments) for c in reply.calls) if reply else ()
        yield happened.Replied(AssistantMessage(reply.text if reply else "", made))
        yield happened.StepFinished(record, sums)
        for one in made:
            yield from _ran(one, answers.get(one.id))
        if call.ended == "cut":
            yield happened.Notice("the reply broke off here", "warning")


def _told(call: Exchange, *, first: bool) -> Iterator[happened.Event]:
    """The prompt as it was sent, with the agent's own words around it; later, what the agent added."""
    for said in call.told:
        if said.answers:
            continue
        text = f"[{said.role}] {said.text}" if said.role != "user" else said.text
        yield happened.TurnStarted(text) if first else happened.Notice(text[:2000])


def _record(number: int, call: Exchange) -> StepRecord:
    used = call.usage
    usage = Usage(cost=call.dollars)
    if used is not None:
        usage = Usage(used.fresh, used.read, used.write, used.output, cost=call.dollars)
    return StepRecord(number, call.model, "", usage, seconds=call.seconds, finish=call.ended)


def _ran(call: ToolCall, answer: str | None) -> Iterator[happened.Event]:
    title = f"{call.name} {call.arguments}"[:TITLE]
    yield happened.ToolStarted(call, Preview("text", title))
    told = "its result was not sent back" if answer is None else ""
    yield happened.ToolFinished(call, ToolResult(answer or "", summary=told), "done", 0.0, title)
