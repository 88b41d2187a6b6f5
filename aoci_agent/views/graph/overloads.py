"""Which of several callables of one name a call means: by how many arguments it gives, then by their types.

A type with several callables of one name has an entry of kind `overload` for each under that name, whose
value is a slot of its own. Parameters that take any number of arguments are named with `*` in front,
those that may be left out with `?`.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from aoci_agent.aoci.wordset import wordset
from aoci_agent.views.graph.values import Class, Instance, Me, Object, Outside, Values

if TYPE_CHECKING:
    from aoci_agent.views.graph.engine import Engine, Target, Targets
    from aoci_agent.views.graph.model import Entry
    from aoci_agent.views.graph.tables import Face

_PLAIN = wordset("int long short byte char float double boolean bool string String str")
_NUMBERS = wordset(
    "int long short byte char float double Integer Long Short Byte Character Float Double uint"
)
_ANYTHING = wordset(
    "Enum Record Object object Any any CharSequence Comparable Serializable Number dynamic Constable"
)
GIVEN_TO = "@this"  # after the name of a function that is called as a method of its first argument
_UNFIT, _FITS, _SAME = -1, 0, 1


class _Option(NamedTuple):
    target: "Target"
    face: "Face"
    entry: "Entry"


class Overloads:
    """Picks among callables."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    def picked(self, face: "Face", base: int, given: Sequence[str | int]) -> "Targets":
        """The targets of a term that fit a call with these arguments."""
        values = [self._engine.values(face, term) for term in given if isinstance(term, int)]
        found: list[Target] = []
        for target in self._engine.targets(face, base):
            found += self._fitting(target, values)
        return tuple(dict.fromkeys(found))

    def values(self, face: "Face", base: int, given: Sequence[str | int]) -> Values:
        """What these hold; what is known of a term that is no callable of the repository."""
        if self._engine.targets(face, base):
            return self._engine.held(self.picked(face, base, given))
        return self._engine.values(face, base)

    def all_of(self, target: "Target") -> "Targets":
        """The callables of a name, where several share it; what another name leads to; else the target."""
        found = self._engine.entries(target.space, target.slot)
        if not found or any(entry.kind not in ("overload", "import") for _, entry in found):
            return (target,)
        several = (own for face, entry in found for own in self._engine.targets(face, entry.value))
        return tuple(dict.fromkeys(several))

    def _fitting(self, target: "Target", given: Sequence[Values]) -> "list[Target]":
        for slot in self._slots(target):
            options = list(self._options(slot))
            if not options:
                return [slot]
            fit = [option for option in options if _takes(option.entry, len(given))]
            if slot.slot.endswith(GIVEN_TO):
                fit = [option for option in fit if self._is_given_to(option, given)]
            if fit:
                return self._nearest(fit, given)
        return []

    def _slots(self, target: "Target") -> "Iterator[Target]":
        """The slot itself, then those of the same name in the types behind its own."""
        yield target
        owner, _, name = target.slot.rpartition(".")
        if target.receiver is not None and owner:
            for behind in self._engine.members.line(target.space, owner)[1:]:
                if isinstance(behind, Class):
                    slot = f"{behind.slot}.{name}"
                    if self._engine.entries(behind.space, slot):
                        yield target._replace(space=behind.space, slot=slot)

    def _options(self, target: "Target") -> "Iterator[_Option]":
        for face, entry in self._engine.entries(target.space, target.slot):
            if entry.kind == "overload":
                for own in self._engine.targets(face, entry.value):
                    for found in self._engine.entries(own.space, own.slot):
                        place = target._replace(space=own.space, slot=own.slot)
                        yield _Option(place, *found)
            elif entry.kind in ("function", "method"):
                yield _Option(target, face, entry)

    def _is_given_to(self, option: _Option, given: Sequence[Values]) -> bool:
        """Whether a function that acts as a method of its first argument may do so for this one."""
        first = tuple(v for v in given[0] if isinstance(v, Object | Me | Instance)) if given else ()
        kinds = self._engine.values(option.face, option.entry.parameters[0][1])
        if not first or not kinds:
            return False
        return self._fit(kinds, first) != _UNFIT

    def _nearest(self, options: list[_Option], given: Sequence[Values]) -> "list[Target]":
        if len(options) > 1:
            ranked = [(self._rank(option, given), option) for option in options]
            best = max(rank for rank, _ in ranked)
            options = [option for rank, option in ranked if rank == best]
        return list(dict.fromkeys(option.target for option in options))

    def _rank(self, option: _Option, given: Sequence[Values]) -> tuple[bool, int]:
        """Whether every argument can be what the parameter takes, and how many are just that."""
        parameters = _of_call(option.entry)
        exact = 0
        for (_, kind), values in zip(parameters, given, strict=False):
            fit = self._fit(self._engine.values(option.face, kind), values)
            if fit == _UNFIT:
                return False, 0
            exact += fit
        return True, exact

    def _fit(self, kinds: Values, values: Values) -> int:
        known = [
            self._fit_one(kind, value)
            for kind in kinds
            for value in values
            if isinstance(kind, Class | Outside) and isinstance(value, Object | Me | Instance)
        ]
        return max(known, default=_FITS)

    def _fit_one(self, kind: Class | Outside, value: Object | Me | Instance) -> int:
        if isinstance(value, Instance):
            if isinstance(kind, Class):
                return _UNFIT if value.name in _PLAIN else _FITS
            if value.name == kind.name:
                return _SAME
            return _fit_outside(kind.name, value.name)
        if isinstance(kind, Class) and (kind.space, kind.slot) == (value.space, value.slot):
            return _SAME
        line = self._engine.members.line(value.space, value.slot)
        names = [(item.space, item.slot) for item in line if isinstance(item, Class)]
        if isinstance(kind, Class):
            return _FITS if (kind.space, kind.slot) in names else _UNFIT
        strange = any(isinstance(item, Outside) for item in line)  # may build on anything
        return _FITS if strange or kind.name in _ANYTHING else _UNFIT


def _fit_outside(kind: str, value: str) -> int:
    if value in _PLAIN and kind not in _ANYTHING:
        return _FITS if value in _NUMBERS and kind in _NUMBERS else _UNFIT
    return _UNFIT if kind in _PLAIN and value in ("Class", "Array") else _FITS


def _of_call(entry: "Entry") -> list[tuple[str, int]]:
    """The parameters a call fills: without the receiver."""
    return list(entry.parameters[1:] if entry.kind == "method" else entry.parameters)


def _takes(entry: "Entry", count: int) -> bool:
    parameters = _of_call(entry)
    least = sum(1 for name, _ in parameters if name[:1] not in ("*", "?"))
    any_number = any(name[:1] == "*" for name, _ in parameters)
    return count >= least and (any_number or count <= len(parameters))
