"""Draws edges, puts them beside what the oracle says, and counts."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from aoci_agent.evals.edges.graph import Graph
from aoci_agent.evals.edges.model import Answers, Edge, Finding, Oracle, Share, Verdict

T = TypeVar("T")


@dataclass(frozen=True)
class Judged:
    """One repository and language."""

    graph: Graph
    title: str  # of the oracle, or why there is none
    findings: tuple[Finding, ...] = ()  # all edges drawn
    lost: tuple[Edge, ...] = ()  # the oracle's edges that ours lack
    recalled: Share = field(default_factory=lambda: Share(0, 0))
    names: Share = field(default_factory=lambda: Share(0, 0))  # names of edges, where decided

    def of(self, verdict: Verdict) -> list[Finding]:
        """The edges with this verdict."""
        return [item for item in self.findings if item.verdict is verdict]

    def precision(self, *, shown: bool = False) -> Share:
        """Agreed of all that were decided; of the edges R names only, with `shown`."""
        told = [item for item in self.findings if item.edge.shown or not shown]
        decided = sum(item.verdict is not Verdict.UNDECIDED for item in told)
        return Share(sum(item.verdict is Verdict.AGREED for item in told), decided)


def drawn(items: Sequence[T], count: int, seed: str) -> list[T]:
    """The same sample each time for the same items and seed, in the order of the items."""
    if len(items) <= count:
        return list(items)
    return [items[at] for at in sorted(random.Random(seed).sample(range(len(items)), count))]


def judge(graph: Graph, oracle: Oracle, root: str, count: int, seed: int) -> Judged:
    """Precision from edges drawn of ours, recall from edges drawn of the oracle's.

    The oracle's come from files drawn without regard to our edges. Raises NoOracle.
    """
    ours = drawn(graph.edges, count, f"{seed} {graph.language} edges")
    asked = drawn(sorted(graph.files), count, f"{seed} {graph.language} files")
    answers = oracle.ask(root, sorted({edge.source for edge in ours} | set(asked)))
    findings = tuple(verdict(edge, answers) for edge in ours)
    known = {(edge.source, edge.target) for edge in graph.edges}
    theirs = drawn(_edges_of(graph, answers, asked), count, f"{seed} {graph.language} recall")
    lost = tuple(edge for edge in theirs if (edge.source, edge.target) not in known)
    recalled = Share(len(theirs) - len(lost), len(theirs))
    return Judged(graph, oracle.title, findings, lost, recalled, _names(ours, answers))


def verdict(edge: Edge, answers: Answers) -> Finding:
    """An edge is right when one of its names is defined in its target."""
    if edge.source not in answers:
        return Finding(Verdict.UNDECIDED, edge)
    found = answers[edge.source]
    here = {item.name for item in found if item.target == edge.target}
    told = [item for item in found if item.name in edge.names]
    if here.intersection(edge.names) or (here and not edge.names) or (here - {""} and not told):
        return Finding(Verdict.AGREED, edge)  # the last: by the name it has after a renaming
    theirs = tuple(sorted({(item.name, item.target or "") for item in told}))
    # A name the oracle could not follow may well be defined where we say.
    if any(item.target is None for item in told) or (
        not edge.names and any(item.target is None for item in found)
    ):
        return Finding(Verdict.UNDECIDED, edge, theirs)
    return Finding(Verdict.THROUGH if "" in here else Verdict.WRONG, edge, theirs)


def _edges_of(graph: Graph, answers: Answers, sources: Sequence[str]) -> list[Edge]:
    """The oracle's edges between files the index knows."""
    names: dict[tuple[str, str], set[str]] = {}
    for source in sources:
        for item in answers.get(source, ()):
            if item.name and item.target in graph.files and item.target != source:
                names.setdefault((source, item.target), set()).add(item.name)
    return [Edge(*pair, tuple(sorted(found))) for pair, found in sorted(names.items())]


def _names(edges: Sequence[Edge], answers: Answers) -> Share:
    """Each name of each edge for itself, where the oracle says something of it."""
    right = decided = 0
    for edge in edges:
        for name in edge.names:
            told = [item.target for item in answers.get(edge.source, ()) if item.name == name]
            right += edge.target in told
            decided += bool(told) and (edge.target in told or None not in told)
    return Share(right, decided)
