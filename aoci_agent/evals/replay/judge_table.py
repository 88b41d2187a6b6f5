"""Defects as static checks and a judge see them: which judge is shown, and a table of both."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aoci_agent.evals.policies_statistics import NOTHING, number
from aoci_agent.evals.replay.cell import Cell, Outcome
from aoci_agent.evals.replay.judge import CLASSES, Judgement
from aoci_agent.tools.places import counted

NOT_JUDGED, NOT_LOOKED = "not judged", "not looked at"


@dataclass(frozen=True, slots=True)
class Judged:
    """Of the cells of a run by one model under one rubric. `others` judged some too, and are not shown."""

    by: str = ""
    of: Mapping[Cell, Judgement] = field(default_factory=dict[Cell, Judgement])
    others: tuple[str, ...] = ()

    def told(self, some: Sequence[Outcome]) -> str:
        """`2 of 7; 1 void`: those with a defect, of those that were judged; a void answer judges nothing."""
        made = [self.of[outcome.cell] for outcome in some if outcome.cell in self.of]
        void = sum(one.void for one in made)
        hits = sum(bool(one.said("yes")) for one in made)
        told = [f"{hits} of {len(made) - void}"] if len(made) > void else []
        return "; ".join([*told, *([f"{void} void"] if void else [])]) or NOT_JUDGED


def judged_of(found: Mapping[Cell, Sequence[Judgement]]) -> Judged:
    """By the one that judged most cells, the later one of two: verdicts of two are not mixed."""
    counts: Counter[tuple[str, str]] = Counter()
    for made in found.values():
        counts.update({(one.model, one.rubric): 1 for one in made})
    if not counts:
        return Judged()
    latest = {key: place for place, key in enumerate(counts)}
    best = max(counts, key=lambda key: (counts[key], latest[key]))
    of = {
        cell: one for cell, made in found.items() for one in made if (one.model, one.rubric) == best
    }
    others = (f"{model} ({rubric}): {counts[model, rubric]}" for model, rubric in counts)
    return Judged(
        f"{best[0]} ({best[1]})",
        of,
        tuple(told for key, told in zip(counts, others, strict=True) if key != best),
    )


def static(some: Sequence[Outcome]) -> str:
    """`2 of 7`: those in which the static checks found a defect, of those that they looked at."""
    looked = [outcome.defects for outcome in some if outcome.defects is not None]
    return f"{sum(map(bool, looked))} of {len(looked)}" if looked else NOT_LOOKED


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Cohen's: agreement beyond chance (Cohen 1960). None where one of both says the same of all."""
    if any(len(set(said)) < 2 for said in zip(*pairs, strict=True)) or not pairs:
        return None
    count = len(pairs)
    one, other = (sum(pair[at] for pair in pairs) / count for at in (0, 1))
    chance = one * other + (1 - one) * (1 - other)
    agreed = sum(first == second for first, second in pairs) / count
    return (agreed - chance) / (1 - chance)


def classes_of(outcome: Outcome) -> set[str]:
    """The classes in which static checks found something."""
    return {line.partition(":")[0] for line in outcome.defects or ()}


def heads_of(judged: Judged) -> tuple[str, ...]:
    """Of the columns."""
    return ("class", "static", *(_ANSWERS if judged.of else ("judged",)))


def rows_of(outcomes: Sequence[Outcome], judged: Judged) -> tuple[tuple[str, ...], ...]:
    """A row a class, and one of all: static, judged, and how both agree where both answered."""
    looked = [outcome for outcome in outcomes if outcome.defects is not None]
    rows = [(name, *_row((name,), looked, judged)) for name in CLASSES]
    return (*rows, ("all", *_row(CLASSES, looked, judged)))


def _row(names: Sequence[str], looked: Sequence[Outcome], judged: Judged) -> tuple[str, ...]:
    marked = sum(name in classes_of(outcome) for outcome in looked for name in names)
    first = str(marked) if looked else NOT_LOOKED
    if not judged.of:
        return first, NOT_JUDGED
    said = Counter(one.findings[name].answer for one in judged.of.values() for name in names)
    pairs = [
        (name in classes_of(outcome), made.findings[name].answer == "yes")
        for outcome in looked
        for name in names
        if (made := judged.of.get(outcome.cell)) and made.findings[name].answer != "void"
    ]
    counts = Counter(pairs)
    order = ((True, True), (True, False), (False, True), (False, False))
    both = [str(counts[pair]) for pair in order] if pairs else [NOTHING] * len(order)
    answers = (str(said[answer]) for answer in ("yes", "no", "void"))
    return (first, *answers, *both, number(kappa(pairs), "z.2f", NOTHING))


def note_of(outcomes: Sequence[Outcome], judged: Judged) -> str:
    """What the columns mean, and who judged."""
    if not judged.of:
        return "Cells with a defect of the class. replay judge lets a model look for them too."
    note = (
        "Cells with a defect of the class. void: what the judge quoted is no line of the change. "
        "Agreement is over cells that both looked at. kappa: agreement beyond chance; "
        "none where one of them says the same of every cell."
    )
    void = sum(one.void for one in judged.of.values())
    count = f"{len(judged.of) - void} of {counted(len(outcomes), 'cell')}"
    by = f"Judged by {judged.by}: {count}{f', {void} more void' if void else ''}."
    others = (
        f" Also judged, not shown (cells): {'; '.join(judged.others)}." if judged.others else ""
    )
    return f"{note} {by}{others}"


_ANSWERS = (
    *("judged yes", "no", "void"),
    *("both", "static only", "judge only", "neither", "kappa"),
)
