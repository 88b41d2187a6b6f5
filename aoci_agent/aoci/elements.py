"""F, R, A and S of one file, within the length its importance allows."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from aoci_agent.aoci.api import api_of
from aoci_agent.aoci.function import function_of
from aoci_agent.aoci.model import Entry, Tag
from aoci_agent.aoci.surroundings import Subject, Surroundings
from aoci_agent.aoci.synopsis import synopsis_of
from aoci_agent.aoci.tags import BUDGETS, size_of
from aoci_agent.aoci.traits import traits_of

_SHARES = (2, 3, 7)  # of R, A and S in what F leaves
_ROUTED = (1, 7, 4)  # where A holds routes
_LESS: Mapping[str, float] = {"K": 0.7, "V": 0.75, "M": 0.85, "R": 1.25}  # layers told with less
_LARGE = ((1600, 1.5), (800, 1.25))  # lines from which a file has more to say
_FEW = 3
_WEAK = 0.25  # a reference this far below the best one is left out once there are enough
_ENOUGH = 3
_LEAST = 9  # tokens below which the beginning of a fact says nothing
# Close to o200k_base on identifiers and short prose, and the same on every machine.
_PIECE = re.compile(
    r"[A-Z]?[a-z]{1,8}|[A-Z]{1,4}|\d{1,3}|[\u2e80-\uffff]{1,2}|[^\w\s]{1,3}|_+|[^\W\d_a-zA-Z]{1,3}"
)


def entry_of(path: str, around: Surroundings, tag: Tag) -> Entry:
    """One entry; layer, module and importance as given, the rest from the file."""
    subject = Subject(path, around, tag.layer, tag.importance)
    told = function_of(subject)
    refers, offers = relations_of(subject), api_of(subject)
    further = synopsis_of(subject, told)
    if not told and further:
        told = further.pop(0)
    folder, _, name = path.rpartition("/")
    whole = BUDGETS.get(tag.importance, 40) * _LESS.get(tag.layer, 1.0)
    large = next((factor for lines, factor in _LARGE if subject.facts.lines >= lines), 1.0)
    budget = int(whole * large) - weigh(name) - 10
    need = [sum(weigh(item) + 1 for item in items) for items in (refers, offers, further)]
    told_most = 4 if subject.facts.flows else 3  # parts of what there is that F may take: one
    room = max(budget - min(sum(need), budget - budget // told_most), 14)
    if subject.facts.language == "document" and weigh(told) > room:
        told = told.partition(": ")[0]  # a title says more than a sentence without its end
    function = shorten(told, room).removesuffix(" showing…")
    routed = len(subject.facts.routes) > _FEW
    rooms = _shares(budget - weigh(function), need, _ROUTED if routed else _SHARES)
    synopsis = take(further, rooms[2], clip=True)
    told_there = {item.partition(":")[0] for item in synopsis}
    defined = subject.facts.defined
    offers = [item for item in offers if item not in told_there or item in defined]
    return Entry(
        directory=folder,
        name=name,
        tag=Tag(
            *(tag.layer, tag.module, tag.importance),
            traits_of(subject.facts, subject.outside),
            size_of(subject.facts.lines),
        ),
        function=function,
        relations=tuple(take(refers, rooms[0])),
        api=tuple(take(offers, rooms[1])),
        synopsis="; ".join(synopsis),
    )


def _shares(budget: int, need: Sequence[int], shares: Sequence[int]) -> list[int]:
    """Tokens for R, A and S: each its share, what one does not need goes to the others."""
    room = [0, 0, 0]
    left = max(budget, 0)
    for _ in range(3):
        open_shares = [share if need[i] > room[i] else 0 for i, share in enumerate(shares)]
        total = sum(open_shares)
        if not total or left < 3:
            break
        grants = [left * share // total for share in open_shares]
        for i, grant in enumerate(grants):
            used = min(grant, need[i] - room[i])
            room[i] += used
            left -= used
    return room


def relations_of(subject: Subject) -> list[str]:
    """Files this one uses: often used here and rarely elsewhere first; hubs are named in the header."""
    around = subject.around
    edges = around.links.edges.get(subject.path, {})
    shown = [target for target in edges if target not in around.hubs] or list(edges)
    weights = {
        target: (1 + math.log2(edges[target])) / (1 + math.log2(max(around.fan_in[target], 1)))
        for target in shown
    }
    ranked = sorted(weights, key=lambda target: (-weights[target], target))
    telling = [
        target
        for place, target in enumerate(ranked)
        if place < _ENOUGH or weights[target] >= _WEAK * weights[ranked[0]]
    ]
    return [around.names(target) for target in telling]


@lru_cache(maxsize=1 << 16)
def weigh(text: str) -> int:
    """Roughly how many tokens a piece of an entry costs."""
    return len(_PIECE.findall(text))


def take(items: Iterable[str], limit: int, *, clip: bool = False) -> list[str]:
    """Items from the front while they fit; one too long is left out, or cut short with `clip`."""
    kept: list[str] = []
    for item in items:
        cost = weigh(item) + 1
        if cost <= limit:
            kept.append(item)
        elif clip and limit >= _LEAST:
            kept.append(shorten(item, limit - 1))
        elif limit < 4:
            break
        else:
            continue
        limit -= cost
    return kept


def shorten(text: str, limit: int) -> str:
    """Text of about `limit` tokens, cut at the end of a clause or a word, with an ellipsis."""
    pieces = list(_PIECE.finditer(text))
    if len(pieces) <= limit:
        return text
    head = text[: pieces[limit - 1].start()]
    clause = max(head.rfind(mark) for mark in (",", ";", ". ", "\uff0c", "。", "、", "¦"))
    end = clause if clause > len(head) * 0.6 else max(head.rfind(" "), clause)
    return f"{head[: end if end > 0 else len(head)].rstrip(' ,;:(…')}…"
