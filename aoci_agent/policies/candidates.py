"""Blocks of code delivered with a question: ranked, without overlaps, frozen (CodeNib C3)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

HOW_MANY = 10
_MOST_LINES = 150  # of one block shown whole; more are left to the read tool
_FIRST = 4  # non-blank lines of a snippet, as the peer's code sends
HEADING = "Candidate places for this request, ranked by a program that has not understood it:"
_ADVICE = (
    "Look at the best one or two first. If one fits, go on from there; search only when none does."
)


class Form(StrEnum):
    """How a block is shown: whole, as the paper says, or by its first lines, as the peer's code does."""

    BLOCKS = "blocks"
    SNIPPETS = "snippets"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One block of the repository. Lines count from 1, both ends belong to it."""

    path: str
    start: int
    end: int
    text: str
    symbol: str = ""


def apart(ranked: Iterable[Candidate], most: int = HOW_MANY) -> tuple[Candidate, ...]:
    """The first ones that share no line with a better one and are no copy of one (built files hold many)."""
    kept: list[Candidate] = []
    texts: set[str] = set()
    for one in ranked:
        if len(kept) == most:
            break
        text = " ".join(one.text.split())
        if text in texts or any(_overlap(one, better) for better in kept):
            continue
        kept.append(one)
        texts.add(text)
    return tuple(kept)


def delivered(candidates: Sequence[Candidate], form: Form) -> str:
    """The text that goes with the question; "" without candidates."""
    if not candidates:
        return ""
    shown = [_shown(place, one, form) for place, one in enumerate(candidates, 1)]
    return "\n".join((HEADING, *shown, _ADVICE))


def _overlap(one: Candidate, other: Candidate) -> bool:
    return one.path == other.path and one.start <= other.end and other.start <= one.end


def _shown(place: int, one: Candidate, form: Form) -> str:
    name = f" {one.symbol}" if one.symbol else ""
    lines = one.text.splitlines()
    if form is Form.SNIPPETS:
        kept = [line for line in lines if line.strip()][:_FIRST]
        left = ""
    else:
        kept = lines[:_MOST_LINES]
        left = f"\n    [{len(lines) - len(kept)} more lines]" if len(lines) > len(kept) else ""
    body = "\n".join(f"    {line}".rstrip() for line in kept)
    return f"{place}. {one.path}:{one.start}-{one.end}{name}\n{body}{left}"
