"""Which source answers: the graph, a language server, or the graph first and a server where it is unsure."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from aoci_agent.views.navigate.answer import Answer, Navigator, NoAnswer, Place, Provenance, joined

Ask = Callable[[Navigator], Answer]
Settle = Callable[[Answer, Answer], Answer]


class Policy(StrEnum):
    """static: the graph only. live: a server, the graph where it fails. auto: see `Navigation`."""

    STATIC = "static"
    LIVE = "live"
    AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Navigation:
    """A Navigator over both. With `auto` an exact answer of the graph stands; any other is put to a server.

    Every answer says in its note when a server was asked in vain, or when the two do not agree.
    """

    static: Navigator
    live: Navigator
    policy: Policy

    def definition(self, path: str, line: int, column: int) -> Answer:
        """Where the name at this place is defined; a server chooses among several candidates."""
        return self._answer(lambda source: source.definition(path, line, column), chosen)

    def references(self, path: str, line: int, column: int) -> Answer:
        """Where the thing named at this place is used; what either source knows."""
        return self._answer(lambda source: source.references(path, line, column), united)

    def hover(self, path: str, line: int, column: int) -> Answer:
        """What is known of the name at this place."""
        return self._answer(lambda source: source.hover(path, line, column), chosen)

    def symbols(self, query: str) -> Answer:
        """Definitions by name."""
        return self._answer(lambda source: source.symbols(query), united)

    def callers(self, path: str, line: int, column: int) -> Answer:
        """Where the callable named at this place is called; what either source knows."""
        return self._answer(lambda source: source.callers(path, line, column), united)

    def _answer(self, ask: Ask, settle: Settle) -> Answer:
        if self.policy is Policy.STATIC:
            return ask(self.static)
        if self.policy is Policy.LIVE:
            return self._live_first(ask)
        try:
            first = ask(self.static)
        except NoAnswer as error:
            return noted(ask(self.live), f"no static answer: {error}")
        if first.exact:
            return first
        try:
            second = ask(self.live)
        except NoAnswer as error:
            return noted(first, f"static answer, not confirmed: {error}")
        return settle(first, second)

    def _live_first(self, ask: Ask) -> Answer:
        try:
            return ask(self.live)
        except NoAnswer as error:
            return noted(ask(self.static), f"static answer: {error}")


def noted(answer: Answer, note: str) -> Answer:
    """The same answer with one more note."""
    return replace(answer, note=joined(answer.note, note))


def chosen(static: Answer, live: Answer) -> Answer:
    """Of two answers to "which one?" the server's, unless it has none."""
    if not live.places and not live.text:
        return noted(static, joined("static answer: the language server found nothing", live.note))
    if not static.places:
        return live
    theirs = {_line(place) for place in live.places}
    agreed = tuple(place for place in static.places if _line(place) in theirs)
    if len(agreed) == len(theirs):
        # The graph's places know their symbols.
        note = "" if len(agreed) < len(static.places) else "the graph agrees"
        return replace(live, places=agreed, note=joined(live.note, note))
    said = ", ".join(f"{place.location.path}:{place.location.start}" for place in static.places[:3])
    return noted(live, f"the graph says {said}")


def united(static: Answer, live: Answer) -> Answer:
    """Of two answers to "which ones?" all places: neither source sees everything."""
    places: dict[tuple[str, int], Place] = {}
    for place in (*static.places, *live.places):
        places.setdefault(_line(place), place)
    ours = {_line(place) for place in static.places}
    theirs = {_line(place) for place in live.places}
    if ours == theirs:
        return replace(live, places=static.places, note=joined(live.note, "the graph agrees"))
    counts = f"{len(ours & theirs)} of both, {len(ours - theirs)} only of the graph, {len(theirs - ours)} only live"
    ordered = tuple(sorted(places.values(), key=lambda place: place.location))
    return Answer(ordered, Provenance.LIVE, joined(live.note, counts), text=live.text)


def _line(place: Place) -> tuple[str, int]:
    return place.location.path, place.location.start
