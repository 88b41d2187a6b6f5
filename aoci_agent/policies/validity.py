"""Whether a conversation can be sent: every call has its one answer, right behind it."""

from collections.abc import Collection, Sequence

from aoci_agent.policies.conversation import AssistantMessage, Message, ToolCall, ToolMessage

INTERRUPTED = "Interrupted before it finished."
NOT_STARTED = "Interrupted: not started."
STARTED = (
    "Interrupted: it had been started and may have taken effect; look before running it again."
)


def mended(
    messages: Sequence[Message], started: Collection[str] | None = None
) -> tuple[Message, ...]:
    """The conversation with every call answered exactly once, in the order of the calls.

    What a call without an answer gets says that it was interrupted; answers without a call are left
    out. The same messages when nothing was wrong. `started` are the ids of the calls of the newest
    reply that were started; None where that is not known.
    """
    made: list[Message] = []
    calls: tuple[ToolCall, ...] = ()
    answers: list[ToolMessage] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            answers.append(message)
            continue
        made += _answered(calls, answers)
        made.append(message)
        calls = message.calls if isinstance(message, AssistantMessage) else ()
        answers = []
    return (*made, *_answered(calls, answers, started))


def _answered(
    calls: Sequence[ToolCall], answers: list[ToolMessage], started: Collection[str] | None = None
) -> list[ToolMessage]:
    """One answer for each call. Two calls of one id, as some servers write them, have one each."""
    made: list[ToolMessage] = []
    for call in calls:
        found = next((one for one in answers if one.call_id == call.id), None)
        if found is not None:
            answers.remove(found)
        made.append(found or unanswered(call, started))
    return made


def unanswered(call: ToolCall, started: Collection[str] | None = None) -> ToolMessage:
    """The answer to a call that never got one."""
    text = INTERRUPTED
    if started is not None:
        text = STARTED if call.id in started else NOT_STARTED
    return ToolMessage(call.id, call.name, text, ok=False)
