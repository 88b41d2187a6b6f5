"""One query, one plan, the best places: what tools, commands and measures call."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from aoci_agent.views.retrieve.material import Material
from aoci_agent.views.retrieve.plans import AUTO, Plan, best_plan, plan_named
from aoci_agent.views.retrieve.priors import prior_of, weighed
from aoci_agent.views.retrieve.question import question_of
from aoci_agent.views.retrieve.ranking import Block, Ranking, ordered
from aoci_agent.views.retrieve.signals import Reasons

Unit = Literal["block", "file"]


class Hit(NamedTuple):
    """A place that may answer the query. Lines from 1, both ends belong to it; 1 is the best score."""

    path: str
    start: int
    end: int
    symbol: str
    kind: str
    score: float
    reason: str


class Answer(NamedTuple):
    """Hits, best first, and the plan that found them."""

    hits: list[Hit]
    plan: str


def retrieve(
    query: str, material: Material, plan: Plan | str = AUTO, k: int = 10, by: Unit = "block"
) -> Answer:
    """The k best blocks, or the best block of each of the k best files.

    Raises BadUsage for a plan there is not, NotPossible where its views cannot answer.
    """
    chosen = _plan(plan, material)
    question = question_of(query)
    signals = chosen.signals(question, material)
    ranking = weighed(chosen.join(signals, question, material), prior_of(question))
    reasons = Reasons(signals)
    pick = _files if by == "file" else _blocks
    return Answer(pick(ranking, k, reasons.of), chosen.name)


def _plan(plan: Plan | str, material: Material) -> Plan:
    if not isinstance(plan, str):
        return plan
    return best_plan(material) if plan == AUTO else plan_named(plan)


def _blocks(ranking: Ranking, k: int, reason: Callable[[Block], str]) -> list[Hit]:
    return [
        _hit(block, ranking.blocks[block], reason) for block in ordered(ranking.blocks)[: max(k, 0)]
    ]


def _files(ranking: Ranking, k: int, reason: Callable[[Block], str]) -> list[Hit]:
    best: dict[str, Block] = {}
    for block in ordered(ranking.blocks):
        best.setdefault(block.path, block)
    found: list[Hit] = []
    for path in ordered(ranking.files)[: max(k, 0)]:
        block = best.get(path, Block(path, 1, 1, "file", ""))
        found.append(_hit(block, ranking.files[path], reason))
    return found


def _hit(block: Block, score: float, reason: Callable[[Block], str]) -> Hit:
    return Hit(
        block.path,
        block.start,
        block.end,
        block.symbol,
        block.kind,
        round(score, 4),
        reason(block),
    )
