"""All cells of a run as data: CSV, a line a cell, and JSON."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from aoci_agent.evals.replay.cell import Outcome


def as_json(outcomes: Sequence[Outcome]) -> str:
    """All that is known of every cell."""
    return json.dumps([outcome.model_dump(mode="json") for outcome in outcomes], indent=1)


def as_csv(outcomes: Sequence[Outcome]) -> str:
    """The same in columns, `spent.tokens.fresh`; empty where something is not known."""
    rows = [dict(_flat(outcome.model_dump(mode="json"))) for outcome in outcomes]
    names = list(dict.fromkeys(name for row in rows for name in row))
    file = io.StringIO()
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


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
