"""The scripted model of `kill_sessions`, the folder it works in, and what must hold of both.

The model keeps nothing in memory: what comes next follows from the conversation alone, so it goes on
in another process. Where a call may have taken effect it looks first, as it is told to. Each call
leaves a trace under its own id: one that ran twice shows.
"""

import json
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from aoci_agent.agent.models.model import Piece, Provenance, Reply, Request, TextPiece, Usage
from aoci_agent.policies.conversation import AssistantMessage, Message, ToolCall, ToolMessage
from aoci_agent.policies.validity import INTERRUPTED, NOT_STARTED, STARTED, mended

STEPS = 30
_PADDING = "".join(f"# {number:072}\n" for number in range(400))  # soon parsed
_UNKNOWN = (INTERRUPTED, STARTED)


@dataclass
class StepModel:
    """Walks through the steps. `bad` holds what was wrong with a request."""

    bad: list[str]
    name: str = "scripted/steps"
    window: int | None = None
    recorded: bool = False

    def priced(self, usage: Usage) -> Usage:
        """Nothing is paid."""
        return replace(usage, cost=0.0, cost_from=Provenance.MEASURED)

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """The next calls, or the end."""
        if mended(request.messages) != request.messages:
            self.bad.append("a request with a call that has no answer, or an answer without a call")
        said = AssistantMessage("All is done.")
        if calls := _next(request.messages):
            said = AssistantMessage("Next.", calls)
        yield TextPiece(said.text)
        usage = self.priced(Usage(fresh=100, output=10))
        yield Reply(said, usage, "calls" if said.calls else "stop", self.name)

    async def close(self) -> None:
        """Nothing is held."""


def _next(messages: tuple[Message, ...]) -> tuple[ToolCall, ...]:
    answered = [message for message in messages if isinstance(message, ToolMessage)]
    number = sum(isinstance(message, AssistantMessage) for message in messages)
    for step in range(STEPS):
        tried = [one for one in answered if one.call_id.startswith(f"do-{step}-")]
        looked = [one for one in answered if one.call_id.startswith(f"look-{step}-")]
        if not tried or tried[-1].text.startswith(NOT_STARTED):
            return _do(step, number)
        if tried[-1].text.startswith(_UNKNOWN):
            seen = looked and answered.index(looked[-1]) > answered.index(tried[-1])
            if not seen or not looked[-1].text.startswith("exit 0\n"):
                return (_call(f"look-{step}-{number}", "bash", command=_look(step)),)
            if looked[-1].text.split()[-1] == "0":
                return _do(step, number)
        elif not tried[-1].ok:
            raise RuntimeError(f"step {step} failed: {tried[-1].text}")
    return ()


def _do(step: int, number: int) -> tuple[ToolCall, ...]:
    """A command, an edit of a file that was read, or a new file."""
    name = f"do-{step}-{number}"
    if step % 3 == 0:
        return (_call(name, "bash", command=f"echo {name} >> ledger.txt"),)
    if step % 3 == 2:
        return (_call(name, "write", path=f"part_{step}.txt", content=_part(step)),)
    old, new = (f"STEP = {at}\n" for at in (step - 3 if step > 3 else 0, step))
    read = _call(f"read-{step}-{number}", "read", path="state.py", limit=5)
    return read, _call(name, "edit", path="state.py", old=old, new=new)


def _look(step: int) -> str:
    if step % 3 == 0:
        return f"cat ledger.txt | grep -c '^do-{step}-' || true"
    if step % 3 == 2:
        return f"ls | grep -c '^part_{step}.txt$' || true"
    return f"grep -c '^STEP = {step}$' state.py || true"


def _call(call_id: str, name: str, **arguments: str | int) -> ToolCall:
    return ToolCall(call_id, name, json.dumps(arguments))


def _part(step: int) -> str:
    return f"part {step}\n" * 2_000


def _state(step: int) -> str:
    return f'"""How far it is."""\n\nSTEP = {step}\n{_PADDING}'


def workspace(root: Path) -> None:
    """The files that a session begins with."""
    root.mkdir(parents=True)
    (root / "state.py").write_text(_state(0))
    (root / "ledger.txt").write_text("")


def torn_in(root: Path) -> Iterator[str]:
    """What is neither wholly old nor wholly new, or was run twice."""
    state = (root / "state.py").read_text()
    if state not in {_state(step) for step in (0, *range(1, STEPS, 3))}:
        yield f"state.py is torn: {len(state)} characters"
    for step in range(2, STEPS, 3):
        part = root / f"part_{step}.txt"
        if part.exists() and part.read_text() != _part(step):
            yield f"{part.name} is torn"
    lines = Counter((root / "ledger.txt").read_text().splitlines())
    yield from (f"{name} ran {times} times" for name, times in lines.items() if times > 1)
    steps = Counter(name.split("-")[1] for name in lines)
    yield from (f"step {step} was done {times} times" for step, times in steps.items() if times > 1)


def missing_in(root: Path) -> Iterator[str]:
    """What a finished session has not done."""
    lines = (root / "ledger.txt").read_text()
    wanted = [str(step) for step in range(0, STEPS, 3) if f"do-{step}-" not in lines]
    wanted += [f"part_{s}.txt" for s in range(2, STEPS, 3) if not (root / f"part_{s}.txt").exists()]
    if (root / "state.py").read_text() != _state(STEPS - 2):
        wanted.append("the last edit")
    yield from (f"not done: {what}" for what in wanted)
