"""Tables of terms: each distinct expression once, with a digest that does not depend on its place."""

import hashlib
from collections.abc import Sequence

from aoci_agent.views.graph.model import UNKNOWN, Term

DIGEST = 8
DEEPEST = 60  # terms nested deeper say nothing: `a.b().c()...` of a generated file


class Terms:
    """A growing table. Equal terms get one place."""

    def __init__(self) -> None:
        self.nodes: list[Term] = [("?",)]
        self._places: dict[Term, int] = {("?",): UNKNOWN}
        self._depths = [0]

    def add(self, *node: str | int) -> int:
        """The place of a term, made where it is new; UNKNOWN where it is nested too deep."""
        known = self._places.get(node)
        if known is not None:
            return known
        depth = 1 + max((self._depths[item] for item in node if isinstance(item, int)), default=0)
        if depth > DEEPEST:
            return UNKNOWN
        place = len(self.nodes)
        self.nodes.append(node)
        self._depths.append(depth)
        self._places[node] = place
        return place

    def any_of(self, places: Sequence[int]) -> int:
        """One term for several; what is unknown adds nothing."""
        known = [place for place in dict.fromkeys(places) if place != UNKNOWN]
        if len(known) < 2:
            return known[0] if known else UNKNOWN
        return self.add("|", *known)


def digests(nodes: Sequence[Term]) -> bytes:
    """For each term `DIGEST` bytes that are equal for equal terms of any table, all in one."""
    found: list[bytes] = []
    for node in nodes:
        parts = [item.encode() if isinstance(item, str) else found[item] for item in node]
        found.append(hashlib.blake2b(b"\0".join(parts), digest_size=DIGEST).digest())
    return b"".join(found)
