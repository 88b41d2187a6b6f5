"""A: what others can use of a file, the most used first."""

import re

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.surroundings import FRAMEWORK, Surroundings, ranked_symbols, used

_MESSAGE = re.compile(r"(?:Req|Res|Resp|Request|Response|Params|Input|Output|Item|Payload)\Z")
_VERBS = frozenset(("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"))


def api_of(path: str, around: Surroundings, layer: str) -> list[str]:
    """What others can use: routes, commands, symbols, methods, environment keys."""
    facts = around.world[path]
    if layer == "T":
        return []
    items = [*facts.routes, *(c if " " in c else f"cmd {c}" for c in facts.commands)]
    named = {symbol.name for symbol in facts.symbols if not symbol.owner}
    ranked = sorted(_offers(path, around), key=lambda offer: -offer[0])
    items += [
        name for _, name in ranked if name not in facts.commands and not _is_said(name, facts)
    ]
    items += [name for name in facts.exports if name not in named and not _is_said(name, facts)]
    items += [f"ENV:{key}" for key in facts.env]
    return [item.replace(", ", ",") for item in dict.fromkeys(items)]


def _offers(path: str, around: Surroundings) -> list[tuple[float, str]]:
    """Symbols and methods with how much they are used, in the order of `ranked_symbols`."""
    facts = around.world[path]
    ranked = ranked_symbols(path, around)
    uses = {symbol.name: used(path, symbol.name, around) for symbol in ranked}
    offers = [
        (uses[symbol.name] * (0.5 if _MESSAGE.search(symbol.name) else 1.0), symbol.name)
        for symbol in ranked
    ]
    for symbol in facts.symbols:
        shown = symbol.owner in uses or facts.language == "go"
        if symbol.owner and symbol.public and shown and not symbol.name.startswith("__"):
            ceiling = uses.get(symbol.owner, 0.0) + 0.5
            calls = min(around.callers.get(symbol.name, 0), ceiling) * 0.9
            offers.append((calls, f"{symbol.owner}.{symbol.name}"))
    return offers


def _is_said(name: str, facts: Facts) -> bool:
    """Names that a route, an enumeration or the framework already stands for."""
    if name in FRAMEWORK or (facts.routes and name in _VERBS):
        return True
    enums = (shape.split(":")[0] for shape in facts.shapes if ":" in shape)
    return facts.language == "go" and any(name.startswith(e) and name != e for e in enums)
