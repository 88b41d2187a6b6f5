"""A live session: the agent, and what the person may switch between turns."""

import asyncio
import datetime
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from aoci_agent.agent.events import Event, HistoryRewritten, Notice, SessionStarted
from aoci_agent.agent.finding import Finder
from aoci_agent.agent.loop import Agent
from aoci_agent.agent.meter import StepRecord, Totals
from aoci_agent.agent.mode import Mode
from aoci_agent.agent.models.model import Model
from aoci_agent.agent.models.wrapping import warm
from aoci_agent.agent.permissions import Permissions
from aoci_agent.agent.prompts import render
from aoci_agent.agent.record import Recorder
from aoci_agent.aoci.lookup import entries_at, search
from aoci_agent.aoci.write import full_line
from aoci_agent.base.errors import ForModel
from aoci_agent.policies.catalog import policy_named
from aoci_agent.policies.layers import Prefix, ToolSchema
from aoci_agent.policies.policy import Material, Policy
from aoci_agent.tools.registry import IndexView

if TYPE_CHECKING:
    from aoci_agent.policies.candidates import Candidate


@dataclass(frozen=True, slots=True)
class Status:
    """What a status line shows. `window` is in tokens, None when unknown."""

    model: str
    policy: str
    mode: Mode
    index_status: str
    window: int | None
    branch: str


class Derived(Protocol):
    """The derived views. Satisfied by `bench.Bench`."""

    async def prepare(self) -> None:
        """Have them ready for the first question."""
        ...

    def close(self) -> None:
        """Keep them for later sessions; may take a second."""
        ...


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known of the repository: the fixed material of prompts, and the index as it is now."""

    material: Material
    index: IndexView
    material_for: Callable[[str], Material]  # for a model's name: some see no tags
    derived: Derived | None = None  # what else is known, kept outside of memory
    finder: Finder | None = None  # for policies that deliver code with a question


def build_prefix(schemas: tuple[ToolSchema, ...], policy: Policy, material: Material) -> Prefix:
    """The fixed bytes of a session under a policy. Same inputs, same bytes."""
    return Prefix(schemas, policy.layers(material))


class Session:
    """One conversation and its record. Built by the assembly, driven by TUI, `-p` or evals."""

    def __init__(
        self,
        agent: Agent,
        permissions: Permissions,
        knowledge: Knowledge,
        open_model: Callable[[str], Model],
        recorder: Recorder,
        started: SessionStarted,
    ) -> None:
        self.agent = agent
        self.started = started
        self._permissions = permissions
        self._knowledge = knowledge
        self._open_model = open_model
        self._recorder = recorder
        self._preparing: asyncio.Task[None] | None = None
        recorder.write(started)

    async def run(self, prompt: str) -> AsyncGenerator[Event]:
        """One turn. The date and mode go below the words of the person: they would spoil the prefix."""
        policy = self.agent.conversation.policy
        note = render(
            "context",
            date=datetime.date.today().isoformat(),
            mode=self._permissions.mode,
            policy=policy.name,
        )
        candidates: tuple[Candidate, ...] = ()
        finder = self._knowledge.finder
        if policy.wants_candidates and finder is not None:
            try:
                candidates = await finder.find(prompt, policy.wants_candidates)
            except ForModel as error:
                yield Notice(f"no code goes with this question: {error}", "warning")
        turn = self.agent.run(prompt, note, candidates)
        try:
            async for event in turn:
                yield event
        finally:
            await turn.aclose()

    async def warm(self) -> None:
        """Let the model prepare itself (imports, child process) before the first question.

        The views are prepared behind it, and not waited for.
        """
        if self._knowledge.derived is not None and self._preparing is None:
            self._preparing = asyncio.create_task(self._knowledge.derived.prepare())
        await warm(self.agent.model)

    @property
    def status(self) -> Status:
        """What the status line shows now."""
        agent = self.agent
        return Status(
            model=agent.model.name,
            policy=agent.conversation.policy.name,
            mode=self._permissions.mode,
            index_status=self.started.index_status,
            window=agent.model.window,
            branch=self.started.branch,
        )

    def set_mode(self, mode: Mode) -> None:
        """Change permissions from the next call on."""
        self._permissions.mode = mode
        self._recorder.write(Notice(f"mode {mode}"))

    async def set_model(self, name: str) -> str:
        """Change the model from the next call on. Raises ForUser and keeps the old one when it cannot."""
        model = self._open_model(name)
        old, self.agent.model = self.agent.model, model
        await old.close()
        material = self._knowledge.material_for(name)
        if material != self._knowledge.material:
            self._knowledge = replace(self._knowledge, material=material)
            self._show(material)
        self._recorder.write(Notice(f"model {name}"))
        return f"model: {name}; the next call sends the whole prompt fresh (caches belong to one model)"

    def _show(self, material: Material) -> None:
        """Put this material into the prefix of the calls to come."""
        conversation = self.agent.conversation
        tools = conversation.prefix.tools
        conversation.prefix = build_prefix(tools, conversation.policy, material)

    def set_policy(self, name: str) -> str:
        """Change what the next turn's prefix holds."""
        policy = policy_named(name)
        conversation = self.agent.conversation
        conversation.policy = policy
        self._show(self._knowledge.material)
        self._recorder.write(Notice(f"policy {name}, prefix {conversation.prefix.content_id}"))
        missing = policy.wants_index and self._knowledge.material.index is None
        note = " (there is no index)" if missing else ""
        return f"policy: {name}{note}, from the next turn on"

    def index(self, words: str) -> str:
        """The status for "", the entries at "show PATH", else the entries that match the words."""
        index = self._knowledge.index.current
        if not words:
            return self.started.index_status
        if words in ("build", "stats"):
            return f"run `aoci-agent index {words}` in a shell; here: /index, /index show PATH, /index WORDS"
        if words.startswith("show "):
            place = words.removeprefix("show ").strip().rstrip("/")
            found = [full_line(entry) for entry in entries_at(index, place)]
            return "\n".join(found) or f"no entry for {place}"
        hits = [full_line(hit.entry) for hit in search(index, words)]
        return (
            "\n\n".join(hits)
            or f"no entry matches '{words}'; entries hold names and summaries only"
        )

    def clear(self) -> None:
        """A new conversation in the same record; the fixed prefix stays."""
        self.agent.conversation.clear()
        self._recorder.write(HistoryRewritten("cleared by the user", ()))

    def cost(self) -> Totals:
        """Sums of the session."""
        return self.agent.meter.session

    def steps(self) -> tuple[StepRecord, ...]:
        """Every model call of the session."""
        return tuple(self.agent.meter.records)

    async def close(self) -> None:
        """Release the model, what was derived, and the record."""
        await self.agent.model.close()
        if self._preparing is not None:
            self._preparing.cancel()
            await asyncio.wait((self._preparing,))
        if self._knowledge.derived is not None:
            await asyncio.to_thread(self._knowledge.derived.close)
        self._recorder.close()
