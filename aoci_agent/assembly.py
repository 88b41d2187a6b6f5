"""The one place that builds everything; nothing else constructs its own dependencies."""

import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from aoci_agent import __version__
from aoci_agent.agent.approval import Approver
from aoci_agent.agent.budget import Budget
from aoci_agent.agent.conversation import Conversation
from aoci_agent.agent.dispatch import Dispatcher
from aoci_agent.agent.events import SessionStarted
from aoci_agent.agent.explored import explored_in
from aoci_agent.agent.finding import Finder
from aoci_agent.agent.freshness import Freshness, unchanged
from aoci_agent.agent.limits import Limits
from aoci_agent.agent.loop import Agent
from aoci_agent.agent.models.catalog import ModelSettings, open_model
from aoci_agent.agent.models.model import Model
from aoci_agent.agent.no_model import NoModel
from aoci_agent.agent.offer import Offer
from aoci_agent.agent.permissions import Permissions
from aoci_agent.agent.prompts import render as render_prompt
from aoci_agent.agent.record import NoRecord, Recorder, SessionRecord
from aoci_agent.agent.resume import RECORDED, Resumed, read
from aoci_agent.agent.session import Knowledge, Session, build_prefix
from aoci_agent.agent.spending import Spending
from aoci_agent.agent.toolbox import Toolbox
from aoci_agent.bench import Bench, Launch, Progress
from aoci_agent.config import shows_tags
from aoci_agent.policies.catalog import policy_named
from aoci_agent.policies.policy import Material
from aoci_agent.tools.registry import builtin_tools


def open_session(launch: Launch, approver: Approver, progress: Progress | None = None) -> Session:
    """Everything of a session, in order: repository, index, tools, model, agent, record. May take seconds."""
    if launch.resume is None:
        return _built(launch, approver, progress)
    # Held from before it is read: nobody appends to what is taken for its end.
    recorder: Recorder = SessionRecord(launch.resume) if launch.keep_record else NoRecord()
    try:
        resumed = read(launch.resume)
        return _built(_going_on(launch, resumed), approver, progress, (recorder, resumed))
    except BaseException:
        recorder.close()
        raise


def _built(
    launch: Launch,
    approver: Approver,
    progress: Progress | None,
    earlier: tuple[Recorder, Resumed] | None = None,
) -> Session:
    settings = launch.settings
    bench = Bench(launch)
    policy = policy_named(settings.policy)
    tags = shows_tags(settings, settings.model)
    rendered = bench.index(settings.index_budget, progress, tags=tags)
    material = Material(render_prompt("rules"), rendered if rendered.total else None)
    spill = bench.cache / "output"
    lookups = bench.lookups()
    toolbox = Toolbox(builtin_tools(bench.workspace, bench.store, spill, lookups))
    permissions = Permissions(settings.mode)
    annotate = Freshness(bench.store) if material.index else unchanged
    prefix = build_prefix(toolbox.schemas, policy, material)
    model = choose_model(launch, settings.model)
    if earlier:
        recorder, session_id = earlier[0], earlier[1].session_id
    else:
        session_id = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"
        recorder = _recorder(launch, bench, session_id)
    agent = Agent(
        model,
        Conversation(prefix, policy),
        Dispatcher(toolbox, permissions, approver, annotate),
        recorder,
        _budget(launch),
        settings.compaction,
    )
    started = SessionStarted(
        session_id=session_id,
        root=str(bench.workspace.root),
        model=model.name,
        policy=policy.name,
        mode=settings.mode,
        commit=bench.commit,
        prefix_id=prefix.content_id,
        index_id=rendered.content_id if material.index else "",
        index_status=rendered.status if material.index else "no index",
        version=__version__,
        branch=bench.repository.branch() if bench.repository else "",
        index_budget=settings.index_budget,
    )
    session = Session(
        agent,
        permissions,
        Knowledge(
            *(material, bench.store, _material_for(launch, bench, material), bench),
            *(Finder(lookups), Offer(bench.store), lambda: explored_in(_records(launch, bench))),
        ),
        lambda name: choose_model(launch, name),
        recorder,
        started,
    )
    if earlier is not None:
        session.go_on(earlier[1])
    return session


def _going_on(launch: Launch, resumed: Resumed) -> Launch:
    """The launch, with the earlier session's model and policy where the command line names none."""
    known: dict[str, str | int] = {"model": resumed.model, "policy": resumed.policy}
    known["index_budget"] = resumed.index_budget
    if resumed.model == RECORDED or launch.replay_from is not None:
        del known["model"]
    taken = {name: value for name, value in known.items() if value and name not in launch.chosen}
    return replace(launch, settings=launch.settings.model_copy(update=taken))


def _material_for(launch: Launch, bench: Bench, material: Material) -> Callable[[str], Material]:
    """The material by a model's name, rendered again when it wants tags where this has none, or not."""
    settings = launch.settings
    known = {shows_tags(settings, settings.model): material}

    def for_model(name: str) -> Material:
        tags = shows_tags(settings, name)
        if tags not in known:
            rendered = bench.rendered(settings.index_budget, tags=tags)
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


def _recorder(launch: Launch, bench: Bench, session_id: str) -> Recorder:
    if not launch.keep_record:
        return NoRecord()
    return SessionRecord(_records(launch, bench) / f"{session_id}.jsonl")


def _records(launch: Launch, bench: Bench) -> Path:
    """Where the records of this repository's sessions are kept."""
    return launch.places.data / "sessions" / launch.places.project(bench.workspace.root)
