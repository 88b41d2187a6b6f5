"""A: what others can use of a file; what a package shows and is used most comes first."""

import re
from collections.abc import Iterator

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.surroundings import FRAMEWORK, Subject

_MESSAGE = re.compile(r"(?:Req|Res|Resp|Request|Response|Params|Input|Output|Item|Payload)\Z")
_VERBS = frozenset(("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"))
_DUTIES = frozenset(("Error", "String", "toString"))  # methods every type of a kind has
_FIRST = 3  # names told before the settings a file reads
_MANY_OWNERS = 10  # a method so many types define is a duty too


def api_of(subject: Subject) -> list[str]:
    """Routes, commands, symbols and methods, names passed on, environment keys."""
    facts = subject.facts
    if subject.layer == "T":
        return []
    items = [*facts.routes, *(c if " " in c else f"cmd {c}" for c in facts.commands)]
    offers = sorted([*_symbols(subject), *_methods(subject), *_passed_on(subject)], key=_most)
    names = [name for _, name in offers if name not in facts.commands and not _is_said(name, facts)]
    read = [f"ENV:{key}" for key in facts.env]
    items += [*names[:_FIRST], *read, *names[_FIRST:]]
    return [item.replace(", ", ",") for item in dict.fromkeys(items)]


Offer = tuple[float, str]


def _most(offer: Offer) -> float:
    return -offer[0]


def _symbols(subject: Subject) -> Iterator[Offer]:
    shown = subject.around.shown.get(subject.path, ())
    for symbol in subject.ranked:
        message = _MESSAGE.search(symbol.name) and symbol.name not in shown
        yield (
            subject.used(symbol.name) * (0.5 if message else 1) + 100 * (symbol.name in shown),
            symbol.name,
        )


def _methods(subject: Subject) -> Iterator[Offer]:
    """Methods after their type; the calls of a name are shared by all types that define it."""
    facts, around = subject.facts, subject.around
    uses = {symbol.name: subject.used(symbol.name) for symbol in subject.ranked}
    owners = {symbol.owner for symbol in facts.symbols if symbol.owner and symbol.public}
    for symbol in facts.symbols:
        known = symbol.owner in uses or facts.language == "go"
        defining = around.owners[symbol.name]
        duty = defining >= _MANY_OWNERS or symbol.name in _DUTIES or symbol.name.startswith("__")
        if symbol.owner and symbol.public and known and not duty:
            calls = around.callers[symbol.name] / max(defining, 1)
            yield (
                min(calls, uses.get(symbol.owner, 0.0) + 0.5) * 0.9,
                symbol.name if len(owners) == 1 else f"{symbol.owner}.{symbol.name}",
            )


def _passed_on(subject: Subject) -> Iterator[Offer]:
    """Names a package shows of its inner files, as used as they are there."""
    targets = subject.around.links.edges.get(subject.path, {})
    for name in subject.facts.exports:
        if name not in subject.facts.defined and not name.startswith("__"):
            yield max((subject.around.used(t, name) for t in targets), default=0.0), name


def _is_said(name: str, facts: Facts) -> bool:
    """Names that a route, an enumeration or the framework already stands for."""
    if name in FRAMEWORK or (facts.routes and name in _VERBS):
        return True
    enums = (shape.split(":")[0].rstrip("*…") for shape in facts.shapes if ":" in shape)
    return facts.language == "go" and any(name.startswith(e) and name != e for e in enums)
