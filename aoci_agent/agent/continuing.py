"""Going on with an earlier session: its state put into the new agent, and what is to be said of it."""

import time
from collections.abc import Sequence

from aoci_agent.agent.events import Notice
from aoci_agent.agent.forecast import Sent
from aoci_agent.agent.loop import Agent
from aoci_agent.agent.models.model import Request
from aoci_agent.agent.resume import Resumed
from aoci_agent.policies.conversation import Message
from aoci_agent.policies.pinned import Notebook


def go_on(agent: Agent, resumed: Resumed) -> tuple[Notice, ...]:
    """Put conversation, facts, sums and gauge into the agent. Returns what a person should know.

    Permissions are no part of it: the mode is what the command line says now (never wider by
    something that was written down).
    """
    agent.conversation.restore(resumed.messages, resumed.notebook)
    agent.meter.records.extend(resumed.steps)
    agent.meter.session = resumed.totals
    agent.budget.resume(resumed.seconds)
    same = agent.conversation.prefix.content_id == resumed.prefix_id
    same_model = agent.model.name == resumed.model
    if same_model:
        _remember(agent, resumed, same=same)
    return tuple(_told(agent, resumed, same=same, same_model=same_model))


def take_up(agent: Agent, messages: Sequence[Message]) -> None:
    """Put an earlier conversation of the same session back: facts of what came later are forgotten."""
    notebook = Notebook()
    notebook.saw(messages)
    agent.conversation.restore(messages, notebook)
    agent.meter.sent = None


def _remember(agent: Agent, resumed: Resumed, *, same: bool) -> None:
    """How the provider counts, and where the same request would begin again, what it said of it."""
    last = resumed.last
    if last is None or not resumed.local:
        return
    agent.compaction.scale.learn(agent.model.name, resumed.local, last.usage)
    if same and resumed.sent is not None and last.finish != "cut":
        conversation = agent.conversation
        request = Request(conversation.prefix, conversation.messages[: resumed.sent])
        parts, pieces = agent.meter.parts(request), agent.meter.pieces(request)
        then = time.monotonic() - max(0.0, time.time() - resumed.at)
        agent.meter.sent = Sent(pieces, parts, last.usage, agent.model.name, then)


def _told(agent: Agent, resumed: Resumed, *, same: bool, same_model: bool) -> list[Notice]:
    turns = "1 turn" if resumed.turns == 1 else f"{resumed.turns:,} turns"
    told = [Notice(f"going on with session {resumed.session_id}: {turns}, {_steps(resumed)}")]
    if resumed.turns and not resumed.messages:
        told.append(Notice("its record holds no conversation: cleared, or of an older version"))
    if resumed.prefix_id and not same:
        now = agent.conversation.prefix.content_id
        told.append(
            Notice(
                "rules, tools, index or policy are not those of the session: what follows the "
                "first difference is sent anew "
                f"(prefix {resumed.prefix_id}, now {now})"
            )
        )
    if resumed.model and not same_model:
        told.append(Notice(f"the session's model was {resumed.model}: no cache of it is used"))
    if resumed.turns and resumed.ended in ("", "interrupted"):
        told.append(Notice("its last turn was interrupted before it came to its end"))
    if resumed.torn:
        told.append(Notice(f"{resumed.path}: {resumed.torn}", "warning"))
    if resumed.unread:
        lines = "1 line" if resumed.unread == 1 else f"{resumed.unread} lines"
        told.append(
            Notice(
                f"{lines} of {resumed.path} could not be read; nothing in the file was changed, "
                "the rest of the conversation is here",
                "warning",
            )
        )
    if resumed.dropped:
        told.append(
            Notice(
                f"{resumed.dropped} results without their call stay in the record only", "warning"
            )
        )
    if resumed.closed:
        calls = "1 call" if resumed.closed == 1 else f"{resumed.closed} calls"
        told.append(Notice(f"{calls} had not ended: the model is told so"))
    return told


def _steps(resumed: Resumed) -> str:
    count = resumed.totals.steps
    return "1 step" if count == 1 else f"{count:,} steps"
