"""What a function does, step by step: the calls that lead elsewhere, tables, events, errors, answers.

One pass over a file's text serves all its functions; the steps of each are those between its first
and last line. Names are those of the source, so that a reader finds them again.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from aoci_agent.aoci.facts import common, prose
from aoci_agent.aoci.facts.language import Captures
from aoci_agent.aoci.facts.steps import Names, steps_of

MAX_STEPS = 14
MAX_FUNCTIONS = 60
_LEAST_LINES = 3
_FEW = 5  # steps below which comments tell more than calls


class Span(NamedTuple):
    """A function's lines, from 0, the last one included. `name` is `Owner.method` for a method."""

    name: str
    first: int
    last: int


def spans_of(found: Captures) -> list[Span]:
    """The functions and methods among a file's captures, each with the lines its node covers."""
    spans: dict[tuple[int, str], Span] = {}
    for captured in found:
        whole = captured.get("at")
        kind = next((k for k in ("method", "function", "constant") if k in captured), "")
        if whole is None or not kind:
            continue
        last = whole.line + whole.data.count(b"\n", whole.start, whole.end)
        owner = captured.text("owner")
        name = f"{owner}.{captured.text(kind)}" if owner else captured.text(kind)
        if last - whole.line + 1 >= _LEAST_LINES:
            spans[whole.line, name] = Span(name, whole.line, last)
    return sorted(spans.values(), key=lambda span: (span.first, -span.last))


def flows(code: str, spans: Sequence[Span], names: Names, text: str = "") -> tuple[str, ...]:
    """`function: step, step` for every function with a step worth telling.

    `code` is the text without comments, line by line; numbered comments of `text` are steps too.
    """
    if not spans:
        return ()
    spans = sorted(spans, key=lambda span: (span.first, -span.last))
    starts = [span.first for span in spans]
    done = _by_span(spans, starts, _numbered(code, steps_of(code, names)))
    said = _by_span(spans, starts, _outline(text))
    steps = [_told(*pair) for pair in zip(done, said, strict=True)]
    usual = _usual(steps)
    told = (
        f"{span.name}: {', '.join(kept)}"
        for span, taken in zip(spans, steps, strict=True)
        if (kept := _without_own(span.name, taken, usual))
    )
    return common.unique(told, MAX_FUNCTIONS)


def _by_span(
    spans: Sequence[Span], starts: Sequence[int], items: Iterable[tuple[int, str]]
) -> list[list[tuple[int, str]]]:
    """The items of each span, by its innermost."""
    found: list[list[tuple[int, str]]] = [[] for _ in spans]
    for line, step in items:
        at = bisect_right(starts, line) - 1
        while at >= 0 and spans[at].last < line:  # past its end: perhaps inside the one around it
            at -= 1
        if at >= 0:
            found[at].append((line, step))
    return found


def _told(done: Sequence[tuple[int, str]], said: Sequence[tuple[int, str]]) -> list[str]:
    """What a function does; what its comments announce where its calls say little."""
    both = sorted([*said, *done], key=_line) if len(done) <= _FEW else done
    return [step for _, step in both]


def _usual(steps: Sequence[Sequence[str]]) -> set[str]:
    """How most functions of a file fail, which says nothing about one of them."""
    kinds = Counter(
        kind
        for taken in steps
        for kind in {" ".join(s.split()[:2]) for s in taken if s[:7] == "throws "}
    )
    busy = sum(1 for taken in steps if taken)
    return {k for k, n in kinds.items() if busy >= 4 and n * 2 >= busy and '"' not in k}


_NUMBERED = re.compile(
    r"^[ \t]*(?://|\#|/\*+|\*)[ \t]*(?:[Ss]tep[ \t]*|=+[ \t]*)?\d{1,2}(?:\.\d)?[.)、:\uff1a\uff09]+[ \t]*([^\n]{4,90})",
    re.MULTILINE,
)


def _line(item: tuple[int, str]) -> int:
    return item[0]


def _numbered(text: str, items: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Positions, which rise, as line numbers, from 0."""
    numbered: list[tuple[int, str]] = []
    line = last = 0
    for position, item in items:
        line += text.count("\n", last, position)
        last = position
        numbered.append((line, item))
    return numbered


def _outline(text: str) -> list[tuple[int, str]]:
    """What numbered comments announce, without what would read as a step of its own."""
    found = ((match.start(1), _said_shortly(match[1])) for match in _NUMBERED.finditer(text))
    return _numbered(
        text, [(at, said) for at, said in found if said and not prose.says_nothing(said)]
    )


def _said_shortly(said: str) -> str:
    bare = (
        re.sub(r"[\s=*/—-]*$|\([^)]*\)|\uff08[^\uff09]*\uff09", "", said)
        .replace(",", "")
        .replace(":", "")
    )
    return prose.cut(bare.strip(), 40) if len(bare) > 3 else ""


def _without_own(name: str, steps: Iterable[str], usual: set[str]) -> list[str]:
    own = name.rpartition(".")[2]
    kept = (s for s in dict.fromkeys(steps) if s != own and " ".join(s.split()[:2]) not in usual)
    return list(kept)[:MAX_STEPS]
