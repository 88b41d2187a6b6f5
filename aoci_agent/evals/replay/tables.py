"""The report as tables: the same rows for the terminal, for Markdown and for the page."""

from collections.abc import Sequence
from dataclasses import dataclass

from aoci_agent.evals.policies_statistics import Interval
from aoci_agent.evals.replay.cell import Outcome
from aoci_agent.evals.replay.figures import Figures, admitted, chosen, front

UNKNOWN = "?"  # not known of every cell
NOTHING = "-"  # there is nothing to say


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text; the first column is words, the others are figures."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def plain(self) -> str:
        """For a terminal."""
        widths = [max(map(len, column)) for column in zip(self.heads, *self.rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if n == 0 else cell.rjust(width)
                for n, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in (self.heads, *self.rows)
        ]
        return "\n".join([self.title, *(f"  {line}" for line in lines), *self._note("  ")])

    def markdown(self) -> str:
        """For a document; bars and line ends in a cell cannot break the table."""
        rows = [
            self.heads,
            tuple("---" if n == 0 else "---:" for n in range(len(self.heads))),
            *self.rows,
        ]
        lines = ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]
        return "\n".join([f"### {self.title}", "", *lines, "", *self._note("")])

    def _note(self, indent: str) -> list[str]:
        return [f"{indent}{self.note}"] if self.note else []


def tables_of(found: Sequence[Figures], outcomes: Sequence[Outcome]) -> list[Table]:
    """All of the report: results, the comparison, costs, the work, the tasks."""
    return [_results(found), _comparison(found), _costs(found), _work(found), _tasks(outcomes)]


def _name(one: Figures, found: Sequence[Figures]) -> str:
    several = len({other.model for other in found}) > 1
    return f"{one.solver} · {one.model}" if several else one.solver


def _results(found: Sequence[Figures]) -> Table:
    best = front(found)
    rows = tuple(
        (
            _name(one, found),
            str(one.cells),
            str(one.broken),
            f"{one.passed.hits}",
            f"{one.passed.share:.0%} [{one.passed.low:.0%} {one.passed.high:.0%}]",
            number(one.tokens, ",.0f"),
            number(one.per_success, ",.0f", NOTHING if one.tokens is not None else UNKNOWN),
            number(one.dollars, ".4f"),
            "yes" if one in best else "",
            "this" if chosen(found, one.model) is one else "",
        )
        for one in found
    )
    heads = (
        "solver",
        "cells",
        "broken",
        "passed",
        "share [95 %]",
        "tokens",
        "per success",
        "dollars",
    )
    note = (
        "front: nothing is both cheaper and better. choice: admitted by quality, then the cheapest."
    )
    return Table("Results", (*heads, "front", "choice"), rows, note)


def _comparison(found: Sequence[Figures]) -> Table:
    rows = tuple(
        (
            _name(one, found),
            str(one.against.pairs),
            interval(one.against.success, "+.2f"),
            p_value(one.against.success_p),
            one.against.success_test,
            "yes" if admitted(one) else "no",
            interval(one.against.tokens, "+,.0f"),
            p_value(one.against.tokens_p),
        )
        for one in found
        if one.against is not None
    )
    heads = (
        "solver",
        "pairs",
        "success [95 %]",
        "p",
        "test",
        "admitted",
        "tokens [95 %]",
        "p (Wilcoxon)",
    )
    note = "Differences to grep-read on the same tasks, models and seeds. admitted: the lower bound is above -0.05."
    return Table("Against grep-read", heads, rows, note if rows else "grep-read was not run.")


def _costs(found: Sequence[Figures]) -> Table:
    names = ("fresh", "read", "write", "output")
    rows = tuple(
        (
            _name(one, found),
            *(number(one.buckets[name] if one.buckets else None, ",.0f") for name in names),
            f"{one.charged:,}",
            f"{one.steps:.1f}",
            f"{one.seconds:.1f}",
        )
        for one in found
    )
    heads = (
        "solver",
        "fresh",
        "cache read",
        "cache write",
        "output",
        "charged",
        "steps",
        "seconds",
    )
    note = "Tokens of a cell; charged: of all attempts that broke, which are in no other figure."
    return Table("Costs", heads, rows, note)


def _work(found: Sequence[Figures]) -> Table:
    shares = ("precision", "recall", "answer_recall", "line_precision")
    rows = tuple(
        (
            _name(one, found),
            *(number(getattr(one, name), ".2f", NOTHING) for name in shares),
            f"{one.failed_edits:.1f}",
            f"{one.commands:.1f}",
            f"{one.outside:.1f}",
            str(one.regressions),
            str(one.defects),
        )
        for one in found
    )
    heads = (
        "solver",
        "files right",
        "files found",
        "AR@5",
        "lines right",
        "failed edits",
        "commands",
    )
    return Table("The work", (*heads, "outside gold", "regressions", "defects"), rows)


def _tasks(outcomes: Sequence[Outcome]) -> Table:
    solvers = list(dict.fromkeys(outcome.cell.solver for outcome in outcomes))
    tasks = list(dict.fromkeys(outcome.cell.task for outcome in outcomes))
    rows = tuple(
        (
            task,
            *(
                _marks([o for o in outcomes if (o.cell.task, o.cell.solver) == (task, s)])
                for s in solvers
            ),
        )
        for task in tasks
    )
    note = "One mark a cell: + passed, . failed, ! broken."
    return Table("Tasks", ("task", *solvers), rows, note)


def _marks(some: Sequence[Outcome]) -> str:
    marks = {"passed": "+", "failed": ".", "infrastructure": "!"}
    return "".join(marks[outcome.status] for outcome in some)


def number(value: float | None, form: str, missing: str = UNKNOWN) -> str:
    """A figure, or what stands for none."""
    return missing if value is None else f"{value:{form}}"


def interval(found: Interval | None, form: str) -> str:
    """`-0.10 [-0.30 +0.05]`."""
    if found is None:
        return NOTHING
    return f"{found.mean:{form}} [{found.low:{form}} {found.high:{form}}]"


def p_value(value: float | None) -> str:
    """Two digits that mean something."""
    if value is None:
        return NOTHING
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
