"""S: facts found in the code, the most telling first."""

import re
from collections.abc import Iterator, Sequence

from aoci_agent.aoci.facts.model import Facts, Symbol
from aoci_agent.aoci.facts.prose import cut
from aoci_agent.aoci.facts.secrets import is_secret
from aoci_agent.aoci.facts.stores.record import from_text
from aoci_agent.aoci.surroundings import Subject, told_by
from aoci_agent.aoci.wordset import wordset

_SHOWN_LITERAL = 64
_COMMON_ERRORS = wordset(
    "NotImplementedError ImportError AssertionError StopIteration SystemExit AttributeError KeyError"
    " IndexError TypeError ValueError RuntimeError Exception"
)
_FLOWS = 7  # functions told of one file
_STEPS = {9: 10, 8: 9, 7: 8}
_EARLY = re.compile(
    r"mounted|mounts |middleware|runs at|timers |answers |errors |exposes |guard |wrapped |pages "
)
_LATE = re.compile(r"registers [rR]egister|hosts |headers ")
_PLACES = (
    (_EARLY, 0.1),
    (re.compile(r"codes |sse |kinds |state |channels "), 0.4),
    (_LATE, 2.6),
    (re.compile(""), 0.9),
)
_PINNED = 0.5  # notes of an earlier place all stand before what functions do
_WIRED = re.compile(r"registers [rR]egister")
_QUIET = "SMPGL"  # layers where every file is registered alike
_ANSWERED = re.compile(
    r"transaction|lock|FOR UPDATE|(?:un|Un)authorized|[fF]orbidden|[nN]otFound|[cC]onflict|[bB]adRequest"
)
_ROUTED = re.compile(r"(?:GET|POST|PUT|PATCH|DELETE|Group) /")

_MENDED = re.compile(
    r"修复|\bfix(?:ed|es)?\b|\bbug\b|\d{4}-\d{2}-\d{2}|✅|i18n|国际化|useTranslation", re.IGNORECASE
)
_WHOLE = ("model", "part", "create", "known")

Ranked = tuple[float, str]


def synopsis_of(subject: Subject, told: str) -> list[str]:
    """Grounded facts, the most telling first; `told` is F, not to be said twice."""
    if subject.facts.language == "style":
        return []
    ranked = sorted(_ranked(subject, told), key=_rank)
    items = [item for _, item in ranked]
    return [*items, subject.facts.problem] if subject.facts.problem else items


def _rank(item: Ranked) -> float:
    return item[0]


def _ranked(subject: Subject, told: str) -> Iterator[Ranked]:
    """Facts with their place: kinds take turns, so that each has its say in little room."""
    facts, layer, level = subject.facts, subject.layer, subject.level
    shown = ""
    mounted = subject.around.links.mounted.get(subject.path, ())
    if mounted and facts.routes:
        yield 0, f"mounted at {', '.join(mounted)}"
    notes = (note for note in facts.notes if layer not in _QUIET or not _WIRED.match(note))
    for place, note in enumerate(notes):
        start = next(place for pattern, place in _PLACES if pattern.match(note))
        yield start + place * (0.02 if start < _PINNED else 0.35), note
    if level >= 5:
        fresh = (point for point in facts.more if point[:24] not in told)
        yield from ((_told_place(place, point), point) for place, point in enumerate(fresh))
        flows = flows_of(subject)
        first = 1.6 if layer == "M" else 0.5
        yield from ((first + place * 0.8, flow) for place, flow in enumerate(flows))
        said = [s for s in subject.ranked[:8] if s.doc and s.doc[:30] not in told]
        shown = " ".join(flows)
        rest = (s for s in said if f"{s.name}:" not in shown)
        yield from ((3.5 + n * 0.5, cut(told_by(s), 100)) for n, s in enumerate(rest))
    yield from _values(facts, layer)
    yield from _touched(subject, told, shown)
    if layer != "M" and level >= 5:
        first = 1.5 if layer in "OCX" else 2.4
        yield from ((first + n * 0.6, shape) for n, shape in enumerate(_records(facts, layer)[:5]))


def _told_place(place: int, point: str) -> float:
    """Points of a comment in their order; what was mended when comes late."""
    return 0.7 + place * 0.9 + (2.5 if _MENDED.search(point) else 0.0)


def _values(facts: Facts, layer: str) -> Iterator[Ranked]:
    """Literals: constants with their values, enumerations, records where the file is made of them."""
    plain = [cut(item, _SHOWN_LITERAL) for item in facts.constants if not is_secret(item)]
    if plain:
        yield 2.0, ", ".join(plain[:10])
    if layer == "M" or any(shape.startswith("table ") for shape in facts.shapes):
        apart = _kept_apart(facts)
        rest = [shape for shape in facts.shapes if _shaped(shape) not in apart]
        rest.sort(key=lambda shape: "{" in shape)  # what a value may be, before what a record holds
        yield from ((0.5 + n * 0.25, shape) for n, shape in enumerate(rest[:12]))
    else:
        enums = [shape for shape in facts.shapes if ":" in shape]
        yield from ((1.4 + n * 0.6, shape) for n, shape in enumerate(enums[:4]))


def _shaped(shape: str) -> str:
    return re.split(r"[{:*]", shape.removeprefix("table "), maxsplit=1)[0]


def _kept_apart(facts: Facts) -> set[str]:
    """Tables, and the types that stand for them, whose columns the index tells in their own line."""
    whole = (change for change in map(from_text, facts.stored) if change.op in _WHOLE)
    return {name for change in whole for name in (change.table, change.alias) if name}


def _touched(subject: Subject, told: str, shown: str) -> Iterator[Ranked]:
    """What the file reaches: tables, events, requests, errors, packages, words on the screen."""
    facts, layer = subject.facts, subject.layer
    early = layer in "MPG"
    yield from _listed(0.3 if early else 2.6, "", _tables(facts), 3)
    yield from _listed(1.6, "", [e for e in facts.events if e not in shown], 8)
    calls = [call for call in facts.calls if call not in shown]
    yield from _listed(1.0 if layer in "XO" else 2.2, "calls", calls, 14)
    yield from _listed(4.5, "raises", _telling(facts.raises), 6)
    yield from _listed(1.9, "uses", _outside(subject), 4)
    if "showing" not in told and layer in "KV":
        yield from _listed(6.0, "shows", facts.texts, 3)


def _listed(place: float, word: str, items: Sequence[str], limit: int) -> Iterator[Ranked]:
    if items:
        yield place, f"{word} {', '.join(items[:limit])}".strip()


def _tables(facts: Facts) -> list[str]:
    """`writes a b`, `reads c`, `defines d`."""
    kinds = {"ddl": "defines", "w": "writes", "r": "reads"}
    groups: dict[str, list[str]] = {}
    for item in facts.tables:
        name, _, kind = item.rpartition(" ")
        groups.setdefault(kinds.get(kind, kind), []).append(name)
    return [
        f"{word} {' '.join(groups[word][:10])}"
        for word in ("defines", "writes", "reads")
        if word in groups
    ]


def flows_of(subject: Subject) -> list[str]:
    """What the main functions do, those with most steps and most callers first."""
    facts = subject.facts
    symbols: dict[str, Symbol] = {
        f"{s.owner}.{s.name}" if s.owner else s.name: s for s in facts.symbols
    }
    alone = len({name.rpartition(".")[0] for name in symbols if "." in name}) == 1
    usual = subject.around.usual
    weighted: list[tuple[float, int, str]] = []
    for place, flow in enumerate(facts.flows):
        name, _, rest = flow.partition(": ")
        steps = [s for s in rest.split(", ") if s not in usual or _ANSWERED.match(s)]
        if facts.routes and sum(1 for step in steps if _ROUTED.match(step)) * 2 > len(steps):
            continue  # a function that declares the routes told in A
        if not steps or (len(steps) < 2 and " " not in rest and len(facts.flows) > 2):
            continue
        symbol = symbols.get(name)
        callers = min(subject.around.callers[name.rpartition(".")[2]], 6)
        public = symbol is not None and symbol.public
        weight = len(steps) + 0.5 * callers + 1.5 * public
        shown = name.rpartition(".")[2] if alone else name
        kept = _fewer(steps, _STEPS.get(subject.level, 7))
        weighted.append((-weight, place, f"{shown}: {', '.join(_joined(kept))}"))
    return [flow for _, _, flow in sorted(weighted)[:_FLOWS]]


def _joined(steps: Sequence[str]) -> list[str]:
    """Steps with a shared beginning told together: `User.find/save`, `throws "a"/"b"`."""
    told: list[str] = []
    before = ""
    for step in steps:
        owner, mark, name = step.rpartition("." if " " not in step else " ")
        if mark and owner == before and '"' not in owner:
            told[-1] += f"/{name}"
        else:
            told.append(step)
        before = owner if mark and "." not in name else ""
    return told


def _fewer(steps: Sequence[str], most: int) -> list[str]:
    """At most so many steps in their order; what a function refuses gives way to what it does."""
    refusals = [step for step in steps if step.startswith("throws ")]
    room = max(most - (len(steps) - len(refusals)), 1)
    dropped = set(refusals[room:])
    return [step for step in steps if step not in dropped][:most]


def _telling(raised: Sequence[str]) -> list[str]:
    """Errors of the project's own first; a bare NotImplementedError says nothing."""
    own = [name for name in raised if name not in _COMMON_ERRORS]
    return own or [name for name in raised if name in ("ValueError", "TypeError", "RuntimeError")]


def _outside(subject: Subject) -> list[str]:
    if subject.layer == "T":
        return []
    rare = [name for name in subject.outside if name not in subject.around.everywhere]
    return sorted(rare, key=lambda name: (-subject.outside[name], name))


def _records(facts: Facts, layer: str) -> list[str]:
    """Shapes that carry data: a type with methods is shown by what it offers instead."""
    active = {symbol.owner for symbol in facts.symbols if symbol.owner}
    return [
        shape
        for shape in facts.shapes
        if "{" in shape
        and shape[:1].isupper()
        and shape.split("{")[0] not in active
        and not (layer in "KV" and shape.split("{")[0].endswith("Props"))
    ]
