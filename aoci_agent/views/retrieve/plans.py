"""Plans: which ways of looking are taken, and how what they find is put together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from aoci_agent.base.errors import BadUsage, NotPossible
from aoci_agent.views.retrieve.entries import by_entries
from aoci_agent.views.retrieve.links import by_links
from aoci_agent.views.retrieve.material import Material
from aoci_agent.views.retrieve.meaning import by_meaning
from aoci_agent.views.retrieve.question import Question
from aoci_agent.views.retrieve.ranking import Ranking
from aoci_agent.views.retrieve.reranking import judged
from aoci_agent.views.retrieve.signals import Signal, by_rank, summed
from aoci_agent.views.retrieve.words import by_words

Look = Callable[[Question, Material], list[Signal]]
Further = Callable[[Ranking, Question, Material], list[Signal]]
Join = Callable[[Sequence[Signal]], Ranking]


class Plan(Protocol):
    """One way to answer a query."""

    @property
    def name(self) -> str: ...

    @property
    def needs(self) -> tuple[str, ...]:
        """The views it looks into: lexical, dense, graph."""
        ...

    def signals(self, question: Question, material: Material) -> list[Signal]:
        """What its ways of looking find. Raises NotPossible where a view cannot answer."""
        ...

    def join(self, signals: Sequence[Signal], question: Question, material: Material) -> Ranking:
        """One ranking of all."""
        ...


@dataclass(frozen=True, slots=True)
class Looking:
    """Several ways of looking, put together."""

    name: str
    needs: tuple[str, ...]
    looks: tuple[Look, ...]
    joined: Join = summed

    def signals(self, question: Question, material: Material) -> list[Signal]:
        return [signal for look in self.looks for signal in look(question, material)]

    def join(self, signals: Sequence[Signal], question: Question, material: Material) -> Ranking:
        del question, material
        return self.joined(signals)


@dataclass(frozen=True, slots=True)
class Continued:
    """Another plan, and what is found from its first blocks on."""

    name: str
    needs: tuple[str, ...]
    first: Plan
    further: Further

    def signals(self, question: Question, material: Material) -> list[Signal]:
        found = self.first.signals(question, material)
        ranking = self.first.join(found, question, material)
        return [*found, *self.further(ranking, question, material)]

    def join(self, signals: Sequence[Signal], question: Question, material: Material) -> Ranking:
        return self.first.join(signals, question, material)


def _linked(found: Ranking, question: Question, material: Material) -> list[Signal]:
    del question
    return by_links(found, material)


def _read(found: Ranking, question: Question, material: Material) -> list[Signal]:
    return [judged(found, question, material)]


LEXICAL = Looking("lexical", ("lexical",), (by_words,))
DENSE = Looking("dense", ("dense",), (by_meaning,))
FUSION = Looking("fusion", ("lexical", "dense"), (by_words, by_meaning), by_rank)
COMBINED = Looking("combined", ("lexical", "dense"), (by_words, by_meaning))
INDEX = Looking("index", ("lexical",), (by_words, by_entries))
GRAPH = Continued("graph", ("lexical", "graph"), LEXICAL, _linked)
RERANK = Continued("rerank", ("lexical",), LEXICAL, _read)
PLANS: dict[str, Plan] = {
    plan.name: plan for plan in (LEXICAL, DENSE, FUSION, COMBINED, GRAPH, INDEX, RERANK)
}
AUTO = "auto"


def plan_named(name: str) -> Plan:
    """Raises BadUsage for a name there is not."""
    if name not in PLANS:
        raise BadUsage(f"no plan is called {name!r}", f"use {AUTO}, {', '.join(PLANS)}")
    return PLANS[name]


def best_plan(material: Material) -> Plan:
    """The plan that measured best of those the views there are can follow."""
    if material.words is not None and material.meaning is not None:
        return COMBINED
    if material.words is not None:
        return LEXICAL
    if material.meaning is not None:
        return DENSE
    raise NotPossible("no view can answer")
