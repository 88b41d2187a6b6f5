"""F, R, A and S of one file: what its facts and its place among the others support, nothing more."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from aoci_agent.aoci.api import api_of
from aoci_agent.aoci.budget import shorten, take, weigh
from aoci_agent.aoci.function import function_of
from aoci_agent.aoci.surroundings import Surroundings
from aoci_agent.aoci.synopsis import synopsis_of
from aoci_agent.aoci.tags import BUDGETS

_SHARES = (3, 5, 4)  # of R, A and S in what F leaves
_WEAK = 0.25  # a reference this far below the best one is left out once there are enough
_ENOUGH = 3


@dataclass(frozen=True)
class Elements:
    """The semantic layer of one entry."""

    function: str
    relations: tuple[str, ...]
    api: tuple[str, ...]
    synopsis: str


def elements(path: str, around: Surroundings, level: int, layer: str) -> Elements:
    """F, R, A, S within the length budget of the importance level; what one leaves the next may use."""
    budget = BUDGETS.get(level, 40) - weigh(PurePosixPath(path).name) - 10
    told = function_of(path, around, layer)
    wanted = [relations_of(path, around), api_of(path, around, layer)]
    wanted.append(synopsis_of(path, around, level, layer, told))
    need = [sum(weigh(item) + 1 for item in items) for items in wanted]
    function = shorten(told, max(budget - min(sum(need), budget * 3 // 5), 14))
    function = function.removesuffix(" showing…")
    room = _shares(budget - weigh(function), need)
    return Elements(
        function,
        tuple(take(wanted[0], room[0])),
        tuple(take(wanted[1], room[1])),
        "; ".join(take(wanted[2], room[2], clip=True)),
    )


def _shares(budget: int, need: Sequence[int]) -> list[int]:
    """Tokens for R, A and S: each its share, what one does not need goes to the others."""
    room = [0, 0, 0]
    left = max(budget, 0)
    for _ in range(3):
        open_shares = [share if need[i] > room[i] else 0 for i, share in enumerate(_SHARES)]
        total = sum(open_shares)
        if not total or left < 3:
            break
        grants = [left * share // total for share in open_shares]
        for i, grant in enumerate(grants):
            used = min(grant, need[i] - room[i])
            room[i] += used
            left -= used
    return room


def relations_of(path: str, around: Surroundings) -> list[str]:
    """Files this one uses: often used here and rarely elsewhere first; hubs are named in the header."""
    edges = around.links.edges.get(path, {})
    shown = [target for target in edges if target not in around.hubs] or list(edges)
    weights = {
        target: (1 + math.log2(edges[target]))
        / (1 + math.log2(max(around.fan_in.get(target, 1), 1)))
        for target in shown
        if target in around.world
    }
    ranked = sorted(weights, key=lambda target: (-weights[target], target))
    telling = [
        target
        for place, target in enumerate(ranked)
        if place < _ENOUGH or weights[target] >= _WEAK * weights[ranked[0]]
    ]
    return [around.names(target) for target in telling]
