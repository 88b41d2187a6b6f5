"""Arguments of a call, worked out when they are looked at.

A call of a class is an instance of it whatever it is given; to look at arguments all the same would
make answers depend on more, and lead more of them back to themselves.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, overload

from aoci_agent.views.graph.values import Values


class Argument(NamedTuple):
    """One argument: its name ("" by position), and what works it out."""

    name: str
    values: Callable[[], Values]


Arguments = tuple[Argument, ...]


def plain(*several: Values) -> Arguments:
    """Arguments by position that are known already."""
    return tuple(Argument("", partial(_known, values)) for values in several)


def _known(values: Values) -> Values:
    return values


class Positional(Sequence[Values]):
    """The arguments by position."""

    def __init__(self, arguments: Arguments) -> None:
        self._found = [argument for argument in arguments if not argument.name]

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, place: int) -> Values: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Values]: ...
    def __getitem__(self, place: int | slice) -> Values | Sequence[Values]:
        if isinstance(place, slice):
            return [argument.values() for argument in self._found[place]]
        return self._found[place].values()

    def __iter__(self) -> Iterator[Values]:
        return (argument.values() for argument in self._found)
