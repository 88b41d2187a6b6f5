"""Cases of localization: a query, and the files and functions a person changed for it."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aoci_agent.base.errors import ForUser
from aoci_agent.evals.policies_statistics import wilson

CUTS = (1, 3, 5, 10)
FUNCTION_CUTS = (5, 10)


@dataclass(frozen=True, slots=True)
class Case:
    """`functions` are `path:Class.method`."""

    id: str
    repository: str
    commit: str
    query: str
    files: tuple[str, ...]
    functions: tuple[str, ...]
    language: str = ""

    @property
    def held_out(self) -> bool:
        """Which half it is of, by its id alone."""
        return hashlib.blake2b(self.id.encode(), digest_size=4).digest()[0] % 2 == 1


@dataclass(frozen=True, slots=True)
class Ranks:
    """Of every file and function that was to be found: its rank from 1, 0 where it was not."""

    case: Case
    files: tuple[int, ...]
    functions: tuple[int, ...]
    seconds: float

    def all_files(self, cut: int) -> bool:
        """Acc@cut: every file is among the first."""
        return all(0 < rank <= cut for rank in self.files)

    def all_functions(self, cut: int) -> bool:
        """The same of functions."""
        return all(0 < rank <= cut for rank in self.functions)

    def recall(self, cut: int) -> float:
        """The share of the files among the first."""
        return sum(0 < rank <= cut for rank in self.files) / len(self.files)


def cases_of(path: Path) -> list[Case]:
    """Read JSON lines: SWE-bench's names of fields, or base, commit and gold_symbols of mined ones.

    Raises ForUser, naming file and line, for what cannot be read.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise ForUser(f"cannot read {path}: {why}", "name a file of JSON lines") from error
    found: list[Case] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append(_case(json.loads(line)))
            except KeyError as error:
                told = f"{path}:{number} is no case: it lacks {error}"
                raise ForUser(told, "the help names the fields") from error
            except (TypeError, ValueError, AttributeError) as error:
                told = f"{path}:{number} is no case: {error}"
                raise ForUser(told, "every line is a JSON object") from error
    return found


def _case(row: dict[str, Any]) -> Case:
    mined = "base_commit" not in row
    symbols: Iterable[dict[str, str]] = row.get("gold_symbols", ())
    functions = [f"{symbol['path']}:{symbol['symbol']}" for symbol in symbols]
    return Case(
        id=f"{row['repo']}@{row['commit'][:12]}" if mined else row["instance_id"],
        repository=row["repo"],
        commit=row["base"] if mined else row["base_commit"],
        query=row["query"],
        files=tuple(row["gold_files"]),
        functions=tuple(functions if mined else row.get("gold_functions", ())),
        language=row.get("lang", ""),
    )


def stratified(cases: Sequence[Case], count: int) -> list[Case]:
    """So many cases, as evenly over the repositories as they allow, chosen by their ids alone."""
    waiting: defaultdict[str, list[Case]] = defaultdict(list)
    for case in sorted(cases, key=_draw, reverse=True):
        waiting[case.repository].append(case)
    chosen: list[Case] = []
    while len(chosen) < count and any(waiting.values()):
        for repository in sorted(waiting):
            if waiting[repository] and len(chosen) < count:
                chosen.append(waiting[repository].pop())
    return chosen


def _draw(case: Case) -> bytes:
    return hashlib.blake2b(f"draw {case.id}".encode(), digest_size=8).digest()


def share(ranks: Sequence[Ranks], holds: Callable[[Ranks], bool]) -> str:
    """A percentage with its 95% interval by Wilson (1927)."""
    if not ranks:
        return "-"
    return interval(sum(map(holds, ranks)), len(ranks))


def interval(hits: float, count: int) -> str:
    """`55.5 [47.6 63.1]`."""
    low, high = wilson(hits, count)
    return f"{100 * hits / count:.1f} [{100 * low:.0f} {100 * high:.0f}]"
