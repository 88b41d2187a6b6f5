"""Whether a conversation can be sent: every call has its one answer, right behind it."""

from collections.abc import Sequence

from aoci_agent.policies.conversation import AssistantMessage, Message, ToolCall, ToolMessage

INTERRUPTED = "Interrupted before it finished."


def mended(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The conversation with every call answered exactly once, in the order of the calls.

    What a call without an answer gets says that it was interrupted; answers without a call are left
    out. The same messages when nothing was wrong.
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
    return (*made, *_answered(calls, answers))


def _answered(calls: Sequence[ToolCall], answers: list[ToolMessage]) -> list[ToolMessage]:
    """One answer for each call. Two calls of one id, as some servers write them, have one each."""
    made: list[ToolMessage] = []
    for call in calls:
        found = next((one for one in answers if one.call_id == call.id), None)
        if found is not None:
            answers.remove(found)
        made.append(found or unanswered(call))
    return made


def unanswered(call: ToolCall) -> ToolMessage:
    """The answer to a call that never got one."""
    return ToolMessage(call.id, call.name, INTERRUPTED, ok=False)
