"""The one place that builds everything; nothing else constructs its own dependencies."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from aoci_agent import __version__
from aoci_agent.agent.approval import Approver
from aoci_agent.agent.budget import Budget
from aoci_agent.agent.continuing import take_up
from aoci_agent.agent.conversation import Conversation
from aoci_agent.agent.dispatch import Dispatcher
from aoci_agent.agent.events import SessionStarted
from aoci_agent.agent.explored import explored_in
from aoci_agent.agent.finding import Finder
from aoci_agent.agent.freshness import Freshness, unchanged
from aoci_agent.agent.guard import Guards
from aoci_agent.agent.limits import Limits
from aoci_agent.agent.loop import Agent
from aoci_agent.agent.masking import KeepsSecrets
from aoci_agent.agent.mode import Mode
from aoci_agent.agent.models.catalog import ModelSettings, open_model
from aoci_agent.agent.models.model import Model
from aoci_agent.agent.no_model import NoModel
from aoci_agent.agent.offer import Offer
from aoci_agent.agent.past import Past
from aoci_agent.agent.permissions import Permissions
from aoci_agent.agent.prompts import render as render_prompt
from aoci_agent.agent.record import NoRecord, Recorder, SessionRecord
from aoci_agent.agent.resume import RECORDED, Resumed, read
from aoci_agent.agent.rewind import Rewind
from aoci_agent.agent.rules import Rules
from aoci_agent.agent.runs_later import TellsRunsLater
from aoci_agent.agent.safety import NoStrongBox, Safety, Surroundings
from aoci_agent.agent.session import Knowledge, Session, build_prefix
from aoci_agent.agent.spending import Spending
from aoci_agent.agent.toolbox import Toolbox
from aoci_agent.agent.trusting import UNTRUSTED, Terms
from aoci_agent.agent.undo import open_undo
from aoci_agent.base import strays
from aoci_agent.base.box import Door, Strength
from aoci_agent.base.errors import BadUsage
from aoci_agent.base.git import Repository
from aoci_agent.base.occupied import Occupation
from aoci_agent.base.secrets import Mask
from aoci_agent.base.worktrees import Worktree, left_behind, worktrees_of
from aoci_agent.bench import Bench, Launch, Progress, work_root
from aoci_agent.config import shows_tags
from aoci_agent.policies.catalog import policy_named
from aoci_agent.policies.policy import Material
from aoci_agent.tools.lookups import Lookups
from aoci_agent.tools.registry import builtin_tools

IN_WORKTREE = "works in the worktree"
# Whole trees, and what a box may write: what crashed there is cleared away by whoever opens them.
_SWEPT_BY_OTHERS = (
    *("worktrees", "replay", "snapshots", "sessions"),
    *("caches", "tmp", "generations", "jdtls"),
)


def open_session(launch: Launch, approver: Approver, progress: Progress | None = None) -> Session:
    """Everything of a session, in order: repository, index, tools, model, agent, record. May take seconds."""
    mask = Mask.of(launch.env)
    if launch.resume is None:
        name = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"
        launch, leave = _beside(launch, name) if launch.worktree else (launch, str)
        try:
            return _built(launch, approver, progress, _Begun(name, mask, leave))
        except BaseException:
            leave()
            raise
    # Held from before it is read: nobody appends to what is taken for its end.
    recorder: Recorder = SessionRecord(launch.resume, mask) if launch.keep_record else NoRecord()
    leave: Callable[[], str] = str
    try:
        resumed = read(launch.resume)
        resumed.torn = recorder.torn if isinstance(recorder, SessionRecord) else ""
        launch, name = _going_on(launch, resumed), resumed.session_id
        launch, how = _where_it_worked(launch, resumed)
        launch, leave = _beside(launch, name) if launch.worktree else (launch, str)
        begun = _Begun(name, mask, leave, (recorder, resumed), how)
        return _built(launch, approver, progress, begun)
    except BaseException:
        leave()
        recorder.close()
        raise


def _beside(launch: Launch, name: str) -> tuple[Launch, Callable[[], str]]:
    """The launch in a worktree of its own, and what ends it and says what stays. Raises ForUser."""
    root = work_root(launch.root)
    repository = Repository.find(root)
    if repository is None:
        raise BadUsage(f"{root} is in no git repository: no worktree", "leave out --worktree")
    home = worktrees_of(launch.places.data, launch.places.project(repository.root))
    made = Worktree(repository, home, name)
    inside = made.path / root.relative_to(repository.root)

    def leave() -> str:
        left = made.finish()
        return left.told if left else ""

    return replace(launch, root=inside, folder=root), leave


@dataclass(frozen=True, slots=True)
class _Begun:
    """Which session is built, what leaves its worktree in the end, and what it goes on from."""

    session_id: str
    mask: Mask
    leave: Callable[[], str]
    earlier: tuple[Recorder, Resumed] | None = None
    how: str = IN_WORKTREE


def _built(launch: Launch, approver: Approver, progress: Progress | None, begun: _Begun) -> Session:
    settings, session_id, mask = launch.settings, begun.session_id, begun.mask
    bench = Bench(launch)
    policy = policy_named(settings.policy)
    terms = bench.trust.terms if bench.trusted else UNTRUSTED
    tags = shows_tags(settings, settings.model)
    rendered = terms.index(bench.index(settings.index_budget, progress, tags=tags))
    rules = terms.rules(render_prompt("rules"))
    material = Material(rules, rendered if rendered.total else None)
    lookups = bench.lookups()
    door = Door(bench.box)
    path = launch.variables.get("PATH", "")
    tools = builtin_tools(bench.workspace, bench.store, bench.spill, lookups, door, path)
    toolbox = Toolbox(tools)
    permissions = _permissions(launch, bench, toolbox)
    annotate = Freshness(bench.store) if material.index else unchanged
    prefix = build_prefix(toolbox.schemas, policy, material)
    model = choose_model(launch, settings.model)
    past = Past(begun.earlier[0] if begun.earlier else _recorder(launch, bench, session_id, mask))
    undo = open_undo(
        *(bench.workspace.root, bench.repository, launch.places, session_id),
        lambda: permissions.mode is Mode.FULL_AUTO,
    )
    guards = Guards((KeepsSecrets(mask, bench.spill), undo, TellsRunsLater()))
    agent = Agent(
        model,
        Conversation(prefix, policy, mask),
        Dispatcher(toolbox, permissions, approver, annotate, guards, door),
        past,
        _budget(launch),
        settings.compaction,
    )
    around = Surroundings(
        *(bench.box, launch.no_sandbox, partial(_occupied, launch, bench), begun.leave),
        *(_of_worktrees(launch, bench, begun.how), terms),
    )
    rewind = Rewind(undo, past, partial(take_up, agent), bench.store.refresh, lambda: safety.hold())
    safety = Safety(permissions, bench.trust, undo, rewind, around)
    safety.begin(settings.mode, attended=launch.attended)
    with safety.held_on_success():
        session = Session(
            agent,
            safety,
            _knowledge(launch, bench, material, lookups, terms),
            partial(choose_model, launch),
            past,
            _started(bench, agent, safety, material, session_id),
        )
        if begun.earlier is not None:
            _, resumed = begun.earlier
            past.read(resumed.path, resumed.messages)
            session.go_on(resumed)
    return session


def _knowledge(
    launch: Launch, bench: Bench, material: Material, lookups: Lookups, terms: Terms
) -> Knowledge:
    return Knowledge(
        *(material, bench.store, _material_for(launch, bench, material, terms), bench),
        *(Finder(lookups), Offer(bench.store), lambda: explored_in(_records(launch, bench))),
    )


def _started(
    bench: Bench, agent: Agent, safety: Safety, material: Material, session_id: str
) -> SessionStarted:
    """The first line of the record."""
    conversation, index = agent.conversation, material.index
    return SessionStarted(
        session_id=session_id,
        root=str(bench.workspace.root),
        model=agent.model.name,
        policy=conversation.policy.name,
        mode=safety.mode,
        commit=bench.commit,
        prefix_id=conversation.prefix.content_id,
        index_id=index.content_id if index else "",
        index_status=index.status if index else "no index",
        version=__version__,
        branch=bench.repository.branch() if bench.repository else "",
        index_budget=bench.launch.settings.index_budget,
    )


def _of_worktrees(launch: Launch, bench: Bench, how: str) -> tuple[str, ...]:
    """That the session works in one, and what earlier sessions left in theirs."""
    if bench.repository is None:
        return ()
    own = Repository.find(launch.folder) if launch.folder else bench.repository
    if own is None:
        return ()
    home = worktrees_of(launch.places.data, launch.places.project(own.root))
    earlier = left_behind(own, home)
    if launch.folder is None:
        return earlier
    unseen = "; what you have not committed is not in it" if own.is_dirty() else ""
    return (f"{how} {bench.workspace.root}{unseen}", *earlier)


def _permissions(launch: Launch, bench: Bench, toolbox: Toolbox) -> Permissions:
    """As the settings, trust and the box have it; the mode is set last. Raises BadUsage for a bad rule."""
    settings = launch.settings
    if settings.sandbox == "required" and bench.box.strength is not Strength.STRONG:
        raise NoStrongBox("--sandbox=required wants", bench.box)
    names = [schema.name for schema in toolbox.schemas]
    rules = Rules.parse(allow=settings.allow, ask=settings.ask, deny=settings.deny, tools=names)
    return Permissions(
        Mode.READ_ONLY,
        rules=rules,
        trusted=bench.trusted,
        strength=bench.box.strength,
        no_sandbox=launch.no_sandbox,
        root=bench.workspace.root,
    )


def _occupied(launch: Launch, bench: Bench) -> Occupation:
    """This folder, held for the session that may write; what a killed one left is cleared away.

    Raises Occupied, ForUser.
    """
    top = bench.repository.root if bench.repository else None
    held = Occupation(launch.places, bench.workspace.root, top)
    bench.workspace.sweep()
    for own in (bench.cache, launch.places.data):
        strays.sweep(own, _SWEPT_BY_OTHERS)
    return held


def _going_on(launch: Launch, resumed: Resumed) -> Launch:
    """The launch, with the earlier session's model and policy where the command line names none."""
    known: dict[str, str | int] = {"model": resumed.model, "policy": resumed.policy}
    known["index_budget"] = resumed.index_budget
    if resumed.model == RECORDED or launch.replay_from is not None:
        del known["model"]
    taken = {name: value for name, value in known.items() if value and name not in launch.chosen}
    return replace(launch, settings=launch.settings.model_copy(update=taken))


def _where_it_worked(launch: Launch, resumed: Resumed) -> tuple[Launch, str]:
    """The launch in the session's own folder: record and undo never span two. What is said of it.

    Raises BadUsage where the session was never there, or its worktree is gone.
    """
    root, name = work_root(launch.root), resumed.session_id
    worktree = resumed.worktree(launch.places.data, root)
    if worktree is None:
        if launch.worktree and resumed.root:
            way_out = "leave out --worktree, or start a new session with it"
            raise BadUsage(f"session {name} worked in {root}, in no worktree", way_out)
        return launch, IN_WORKTREE
    if worktree.is_dir():
        return replace(launch, worktree=True), "goes on in its worktree"
    if not launch.worktree:
        raise BadUsage(
            f"session {name} worked in the worktree {worktree}, which is gone",
            "start a new session, or, with its branch gone too, add --worktree to make it anew; "
            f"aoci-agent rewind -r {name} --into FOLDER writes its files out",
        )
    return launch, "its worktree was gone, and is made anew of HEAD, without what it held:"


def _material_for(
    launch: Launch, bench: Bench, material: Material, terms: Terms
) -> Callable[[str], Material]:
    """The material by a model's name, rendered again when it wants tags where this has none, or not."""
    settings = launch.settings
    known = {shows_tags(settings, settings.model): material}

    def for_model(name: str) -> Material:
        tags = shows_tags(settings, name)
        if tags not in known:
            rendered = terms.index(bench.rendered(settings.index_budget, tags=tags))
            known[tags] = replace(material, index=rendered if rendered.total else None)
        return known[tags]

    return for_model


def choose_model(launch: Launch, name: str) -> Model:
    """The client for a model name; without a name and without a recording, the model that explains itself."""
    if not name and launch.replay_from is None:
        return NoModel()
    settings = launch.settings
    return open_model(
        name,
        launch.env,
        ModelSettings(
            call_style=settings.call_style,
            prices={model: price.model_dump() for model, price in settings.prices.items()},
            state_dir=launch.places.data,
            record_to=launch.record_to,
            replay_from=launch.replay_from,
            replay_pace=launch.pace,
            long_prefix=settings.cache_hour,
        ),
    )


def _budget(launch: Launch) -> Budget:
    """The limits of the settings, and the day's ledger of this user."""
    settings = launch.settings
    limits = Limits(
        *(settings.max_steps, settings.max_tokens, settings.max_cost, settings.max_time),
        turn_steps=settings.turn_steps,
        day_cost=settings.day_max_cost,
        day_tokens=settings.day_max_tokens,
    )
    return Budget(limits, Spending(launch.places.data / "spending"))


def _recorder(launch: Launch, bench: Bench, session_id: str, mask: Mask) -> Recorder:
    if not launch.keep_record:
        return NoRecord()
    return SessionRecord(_records(launch, bench) / f"{session_id}.jsonl", mask)


def _records(launch: Launch, bench: Bench) -> Path:
    """Where the records of this repository's sessions are kept; those in a worktree lie there too."""
    folder = launch.folder or bench.workspace.root
    return launch.places.data / "sessions" / launch.places.project(folder)
