"""What to drop first when a request no longer fits: old tool outputs, never words of the person."""

from dataclasses import replace

from aoci_agent.policies.conversation import Message, ToolMessage

DROPPED = "[output dropped to fit the context window; call again if it is still needed]"


def drop_old_outputs(messages: tuple[Message, ...], keep: int = 4) -> tuple[Message, ...] | None:
    """Replace all but the newest `keep` tool outputs by a short note; None when nothing is left to drop.

    Call and result pairs stay intact, so the request stays valid.
    """
    places = [i for i, m in enumerate(messages) if isinstance(m, ToolMessage) and m.text != DROPPED]
    old = set(places[: max(0, len(places) - keep)])
    worth = [i for i in old if len(_text(messages[i])) > len(DROPPED)]
    if not worth:
        return None
    return tuple(
        replace(m, text=DROPPED) if isinstance(m, ToolMessage) and i in worth else m
        for i, m in enumerate(messages)
    )


def _text(message: Message) -> str:
    return message.text
