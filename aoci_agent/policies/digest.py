"""The earlier part of a conversation as one message: the person's words, what was answered, the facts."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from aoci_agent.policies.conversation import AssistantMessage, Message, UserMessage

Count = Callable[[str], int]

_HEADING = (
    "[Earlier in this session; the messages themselves were cut to save room. The requests are word "
    "for word unless marked. Each had its turn: take one up again only when the user says so.]"
)
_STATE = "[What a program wrote down of it; this stands as it is said here:]"
_SUMMARY = "[Summary of it:]"
_ANSWER = 400  # characters kept of each thing the model said
_LINE = 160  # characters of a request's first line
_CUT = " [... the rest of this request was cut]"


@dataclass(frozen=True, slots=True)
class Past:
    """One request and what was said to it, oldest first. `asked` is "" while its message still stands below."""

    asked: str
    answered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Digest(UserMessage):
    """Stands first in a conversation, in place of what it tells. Sent as a message of the harness.

    `text` is made of the other fields, which are kept so that a later digest can go on from them.
    """

    past: tuple[Past, ...] = ()
    left_out: int = 0  # requests of which nothing is shown
    summary: str = ""  # of what was said before `past`, written by a model
    pinned: str = ""


@dataclass(frozen=True, slots=True)
class Shares:
    """Tokens of a digest that each of its parts may take."""

    words: int
    answers: int


def digest_of(messages: Iterable[Message], pinned: str) -> Digest:
    """All of these messages; a digest among them is gone on from. Words and answers are not bounded yet."""
    past: list[Past] = []
    left_out, summary = 0, ""
    for message in messages:
        match message:
            case Digest():
                past += message.past
                left_out += message.left_out
                summary = message.summary
            case UserMessage(harness=False):
                words = message.question or message.text
                if past and not past[-1].asked:
                    past[-1] = replace(past[-1], asked=words)
                else:
                    past.append(Past(words))
            case AssistantMessage(text=text) if text.strip():
                last = past.pop() if past else Past("")
                past.append(Past(last.asked, (*last.answered, _shortened(text.strip()))))
            case _:
                pass
    made = Digest("", harness=True, past=tuple(past), left_out=left_out, summary=summary)
    return told(made, pinned)


def opened(digest: Digest) -> Digest:
    """The newest request's own message stands below the digest: only what was said to it stays here."""
    *before, last = digest.past
    rest = (Past("", last.answered),) if last.answered else ()
    return told(replace(digest, past=(*before, *rest)), digest.pinned)


def told(digest: Digest, pinned: str) -> Digest:
    """The digest with its text made anew."""
    lines = [_HEADING]
    if digest.summary:
        lines.append(f"{_SUMMARY}\n{digest.summary}")
    if digest.left_out:
        lines.append(f"[{digest.left_out} more requests are not shown]")
    for one in digest.past:
        said = "\n".join(f"You: {text}" for text in one.answered)
        asked = f"User: {one.asked}" if one.asked else ""
        lines.append("\n".join(part for part in (asked, said) if part))
    if pinned:
        lines.append(f"{_STATE}\n{pinned}")
    return replace(digest, text="\n\n".join(lines), pinned=pinned)


def answers_of(digest: Digest) -> str:
    """Everything in it that a model said, also the summary."""
    said = [text for one in digest.past for text in one.answered]
    return "\n".join((digest.summary, *said) if digest.summary else said)


def summarised(digest: Digest, summary: str) -> Digest:
    """A model's summary in place of the earlier one and of what was said, the very last words kept."""
    past = [Past(one.asked) for one in digest.past if one.asked]
    last = digest.past[-1].answered[-1:] if digest.past else ()
    if last and digest.past[-1].asked:
        past[-1] = Past(past[-1].asked, last)
    elif last:
        past.append(Past("", last))
    return told(replace(digest, summary=summary, past=tuple(past)), digest.pinned)


def bounded(digest: Digest, shares: Shares, count: Count) -> Digest:
    """Within its shares: the oldest answers go first; the oldest requests keep their first line, then go.

    The first request of all keeps its first line to the end.
    """
    past, gone = _words_within(list(digest.past), shares.words, count)
    past = _answers_within(past, shares.answers - count(digest.summary), count)
    made = replace(digest, past=tuple(past), left_out=digest.left_out + gone)
    return digest if made == digest else told(made, digest.pinned)


def _words_within(past: list[Past], room: int, count: Count) -> tuple[list[Past], int]:
    sizes = [count(one.asked) for one in past]
    over = sum(sizes) - room
    for at, one in enumerate(past):
        if over <= 0:
            break
        short = _first_line(one.asked)
        size = count(short)
        if size < sizes[at]:
            past[at] = replace(one, asked=short)
            over -= sizes[at] - size
            sizes[at] = size
    gone = 0
    while over > 0 and len(past) - gone > 1:
        over -= sizes[1 + gone]
        gone += 1
    return [past[0], *past[1 + gone :]] if gone else past, gone


def _answers_within(past: list[Past], room: int, count: Count) -> list[Past]:
    kept: list[Past] = []
    for one in reversed(past):
        said: list[str] = []
        for text in reversed(one.answered):
            room -= count(text)
            if room < 0:
                break
            said.append(text)
        kept.append(Past(one.asked, tuple(reversed(said))))
    return [one for one in reversed(kept) if one.asked or one.answered]


def _first_line(words: str) -> str:
    if words.endswith(_CUT):
        return words
    first = next((line for line in words.splitlines() if line.strip()), "").strip()
    return words if first == words else f"{first[:_LINE].rstrip()}{_CUT}"


def _shortened(text: str) -> str:
    """Both ends: a reply begins with what it found and ends with what it concludes."""
    if len(text) <= _ANSWER:
        return text
    return f"{text[: _ANSWER // 2].rstrip()} [...] {text[-_ANSWER // 2 :].lstrip()}"
