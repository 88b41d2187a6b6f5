"""C, the importance of a file: its place in the reference graph, its size, and its layer."""

import math
from collections.abc import Mapping, Sequence

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.layers import is_code, is_test
from aoci_agent.aoci.resolve.links import Links

DAMPING = 0.85
ROUNDS = 30
# Share of the code files, from the top, that reaches each level.
_LEVELS: tuple[tuple[float, int], ...] = ((0.05, 9), (0.14, 8), (0.34, 7), (0.75, 5), (1.01, 3))
# Frameworks hide the callers of these layers, so the graph alone ranks them too low.
_AT_LEAST: Mapping[str, int] = {"E": 7, "R": 7, "W": 7, "H": 5, "J": 5, "P": 5}
_AT_MOST: Mapping[str, int] = {"T": 3, "D": 5, "G": 3, "B": 5, "C": 5, "Z": 3}


def importance(
    world: Mapping[str, Facts], links: Links, layers: Mapping[str, str]
) -> dict[str, int]:
    """Path -> 9, 8, 7, 5, 3 or 1."""
    ranked = [path for path in sorted(world) if is_code(world[path]) and layers[path] not in "TGDB"]
    score = _scores(ranked, world, links)
    order = sorted(ranked, key=lambda path: (-score[path], path))
    levels = {path: _level(place / len(order)) for place, path in enumerate(order)}
    return {
        path: _bounded(path, world[path], layers[path], levels.get(path, 0), links)
        for path in sorted(world)
    }


def _level(share: float) -> int:
    return next(level for limit, level in _LEVELS if share < limit)


def _bounded(path: str, facts: Facts, layer: str, level: int, links: Links) -> int:
    if not level:
        return _plain_level(path, facts, layer)
    if facts.lines < 12 and len(facts.exports) < 5:
        return min(level, 3)
    floor = _AT_LEAST.get(layer, 1)
    serves = (layer == "H" and facts.routes) or (layer == "M" and facts.tables)
    if serves or len(facts.exports) >= 10:
        floor = 7
    return min(max(level, floor), _AT_MOST.get(layer, 9) if layer != "C" else 9)


def _plain_level(path: str, facts: Facts, layer: str) -> int:
    """Files outside the graph's ranking: tests, documents, configuration, build."""
    depth = path.count("/")
    if layer == "T":
        return 3 if facts.lines > 10 and not is_test_case(facts) else 1
    if layer == "D":
        return 5 if depth == 0 and path.lower().startswith("readme") else 1
    composed = facts.language == "yaml" and any(
        note.startswith("services ") for note in facts.notes
    )
    if composed or facts.language in ("package", "gomod", "server", "docker", "dotenv"):
        return 5
    if depth == 0 and facts.settings:
        return 5
    return 3 if layer in "GCB" else 1


def is_test_case(facts: Facts) -> bool:
    """Whether the file holds tests itself, not only what tests share."""
    return (
        any(symbol.name.lower().startswith("test") for symbol in facts.symbols)
        or any(call in facts.members for call in ("toBe", "toEqual", "describe"))
        or not facts.symbols
    )


def _scores(ranked: Sequence[str], world: Mapping[str, Facts], links: Links) -> dict[str, float]:
    rank = _percentiles(page_rank(ranked, links))
    size = _percentiles({path: float(world[path].lines) for path in ranked})
    used: dict[str, float] = dict.fromkeys(ranked, 0.0)
    for (path, _), users in links.used_by.items():
        if path in used:
            used[path] += sum(0.5 if is_test(user) else 1.0 for user in users)
    face = _percentiles(used)
    return {p: round(0.35 * rank[p] + 0.3 * size[p] + 0.35 * face[p], 9) for p in ranked}


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
