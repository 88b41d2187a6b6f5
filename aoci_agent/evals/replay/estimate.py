"""What a run will use, said before it starts: from earlier cells where there are any, else assumed."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

from aoci_agent.agent.models.model import Usage
from aoci_agent.evals.replay import oracle
from aoci_agent.evals.replay.cell import Cell, Outcome

CALLS = 20  # of a cell nothing is known of
GROWTH = 1_200  # tokens that each call adds to the conversation
OUTPUT = 300  # of them written by the model
_FIXED = 5_000  # tokens before the prompt, of an agent that does not say

Price = Callable[[Usage], Usage]
Telling = Mapping[tuple[str, str], list[Outcome]]


@dataclass(frozen=True, slots=True)
class Estimate:
    """Tokens and dollars of all cells; `assumed` of them rest on no measurement."""

    tokens: int
    dollars: float | None  # None: some model has no known price
    cells: int
    assumed: int

    @property
    def told(self) -> str:
        """In words for the one who decides."""
        dollars = "price not known" if self.dollars is None else f"${self.dollars:,.2f}"
        if not self.assumed:
            basis = "as earlier cells took"
        else:
            which = "" if self.assumed == self.cells else f" for {self.assumed} of them"
            basis = f"assuming{which} {CALLS} calls a cell, each {GROWTH:,} tokens longer"
        return f"about {_rounded(self.tokens):,} tokens, {dollars}, {basis}"


def telling(earlier: Iterable[Outcome]) -> Telling:
    """Of cells of any run those that say what one takes, by solver and model."""
    known: defaultdict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for outcome in earlier:
        if not outcome.broken and outcome.spent.tokens is not None:
            known[outcome.cell.solver, outcome.cell.model].append(outcome)
    return known


def estimated(
    cells: Iterable[Cell],
    known: Telling,
    fixed: Mapping[str, int],
    prices: Mapping[str, Price],
) -> Estimate:
    """`fixed` are the tokens of each solver before its prompt; `prices` of each model put the
    dollars to a usage."""
    count = assumed = 0
    tokens, dollars = 0.0, 0.0
    unpriced = False
    for cell in cells:
        count += 1
        seen = known.get((cell.solver, cell.model), [])
        if seen:
            tokens += fmean(one.spent.tokens.all for one in seen if one.spent.tokens)
            paid = [one.spent.dollars for one in seen if one.spent.dollars is not None]
            cost = fmean(paid) if paid else None
        else:
            assumed += 1
            usage = assumption(fixed.get(cell.solver, _FIXED))
            tokens += usage.prompt + usage.output
            price = prices.get(cell.model)
            cost = price(usage).cost if price else 0.0 if cell.model in oracle.NAMES else None
        unpriced |= cost is None
        dollars += cost or 0.0
    return Estimate(round(tokens), None if unpriced else dollars, count, assumed)


def assumption(fixed: int) -> Usage:
    """Of one cell whose fixed layers have that many tokens, with a prompt cache that works."""
    read = sum(fixed + number * GROWTH for number in range(CALLS - 1))
    return Usage(fresh=fixed + CALLS * GROWTH, cache_read=read, output=CALLS * OUTPUT)


def _rounded(tokens: int) -> int:
    """Two digits that count: more would say what nobody knows."""
    unit = 10 ** max(0, len(str(tokens)) - 2)
    return round(tokens / unit) * unit
