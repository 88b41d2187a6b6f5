"""A session of a thousand turns in a window of 8k tokens: does it ever pass the window, or lose a fact?

    python -m aoci_agent.evals.long_session [--turns 1000] [--window 8192]

A scripted model (no network) reads, edits, checks and keeps its list in a made-up repository, turn
after turn, through the product's own session: real tools, real record. Every request it receives is
counted with the product's counter, and looked through for what must never be lost: the rules, the
list of what is to be done, every file that was changed, how the last check ended. At the end the
session is resumed from its record.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aoci_agent.agent.approval import DenyAll
from aoci_agent.agent.budget import Budget
from aoci_agent.agent.conversation import Conversation
from aoci_agent.agent.dispatch import Dispatcher
from aoci_agent.agent.events import (
    Event,
    HistoryRewritten,
    SessionStarted,
    ToolFinished,
    TurnFinished,
)
from aoci_agent.agent.freshness import unchanged
from aoci_agent.agent.limits import Limits
from aoci_agent.agent.loop import Agent
from aoci_agent.agent.mode import Mode
from aoci_agent.agent.permissions import Permissions
from aoci_agent.agent.prompts import render
from aoci_agent.agent.record import SessionRecord
from aoci_agent.agent.resume import read
from aoci_agent.agent.safety import bare
from aoci_agent.agent.session import Knowledge, Session, build_prefix
from aoci_agent.agent.toolbox import Toolbox
from aoci_agent.aoci.store import IndexStore
from aoci_agent.base.files import Workspace
from aoci_agent.evals.long_script import LongModel, repository
from aoci_agent.policies.plain import GrepRead
from aoci_agent.policies.policy import Material
from aoci_agent.tools.registry import builtin_tools


@dataclass
class Ran:
    """What a long session came to."""

    turns: int = 0
    steps: int = 0
    compactions: int = 0
    largest: int = 0
    summaries: int = 0
    lost: list[str] = field(default_factory=list[str])
    checked: int = 0  # checks that ran
    changed: int = 0  # files
    stopped: list[str] = field(default_factory=list[str])
    record: int = 0  # bytes
    resume: float = 0.0  # seconds
    same: bool = False  # the resumed conversation is the one that was left, the prefix too


def opened(root: Path, home: Path, model: LongModel) -> Session:
    """A session with this model, going on with the record at `home` where there is one."""
    workspace = Workspace(root)
    store = IndexStore(workspace, None, home / "cache")
    toolbox = Toolbox(builtin_tools(workspace, store, home / "output"))
    permissions = Permissions(Mode.FULL_AUTO, trusted=True, no_sandbox=True)
    material = Material(render("rules"), None)
    prefix = build_prefix(toolbox.schemas, GrepRead(), material)
    file = home / "long.jsonl"
    resumed = read(file) if file.exists() else None
    agent = Agent(
        model,
        Conversation(prefix, GrepRead()),
        Dispatcher(toolbox, permissions, DenyAll(), unchanged),
        SessionRecord(file),
        Budget(Limits()),
    )
    what = ("long", str(root), model.name, "grep-read", Mode.FULL_AUTO, "", prefix.content_id)
    session = Session(
        agent,
        bare(permissions, agent, home),
        Knowledge(material, store, lambda _: material),
        lambda _: model,
        agent.recorder,
        SessionStarted(*what, "", "no index", ""),
    )
    if resumed is not None:
        session.go_on(resumed)
    return session


async def run(folder: Path, turns: int, window: int) -> Ran:
    """The session and its resuming."""
    root, model, made = repository(folder), LongModel(window), Ran()
    session = opened(root, folder, model)
    for turn in range(1, turns + 1):
        async for event in session.run(model.begin(turn)):
            _note(event, model, made)
    left = session.messages
    prefix, steps = session.agent.conversation.prefix, session.cost()
    await session.close()
    made.turns, made.steps = turns, steps.steps
    made.record = (folder / "long.jsonl").stat().st_size
    made.largest, made.summaries, made.lost = model.largest, model.summaries, model.lost
    made.changed = len(model.changed)
    began = time.perf_counter()
    again = opened(root, folder, model)
    made.resume = time.perf_counter() - began
    made.same = (again.messages, again.agent.conversation.prefix, again.cost()) == (
        left,
        prefix,
        steps,
    )
    await again.close()
    return made


def _note(event: Event, model: LongModel, made: Ran) -> None:
    match event:
        case ToolFinished(call, result):
            if call.name == "todo" and result.ok:
                model.todo = result.text
            model.changed.update(result.changed)
            if result.check is not None:
                model.check = result.check.command
                made.checked += 1
        case HistoryRewritten():
            made.compactions += 1
        case TurnFinished(reason=reason, message=message) if reason != "done":
            made.stopped.append(f"turn {model.turn}: {reason}: {message}")
        case _:
            pass


def main(argv: Sequence[str] | None = None) -> int:
    """Print what it came to; 1 where the window was passed or a fact lost."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--window", type=int, default=8192)
    chosen = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        made = asyncio.run(run(Path(folder), chosen.turns, chosen.window))
    print(f"turns {made.turns:,}, calls {made.steps:,}, {made.summaries:,} of them summaries")
    print(f"history rewritten {made.compactions:,} times")
    print(f"largest request with its reply's room {made.largest:,} of {chosen.window:,} tokens")
    print(
        f"facts missing in a request: {len(made.lost)}; turns that did not end well: {len(made.stopped)}"
    )
    print(
        f"record {made.record / 1e6:.1f} MB, resumed in {made.resume:.2f} s, the same: {made.same}"
    )
    for line in (*made.lost[:5], *made.stopped[:5]):
        print(f"  {line}")
    return 1 if made.lost or made.stopped or made.largest > chosen.window or not made.same else 0


if __name__ == "__main__":
    sys.exit(main())
