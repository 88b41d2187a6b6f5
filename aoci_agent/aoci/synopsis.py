"""S: facts found in the code, the most telling first."""

import re
from collections.abc import Sequence

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.prose import cut
from aoci_agent.aoci.surroundings import Subject, told_by
from aoci_agent.aoci.wordset import wordset

_SHOWN_LITERAL = 40
# What may be a credential never reaches the prompt: by the name, or by the look of the value.
_SECRET = re.compile(
    r"^\w*(?:secret|token|passw|passwd|api_?key|private|credential)\w*=[rbf]?[\"']"
    r"|=[rbf]?[\"'](?=[\w+/=.-]*\d)(?=[\w+/=.-]*[a-zA-Z])[\w+/=.-]{20,}[\"']\Z",
    re.IGNORECASE,
)
_COMMON_ERRORS = wordset(
    "NotImplementedError ImportError AssertionError StopIteration SystemExit AttributeError KeyError"
    " IndexError TypeError ValueError RuntimeError Exception"
)


def synopsis_of(subject: Subject, told: str) -> list[str]:
    """Grounded facts, the most telling first; `told` is F, not to be said twice."""
    facts, layer, level = subject.facts, subject.layer, subject.level
    items = list(facts.notes)
    if layer == "M":
        items += facts.shapes[:12]
    if "showing" not in told and layer != "T":
        items += _listed("shows", facts.texts, 6)
    items += _listed("tables", facts.tables, 8)
    items += _listed("", facts.events, 6)
    items += _listed("calls", facts.calls, 8)
    items += _listed("raises", _telling(facts.raises), 6)
    items += _listed("uses", _outside(subject), 5)
    if layer != "M":
        items += [shape for shape in facts.shapes if ":" in shape][:3]
    plain = [item for item in facts.constants if not _SECRET.search(item)]
    items += [cut(item, _SHOWN_LITERAL) for item in plain[:6]]
    if level >= 5:
        said = [s for s in subject.ranked[:8] if s.doc and s.doc[:30] not in told]
        items += [cut(told_by(symbol), 100) for symbol in said]
    if layer not in "MRH" and level >= 7:
        items += _records(facts)[:4]
    return [*items, facts.problem] if facts.problem else items


def _listed(word: str, items: Sequence[str], limit: int) -> list[str]:
    return [f"{word} {', '.join(items[:limit])}".strip()] if items else []


def _telling(raised: Sequence[str]) -> list[str]:
    """Errors of the project's own first; a bare NotImplementedError says nothing."""
    own = [name for name in raised if name not in _COMMON_ERRORS]
    return own or [name for name in raised if name in ("ValueError", "TypeError", "RuntimeError")]


def _outside(subject: Subject) -> list[str]:
    if subject.layer == "T":
        return []
    rare = [name for name in subject.outside if name not in subject.around.everywhere]
    return sorted(rare, key=lambda name: (-subject.outside[name], name))


def _records(facts: Facts) -> list[str]:
    """Shapes that carry data: a type with methods is shown by what it offers instead."""
    active = {symbol.owner for symbol in facts.symbols if symbol.owner}
    return [
        shape
        for shape in facts.shapes
        if "{" in shape and shape[:1].isupper() and shape.split("{")[0] not in active
    ]
