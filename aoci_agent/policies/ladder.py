"""What goes first when a conversation no longer fits: old outputs, then old steps, never the person's words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from aoci_agent.base import tokens
from aoci_agent.policies.conversation import AssistantMessage, Message, ToolMessage, UserMessage
from aoci_agent.policies.digest import Digest, digest_of, opened
from aoci_agent.policies.pinned import CHANGE

Size = Callable[[Message], int]
Messages = tuple[Message, ...]

KEPT = 4  # newest tool outputs that stay whole while anything else can go
_HEAD = 160  # characters of an output's first line that stay
_DROPPED = "[output dropped to save room; call again if it is still needed]"
_BLOCKS = "[the blocks that came with this request were dropped to save room]"
_LEAST = 60  # tokens an output that must be cut keeps


@dataclass(frozen=True, slots=True)
class Digested:
    """A conversation whose beginning became a digest. `opening` is where the running turn begins now."""

    messages: Messages
    opening: int | None


def size_of(messages: Sequence[Message], size: Size) -> int:
    """Tokens of them all."""
    return sum(map(size, messages))


def shrink(messages: Messages, goal: int, size: Size, opening: int | None = None) -> Messages:
    """Old tool outputs and old delivered blocks become notes, oldest first, until all is within `goal`.

    The newest outputs stay, and so do the newest list of what is to be done and the blocks of the
    running turn. The same messages when that is enough already.
    """
    over = size_of(messages, size) - goal
    if over <= 0:
        return messages
    made = list(messages)
    for at in _old(messages, opening):
        smaller = _noted(messages[at])
        gain = size(messages[at]) - size(smaller)
        if gain > 0:
            made[at] = smaller
            over -= gain
        if over <= 0:
            break
    return tuple(made)


def first_kept(messages: Messages, goal: int, size: Size, opening: int | None) -> int:
    """Where the part begins that stays when the rest is digested: the newest steps within `goal` tokens.

    A step (a reply and its results) stays whole. The newest one stays whatever its size while a turn
    runs, with what the harness said to it: the model has not seen its results.
    """
    starts = [at for at, m in enumerate(messages) if not isinstance(m, ToolMessage | Digest)]
    replies = [at for at in starts if isinstance(messages[at], AssistantMessage)]
    newest = replies[-1] if opening is not None and replies else len(messages)
    kept, room = len(messages), goal
    for at in reversed(starts):
        if at == opening:
            continue
        room -= size_of(messages[at:kept], size)
        if room < 0 and (at < newest or opening is None or at < opening):
            break
        kept = at
    return kept


def digest(messages: Messages, kept: int, opening: int | None, pinned: str) -> Digested:
    """Everything before `kept` as a digest, the message that opened the running turn behind it."""
    made = digest_of(messages[:kept], pinned)
    if opening is None or opening >= kept:
        return Digested((made, *messages[kept:]), None if opening is None else opening - kept + 1)
    return Digested((opened(made), messages[opening], *messages[kept:]), 1)


def cut_newest(messages: Messages, goal: int, size: Size) -> Messages:
    """The largest outputs that are left are cut in their middle until all is within `goal`.

    Last of all the delivered blocks go, also those of the running turn.
    """
    made = list(messages)
    over = size_of(made, size) - goal
    places = [at for at, m in enumerate(made) if isinstance(m, ToolMessage)]
    for at in sorted(places, key=lambda at: (-size(made[at]), at)):
        if over <= 0:
            break
        message = made[at]
        most = max(_LEAST, size(message) - over - _LEAST)
        smaller = replace(message, text=tokens.cut_middle(message.text, most).text)
        if isinstance(message, ToolMessage) and size(smaller) < size(message):
            over -= size(message) - size(smaller)
            made[at] = smaller
    for at, message in enumerate(made):
        if over > 0 and isinstance(message, UserMessage) and message.question:
            smaller = _without_blocks(message)
            if size(smaller) < size(message):
                over -= size(message) - size(smaller)
                made[at] = smaller
    return tuple(made)


def _old(messages: Messages, opening: int | None) -> list[int]:
    """Places of what may become a note, oldest first."""
    outputs = [at for at, m in enumerate(messages) if isinstance(m, ToolMessage)]
    todo = [at for at in outputs if messages[at].text and _is_todo(messages[at])][-1:]
    staying = {*outputs[max(0, len(outputs) - KEPT) :], *todo}
    newest = max((at for at, m in enumerate(messages) if _asks(m)), default=None)
    blocks = [
        at
        for at, m in enumerate(messages)
        if isinstance(m, UserMessage) and m.candidates and at not in (opening, newest)
    ]
    return sorted({*outputs, *blocks} - staying)


def _is_todo(message: Message) -> bool:
    return isinstance(message, ToolMessage) and message.name == "todo" and message.ok


def _asks(message: Message) -> bool:
    return isinstance(message, UserMessage) and not message.harness


def _noted(message: Message) -> Message:
    """The message without what can be found again."""
    match message:
        case ToolMessage():
            return message if message.text.endswith(_DROPPED) else _without_output(message)
        case UserMessage(candidates=candidates) if candidates:
            return _without_blocks(message)
        case AssistantMessage() | UserMessage():
            return message


def _without_blocks(message: UserMessage) -> UserMessage:
    parts = (message.question, _BLOCKS, message.note)
    return replace(message, text="\n\n".join(part for part in parts if part), candidates="")


def _without_output(message: ToolMessage) -> ToolMessage:
    lines = message.text.splitlines()
    head = lines[0][:_HEAD] if lines else ""
    changes = [line for line in lines[1:] if message.changed and line.startswith(CHANGE)]
    check = ""
    if message.check is not None:
        check = f"{message.check.command}: {'passed' if message.check.passed else 'failed'}"
    text = "\n".join(part for part in (head, check, *changes, _DROPPED) if part)
    return replace(message, text=text)
