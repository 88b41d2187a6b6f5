"""The report as tables: the same rows for the terminal, for Markdown and for the page."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from aoci_agent.base.terminal import cell_width, one_line
from aoci_agent.evals.policies_statistics import MARGIN, NOTHING, UNKNOWN, interval, number
from aoci_agent.evals.replay.cell import Outcome
from aoci_agent.evals.replay.compare import Difference, Share
from aoci_agent.evals.replay.extras import there, way_to
from aoci_agent.evals.replay.figures import BASELINE, Figures, admitted, chosen, front
from aoci_agent.evals.replay.judge_table import Judged, heads_of, note_of, rows_of, static

WIDTH = 100  # where there is no terminal
_LEAST = 20  # of a terminal: below, lines are wider than it
_FEW = 10  # tasks below which a bootstrap draws intervals that are too narrow


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text; the first column is words, the others are figures."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def plain(self, width: int = WIDTH) -> str:
        """For a terminal. Columns that have no room stand below, with the first one again."""
        room = max(width, _LEAST) - 2
        parts = list(_folded((self.heads, *self.rows), room)) if self.rows else []
        table = textwrap.indent("\n\n".join("\n".join(lines) for lines in parts), "  ")
        note = textwrap.indent(filled(self.note, room), "  ")
        return "\n".join(filter(None, [self.title, table, note]))

    def markdown(self) -> str:
        """For a document; bars and line ends in a cell cannot break the table."""
        rows = [
            self.heads,
            tuple("---" if n == 0 else "---:" for n in range(len(self.heads))),
            *self.rows,
        ]
        lines = ["| " + " | ".join(escaped(cell) for cell in row) + " |" for row in rows]
        parts = ["\n".join(lines)] if self.rows else []
        return "\n\n".join(filter(None, [f"### {self.title}", *parts, escaped(self.note)]))


def filled(text: str, width: int) -> str:
    """Lines of that width; a name is never broken, so that it can be copied."""
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def _folded(rows: Sequence[Sequence[str]], room: int) -> Iterator[list[str]]:
    """Lines of as many columns as there is room for, and so on; what is wider itself is cut."""
    widths = [
        max(cell_width(one_line(cell, room)) for cell in column)
        for column in zip(*rows, strict=True)
    ]
    widths[0] = min(widths[0], max(room // 3, room - 2 - max(widths[1:])))
    groups: list[list[int]] = [[]]
    used = widths[0]
    for n in range(1, len(widths)):
        widths[n] = min(widths[n], room - 2 - widths[0])
        if groups[-1] and used + 2 + widths[n] > room:
            groups.append([])
            used = widths[0]
        groups[-1].append(n)
        used += 2 + widths[n]
    for group in groups:
        yield [
            "  ".join(_filled(row[n], widths[n], left=n == 0) for n in (0, *group)).rstrip()
            for row in rows
        ]


def _filled(cell: str, width: int, *, left: bool) -> str:
    text = one_line(cell, width)
    blank = " " * (width - cell_width(text))
    return text + blank if left else blank + text


def tables_of(
    found: Sequence[Figures], outcomes: Sequence[Outcome], judged: Judged | None = None
) -> list[Table]:
    """All of the report: results, the comparison, costs, the work, defects, the tasks."""
    by = judged or Judged()
    return [
        *(_results(found), _comparison(found), _costs(found), _work(found, outcomes, by)),
        *(_defects(outcomes, by), _tasks(found, outcomes)),
    ]


def label(one: Figures, found: Sequence[Figures]) -> str:
    """The name of a solver; with its model where there are several."""
    several = len({other.model for other in found}) > 1
    return f"{one.solver} · {one.model}" if several else one.solver


def _results(found: Sequence[Figures]) -> Table:
    best = front(found)
    rows = tuple(
        (
            label(one, found),
            f"{one.passed.hits} of {one.cells}",
            share(one.passed),
            str(one.broken),
            number(one.tokens, ",.0f", _missing(one)),
            number(one.per_success, ",.0f", _missing(one) if one.tokens is None else NOTHING),
            number(one.dollars, ".4f", _missing(one)),
            "yes" if one in best else "",
            "this" if _is_chosen(one, found) else "",
        )
        for one in found
    )
    heads = ("solver", "passed", "share [95 %]", "broken", "tokens", "per success", "dollars")
    note = (
        "broken: by the infrastructure or the cap, in no other figure. tokens, dollars: of a cell."
    )
    if not all(one.own for one in found):
        note += (
            " front: nothing is both cheaper and better. "
            "choice: admitted by quality, then the cheapest."
        )
    if any(one.own for one in found):
        note += (
            " gold and idle are the harness's own models: they prove tasks and set-up and say nothing "
            "about a policy, so none of theirs is chosen, admitted or on the front."
        )
    if not any(one.cells for one in found):
        note = "No cell ended by itself: there is nothing to compare. replay show tells what broke."
    return Table("Results", (*heads, "front", "choice"), rows, note)


def _is_chosen(one: Figures, found: Sequence[Figures]) -> bool:
    """Without the baseline nothing was admitted, and where nobody passed there is nothing to choose."""
    base = any((other.solver, other.model) == (BASELINE, one.model) for other in found)
    return base and one.passed.hits > 0 and chosen(found, one.model) is one


def _comparison(found: Sequence[Figures]) -> Table:
    compared = [(one, one.against) for one in found if one.against is not None]
    rows = tuple(
        (
            label(one, found),
            str(against.pairs),
            interval(against.success, "+.2f"),
            p_value(against.success_p),
            against.success_test,
            NOTHING if one.own else "yes" if admitted(one) else "no",
            interval(against.tokens, "+,.0f"),
            p_value(against.tokens_p),
        )
        for one, against in compared
    )
    heads = ("solver", "pairs", "success [95 %]", "p", "test", "admitted", "tokens [95 %]")
    title = f"Against {BASELINE}"
    return Table(title, (*heads, "p (Wilcoxon)"), rows, _compared(found, [a for _, a in compared]))


def _compared(found: Sequence[Figures], differences: Sequence[Difference]) -> str:
    """What has to be known of the comparison."""
    if not differences:
        ran = any(one.solver == BASELINE for one in found)
        why = f"only {BASELINE} has run" if ran else f"{BASELINE} has not run"
        return f"Nothing to compare: {why}."
    drawn = [one.clusters for one in differences if one.pairs]
    notes = [
        f"Differences to {BASELINE} on the same tasks, models and seeds.",
        f"admitted: the lower bound of success is {MARGIN} or more.",
    ]
    if not there("scipy"):
        notes.append(f"No p values: SciPy is not installed ({way_to('scipy')}).")
    if not drawn:
        notes.append("No cell of both ended by itself.")
    if 1 in drawn:
        notes.append(
            "Pairs of one task (or repository) say nothing of others: no interval, not admitted."
        )
    if 1 < max(drawn, default=0) < _FEW:
        notes.append(
            f"The intervals rest on {max(drawn)} tasks (or repositories) at most: too few, the truth is wider."
        )
    return " ".join(notes)


def _costs(found: Sequence[Figures]) -> Table:
    names = ("fresh", "read", "write", "output")
    rows = tuple(
        (
            label(one, found),
            *(
                number(one.buckets[name] if one.buckets else None, ",.0f", _missing(one))
                for name in names
            ),
            _mean(one, one.steps),
            _mean(one, one.seconds),
            f"{one.charged:,}",
        )
        for one in found
    )
    heads = ("solver", "fresh", "cache read", "cache write", "output", "steps", "seconds")
    note = (
        "Means of a cell. charged: tokens of all attempts that broke, which are in no other figure."
    )
    return Table("Costs", (*heads, "charged"), rows, note)


def _work(found: Sequence[Figures], outcomes: Sequence[Outcome], judged: Judged) -> Table:
    shares = ("precision", "recall", "answer_recall", "line_precision")
    rows: list[tuple[str, ...]] = []
    for one in found:
        some = [
            outcome
            for outcome in outcomes
            if not outcome.broken and _whose(outcome) == (one.solver, one.model)
        ]
        row = (
            label(one, found),
            *(number(getattr(one, name), ".2f", NOTHING) for name in shares),
            *(_mean(one, value) for value in (one.failed_edits, one.commands, one.outside)),
            str(one.regressions) if one.cells else NOTHING,
            static(some) if some else NOTHING,
            judged.told(some) if some else NOTHING,
        )
        rows.append(row)
    heads = ("solver", "files right", "files found", "AR@5", "lines right", "failed edits")
    counts = ("commands", "outside gold", "regressions", "static defects", "judged defects")
    note = (
        "Means of a cell; regressions and defects: cells with some. void: the judge gave no proof for "
        "its answer. files right: of the changed files "
        "those of the fix; files found: of the fix's files those changed; AR@5: blocks of the fix among "
        "the first five changed places."
    )
    return Table("The work", (*heads, *counts), tuple(rows), note)


def _defects(outcomes: Sequence[Outcome], judged: Judged) -> Table:
    ended = [outcome for outcome in outcomes if not outcome.broken]
    return Table("Defects", heads_of(judged), rows_of(ended, judged), note_of(ended, judged))


def _whose(outcome: Outcome) -> tuple[str, str]:
    return outcome.cell.solver, outcome.cell.model


def _missing(one: Figures) -> str:
    """What stands for a figure that is not there: not known, or of no cell."""
    return UNKNOWN if one.cells else NOTHING


def _mean(one: Figures, value: float | None) -> str:
    return f"{value:.1f}" if one.cells and value is not None else _missing(one)


def _tasks(found: Sequence[Figures], outcomes: Sequence[Outcome]) -> Table:
    tasks = list(dict.fromkeys(outcome.cell.task for outcome in outcomes))
    rows = tuple(
        (
            task,
            *(
                _marks(o for o in outcomes if (o.cell.task, *_whose(o)) == (task, *whose))
                for whose in ((one.solver, one.model) for one in found)
            ),
        )
        for task in tasks
    )
    heads = ("task", *(label(one, found) for one in found))
    note = "One mark a cell: + passed, . failed, ! broken."
    if outcomes:
        note += f" A cell by its name: aoci-agent replay show {outcomes[0].cell.name}"
    return Table("Tasks", heads, rows, note)


def _marks(some: Iterable[Outcome]) -> str:
    marks = {"passed": "+", "failed": ".", "infrastructure": "!"}
    return "".join(marks[outcome.status] for outcome in some)


def share(found: Share) -> str:
    """`67% [30% 90%]`."""
    if not found.count:
        return NOTHING
    return f"{found.share:.0%} [{found.low:.0%} {found.high:.0%}]"


def p_value(value: float | None) -> str:
    """Two digits that mean something."""
    if value is None:
        return NOTHING
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def escaped(text: str) -> str:
    """Foreign text for Markdown: no markup of its own, and one line."""
    return re.sub(r"([|<\\`])", r"\\\1", text.replace("\n", " "))
