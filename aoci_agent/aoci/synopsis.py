"""S: facts found in the code, the most telling first."""

import re
from collections.abc import Sequence

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.prose import cut
from aoci_agent.aoci.surroundings import Surroundings, ranked_symbols
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


def synopsis_of(path: str, around: Surroundings, level: int, layer: str, told: str) -> list[str]:
    """Grounded facts, the most telling first; `told` is F, not to be said twice."""
    facts = around.world[path]
    items = list(facts.notes)
    if layer == "M":
        items += facts.shapes[:12]
    if facts.texts and "showing" not in told:
        items.append(f"shows {', '.join(facts.texts[:6])}")
    items += _listed("tables", facts.tables, 8)
    items += _listed("", facts.events, 6)
    items += _listed("calls", facts.calls, 8)
    items += _listed("raises", _telling(facts.raises), 6)
    items += _listed("uses", _outside(path, around, layer), 5)
    if layer != "M":
        items += [shape for shape in facts.shapes if ":" in shape][:3]
    plain = [item for item in facts.constants if not _SECRET.search(item)]
    items += [cut(item, _SHOWN_LITERAL) for item in plain[:6]]
    if level >= 5:
        items += _said(path, around, told)
    if layer not in "MRH" and level >= 7:
        items += _records(facts)[:4]
    return [*items, facts.problem] if facts.problem else items


def _listed(word: str, items: Sequence[str], limit: int) -> list[str]:
    return [f"{word} {', '.join(items[:limit])}".strip()] if items else []


def _telling(raised: Sequence[str]) -> list[str]:
    """Errors of the project's own first; a bare NotImplementedError says nothing."""
    own = [name for name in raised if name not in _COMMON_ERRORS]
    return own or [name for name in raised if name in ("ValueError", "TypeError", "RuntimeError")]


def _outside(path: str, around: Surroundings, layer: str) -> list[str]:
    outside = around.links.outside.get(path, {})
    if layer == "T":
        return []
    rare = [name for name in outside if name not in around.everywhere]
    return sorted(rare, key=lambda name: (-outside[name], name))


def _said(path: str, around: Surroundings, told: str) -> list[str]:
    """What the documentation of the main symbols says, one clause each."""
    said: list[str] = []
    for symbol in ranked_symbols(path, around)[:8]:
        if symbol.doc and symbol.doc[:30] not in told:
            starts = symbol.doc.lower().startswith(symbol.name.lower())
            said.append(cut(symbol.doc if starts else f"{symbol.name}: {symbol.doc}", 100))
    return said


def _records(facts: Facts) -> list[str]:
    """Shapes that carry data: a type with methods is shown by what it offers instead."""
    active = {symbol.owner for symbol in facts.symbols if symbol.owner}
    return [
        shape
        for shape in facts.shapes
        if "{" in shape and shape[:1].isupper() and shape.split("{")[0] not in active
    ]
