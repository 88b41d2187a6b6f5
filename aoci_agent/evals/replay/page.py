"""The report as one HTML file: tables, plots and trajectories side by side; nothing is loaded from anywhere."""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby

from aoci_agent.base.terminal import clean
from aoci_agent.evals.replay import plots
from aoci_agent.evals.replay.cell import Cell, Outcome
from aoci_agent.evals.replay.figures import Figures
from aoci_agent.evals.replay.tables import Table, number, tables_of
from aoci_agent.evals.replay.trajectory import Act

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2530; --faint: #687385; --line: #d8dde4; --ground: #fff; --good: #2b7a3d; --bad: #b3372f; --soft: #f4f6f8 }
@media (prefers-color-scheme: dark) { :root { --ink: #dfe4ea; --faint: #95a0af; --line: #353c46; --ground: #15181d; --good: #77c285; --bad: #e8837b; --soft: #1d2128 } svg { filter: invert(.88) hue-rotate(180deg) } }
* { box-sizing: border-box } body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1rem 4rem; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground) }
h1 { font-size: 1.5rem; margin: 0 } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem } h3 { font-size: .95rem; margin: 1.2rem 0 .3rem } p { margin: .3rem 0; color: var(--faint) }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums } th, td { padding: .25rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line) } th:first-child, td:first-child { text-align: left; padding-left: 0 } th { color: var(--faint); font-weight: 600 }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem } figure { margin: 0 } figcaption { color: var(--faint); font-size: .85rem } svg { width: 100%; height: auto }
details { border-top: 1px solid var(--line); padding: .4rem 0 } summary { cursor: pointer; overflow-wrap: anywhere } .side { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(17rem, 1fr); gap: 1rem; overflow-x: auto; padding: .5rem 0 }
.cell { background: var(--soft); border-radius: 6px; padding: .6rem .8rem; font-size: .8rem } .cell ol { margin: .4rem 0; padding-left: 1.6rem; overflow-wrap: anywhere } .cell pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 18rem; overflow-y: auto; font-size: .75rem } .passed { color: var(--good) } .failed, .infrastructure { color: var(--bad) } small { color: var(--faint) }
pre.prompt { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); padding: .6rem .8rem; border-radius: 6px; font-size: .8rem }
"""
_CAPTIONS = (
    (
        plots.success_and_cost,
        "Success, with its 95 % interval, against what a cell costs. Joined: the front.",
    ),
    (plots.tokens_by_bucket, "Tokens of a cell by bucket."),
    (plots.differences, "Paired difference in success to grep-read, with its 95 % interval."),
)


def page(
    title: str,
    about: Sequence[str],
    found: Sequence[Figures],
    outcomes: Sequence[Outcome],
    details: Mapping[Cell, tuple[Sequence[Act], str]],
    prompts: Mapping[str, str],
) -> str:
    """`about` are lines below the title; `details` acts and diff of each cell; `prompts` by task."""
    drawn = [(draw(found), words) for draw, words in _CAPTIONS]
    figures = "".join(
        f"<figure>{svg}<figcaption>{escape(words)}</figcaption></figure>"
        for svg, words in drawn
        if svg
    )
    tables = "".join(map(_table, tables_of(found, outcomes)))
    lines = "".join(f"<p>{_text(line)}</p>" for line in about)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{_text(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body><h1>{_text(title)}</h1>{lines}"
        f'<div class="plots">{figures}</div>{tables}<h2>Trajectories</h2>'
        f"{_trajectories(outcomes, details, prompts)}</body></html>\n"
    )


def _table(table: Table) -> str:
    head = "".join(f"<th>{_text(cell)}</th>" for cell in table.heads)
    rows = "".join(
        "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in table.rows
    )
    note = f"<p>{_text(table.note)}</p>" if table.note else ""
    return f'<h2>{_text(table.title)}</h2><div class="wide"><table><tr>{head}</tr>{rows}</table></div>{note}'


def _trajectories(
    outcomes: Sequence[Outcome],
    details: Mapping[Cell, tuple[Sequence[Act], str]],
    prompts: Mapping[str, str],
) -> str:
    """A fold for each task; inside, its cells beside each other."""
    made: list[str] = []
    for task, some in groupby(
        sorted(outcomes, key=_by_task), key=lambda outcome: outcome.cell.task
    ):
        cells = list(some)
        hits = sum(outcome.passed for outcome in cells)
        inside = "".join(_cell(outcome, *details.get(outcome.cell, ((), ""))) for outcome in cells)
        prompt = f'<pre class="prompt">{_text(prompts.get(task, ""))}</pre>'
        made.append(
            f"<details><summary>{_text(task)} <small>{hits} of {len(cells)} passed</small></summary>"
            f'{prompt}<div class="side">{inside}</div></details>'
        )
    return "".join(made)


def _by_task(outcome: Outcome) -> str:
    return outcome.cell.task


def _cell(outcome: Outcome, acts: Sequence[Act], diff: str) -> str:
    cell = outcome.cell
    tokens = outcome.spent.tokens
    used = number(None if tokens is None else tokens.all, ",")
    head = f"{_text(cell.solver)} <small>{_text(cell.model)}, seed {cell.seed}</small>"
    figures = f"{outcome.steps} steps, {used} tokens, {outcome.seconds:.0f} s"
    told = f"<p>{_text(outcome.message)}</p>" if outcome.message else ""
    items = "".join(f"<li>{_act(act)}</li>" for act in acts)
    change = (
        f"<details><summary>the change</summary><pre>{_text(diff)}</pre></details>" if diff else ""
    )
    return (
        f'<div class="cell"><b>{head}</b><br><span class="{outcome.status}">{outcome.status}</span> '
        f"<small>{figures}</small>{told}<ol>{items}</ol>{change}</div>"
    )


def _act(act: Act) -> str:
    mark = "" if act.ok else '<span class="failed">✗</span> '
    detail = f" <small>{_text(act.detail[:300])}</small>" if act.detail else ""
    tokens = f" <small>{act.tokens:,}</small>" if act.tokens is not None else ""
    return f"{mark}{_text(act.title)}{detail}{tokens}"


def _text(text: str) -> str:
    """Foreign text: no control character, no bidirectional trick, no markup."""
    return escape(clean(text))
