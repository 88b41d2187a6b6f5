"""A live session: the agent, and what the person may switch between turns."""

import asyncio
import datetime
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from aoci_agent.agent.account import Account
from aoci_agent.agent.caching import CacheWatch
from aoci_agent.agent.continuing import go_on
from aoci_agent.agent.events import (
    ApprovalAsked,
    Event,
    HistoryRewritten,
    Notice,
    SessionStarted,
    StepFinished,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from aoci_agent.agent.finding import Finder
from aoci_agent.agent.index_answers import answer
from aoci_agent.agent.loop import Agent
from aoci_agent.agent.meter import StepRecord, Totals
from aoci_agent.agent.mode import Mode
from aoci_agent.agent.models.model import Model, Request
from aoci_agent.agent.models.wrapping import warm
from aoci_agent.agent.offer import Offer
from aoci_agent.agent.preview import Choice, Coming, kept_line
from aoci_agent.agent.prompts import render
from aoci_agent.agent.record import Recorder
from aoci_agent.agent.resume import Resumed
from aoci_agent.agent.rewind import Rewind
from aoci_agent.agent.room import must_fit
from aoci_agent.agent.safety import Safety
from aoci_agent.agent.saving import Exploring
from aoci_agent.agent.trusting import for_agents
from aoci_agent.base.errors import BadUsage, ForModel
from aoci_agent.base.secrets import quotes_mask
from aoci_agent.base.trust_store import Trust
from aoci_agent.policies.candidates import HOW_MANY, Candidate
from aoci_agent.policies.catalog import policy_named
from aoci_agent.policies.conversation import Message, UserMessage
from aoci_agent.policies.layers import Prefix, ToolSchema
from aoci_agent.policies.policy import Material, Policy
from aoci_agent.tools.registry import IndexView

_KEY_ASKED = "a key in the question was masked: it is not sent, kept or shown"


@dataclass(frozen=True, slots=True)
class Status:
    """What a status line shows. `window` is in tokens, None when unknown."""

    model: str
    policy: str
    mode: Mode
    index_status: str
    window: int | None
    branch: str
    sandbox: str  # strong, partial, NONE or OFF
    trusted: bool


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
    offer: Offer | None = None  # the committed index, to be brought in step with the code
    explored: Callable[[], Exploring] = Exploring  # what exploring took without the index


def build_prefix(schemas: tuple[ToolSchema, ...], policy: Policy, material: Material) -> Prefix:
    """The fixed bytes of a session under a policy. Same inputs, same bytes."""
    return Prefix(schemas, policy.layers(material))


class Session:
    """One conversation and its record. Built by the assembly, driven by TUI, `-p` or evals."""

    def __init__(
        self,
        agent: Agent,
        safety: Safety,
        knowledge: Knowledge,
        open_model: Callable[[str], Model],
        recorder: Recorder,
        started: SessionStarted,
    ) -> None:
        self.agent = agent
        self._notices: tuple[Notice, ...] = ()
        self._turns = 0  # of the whole session, earlier runs of it too
        self.started = started
        self.safety = safety
        self._knowledge = knowledge
        self._open_model = open_model
        self._recorder = recorder
        self._preparing: asyncio.Task[None] | None = None
        self.left = ""  # once it is closed: what of its work stays in a worktree
        self._caching = CacheWatch()
        self.account = Account(
            agent, lambda path: path in knowledge.index.current.by_path, knowledge.explored
        )
        recorder.write(started)

    async def run(self, prompt: str) -> AsyncGenerator[Event]:
        """One turn. The date and mode go below the words of the person: they would spoil the prefix.

        Raises BadUsage where the fixed layers leave no room in the model's window.
        """
        prompt = self.agent.conversation.mask.mask(prompt)
        self._must_fit(self.agent.conversation.policy, self._knowledge.material, self.agent.model)
        most = self.agent.conversation.policy.wants_candidates
        candidates, why_none = await self._candidates(prompt, most)
        self._turns += 1
        await self.safety.undo.turn_begins(self._turns, prompt)
        self.account.begin(prompt, candidates)
        turn = self.agent.run(prompt, self._note(), candidates)
        changed: set[str] = set()
        try:
            async for event in turn:
                if isinstance(event, ToolFinished):
                    changed.update(event.result.changed)
                self.account.saw(event)
                if self.agent.dispatcher.changes(_about_to_run(event)):
                    await self.safety.undo.begun()
                    for told in self.safety.undo.news():  # what is not saved, before it may be lost
                        yield self._said(told, "warning")
                yield event
                for told in self.safety.undo.news():
                    yield self._said(told, "warning")
                if isinstance(event, TurnStarted) and quotes_mask(prompt):
                    yield self._said(_KEY_ASKED, "warning")
                if why_none and isinstance(event, TurnStarted):
                    yield self._said(f"no code goes with this question: {why_none}", "warning")
                if isinstance(event, StepFinished) and (told := self._cached(event.record)):
                    yield self._said(told)
        finally:
            await turn.aclose()
        offer = self._knowledge.offer
        if offer is not None and (told := offer.due(frozenset(changed))):
            yield self._said(told)

    def _said(self, text: str, level: Literal["info", "warning"] = "info") -> Notice:
        """A notice of the session itself: in the record like every event."""
        notice = Notice(text, level)
        self._recorder.write(notice)
        return notice

    def _cached(self, record: StepRecord) -> str:
        prefix = self.agent.conversation.prefix
        return self._caching.saw(record, self.agent.model.name, prefix.content_id)

    def _note(self) -> str:
        """What is volatile of the next question."""
        return render(
            "context",
            date=datetime.date.today().isoformat(),
            mode=self.safety.mode,
            policy=self.agent.conversation.policy.name,
        )

    async def _candidates(self, prompt: str, most: int) -> tuple[tuple[Candidate, ...], str]:
        """The blocks that go with a question, and why there are none where that is a fault."""
        finder = self._knowledge.finder
        if not most or finder is None:
            return (), ""
        try:
            found = await finder.find(prompt, most)
            if not self.safety.trusted:
                found = tuple(one for one in found if not for_agents(one.path))
            return found, ""
        except ForModel as error:
            return (), str(error)

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
            mode=self.safety.mode,
            index_status=self.started.index_status,
            window=agent.model.window,
            branch=self.started.branch,
            sandbox=self.safety.sandbox,
            trusted=self.safety.trusted,
        )

    def go_on(self, resumed: Resumed) -> None:
        """Take up an earlier session where its record ends."""
        self._notices = go_on(self.agent, resumed)
        self._turns = resumed.turns

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What a person should know before the first question: of a resumed session, of what does not fit."""
        try:
            conversation = self.agent.conversation
            self._must_fit(conversation.policy, self._knowledge.material, self.agent.model)
        except BadUsage as error:
            bad = Notice(f"{error.message} (try {error.hint})", "error")
            return (*self.safety.notices, *self._notices, bad)
        return (*self.safety.notices, *self._notices)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation as it is."""
        return self.agent.conversation.messages

    def compact(self, focus: str = "") -> AsyncGenerator[Event]:
        """Make room now: a digest and a summary that keeps above all what `focus` names."""
        return self.agent.compact(focus)

    def _must_fit(self, policy: Policy, material: Material, model: Model) -> None:
        tools = self.agent.conversation.prefix.tools
        prefix = self.agent.conversation.prefix
        if (policy, material) != (self.agent.conversation.policy, self._knowledge.material):
            prefix = build_prefix(tools, policy, material)
        must_fit(policy.name, self.agent.meter.parts(Request(prefix, ())), model.window)

    def _switched(self) -> None:
        """Write down under what the session goes on, for the one that resumes it."""
        agent = self.agent
        now = replace(
            self.started,
            model=agent.model.name,
            policy=agent.conversation.policy.name,
            mode=self.safety.mode,
            prefix_id=agent.conversation.prefix.content_id,
        )
        self._recorder.write(now)

    def set_mode(self, mode: Mode) -> None:
        """Change permissions from the next call on. Raises ForUser, and keeps the mode, where it may not hold."""
        self.safety.set_mode(mode)
        self._recorder.write(Notice(f"mode {mode}"))

    @property
    def rewind(self) -> Rewind:
        """Goes back to before a question."""
        return self.safety.rewind

    @property
    def trust(self) -> Trust:
        """What the person decided about the folder."""
        return self.safety.trust

    def set_trust(self, *, trusted: bool) -> str:
        """Keep a decision about the folder; a line to show. Raises ForUser."""
        fresh = not self.agent.meter.records and not self.messages
        told = self.safety.set_trust(trusted=trusted, fresh=fresh)
        if fresh:  # no model has seen the prefix yet
            material = self._ruled(self._knowledge.material)
            self._knowledge = replace(self._knowledge, material=material)
            self._show(material)
            self._switched()
        self._recorder.write(Notice(told))
        return told

    async def set_model(self, name: str) -> str:
        """Change the model from the next call on. Raises ForUser and keeps the old one when it cannot."""
        model = self._open_model(name)
        material = self._ruled(self._knowledge.material_for(name))
        try:
            self._must_fit(self.agent.conversation.policy, material, model)
        except BadUsage:
            await model.close()
            raise
        old, self.agent.model = self.agent.model, model
        if material != self._knowledge.material:
            self._knowledge = replace(self._knowledge, material=material)
            self._show(material)
        self._recorder.write(Notice(f"model {name}"))
        self._switched()
        await old.close()
        return f"model: {name}; the next call sends the whole prompt fresh (caches belong to one model)"

    def _ruled(self, material: Material) -> Material:
        """With the rules that hold: the project's own are among them where trust was given in time."""
        return replace(material, rules=self.safety.terms.rules(render("rules")))

    def _show(self, material: Material) -> None:
        """Put this material into the prefix of the calls to come."""
        conversation = self.agent.conversation
        tools = conversation.prefix.tools
        conversation.prefix = build_prefix(tools, conversation.policy, material)

    async def policies(self, prompt: str = "") -> tuple[Choice, ...]:
        """The next call under each policy, for this prompt or the last question. Nothing is sent."""
        conversation = self.agent.conversation
        asked = [m.question for m in conversation.messages if isinstance(m, UserMessage)]
        question = prompt or next(filter(None, reversed(asked)), "")
        found, why_none = await self._candidates(question, HOW_MANY if question else 0)
        coming = Coming(
            *(conversation.prefix.tools, self._knowledge.material, conversation.messages),
            *(question, self._note(), found),
            searched=bool(question) and not why_none,
        )
        return await asyncio.to_thread(self.account.preview, coming)

    def set_policy(self, name: str) -> str:
        """Change what the next turn's prefix holds."""
        policy = policy_named(name)
        self._must_fit(policy, self._knowledge.material, self.agent.model)
        conversation = self.agent.conversation
        before = self.account.ahead()
        conversation.policy = policy
        self._show(self._knowledge.material)
        self._recorder.write(Notice(f"policy {name}, prefix {conversation.prefix.content_id}"))
        self._switched()
        missing = policy.wants_index and self._knowledge.material.index is None
        note = " (there is no index)" if missing else ""
        kept = kept_line(before, self.account.ahead())
        return f"policy: {policy.name}{note}, from the next turn on; {kept}"

    def index(self, words: str) -> str:
        """What `/index` says; see `index_answers`."""
        known = self._knowledge
        return answer(words, known.index.current, self.started.index_status, known.offer)

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
        self.left = await self.safety.close()
        self._recorder.close()


def _about_to_run(event: Event) -> str:
    """The tool of a call that is asked about or runs in a moment, "" for other events."""
    match event:
        case ApprovalAsked(question):
            return question.tool
        case ToolStarted(call):
            return call.name
        case _:
            return ""
