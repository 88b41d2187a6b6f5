"""Who answers under each policy, and what is said about it."""

from dataclasses import dataclass, field

import pytest

from aoci_agent.views.model import Location
from aoci_agent.views.navigate.answer import Answer, NoAnswer, Place, Provenance
from aoci_agent.views.navigate.policy import Navigation, Policy


def place(line: int, symbol: str = "") -> Place:
    return Place(Location("a.py", line, line), symbol)


def static(*lines: int, exact: bool = False) -> Answer:
    return Answer(tuple(place(line, "known") for line in lines), Provenance.STATIC, exact=exact)


def live(*lines: int) -> Answer:
    return Answer(tuple(place(line) for line in lines), Provenance.LIVE)


@dataclass
class Fixed:
    """A source with one answer to everything; None has none."""

    answer: Answer | None
    asked: list[str] = field(default_factory=list[str])

    def _give(self, what: str) -> Answer:
        self.asked.append(what)
        if self.answer is None:
            raise NoAnswer("no server here")
        return self.answer

    def definition(self, path: str, line: int, column: int) -> Answer:
        return self._give("definition")

    def references(self, path: str, line: int, column: int) -> Answer:
        return self._give("references")

    def hover(self, path: str, line: int, column: int) -> Answer:
        return self._give("hover")

    def symbols(self, query: str) -> Answer:
        return self._give("symbols")

    def callers(self, path: str, line: int, column: int) -> Answer:
        return self._give("callers")


def ask(policy: Policy, first: Answer | None, second: Answer | None) -> tuple[Answer, list[str]]:
    server = Fixed(second)
    answer = Navigation(Fixed(first), server, policy).definition("a.py", 1, 0)
    return answer, server.asked


def lines(answer: Answer) -> list[int]:
    return [found.location.start for found in answer.places]


def test_static_never_asks_a_server() -> None:
    answer, asked = ask(Policy.STATIC, static(1, 2), live(1))
    assert (lines(answer), asked) == ([1, 2], [])


def test_live_asks_the_server_and_falls_back_aloud() -> None:
    assert lines(ask(Policy.LIVE, static(1, exact=True), live(2))[0]) == [2]
    answer, _ = ask(Policy.LIVE, static(1), None)
    assert (lines(answer), answer.provenance) == ([1], Provenance.STATIC)
    assert answer.note == "static answer: no server here"


def test_auto_lets_an_exact_answer_stand() -> None:
    answer, asked = ask(Policy.AUTO, static(1, exact=True), live(2))
    assert (lines(answer), asked) == ([1], [])


def test_auto_lets_the_server_choose_and_keeps_what_the_graph_knows() -> None:
    answer, _ = ask(Policy.AUTO, static(1, 2, 3), live(2))
    assert [(found.location.start, found.symbol) for found in answer.places] == [(2, "known")]
    assert answer.provenance is Provenance.LIVE


def test_auto_fills_what_the_graph_does_not_know() -> None:
    assert lines(ask(Policy.AUTO, static(), live(7))[0]) == [7]
    answer, _ = ask(Policy.AUTO, None, live(7))
    assert (lines(answer), answer.note) == ([7], "no static answer: no server here")


def test_auto_says_when_nobody_confirmed_and_when_they_disagree() -> None:
    answer, _ = ask(Policy.AUTO, static(1, 2), None)
    assert (lines(answer), answer.note) == ([1, 2], "static answer, not confirmed: no server here")
    answer, _ = ask(Policy.AUTO, static(1, 2), live())
    assert "found nothing" in answer.note
    answer, _ = ask(Policy.AUTO, static(1, 2), live(9))
    assert (lines(answer), answer.note) == ([9], "the graph says a.py:1, a.py:2")


def test_auto_unites_references_and_counts_them() -> None:
    both = Navigation(Fixed(static(1, 2)), Fixed(live(2, 3)), Policy.AUTO)
    for answer in (both.references("a.py", 1, 0), both.callers("a.py", 1, 0), both.symbols("x")):
        assert lines(answer) == [1, 2, 3]
        assert answer.note == "1 of both, 1 only of the graph, 1 only live"
    same = Navigation(Fixed(static(1)), Fixed(live(1)), Policy.AUTO).references("a.py", 1, 0)
    assert (lines(same), same.note) == ([1], "the graph agrees")


def test_nobody_answers() -> None:
    with pytest.raises(NoAnswer):
        ask(Policy.AUTO, None, None)
