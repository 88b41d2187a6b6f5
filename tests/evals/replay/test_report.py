"""The report of a run: figures, tables, exports, the page."""

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

from aoci_agent.agent.events import Notice, ToolFinished, TurnFinished
from aoci_agent.agent.meter import Totals
from aoci_agent.agent.record import SessionRecord
from aoci_agent.evals.replay.cell import Cell, Outcome, Spent, Status, Tokens
from aoci_agent.evals.replay.exports import as_csv, as_json
from aoci_agent.evals.replay.figures import chosen, figures_of, front
from aoci_agent.evals.replay.page import page
from aoci_agent.evals.replay.tables import tables_of
from aoci_agent.evals.replay.trajectory import Act, acts_of
from aoci_agent.policies.conversation import ToolCall
from aoci_agent.tools.tool import ToolResult


def ended(
    task: str, solver: str, status: Status, tokens: int | None, dollars: float | None = None
) -> Outcome:
    spent = Spent(tokens=None if tokens is None else Tokens(fresh=tokens), dollars=dollars)
    return Outcome(cell=Cell(task=task, solver=solver, model="m"), status=status, spent=spent)


def grid() -> list[Outcome]:
    """Twenty tasks: the index is as good and cheaper, eager is cheapest and worse."""
    rows: list[Outcome] = []
    for n in range(20):
        rows.append(ended(f"t{n}", "grep-read", "passed" if n % 2 else "failed", 1000, 0.01))
        rows.append(ended(f"t{n}", "aoci", "passed" if n % 2 else "failed", 800, 0.008))
        rows.append(ended(f"t{n}", "eager", "failed", 100, 0.001))
    return rows


def test_quality_decides_before_price() -> None:
    found = figures_of(grid(), lambda task: task)
    best = chosen(found, "m")
    assert best is not None
    assert best.solver == "aoci"
    assert [one.solver for one in front(found)] == ["eager", "aoci"]
    assert (best.passed.hits, best.per_success) == (10, 1600)


def test_what_broke_is_counted_and_charged_but_no_result() -> None:
    broken = ended("t0", "aoci", "infrastructure", 50).model_copy(
        update={"charged": Spent(tokens=Tokens(fresh=7))}
    )
    (one,) = figures_of([broken, ended("t1", "aoci", "passed", 100)], lambda task: task)
    assert (one.cells, one.broken, one.tokens, one.charged) == (1, 1, 100, 7)


def test_an_unknown_figure_is_never_a_zero() -> None:
    rows = [ended("t0", "aoci", "passed", 100), ended("t1", "aoci", "passed", None)]
    found = figures_of(rows, lambda task: task)
    assert found[0].tokens is None
    assert chosen(found, "m") is None
    results, *_ = tables_of(found, rows)
    assert results.rows[0][5:8] == ("?", "?", "?")


def test_tables_say_what_happened() -> None:
    rows = grid()
    results, against, *_, tasks = tables_of(figures_of(rows, lambda task: task), rows)
    assert [row[0] for row in results.rows if row[-1]] == ["aoci"]
    assert {row[0]: row[5] for row in against.rows} == {"aoci": "yes", "eager": "no"}
    assert tasks.rows[1] == ("t1", "+", "+", ".")
    widths = {line.count("|") for line in results.markdown().splitlines() if line.startswith("|")}
    assert widths == {len(results.heads) + 1}


def test_the_exports_hold_every_cell() -> None:
    rows = grid()
    read = list(csv.DictReader(io.StringIO(as_csv(rows))))
    assert [row["cell.task"] for row in read] == [outcome.cell.task for outcome in rows]
    assert read[0]["spent.tokens.fresh"] == "1000"
    assert [Outcome.model_validate(row) for row in json.loads(as_json(rows))] == rows


EVIL = '<script>x</script>\x1b]52;c;AA\x07\u202e" onload="y'


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_page_loads_nothing_and_shows_foreign_text_as_text() -> None:
    rows = [
        ended(EVIL, solver, "passed", 10, 0.1).model_copy(update={"message": EVIL})
        for solver in ("grep-read", EVIL)
    ]
    details = {row.cell: ((Act(1, "call", EVIL, ok=False, detail=EVIL),), EVIL) for row in rows}
    text = page(EVIL, (EVIL,), figures_of(rows, lambda task: task), rows, details, {EVIL: EVIL})
    tags = _Tags()
    tags.feed(text)
    assert text.count("<svg") == 3
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in tags.found}
    for tag, attributes in tags.found:
        assert not any(name.startswith("on") for name in attributes), tag
        reached = [v for name, v in attributes.items() if name in ("src", "href", "xlink:href")]
        assert all(value and value.startswith("#") for value in reached), tag
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)


def test_acts_are_read_from_the_record(tmp_path: Path) -> None:
    record = SessionRecord(tmp_path / "session.jsonl")
    call = ToolCall("1", "edit", "{}")
    record.write(
        ToolFinished(
            call, ToolResult("no", ok=False, summary="not found"), "failed", 0.1, "edit a.py"
        )
    )
    record.write(Notice("slow", "warning"))
    record.write(TurnFinished("done", "It works.", Totals()))
    record.close()
    assert acts_of(tmp_path / "session.jsonl") == (
        Act(0, "call", "edit a.py", ok=False, detail="not found"),
        Act(0, "notice", "slow", ok=False),
        Act(0, "end", "done", detail="It works."),
    )
    assert acts_of(tmp_path / "missing.jsonl") == ()
