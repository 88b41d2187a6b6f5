"""The scripted model of `long_session`, and the repository it works in."""

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from aoci_agent.agent.ledger import Ledger
from aoci_agent.agent.models.model import Piece, Provenance, Reply, Request, TextPiece, Usage
from aoci_agent.policies.conversation import AssistantMessage, ToolCall

FILES = 12
NOTES = 20  # files that are written once, and named in nothing else
EVERY = (2, 1, 5, 7)  # turns: the list, a read, a note, a check
COUNTS_MORE = 1.1  # tokens this model's provider counts for one of ours
_LONG = (
    "It is the one that the table of weights is read from when the day begins, as they say. " * 6
)


@dataclass
class LongModel:
    """Works by a script that depends on the turn's number alone, and looks at what it is sent."""

    window: int | None = 8192
    name: str = "scripted/long"
    recorded: bool = False
    turn: int = 0
    requests: int = 0
    summaries: int = 0
    largest: int = 0  # tokens of a request with its reply's room, as this provider counts
    lost: list[str] = field(default_factory=list[str])
    todo: str = ""
    changed: set[str] = field(default_factory=set[str])
    check: str = ""
    _script: list[AssistantMessage] = field(default_factory=list[AssistantMessage])
    _ledger: Ledger = field(default_factory=Ledger)

    def priced(self, usage: Usage) -> Usage:
        """A tenth of a cent per thousand tokens."""
        cost = (usage.prompt + usage.output) * 1e-6
        return replace(usage, cost=cost, cost_from=Provenance.MEASURED)

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        """The next line of the script, or a summary where one is asked for."""
        size = round(sum(self._ledger.parts(request).values()) * COUNTS_MORE)
        self.requests += 1
        self.largest = max(self.largest, size + request.max_output)
        if not request.prefix.tools:
            self.summaries += 1
            said = AssistantMessage(
                "Ledgers were weighed and mended one by one; all as it was asked."
            )
        else:
            self._look(request)
            said = self._script.pop(0) if self._script else AssistantMessage("Nothing is left.")
        yield TextPiece(said.text)
        usage = self.priced(Usage(fresh=size, output=20 + len(said.text) // 4))
        yield Reply(said, usage, "calls" if said.calls else "stop", self.name)

    async def close(self) -> None:
        """Nothing is held."""

    def begin(self, turn: int) -> str:
        """The script of a turn; its question."""
        self.turn = turn
        path = f"ledger_{turn % FILES:02}.py"
        items = [
            {"text": f"weigh ledger {n:02}", "status": "done" if n < turn % FILES else "pending"}
            for n in range(FILES)
        ]
        steps = [
            ("todo", {"items": items}),
            ("read", {"path": path}),
            ("write", {"path": f"note_{turn // 5 % NOTES:02}.txt", "content": f"turn {turn}"}),
            ("bash", {"command": f"./pytest turn_{turn}"}),
        ]
        chosen = [step for every, step in zip(EVERY, steps, strict=True) if turn % every == 0]
        self._script = [
            AssistantMessage(f"Step {at} of turn {turn}.", (_call(turn, at, name, arguments),))
            for at, (name, arguments) in enumerate(chosen)
        ]
        self._script.append(AssistantMessage(f"Turn {turn}: {path} was looked at. {_LONG}"))
        return f"Request {turn}: what does {path} weigh?\nSay it in one line.\n{'And why? ' * 8}"

    def _look(self, request: Request) -> None:
        sent = request.prefix.system + "\n".join(
            message.text + "".join(c.arguments for c in getattr(message, "calls", ()))
            for message in request.messages
        )
        wanted = (
            "You are aoci-agent",
            f"Request {self.turn}:",
            self.check,
            *self.todo.splitlines(),
        )
        missing = [fact for fact in (*wanted, *self.changed) if fact and fact not in sent]
        self.lost += [f"turn {self.turn}: {fact}" for fact in missing]


def _call(turn: int, at: int, name: str, arguments: dict[str, Any]) -> ToolCall:
    return ToolCall(f"call_{turn}_{at}", name, json.dumps(arguments))


def repository(folder: Path) -> Path:
    """Ledgers to weigh."""
    root = folder / "ledgers"
    root.mkdir()
    for number in range(FILES):
        rows = "\n".join(f"def row_{row}():\n    return {row * number}" for row in range(25))
        (root / f"ledger_{number:02}.py").write_text(f"WEIGHT = {number}\n\n{rows}\n")
    check = root / "pytest"  # known as a test run by its name
    check.write_text('#!/bin/sh\necho "1 passed"\n')
    check.chmod(0o755)
    return root
