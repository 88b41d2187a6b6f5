"""`aoci-agent sessions list|stats`: what the records say, as a table, JSON or CSV."""

import csv
import datetime
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from aoci_agent.agent.sessions import BUCKETS, SessionUse, Sums, records_in, summed, use_of
from aoci_agent.base.errors import BadUsage, Exit
from aoci_agent.base.git import Repository
from aoci_agent.base.places import Places
from aoci_agent.base.terminal import cell_width, clean, one_line
from aoci_agent.bench import work_root
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.launch import say_part
from aoci_agent.tui.figures import money, percent, tokens

_PROMPT = 60  # cells of the first words
_NAMES = 34  # cells of a model's name
_NOBODY = SessionUse(Path(), "", "", datetime.datetime.min)  # the columns, where no row is


def listed(arguments: Arguments) -> int:
    """One line each, the one used last first: `--continue` takes the first that holds a turn."""
    uses = sorted(_uses(arguments), key=_used, reverse=True)
    if arguments.format == "text":
        if not _none(uses):
            heads = ("session", "begun", "last used", "turns", "model", "first words")
            _print_table([heads, *map(_line, uses)])
        return Exit.DONE
    rows = [
        _named(use)
        | {"used": _day(_used(use), ":%S"), "turns": use.sums.turns, "prompt": use.prompt}
        | {"interrupted": use.interrupted}
        for use in uses
    ]
    heads = [*_named(_NOBODY), "used", "turns", "prompt", "interrupted"]
    _print_data(rows, arguments.format, {"sessions": rows}, heads)
    return Exit.DONE


def stats(arguments: Arguments) -> int:
    """Oldest first, sums at the end. CSV has rows only. Sessions that sent nothing are counted."""
    found = _uses(arguments)
    uses = [use for use in found if not use.sums.nothing_sent]
    sums = summed(uses)
    if arguments.format == "text":
        if not _none(uses):
            _print_table(_stats_table(uses, sums, everywhere=arguments.everywhere))
    else:
        rows = [_named(use) | _figures(use.sums) for use in uses]
        whole = {"sessions": rows, "sum": {"sessions": sums.sessions} | _figures(sums)}
        whole |= {"nothing_sent": len(found) - len(uses)}
        _print_data(rows, arguments.format, whole, list(_named(_NOBODY) | _figures(sums)))
    for note in _notes(sums, len(found) - len(uses)):
        print(f"  note: {note}", file=sys.stderr)
    return Exit.DONE


def _notes(sums: Sums, empty: int) -> Iterator[str]:
    """What the sums do not hold."""
    if sums.damaged:
        yield f"{_count(sums.damaged, 'damaged line')} left out"
    if sums.recorded:
        yield f"{_count(sums.recorded, 'recorded reply', 'recorded replies')}: no dollars were spent"
    if sums.unended:
        yield f"{_count(sums.unended, 'call')} had not ended: what it took is not known"
    if empty:
        yield f"{_count(empty, 'session')} started, nothing sent: not shown"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def _uses(arguments: Arguments) -> list[SessionUse]:
    """The sessions asked for, oldest first. A record that cannot be opened is said and left out."""
    places = Places(os.environ)
    since = _since(arguments.since)
    uses: list[SessionUse] = []
    for path in _records(places, arguments):
        try:
            use = use_of(path)
        except OSError as error:
            print(clean(f"  note: cannot read {path}: {error.strerror}"), file=sys.stderr)
            continue
        if since is None or use.started >= since:
            uses.append(use)
    return sorted(uses, key=lambda use: (use.started, use.session_id))


def _records(places: Places, arguments: Arguments) -> list[Path]:
    folder = places.data / "sessions"
    if not arguments.everywhere:
        root = work_root(arguments.cwd)
        say_part(root, Repository.find(root), arguments)
        return records_in(folder / places.project(root))
    projects = sorted(folder.iterdir()) if folder.is_dir() else []
    return [path for project in projects for path in records_in(project)]


def _since(day: str | None) -> datetime.datetime | None:
    if day is None:
        return None
    try:
        return datetime.datetime.fromisoformat(day).replace(tzinfo=None)
    except ValueError as error:
        raise BadUsage(f"'{day}' is no date", "write it as 2026-11-30") from error


def _none(uses: Sequence[SessionUse]) -> bool:
    if not uses:
        print("no sessions", file=sys.stderr)
    return not uses


def _named(use: SessionUse) -> dict[str, Any]:
    return {
        "session": use.session_id,
        "project": use.project,
        "started": use.started.isoformat(sep=" ", timespec="seconds"),
        "model": " + ".join(use.models),
        "policy": " + ".join(use.policies),
    }


def _figures(sums: Sums) -> dict[str, Any]:
    """`cost` is null when a step has no known price: never too low; `priced` is what is known of it.

    Recorded replies are in the tokens and in neither: nothing was spent for them.
    """
    return {
        "turns": sums.turns,
        "steps": sums.steps,
        "prompt": sums.prompt,
        **{name: sums.buckets[name] for name in BUCKETS},
        "hit_rate": round(sums.hit_rate, 4),
        "cost": None if sums.unpriced else round(sums.cost, 6),
        "priced": round(sums.cost, 6),
        "unpriced_steps": sums.unpriced,
        "disputed_steps": sums.disputed,
        "recorded_steps": sums.recorded,
        "local_steps": sums.local,
        "unended_calls": sums.unended,
        "provenance": sums.provenance,
        "estimated_steps": sums.estimated,
        "model_seconds": round(sums.seconds, 1),
        "damaged_lines": sums.damaged,
    }


def _used(use: SessionUse) -> datetime.datetime:
    """When the record was last written, in local time."""
    try:
        return datetime.datetime.fromtimestamp(use.path.stat().st_mtime)
    except OSError:  # gone meanwhile
        return use.started


def _day(moment: datetime.datetime, seconds: str = "") -> str:
    return format(moment, f"%Y-%m-%d %H:%M{seconds}")


def _line(use: SessionUse) -> tuple[str, ...]:
    names = one_line(" + ".join(use.models) or "-", _NAMES)
    when = (_day(use.started), _day(_used(use)))
    words = f"[interrupted] {use.prompt}" if use.interrupted else use.prompt
    return (use.session_id, *when, str(use.sums.turns), names, one_line(words, _PROMPT))


def _stats_table(
    uses: Sequence[SessionUse], sums: Sums, *, everywhere: bool
) -> list[tuple[str, ...]]:
    heads = ("begun", "model", "policy", "turns", "steps", "fresh", "read", "write")
    heads += ("output", "reason", "hit", "cost", "")
    first = "project" if everywhere else "session"
    rows: list[tuple[str, ...]] = [(first, *heads)]
    for use in uses:
        name = use.project if everywhere else use.session_id
        begun = _day(use.started)
        model = one_line(" + ".join(use.models) or "-", _NAMES)
        rows.append(
            (one_line(name, _NAMES), begun, model, " + ".join(use.policies), *_cells(use.sums))
        )
    count = "1 session" if sums.sessions == 1 else f"{sums.sessions} sessions"
    return [*rows, ("all", count, "", "", *_cells(sums))]


def _cells(sums: Sums) -> tuple[str, ...]:
    guess = bool(sums.estimated)
    shown = ("fresh", "cache_read", "cache_write", "output", "reasoning")
    cost = money(sums.cost, estimated=guess) if not sums.unpriced else "$?"
    if sums.steps and sums.local == sums.steps:
        cost = "local"
    if sums.unpriced and sums.cost:
        cost = f"{money(sums.cost, estimated=guess)} + $?"
    notes = (
        sums.provenance if sums.provenance != "measured" else "",
        f"{sums.recorded} recorded" if 0 < sums.recorded < sums.steps else "",
        f"{_count(sums.unended, 'call')} had not ended" if sums.unended else "",
        f"{sums.disputed} disputed" if sums.disputed else "",
        _count(sums.damaged, "damaged line") if sums.damaged else "",
    )
    return (
        *(str(sums.turns), str(sums.steps)),
        *(tokens(sums.buckets[name], estimated=guess) for name in shown),
        *(percent(sums.hit_rate), cost, ", ".join(filter(None, notes))),
    )


def _print_table(rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(cell_width(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell + " " * (width - cell_width(cell)) for cell, width in zip(row, widths, strict=True)
        ]
        print("  ".join(cells).rstrip())


def _print_data(
    rows: Sequence[dict[str, Any]], form: str, whole: dict[str, Any], heads: Sequence[str]
) -> None:
    if form == "json":
        print(json.dumps(whole, ensure_ascii=False, indent=2))
        return
    writer = csv.DictWriter(sys.stdout, fieldnames=heads, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _safe(cell) for name, cell in row.items()} for row in rows)


def _safe(cell: Any) -> Any:
    """Foreign text in a cell: one line, and nothing a spreadsheet would take for a formula."""
    if not isinstance(cell, str):
        return cell
    text = clean(cell).replace("\n", " ")
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
