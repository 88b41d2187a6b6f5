"""Requests put to the graph and to a language server, and how their answers compare."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from aoci_agent.evals.nav_sample import Request
from aoci_agent.views.navigate.answer import Answer, Navigator, NoAnswer

Lines = frozenset[tuple[str, int]]
Imports = Callable[[str], frozenset[int]]  # path -> lines that only import


class Verdict(StrEnum):
    """How two answers compare, as sets of (path, first line) inside the repository."""

    MATCH = "match"  # the same places, at least one
    EMPTY = "both empty"
    STATIC = "static only"
    LIVE = "live only"
    DIFFER = "differ"
    NONE = "no live answer"


@dataclass(frozen=True, slots=True)
class Replayed:
    """One request with both answers; seconds as seen by the caller."""

    request: Request
    static: Lines
    live: Lines
    verdict: Verdict
    static_seconds: float
    live_seconds: float
    exact: bool = False  # the graph called its answer exact
    why: str = ""  # no live answer
    imports: Lines = frozenset()  # those among the answers that only import

    @property
    def agreed(self) -> bool:
        """The same places, or nothing on both sides."""
        return self.verdict in (Verdict.MATCH, Verdict.EMPTY)

    @property
    def agreed_aside(self) -> bool:
        """As `agreed`, but for lines that only import.

        Servers differ in whether these are references, and name them as the definition of what they
        find nowhere.
        """
        aside = compared(self.static - self.imports, self.live - self.imports)
        return self.verdict is not Verdict.NONE and aside in (Verdict.MATCH, Verdict.EMPTY)


def replay(
    requests: Sequence[Request],
    static: Navigator,
    live: Navigator,
    imports: Imports = lambda _: frozenset(),
    recover: Callable[[], None] = lambda: None,
) -> list[Replayed]:
    """Every request to both, one after the other; `recover` lets a server finish what took too long."""
    done: list[Replayed] = []
    for request in requests:
        first, static_seconds, _ = _asked(static, request)
        second, live_seconds, why = _asked(live, request)
        ours, theirs = lines_of(request, first), lines_of(request, second)
        verdict = Verdict.NONE if second is None else compared(ours, theirs)
        done.append(
            Replayed(
                request,
                ours,
                theirs,
                verdict,
                static_seconds,
                live_seconds,
                first is not None and first.exact,
                why,
                frozenset(p for p in ours | theirs if p[1] in imports(p[0])),
            )
        )
        if second is None:
            recover()
    return done


def _asked(navigator: Navigator, request: Request) -> tuple[Answer | None, float, str]:
    ask = navigator.definition if request.ask == "definition" else navigator.references
    begun = time.perf_counter()
    try:
        answer, why = ask(request.path, request.line, request.column), ""
    except NoAnswer as error:
        answer, why = None, str(error)
    return answer, time.perf_counter() - begun, why


def lines_of(request: Request, answer: Answer | None) -> Lines:
    """An answer as paths and first lines. The line asked about is no reference: it holds the definition."""
    places = answer.places if answer is not None else ()
    lines = frozenset((place.location.path, place.location.start) for place in places)
    return lines - {(request.path, request.line)} if request.ask == "references" else lines


def compared(static: Lines, live: Lines) -> Verdict:
    """How two sets of places compare."""
    if static == live:
        return Verdict.MATCH if static else Verdict.EMPTY
    if not live:
        return Verdict.STATIC
    return Verdict.DIFFER if static else Verdict.LIVE
