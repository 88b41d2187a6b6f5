"""C, the importance of a file: its place in the reference graph, its size, and its layer."""

import math
import re
from collections.abc import Mapping, Sequence

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.layers import is_code, is_retired, is_sample, is_test, is_wording
from aoci_agent.aoci.resolve.links import Links

DAMPING = 0.85
ROUNDS = 30
# Share of the code files, from the top, that reaches each level; in a small repository the first
# two levels take at least so many files, yet never more than that share.
_LEVELS: tuple[tuple[float, int], ...] = ((0.05, 9), (0.14, 8), (0.34, 7), (0.75, 5), (1.01, 3))
_SMALL: tuple[tuple[int, float, int], ...] = ((2, 0.2, 9), (6, 0.3, 8))
# Frameworks hide the callers of these layers, so the graph alone ranks them too low.
_AT_LEAST: Mapping[str, int] = {"E": 7, "R": 7, "W": 7, "H": 5, "J": 5, "P": 5}
# Layers where the work is done; a file of theirs with so many steps is business logic.
_BUSY = "EWHSPJXRO"
_LONG = 150  # lines from which a service is more than a helper
_MOUNTING = 5  # a file that puts more routers in place holds the program together
_STEPS: tuple[tuple[int, int], ...] = ((24, 8), (9, 7))
_AT_MOST: Mapping[str, int] = {"T": 3, "D": 5, "G": 3, "B": 5, "C": 5, "Z": 3, "K": 8}
# Files that no import leads to, by what they are.
_BY_KIND: Mapping[str, int] = {
    **dict.fromkeys(("server", "compose", "workflow", "docker", "dotenv", "kubernetes"), 5),
    **dict.fromkeys(
        ("package", "gomod", "manifest", "make", "build", "infrastructure", "schema"), 5
    ),
    **dict.fromkeys(("html", "shell", "sql"), 3),
}
_MAIN_SCRIPT = re.compile(
    r"(?:^|/)[\w.-]*(?:deploy|entrypoint|install|release|publish|start|setup|build|backup|migrat)[\w.-]*\Z"
)
_MAIN_SETTINGS = re.compile(
    r"(?:^|/)(?:application|appsettings|settings|values|config)[\w.-]*\.(?:ya?ml|properties|toml|ini|json)\Z"
)
_FAINT = frozenset(("list", "copy", "key"))


def importance(
    world: Mapping[str, Facts], links: Links, layers: Mapping[str, str]
) -> dict[str, int]:
    """Path -> 9, 8, 7, 5, 3 or 1."""
    ranked = [path for path in sorted(world) if _is_product(path, world[path], layers[path])]
    score = _scores(ranked, world, links)
    order = sorted(ranked, key=lambda path: (-score[path], path))
    levels = {path: _level(place, len(order)) for place, path in enumerate(order)}
    return {
        path: _bounded(path, world[path], layers[path], levels.get(path, 0), links)
        for path in sorted(world)
    }


def _is_product(path: str, facts: Facts, layer: str) -> bool:
    return is_code(facts) and layer not in "TGDB" and not is_sample(path) and not is_retired(path)


def _level(place: int, total: int) -> int:
    few = (level for least, most, level in _SMALL if place < min(least, most * total))
    return max(next(few, 1), next(level for limit, level in _LEVELS if place < limit * total))


def _bounded(path: str, facts: Facts, layer: str, level: int, links: Links) -> int:
    if is_retired(path) or is_wording(path) or facts.language == "style":
        return 1
    if not level:
        code = is_code(facts) and layer not in "TGDB"
        return (3 if facts.lines > 30 else 1) if code else _plain_level(path, facts, layer)
    if facts.lines < 12 and len(facts.exports) < 5:
        return 5 if facts.constants else min(level, 3)
    floor = _AT_LEAST.get(layer, 1)
    serves = (layer == "H" and facts.routes) or (layer == "M" and facts.tables)
    if serves or len(facts.exports) >= 10:
        floor = max(floor, 7)
    if len(facts.mounts) > _MOUNTING:
        floor = 9
    if layer in _BUSY and not is_test(path):
        steps = sum(flow.count(", ") + 1 for flow in facts.flows)
        floor = max(floor, next((least for many, least in _STEPS if steps >= many), 1))
        if steps and layer in "SW" and facts.lines >= _LONG:
            floor = max(floor, 7)
    return min(max(level, floor), _AT_MOST.get(layer, 9) if layer != "C" else 9)


def _plain_level(path: str, facts: Facts, layer: str) -> int:
    """Files outside the graph's ranking: tests, documents, configuration, build."""
    depth = path.count("/")
    if layer == "T":
        return 3 if facts.lines > 10 and not is_test_case(facts) else 1
    if layer == "D":
        return 5 if depth == 0 and path.lower().startswith("readme") else 1
    level = _BY_KIND.get(
        facts.language, 3 if layer in "GCBM" and facts.language not in _FAINT else 1
    )
    if level > 1 and is_sample(path):
        return 3
    if level > 1 and _is_central(facts) and not (facts.language == "sql" and facts.stored):
        return 7 if facts.language != "sql" or len(facts.shapes) > 12 else 5
    main = _MAIN_SETTINGS if layer == "C" else _MAIN_SCRIPT
    known = layer == "C" or facts.language == "shell"
    return max(level, 5 if (known and main.search(path)) or (depth == 0 and facts.settings) else 1)


def _is_central(facts: Facts) -> bool:
    """Whether a file of settings describes how the whole program is put together."""
    parts = {
        "server": 4,
        "compose": 4,
        "workflow": 9,
        "kubernetes": 6,
        "schema": 9,
        "sql": 3,
        "dotenv": 10,
    }
    least = parts.get(facts.language)
    return least is not None and max(map(len, (facts.notes, facts.shapes, facts.env))) >= least


def is_test_case(facts: Facts) -> bool:
    """Whether the file holds tests itself, not only what tests share."""
    return (
        bool(facts.cases)
        or any(symbol.name.lower().startswith("test") for symbol in facts.symbols)
        or any(call in facts.members for call in ("toBe", "toEqual", "describe"))
        or not facts.symbols
    )


def _scores(ranked: Sequence[str], world: Mapping[str, Facts], links: Links) -> dict[str, float]:
    """0 to 1: place in the graph, size, use of all its symbols, use of the one most used."""
    used = dict.fromkeys(ranked, 0.0)
    best = dict.fromkeys(ranked, 0.0)
    for (path, _), users in links.used_by.items():
        if path in used:
            tests = sum(1 for user in users if is_test(user))
            used[path] += len(users) - 0.5 * tests
            best[path] = max(best[path], len(users) - 0.5 * tests)
    size = {path: float(world[path].lines) for path in ranked}
    parts = [_percentiles(part) for part in (page_rank(ranked, links), size, used, best)]
    weights = (0.3, 0.25, 0.25, 0.2)
    return {
        path: round(math.fsum(w * part[path] for w, part in zip(weights, parts, strict=True)), 9)
        for path in ranked
    }


def page_rank(paths: Sequence[str], links: Links) -> dict[str, float]:
    """Rank flows from the user to the used file, damped by the square root of the use count."""
    if not paths:
        return {}
    inside = set(paths)
    rows: list[tuple[str, list[tuple[str, float]]]] = []
    for path in paths:
        row = [
            (target, math.sqrt(uses))
            for target, uses in sorted(links.edges.get(path, {}).items())
            if target in inside
        ]
        whole = math.fsum(weight for _, weight in row)
        rows.append((path, [(target, weight / whole) for target, weight in row]))
    base = (1 - DAMPING) / len(paths)
    rank = dict.fromkeys(paths, 1 / len(paths))
    for _ in range(ROUNDS):
        lost = DAMPING * math.fsum(rank[path] for path, row in rows if not row) / len(paths)
        flow = dict.fromkeys(paths, base + lost)
        for path, row in rows:
            for target, share in row:
                flow[target] += DAMPING * rank[path] * share
        rank = flow
    return {path: round(value, 12) for path, value in rank.items()}


def _percentiles(values: Mapping[str, float]) -> dict[str, float]:
    """0 for the smallest to 1 for the largest; equal values share a place."""
    places = {value: place for place, value in enumerate(sorted(set(values.values())))}
    top = max(len(places) - 1, 1)
    return {path: places[value] / top for path, value in values.items()}
