"""Looking along the graph: what the best blocks call, and what calls them."""

from aoci_agent.base.errors import NotPossible
from aoci_agent.views.retrieve.material import Material
from aoci_agent.views.retrieve.ranking import Block, Ranking, of_files, ordered, scaled
from aoci_agent.views.retrieve.signals import Signal

_SEEDS = 10
_WEIGHT = 0.3


def by_links(found: Ranking, material: Material) -> list[Signal]:
    """Neighbours of the first blocks, each with its seed's score shared among all of them."""
    links = material.links
    if links is None:
        raise NotPossible("the graph view cannot answer")
    blocks: dict[Block, float] = {}
    for seed in [block for block in ordered(found.blocks) if block.symbol][:_SEEDS]:
        near = [
            Block(other.path, other.location.start, other.location.end, other.kind, other.qualified)
            for symbol in links.named(seed.symbol)
            if symbol.path == seed.path
            for other, _ in links.neighbours(symbol)
            if material.covers(other.path)
        ]
        for block in dict.fromkeys(near):
            blocks[block] = blocks.get(block, 0) + found.blocks[seed] / len(near) ** 0.5
    return [Signal("linked", _WEIGHT, Ranking(scaled(blocks), scaled(of_files(blocks))))]
