"""A session whose state lies on a disk that fills up: run in a mount namespace of its own.

`python full_disk.py FOLDER`: FOLDER/state is small; prints what happened as one JSON object.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from aoci_agent.agent.approval import DenyAll
from aoci_agent.agent.events import Event, TurnFinished
from aoci_agent.agent.models.scripted import ScriptedModel
from aoci_agent.agent.record import read_record
from aoci_agent.agent.resume import read
from aoci_agent.agent.session import Session
from aoci_agent.assembly import open_session
from aoci_agent.base.places import Places
from aoci_agent.bench import Launch
from aoci_agent.config import Settings
from aoci_agent.policies.conversation import AssistantMessage, ToolCall


def bash(name: str) -> AssistantMessage:
    return AssistantMessage("", (ToolCall(name, "bash", json.dumps({"command": f"touch {name}"})),))


def finished(events: list[Event]) -> dict[str, str]:
    (last,) = [event for event in events if isinstance(event, TurnFinished)]
    return {"reason": last.reason, "message": last.message}


def fill(folder: Path) -> Path:
    filler = folder / "filler"
    file = os.open(filler, os.O_WRONLY | os.O_CREAT)
    for size in (65_536, 4_096, 512, 1):
        try:
            while True:
                os.write(file, b"x" * size)
        except OSError:
            continue
    os.close(file)
    return filler


async def turn(session: Session, *lines: AssistantMessage) -> dict[str, str]:
    session.agent.model = ScriptedModel([*lines, AssistantMessage("so")], name="scripted")
    return finished([event async for event in session.run("do it")])


async def main(folder: Path) -> None:
    root, state = folder / "work", folder / "state"
    root.mkdir()
    env = {"AOCI_AGENT_HOME": str(state)}
    settings = Settings.model_validate({"mode": "full-auto", "policy": "grep-read"})
    launch = Launch(root, settings, Places(env), env, trust=True, no_sandbox=True)
    session = open_session(launch, DenyAll())
    told: dict[str, object] = {"before": await turn(session, bash("first"))}
    filler = fill(state)
    told["full"] = await turn(session, *map(bash, ("second", "third", "fourth", "fifth")))
    fill(state)  # what failed may have given some room back
    told["still full"] = await turn(session, bash("sixth"))
    (record,) = state.glob("data/sessions/*/*.jsonl")
    started = {e["call"]["id"] for e in read_record(record) if e["type"] == "ToolStarted"}
    told["unrecorded"] = sorted({file.name for file in root.iterdir()} - started)
    filler.unlink()
    told["after"] = await turn(session, bash("last"))
    told["ran"] = sorted(file.name for file in root.iterdir())
    resumed = read(record)
    told["same"] = resumed.messages == session.messages
    told["unread"] = resumed.unread
    told["record"] = str(record)
    await session.close()
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
