"""The report as one HTML file: tables, plots and trajectories side by side; nothing is loaded from anywhere."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import NamedTuple

from aoci_agent.base.terminal import clean
from aoci_agent.evals.policies_statistics import number
from aoci_agent.evals.replay import plots
from aoci_agent.evals.replay.cell import Outcome
from aoci_agent.evals.replay.figures import BASELINE, Figures
from aoci_agent.evals.replay.judge import Judgement
from aoci_agent.evals.replay.judge_table import Judged
from aoci_agent.evals.replay.store import ending
from aoci_agent.evals.replay.tables import Table, tables_of
from aoci_agent.evals.replay.trajectory import Act
from aoci_agent.tools.places import counted

_ALL = 12_000_000  # characters of all trajectories and changes: more is slow to open
_CELL = (3_000, 60_000)  # of one cell at least, and at most
_LINE = 300  # of one line of a trajectory
_SAID = 1_500  # of what the agent said, of a message, of a piece of evidence
_CAPTIONS = (
    (
        plots.success_and_cost,
        "Success, with its 95 % interval, against what a cell costs. Joined: the front.",
    ),
    (plots.tokens_by_bucket, "Tokens of a cell by bucket."),
    (
        plots.differences,
        f"Paired difference in success to {BASELINE}, with its 95 % interval. Dashed: the margin.",
    ),
)
_BESIDE = (
    "Numbers at the right are the tokens of the call of the model that led to what stands there."
)


class Detail(NamedTuple):
    """What a cell left behind: its acts, its change, and the output of its check."""

    acts: Iterable[Act] = ()
    change: str = ""
    check: str = ""


class Report(NamedTuple):
    """`about` are lines below the title; `prompts` by task; `detail` reads a cell's."""

    title: str
    about: Sequence[str]
    found: Sequence[Figures]
    outcomes: Sequence[Outcome]
    judged: Judged
    prompts: Mapping[str, str]
    detail: Callable[[Outcome], Detail]


def page(report: Report) -> str:
    """The whole file."""
    drawn = [(draw(report.found), words) for draw, words in _CAPTIONS]
    figures = "".join(
        f"<figure>{_told(svg, words)}<figcaption>{escape(words)}</figcaption></figure>"
        for svg, words in drawn
        if svg
    )
    tables = tables_of(report.found, report.outcomes, report.judged)
    lines = "".join(f"<p>{_text(line)}</p>" for line in report.about)
    tasks = list(dict.fromkeys(outcome.cell.task for outcome in report.outcomes))
    title, style = _text(report.title), files(__package__ or "").joinpath("page.css")
    results, *others = (_table(table) for table in tables)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style.read_text('utf-8')}</style></head><body><header><h1>{title}</h1>{lines}"
        f"{_contents(tables, tasks)}</header><main>{results}"
        f'<div class="plots">{figures}</div>{"".join(others)}<h2 id="trajectories">Trajectories</h2>'
        f"<p>{escape(_BESIDE)}</p>"
        f"{''.join(_task(report, task, n) for n, task in enumerate(tasks, 1))}</main></body></html>\n"
    )


def _told(svg: str, words: str) -> str:
    """A plot with the name that a reader of screens says."""
    return svg.replace("<svg", f'<svg role="img" aria-label="{escape(words)}"', 1)


def _contents(tables: Sequence[Table], tasks: Sequence[str]) -> str:
    links = [(_anchor(table.title), table.title) for table in tables]
    links.append(("trajectories", "Trajectories"))
    inside = [(f"task-{n}", task) for n, task in enumerate(tasks, 1)]
    rows = (
        " ".join(f'<a href="#{anchor}">{_text(words)}</a>' for anchor, words in some)
        for some in (links, inside)
    )
    return f"<nav>{''.join(f'<div>{row}</div>' for row in rows)}</nav>"


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{_text(cell)}</th>' for cell in table.heads)
    rows = "".join(
        f'<tr><th scope="row">{_text(first)}</th>'
        + "".join(f"<td>{_text(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in table.rows
    )
    title, anchor = _text(table.title), _anchor(table.title)
    body = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""
    wide = f'<div class="wide" tabindex="0" role="region" aria-label="{title}">{body}</div>'
    note = f"<p>{_text(table.note)}</p>" if table.note else ""
    return f'<section><h2 id="{anchor}">{title}</h2>{wide if body else ""}{note}</section>'


def _task(report: Report, task: str, number: int) -> str:
    """A fold for each task; inside, its cells beside each other."""
    cells = [outcome for outcome in report.outcomes if outcome.cell.task == task]
    hits = sum(outcome.passed for outcome in cells)
    room = max(_CELL[0], min(_CELL[1], _ALL // max(1, len(report.outcomes))))
    inside = "".join(
        _cell(outcome, report.detail(outcome), report.judged.of.get(outcome.cell), room)
        for outcome in cells
    )
    prompt = f'<pre class="prompt">{_cut(report.prompts.get(task, ""), _CELL[0])}</pre>'
    return (
        f'<details class="task" id="task-{number}"{" open" * (number == 1)}><summary><b>{_text(task)}</b> '
        f"<small>{hits} of {len(cells)} passed</small></summary>"
        f'{prompt}<div class="side">{inside}</div></details>'
    )


def _cell(outcome: Outcome, detail: Detail, judgement: Judgement | None, room: int) -> str:
    cell, tokens = outcome.cell, outcome.spent.tokens
    used = number(None if tokens is None else tokens.all, ",")
    parts = [
        f"<h3>{_text(cell.solver)} <small>{_text(cell.model)}, seed {cell.seed}</small></h3>",
        f"<p>{_text(cell.name)}</p>",
        f'<span class="{outcome.status}">{_MARKS[outcome.status]} {ending(outcome)}</span> '
        f"<small>{_text(outcome.reason)} · {counted(outcome.steps, 'step')} · {used} tokens · {outcome.seconds:.0f} s</small>",
    ]
    if outcome.message:
        parts.append(f"<p>{_cut(outcome.message, _SAID)}</p>")
    parts += _defects(outcome, judgement)
    items, used_up, left = _acts(detail.acts, room // 2)
    more = f"<p>{left:,} more are left out: replay show {_text(cell.name)}</p>" if left else ""
    parts.append(f"<ol>{items}</ol>{more}" if items else "<p>nothing was recorded</p>")
    rest = room - used_up
    for name, text in (("the change", detail.change), ("the hidden check", detail.check)):
        if text:
            parts.append(
                f"<details><summary>{name}</summary><pre>{_cut(text, rest // 2)}</pre></details>"
            )
    return f'<article class="cell">{"".join(parts)}</article>'


_MARKS = {"passed": "✓", "failed": "✗", "infrastructure": "!"}


def _defects(outcome: Outcome, judgement: Judgement | None) -> Iterator[str]:
    lines = [f"static · {line}" for line in outcome.defects or ()]
    if judgement is not None:
        lines += [
            f"judged · {name}: {judgement.findings[name].evidence.strip()}"
            for name in judgement.said("yes")
        ]
        if judgement.void:
            lines.append(f"judged · void: {', '.join(judgement.said('void'))}")
    if lines:
        yield f"<ul>{''.join(f'<li>{_cut(line, _SAID)}</li>' for line in lines)}</ul>"


def _acts(acts: Iterable[Act], room: int) -> tuple[str, int, int]:
    """Those that there is room for, how long they are, and how many are not among them."""
    made, used = list[str](), 0
    there = iter(acts)
    for act in there:
        made.append(f"<li>{_act(act)}</li>")
        used += len(made[-1])
        if used > room:
            break
    return "".join(made), used, sum(1 for _ in there)


def _act(act: Act) -> str:
    mark = "" if act.ok else '<span class="failed">✗</span> '
    title = _cut(act.title, _SAID if act.kind == "text" else _LINE)
    detail = f" <small>{_cut(act.detail, _LINE)}</small>" if act.detail else ""
    tokens = f'<small class="tokens">{act.tokens:,}</small>' if act.tokens is not None else ""
    return f'{tokens}{mark}<span class="{act.kind}">{title}</span>{detail}'


def _cut(text: str, most: int) -> str:
    """The beginning and the end of it where it is too long, and how much is left out."""
    if len(text) <= most:
        return _text(text)
    half = max(most // 2, 1)
    left = len(text) - 2 * half
    return f"{_text(text[:half])}<i> … {left:,} characters are left out … </i>{_text(text[-half:])}"


def _text(text: str) -> str:
    """Foreign text: no control character, no bidirectional trick, no markup."""
    return escape(clean(text))
