"""F: the file's own words, else a plain statement of what it holds. Never a guess at its purpose."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from aoci_agent.aoci.facts.model import Facts, Symbol
from aoci_agent.aoci.surroundings import Surroundings, ranked_symbols


def function_of(path: str, around: Surroundings, layer: str) -> str:
    """The file's own documentation, else its main symbol's, else a plain statement of what it defines."""
    facts = around.world[path]
    page = next_route(path)
    if facts.doc:
        return f"page {page}: {facts.doc}" if page else facts.doc
    if layer == "T":
        return _tests(facts)
    ranked = ranked_symbols(path, around)
    documented = next((symbol for symbol in ranked[:1] if symbol.doc), None)
    if documented is not None and not page and not facts.routes:
        said = documented.doc.lower().startswith(documented.name.lower())
        return documented.doc if said else f"{documented.name}: {documented.doc}"
    return _derived(path, facts, ranked)


def _tests(facts: Facts) -> str:
    named = [s.name for s in facts.symbols if s.kind in ("function", "class")]
    cases = [name for name in named if name.lower().startswith("test")]
    if not cases:
        return f"test support: {', '.join(named[:6])}" if named else ""
    shown = ", ".join(_without_prefix(name) for name in cases[:6])
    more = f" +{len(cases) - 6}" if len(cases) > 6 else ""
    return f"tests {shown}{more}"


def _without_prefix(name: str) -> str:
    return name.removeprefix("test_").removeprefix("Test")


def _derived(path: str, facts: Facts, ranked: Sequence[Symbol]) -> str:
    """What the file holds, said without guessing what it is for."""
    seen = f" showing {', '.join(facts.texts[:5])}" if facts.texts else ""
    if facts.routes:
        said = [symbol.doc for symbol in facts.symbols if symbol.owner and symbol.doc]
        told = f": {'; '.join(dict.fromkeys(said))}" if said else ""
        return f"routes {_shared_prefix(facts.routes)}{told}"
    page = next_route(path)
    if page:
        component = next((f" {symbol.name}" for symbol in ranked), "")
        return f"page {page}{component}{seen}"
    if not ranked:
        inner = [s for s in facts.symbols if not s.owner and s.kind not in ("constant", "variable")]
        if inner and not facts.exports:
            return f"internal {_kind(inner[0], facts)} {', '.join(s.name for s in inner[:3])}{seen}"
        return "re-exports" if facts.exports else "empty file" if not facts.lines else seen.strip()
    main = ranked[0]
    bases = f"({', '.join(main.bases)})" if main.bases else ""
    functions = [symbol for symbol in ranked if symbol.kind == "function"]
    if len(functions) > 2 and len(functions) == len(ranked):
        return f"{len(functions)} functions{seen}"
    return f"{_kind(main, facts)} {main.name}{bases}{seen}"


def _kind(symbol: Symbol, facts: Facts) -> str:
    if facts.language == "go" and symbol.kind == "class":
        return "struct"
    if re.match(r"use[A-Z]", symbol.name):
        return "hook"
    drawn = facts.language in ("tsx", "javascript") and symbol.kind in ("function", "constant")
    shown = symbol.name[:1].isupper() and not symbol.name.isupper()
    return "component" if drawn and shown else symbol.kind


def next_route(path: str) -> str:
    """The URL a Next.js app-router page answers, from its path."""
    pure = PurePosixPath(path)
    if (
        pure.suffix not in (".tsx", ".jsx", ".js")
        or pure.stem not in ("page", "layout")
        or "app" not in pure.parts
    ):
        return ""
    parts = pure.parts[pure.parts.index("app") + 1 : -1]
    return "/" + "/".join(part for part in parts if not part.startswith(("(", "@")))


def _shared_prefix(routes: Sequence[str]) -> str:
    paths = [route.split(" ", 1)[-1].strip("/").split("/") for route in routes]
    shared: list[str] = []
    for parts in zip(*paths, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return "/" + "/".join(shared)
