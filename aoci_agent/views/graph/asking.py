"""Questions answered once, with what each answer depends on.

An answer is a function of the keys consulted, never of the order of questions: a question that leads
back to itself, and every question on the way round, has no answer.
"""

from collections.abc import Callable, Hashable
from typing import TypeVar, cast

_DEEPEST = 100  # questions within questions
_KEPT = 150_000  # answers, about 100 MB
_Answer = TypeVar("_Answer")


class TooDeep(Exception):
    """A chain of questions longer than any program's; whoever began it goes without an answer."""


class _Circle(Exception):
    """Unwinds to the question that was asked again."""

    def __init__(self, head: int) -> None:
        super().__init__()
        self.head = head
        self.keys: set[int] = set()
        self.members: list[tuple[Hashable, object]] = []  # with what each answers for nothing


class Asking:
    """Answers kept, each with the keys it depends on."""

    def __init__(self) -> None:
        self.keys: set[int] = set()  # consulted by the question in hand
        self._known: dict[Hashable, tuple[object, frozenset[int]]] = {}
        self._open: dict[Hashable, int] = {}

    def begin(self) -> None:
        """Start from no keys. Of very many answers none are kept: any can be found again."""
        self.keys = set()
        if len(self._known) > _KEPT:
            self._known.clear()

    def ask(self, question: Hashable, find: Callable[[], _Answer], none: _Answer) -> _Answer:
        """The answer to a question; `none` where it leads back to itself."""
        known = self._known.get(question)
        if known is not None:
            self.keys |= known[1]
            return cast("_Answer", known[0])
        if question in self._open:
            raise _Circle(self._open[question])
        number = len(self._open)
        if number > _DEEPEST:
            raise TooDeep
        outer, self.keys = self.keys, set()
        self._open[question] = number
        try:
            answer = find()
        except _Circle as circle:
            answer = none
            circle.keys |= self.keys
            circle.members.append((question, none))
            if circle.head < number:
                raise
            everything = frozenset(circle.keys)
            self._known.update(
                {member: (nothing, everything) for member, nothing in circle.members}
            )
            self.keys = circle.keys
        else:
            self._known[question] = answer, frozenset(self.keys)
        finally:
            del self._open[question]
            outer |= self.keys
            self.keys = outer
        return answer
