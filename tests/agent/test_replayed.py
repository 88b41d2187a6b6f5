"""A session replayed from its recorded replies changes the same bytes, step by step (R37)."""

import hashlib
import json
from pathlib import Path

import pytest

from aoci_agent.agent.approval import DenyAll
from aoci_agent.agent.events import ToolFinished, TurnFinished
from aoci_agent.agent.models.recorded import RecordingModel
from aoci_agent.agent.models.scripted import ScriptedModel
from aoci_agent.agent.session import Session
from aoci_agent.assembly import open_session
from aoci_agent.base.places import Places
from aoci_agent.bench import Launch
from aoci_agent.config import Settings
from aoci_agent.policies.conversation import AssistantMessage, ToolCall

STEPS = (
    ("read", {"path": "prices.py"}),
    ("edit", {"path": "prices.py", "old": "return 2", "new": "return 3"}),
    ("write", {"path": "docs/new.md", "content": "# Prices\n\nThree.\r\n"}),
    ("edit", {"path": "docs/new.md", "old": "not there", "new": "x"}),
    ("bash", {"command": "echo three >> log.txt; sort -r names.txt > sorted.txt; exit 3"}),
    ("edit", {"path": "log.txt", "old": "three", "new": "drei"}),
    ("grep", {"pattern": "return"}),
)


def launched(root: Path, replay_from: Path | None = None) -> Session:
    env = {"AOCI_AGENT_HOME": str(root.parent / f"home-{root.name}")}
    settings = Settings.model_validate({"mode": "full-auto", "policy": "aoci"})
    launch = Launch(
        *(root, settings, Places(env), env), replay_from=replay_from, trust=True, no_sandbox=True
    )
    return open_session(launch, DenyAll())


def repository(root: Path) -> Path:
    root.mkdir(parents=True)
    (root / "prices.py").write_text('"""Prices."""\n\n\ndef price(weight):\n    return 2\n')
    (root / "names.txt").write_text("a\nc\nb\n")
    return root


def tree(root: Path) -> str:
    files = sorted(file for file in root.rglob("*") if file.is_file())
    digest = hashlib.blake2b(digest_size=8)
    for file in files:
        digest.update(f"{file.relative_to(root)} {file.stat().st_mode}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


async def played(session: Session, root: Path) -> list[tuple[str, str, str]]:
    """What each call came to, and the tree behind it."""
    steps: list[tuple[str, str, str]] = []
    async for event in session.run("mend the prices"):
        if isinstance(event, ToolFinished):
            steps.append((event.call.id, event.result.text, tree(root)))
        if isinstance(event, TurnFinished):
            steps.append((event.reason, event.text, tree(root)))
    await session.close()
    return steps


@pytest.mark.gate("R37")
async def test_three_replays_leave_the_same_trees(tmp_path: Path) -> None:
    recording = tmp_path / "replies.jsonl"
    root = repository(tmp_path / "first" / "shop")
    session = launched(root)
    lines = [
        AssistantMessage("", (ToolCall(f"c{at}", name, json.dumps(arguments)),))
        for at, (name, arguments) in enumerate(STEPS)
    ]
    ended = [AssistantMessage("Mended."), AssistantMessage("As I said.")]
    session.agent.model = RecordingModel(ScriptedModel([*lines, *ended]), recording)
    before = tree(root)
    first = await played(session, root)
    assert len({step[2] for step in first} | {before}) == 5  # four steps changed something
    for again in range(3):
        copy = repository(tmp_path / f"again-{again}" / "shop")
        steps = await played(launched(copy, recording), copy)
        parted = next(
            (at for at, pair in enumerate(zip(first, steps, strict=True)) if pair[0] != pair[1]),
            None,
        )
        assert parted is None, f"parted at step {parted}"
