"""All cells of a run as data: CSV, a line a cell, and JSON."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from aoci_agent.evals.replay.cell import Outcome
from aoci_agent.evals.replay.judge_table import Judged


def as_json(outcomes: Sequence[Outcome], judged: Judged) -> str:
    """All that is known of every cell; `judged` is null where no judge looked at it."""
    return json.dumps(_rows(outcomes, judged), indent=1)


def as_csv(outcomes: Sequence[Outcome], judged: Judged) -> str:
    """The same in columns, `spent.tokens.fresh`; empty where something is not known."""
    rows = [dict(_flat(row)) for row in _rows(outcomes, judged)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    file = io.StringIO()
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def _rows(outcomes: Sequence[Outcome], judged: Judged) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for outcome in outcomes:
        made = judged.of.get(outcome.cell)
        said = made and made.model_dump(mode="json")
        rows.append({**outcome.model_dump(mode="json"), "judged": said})
    return rows


def _flat(data: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, object]]:
    for name, value in data.items():
        if name == "changed":
            yield above + name, " ".join(value)
        elif isinstance(value, dict):
            yield from _flat(cast("dict[str, Any]", value), f"{above}{name}.")
        elif isinstance(value, list):
            yield above + name, " ".join(map(str, cast("list[object]", value)))
        else:
            yield above + name, value
