"""The report of a run: figures, tables, exports, the page."""

import csv
import io
import json
import re
import sys
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest

from aoci_agent.agent.events import Notice, Replied, StepFinished, ToolFinished, TurnFinished
from aoci_agent.agent.meter import StepRecord, Totals
from aoci_agent.agent.models.model import Usage
from aoci_agent.agent.record import SessionRecord
from aoci_agent.base.errors import ForUser
from aoci_agent.base.terminal import cell_width
from aoci_agent.evals.replay.cell import Cell, Outcome, Spent, Status, Tokens
from aoci_agent.evals.replay.exchange import REQUESTS, Called, Exchange, Said
from aoci_agent.evals.replay.exports import as_csv, as_json
from aoci_agent.evals.replay.figures import chosen, figures_of, front
from aoci_agent.evals.replay.judge import CLASSES, Finding, Judgement
from aoci_agent.evals.replay.judge_table import Judged, judged_of
from aoci_agent.evals.replay.page import Detail, Report, page
from aoci_agent.evals.replay.plots import success_and_cost
from aoci_agent.evals.replay.tables import Table, tables_of
from aoci_agent.evals.replay.trajectory import Act, acts_of, events_of
from aoci_agent.policies.conversation import AssistantMessage, ToolCall
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
    assert (one.cells, one.broken, one.tokens, one.charged) == (1, 1, 100, 57)


def test_an_unknown_figure_is_never_a_zero() -> None:
    rows = [ended("t0", "aoci", "passed", 100), ended("t1", "aoci", "passed", None)]
    found = figures_of(rows, lambda task: task)
    assert found[0].tokens is None
    assert chosen(found, "m") is None
    results, *_ = tables_of(found, rows)
    assert results.rows[0][4:7] == ("?", "?", "?")


def test_dollars_are_never_compared_with_tokens() -> None:
    """A peer without a price has tokens only; what runs on this machine costs nothing at all."""
    for mine, other in ((0.01, None), (None, 0.01), (0.0, 0.0), (None, None)):
        rows = [ended(f"t{n}", "grep-read", "passed", 500, mine) for n in range(3)]
        rows += [ended(f"t{n}", "aider", "passed", 900, other) for n in range(3)]
        found = figures_of(rows, lambda task: task)
        best = chosen(found, "m")
        assert best is not None
        assert best.solver == "grep-read"
        assert front(found) == [best]
        assert "tokens a cell" in success_and_cost(found)
    rows = [row.model_copy(update={"spent": Spent(tokens=None, dollars=0.1)}) for row in rows]
    assert "dollars a cell" in success_and_cost(figures_of(rows, lambda task: task))


def test_tables_say_what_happened() -> None:
    rows = grid()
    results, against, *_, tasks = tables_of(figures_of(rows, lambda task: task), rows)
    assert [row[0] for row in results.rows if row[-1]] == ["aoci"]
    assert {row[0]: row[5] for row in against.rows} == {"aoci": "yes", "eager": "no"}
    assert tasks.rows[1] == ("t1", "+", "+", ".")
    widths = {line.count("|") for line in results.markdown().splitlines() if line.startswith("|")}
    assert widths == {len(results.heads) + 1}


@pytest.mark.parametrize("width", [40, 60, 80, 110])
def test_tables_fit_the_terminal_and_lose_no_column(width: int) -> None:
    rows = grid()
    for table in tables_of(figures_of(rows, lambda task: task), rows):
        text = table.plain(width)
        assert max(map(len, text.splitlines())) <= width
        assert all(head in text for head in table.heads)
    wide = Table("T", ("solver", "told"), (("a" * 200, "b" * 200), ("\x1b漢", "c\nd")))
    lines = wide.plain(width).splitlines()
    assert max(map(cell_width, lines)) <= width
    assert len(lines) == 4


def test_the_models_of_the_harness_are_neither_chosen_nor_on_the_front() -> None:
    rows = [
        row.model_copy(update={"cell": row.cell.model_copy(update={"model": model})})
        for row in grid()
        for model in ("gold", "idle", "m")
    ]
    found = figures_of(rows, lambda task: task)
    results, against, *_ = tables_of(found, rows)
    assert {row[0].partition(" · ")[2] for row in results.rows if row[-1] or row[-2]} == {"m"}
    for row in against.rows:
        assert (row[5] == "-") == (row[0].endswith(("gold", "idle")))
    assert "say nothing about a policy" in results.note
    assert {one.model for one in front(found)} == {"m"}
    own = [one for one in found if one.own]
    assert chosen(own, "gold") is None
    assert front(own) == []
    assert success_and_cost(own) == ""


def test_without_scipy_there_are_tables_without_p_values_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("scipy", "scipy.stats", "matplotlib"):
        monkeypatch.setitem(sys.modules, name, None)
    for rows in (grid(), [ended("a", "grep-read", "passed", 1), ended("b", "aoci", "failed", 2)]):
        _, against, *_ = tables_of(figures_of(rows, lambda task: task), rows)
        assert {(row[3], row[7]) for row in against.rows} == {("-", "-")}
        assert "SciPy is not installed (pip install 'aoci-agent[replay]')" in against.note
    with pytest.raises(ForUser, match="matplotlib is not installed"):
        shown(rows, Detail())


def test_the_exports_hold_every_cell() -> None:
    rows = grid()
    read = list(csv.DictReader(io.StringIO(as_csv(rows, Judged()))))
    assert [row["cell.task"] for row in read] == [outcome.cell.task for outcome in rows]
    assert read[0]["spent.tokens.fresh"] == "1000"
    data = json.loads(as_json(rows, Judged()))
    assert [row.pop("judged") for row in data] == [None] * len(rows)
    assert [Outcome.model_validate(row) for row in data] == rows


EVIL = '<script>x</script>\x1b]52;c;AA\x07\u202e" onload="y'


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def shown(rows: Sequence[Outcome], detail: Detail, *, judged: Judged | None = None) -> str:
    """The page of these outcomes, each with that detail."""
    found = figures_of(rows, lambda task: task)
    prompts = {row.cell.task: EVIL for row in rows}

    def read(outcome: Outcome) -> Detail:
        return detail

    return page(Report(EVIL, (EVIL,), found, rows, judged or Judged(), prompts, read))


def test_the_page_loads_nothing_and_shows_foreign_text_as_text() -> None:
    rows = [
        ended(f"{task}{EVIL}", solver, "passed", 10, 0.1).model_copy(
            update={"message": EVIL, "reason": EVIL, "defects": (f"schema: {EVIL}",)}
        )
        for task in ("a", "b")
        for solver in ("grep-read", EVIL)
    ]
    acts = (Act(1, "call", EVIL, ok=False, detail=EVIL), Act(1, "text", EVIL, tokens=5))
    findings = {name: Finding(answer="yes", evidence=EVIL) for name in CLASSES}
    said = Judgement(rubric=EVIL, model=EVIL, change="", findings=findings, spent=Spent())
    judged = judged_of({row.cell: [said] for row in rows})
    text = shown(rows, Detail(acts, EVIL, EVIL), judged=judged)
    tags = _Tags()
    tags.feed(text)
    assert text.count("<svg") == 3
    plots = [attributes for tag, attributes in tags.found if tag == "svg"]
    assert all(plot["role"] == "img" and plot["aria-label"] for plot in plots)
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in tags.found}
    ids = {attributes["id"] for _, attributes in tags.found if "id" in attributes}
    for tag, attributes in tags.found:
        assert not any(name.startswith("on") for name in attributes), tag
        reached = [v for name, v in attributes.items() if name in ("src", "href", "xlink:href")]
        assert all(value and value.startswith("#") for value in reached), tag
        assert tag != "a" or {value[1:] for value in reached if value} <= ids
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)
    for table in tables_of(figures_of(rows, lambda task: task), rows, judged):
        assert "<script" not in table.markdown().replace("\\<script", "")


def test_a_page_of_long_trajectories_is_bounded_and_says_what_it_leaves_out() -> None:
    rows = [ended(f"t{n}", "aoci", "passed", 10) for n in range(400)]
    acts = [Act(n, "call", "edit " + "x" * 1000) for n in range(1_000)]
    text = shown(rows, Detail(acts, "+y\n" * 100_000, "z" * 500_000))
    assert len(text) < 25_000_000
    assert "more are left out: replay show t0--aoci--m--0" in text
    assert "0 steps" in text
    assert "characters are left out" in text
    short = shown(rows[:1], Detail(acts[:20], "+y", "z"))
    assert short.count("<li>") == 20
    assert "more are left out" not in short


def test_acts_are_read_from_the_record(tmp_path: Path) -> None:
    record = SessionRecord(tmp_path / "state/data/sessions/x/s.jsonl")
    call = ToolCall("1", "edit", "{}")
    record.write(Replied(AssistantMessage("I edit.", (call,))))
    record.write(StepFinished(StepRecord(1, "m", "aoci", Usage(fresh=7, output=2)), Totals()))
    record.write(
        ToolFinished(
            call, ToolResult("no", ok=False, summary="not found"), "failed", 0.1, "edit a.py"
        )
    )
    record.write(Notice("slow", "warning"))
    record.write(Replied(AssistantMessage("It works.")))
    record.write(StepFinished(StepRecord(2, "m", "aoci", Usage(fresh=9)), Totals()))
    record.write(TurnFinished("done", "It works.", Totals()))
    record.close()
    assert tuple(acts_of(events_of(tmp_path))) == (
        Act(1, "text", "I edit.", tokens=9),
        Act(1, "call", "edit a.py", ok=False, detail="not found"),
        Act(1, "notice", "slow", ok=False),
        Act(2, "text", "It works.", tokens=9),
        Act(2, "end", "done"),
    )
    assert tuple(events_of(tmp_path / "missing")) == ()


def test_the_trajectory_of_another_agent_is_read_from_what_the_proxy_saw(tmp_path: Path) -> None:
    call = Called(name="bash", arguments='{"command": "ls\\n-l"}', id="c1")
    log = [
        Exchange(
            number=1, at=0.0, api="chat", path="/chat/completions", messages=1,
            told=(Said(role="system", text="Be\nkind. " * 99), Said(role="user", text="do it")),
            reply=Said(role="assistant", text="I look.", calls=(call,)),
            usage=Tokens(fresh=20, output=4),
        ),
        Exchange(
            number=2, at=1.0, api="chat", path="/chat/completions", messages=3,
            told=(Said(role="tool", text="a.py", answers="c1"), Said(role="user", text="go on")),
            reply=Said(role="assistant", text="Done."),
        ),
    ]  # fmt: skip
    lines = "".join(f"{one.model_dump_json()}\n" for one in log)
    (tmp_path / REQUESTS).write_text(lines)
    system, *acts = acts_of(events_of(tmp_path))
    assert system.title.startswith("system, 891 characters: Be⏎kind. Be")
    assert len(system.title) < 140
    assert tuple(acts) == (
        Act(1, "text", "I look.", tokens=24),
        Act(1, "call", "bash ls -l"),
        Act(1, "notice", "go on"),
        Act(2, "text", "Done."),  # nobody counted its tokens: no figure, and no zero
    )


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([ended("t0", "aoci", "infrastructure", 5)], "No cell ended by itself"),
        ([ended("t0", "aoci", "passed", 5)], "grep-read has not run"),
        ([ended("t0", "grep-read", "passed", 5)], "only grep-read has run"),
        (
            [ended("t0", name, "passed", 5) for name in ("grep-read", "aoci")],
            "Pairs of one task",
        ),
        (
            [ended("t0", "grep-read", "infrastructure", 5), ended("t0", "aoci", "passed", 5)],
            "No cell of both ended by itself",
        ),
        ([row for row in grid() if row.cell.task in ("t0", "t1")], "rest on 2 tasks"),
        ([ended("t0", "aoci", "failed", None)], "Nothing to compare"),
    ],
)
def test_little_to_say_is_said_in_words(rows: Sequence[Outcome], told: str) -> None:
    """No table holds a figure of no cell, and every form is made."""
    tables = tables_of(figures_of(rows, lambda task: task), rows)
    text = "\n".join([*(one.plain() for one in tables), *(one.markdown() for one in tables)])
    html = shown(rows, Detail())
    assert told in text
    assert told in html
    for form in (text, html, as_csv(rows, Judged())):
        assert not re.search(r"\b(nan|NaN|inf|None)\b", form)
    if all(row.broken for row in rows):
        assert tables[0].rows[0][1:] == ("0 of 0", "-", "1", "-", "-", "-", "", "")
        assert {cell for row in tables[3].rows for cell in row[1:]} == {"-"}
