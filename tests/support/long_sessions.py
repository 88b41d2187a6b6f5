"""A repository whose index is about 40,000 tokens, and sessions over it that say what each step was."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.caching_provider import CachingProvider

from aoci_agent.agent.approval import DenyAll
from aoci_agent.agent.events import Event, StepFinished, StepStarted
from aoci_agent.agent.meter import StepRecord
from aoci_agent.agent.mode import Mode
from aoci_agent.agent.session import Session
from aoci_agent.assembly import open_session
from aoci_agent.base.places import Places
from aoci_agent.bench import Launch
from aoci_agent.config import Settings
from aoci_agent.policies.conversation import Message

AUTOMATIC = "openai/made-up"
MARKED = "openrouter/anthropic/claude-made-up"
FILES = 1_000
_WOODS = (
    *("amber", "birch", "cedar", "elder", "ember", "flint", "grove", "hazel", "iris", "juniper"),
    *("kelp", "larch", "maple", "nettle", "olive", "poplar", "quince", "rowan", "spruce"),
)
_DEEDS = ("weigh", "count", "price", "pack", "send", "sort", "keep", "mark", "load", "check")


def path_of(number: int) -> str:
    """The path of a ledger, by its number."""
    woods = [_WOODS[number * step % len(_WOODS)] for step in (1, 7, 3)]
    deeds = [_DEEDS[number * step % len(_DEEDS)] for step in (1, 3)]
    return f"ledger_of_{woods[0]}_and_{woods[1]}_with_{woods[2]}_{'_'.join(deeds)}_{number:03}.py"


def text_of(number: int) -> str:
    """What stands in it."""
    deed, wood = _DEEDS[number % len(_DEEDS)], _WOODS[number % len(_WOODS)]
    return (
        f'"""Keeps {wood} of row {number} to {deed} it, as {_WOODS[number * 7 % 19]} says."""\n\n\n'
        f"def {deed}_{wood}_{number:03}(weight: int) -> int:\n"
        f'    """{deed.capitalize()} the {wood}."""\n'
        f"    return weight * {number}\n"
    )


def make_repository(root: Path, files: int = FILES) -> None:
    """The ledgers, under git."""
    root.mkdir(parents=True)
    for number in range(files):
        (root / path_of(number)).write_text(text_of(number))
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=root, check=True)


def opened(
    root: Path,
    home: Path,
    provider: CachingProvider,
    resume: Path | None = None,
    **settings: Any,
) -> Session:
    """A session that edits without asking, or one that goes on; its record is kept under `home`."""
    env = {"OPENAI_API_BASE": provider.url, "OPENROUTER_API_BASE": provider.url}
    places = Places({"HOME": str(home), "AOCI_AGENT_HOME": str(home / "own")})
    chosen = Settings.model_validate({"mode": Mode.FULL_AUTO, "model": AUTOMATIC} | settings)
    return open_session(
        Launch(root, chosen, places, env, trust=True, no_sandbox=True, resume=resume), DenyAll()
    )


def record_of(session: Session, home: Path) -> Path:
    """Where a session is written down."""
    (record,) = (home / "own").rglob(f"{session.started.session_id}.jsonl")
    return record


@dataclass(frozen=True)
class Step:
    """One model call: the gauge before it, what it was to send, and what the meter made of it."""

    gauge: int
    messages: tuple[Message, ...]
    at: float  # the provider's clock
    record: StepRecord


@dataclass
class Followed:
    """A session that is watched step by step. `pause` gives the seconds before a step, by its number."""

    session: Session
    provider: CachingProvider
    pause: Callable[[int], float] = lambda _: 1.0
    steps: list[Step] = field(default_factory=list[Step])
    events: list[Event] = field(default_factory=list[Event])

    async def turn(self, prompt: str) -> list[Event]:
        """The events of one turn."""
        begun = len(self.events)
        gauge, messages = 0, ()
        async for event in self.session.run(prompt):
            self.events.append(event)
            if isinstance(event, StepStarted):
                self.provider.now += self.pause(len(self.steps) + 1)
                gauge = event.prompt_tokens
                messages = self.session.agent.conversation.messages
            if isinstance(event, StepFinished):
                self.steps.append(Step(gauge, messages, self.provider.now, event.record))
        return self.events[begun:]
