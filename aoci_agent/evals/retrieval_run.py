"""Run cases of localization: views of a repository brought from commit to commit, plans asked at each."""

import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, cast

from aoci_agent.aoci.facts.languages import language_of
from aoci_agent.aoci.layers import is_test
from aoci_agent.aoci.model import Index
from aoci_agent.aoci.write import write
from aoci_agent.evals.commits import GitFolder, Tree
from aoci_agent.evals.entries import Entries
from aoci_agent.evals.localization import Case, Ranks
from aoci_agent.views.model import View
from aoci_agent.views.retrieve.answer import retrieve
from aoci_agent.views.retrieve.judges import judge_named
from aoci_agent.views.retrieve.material import Material
from aoci_agent.views.retrieve.plans import plan_named
from aoci_agent.views.snapshot import delta_between
from aoci_agent.views.standard import standard_views

_BLOCKS = 100  # looked through for functions
_FILES = 100


@dataclass(frozen=True, slots=True)
class Options:
    """What to measure: plans, and whether tests and what is no code may be answers."""

    repositories: Path
    plans: tuple[str, ...]
    tests: bool = False
    prose: bool = False
    judge: str = "local"

    def allows(self, path: str) -> bool:
        """Whether a file may be an answer."""
        return (self.prose or language_of(path) is not None) and (self.tests or not is_test(path))


@dataclass
class Costs:
    """Seconds of the processor by view, and bytes, of one repository."""

    building: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    updating: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    updates: int = 0
    size: dict[str, int] = field(default_factory=dict[str, int])


@dataclass
class Outcome:
    """What the cases of one repository gave, by plan."""

    ranks: dict[str, list[Ranks]]
    costs: Costs


def measure(options: Options, cases: Sequence[Case]) -> Outcome:
    """All cases of one repository, by date. Raises ForUser without a clone of it."""
    folder = GitFolder.of(options.repositories, cases[0].repository)
    outcome = Outcome({plan: [] for plan in options.plans}, Costs())
    views: dict[str, View] = {}
    before: Mapping[str, str] = {}
    with Entries() as entries:
        for case in sorted(cases, key=lambda case: (folder.date(case.commit), case.id)):
            tree = folder.tree(case.commit)
            _follow(views, before, tree, options, outcome.costs)
            before = tree.files
            material = _material(views, tree, options)
            if "index" in options.plans:
                material = replace(material, entries=_entries(entries, tree, outcome.costs))
            if "rerank" in options.plans:
                material = replace(material, judge=judge_named(options.judge))
            for plan in options.plans:
                outcome.ranks[plan].append(_asked(case, plan, material))
    for name, view in views.items():
        with tempfile.TemporaryDirectory(prefix="aoci-measure-") as place:
            view.save(Path(place))
            outcome.costs.size[name] = sum(f.stat().st_size for f in Path(place).iterdir())
    return outcome


def _entries(entries: Entries, tree: Tree, costs: Costs) -> Index:
    started = time.process_time()
    index = entries.of(tree)
    spent = costs.updating if "entries" in costs.building else costs.building
    spent["entries"] = spent.get("entries", 0.0) + time.process_time() - started
    costs.size["entries"] = len(write(index).encode())
    return index


def _follow(
    views: dict[str, View], before: Mapping[str, str], tree: Tree, options: Options, costs: Costs
) -> None:
    made = standard_views(None)
    for name in dict.fromkeys(chain(*(plan_named(plan).needs for plan in options.plans))):
        started = time.process_time()
        if name in views:
            views[name].apply(tree, delta_between(before, tree.files))
            costs.updating[name] += time.process_time() - started
        else:
            views[name] = made[name]()
            views[name].build(tree)
            costs.building[name] += time.process_time() - started
    costs.updates += bool(before)


def _material(views: Mapping[str, View], tree: Tree, options: Options) -> Material:
    there = cast("Mapping[str, Any]", views)
    return Material(
        tree.files,
        words=there.get("lexical"),
        meaning=there.get("dense"),
        links=there.get("graph"),
        read=partial(_text, tree),
        tests=options.tests,
        prose=options.prose,
        within=options.allows,
    )


def _text(tree: Tree, path: str) -> str:
    return tree.read(path).decode("utf-8", "replace")


def _asked(case: Case, plan: str, material: Material) -> Ranks:
    started = time.process_time()
    files = [hit.path for hit in retrieve(case.query, material, plan, _FILES, by="file").hits]
    seconds = time.process_time() - started
    blocks = retrieve(case.query, material, plan, _BLOCKS).hits if case.functions else []
    functions = list(dict.fromkeys(f"{hit.path}:{hit.symbol}" for hit in blocks if hit.symbol))
    return Ranks(
        case,
        tuple(_rank(path, files) for path in case.files),
        tuple(_rank(name, functions) for name in case.functions),
        seconds,
    )


def _rank(wanted: str, found: Sequence[str]) -> int:
    return found.index(wanted) + 1 if wanted in found else 0
