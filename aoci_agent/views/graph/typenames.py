"""Names that stand where only a type can stand: variables and members of the same name are passed over."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from aoci_agent.views.graph.values import NOTHING, Outside, Values

if TYPE_CHECKING:
    from aoci_agent.views.graph.engine import Engine, Targets
    from aoci_agent.views.graph.tables import Face

_TYPES = frozenset(("class", "interface", "enum", "type", "alias", "import", "declared", "module"))


class TypeNames:
    """Looks types up."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    def targets(self, face: "Face", base: int) -> "Targets":
        """The types a name denotes."""
        for place in self._choices(face, base):
            if found := self._types(self._engine.targets(face, place)):
                return found
        return ()

    def values(self, face: "Face", base: int) -> Values:
        """The types a name stands for, those from outside included."""
        outside = NOTHING
        for place in self._choices(face, base):
            targets = self._engine.targets(face, place)
            if found := self._types(targets):
                return self._engine.held(found)
            if not targets:
                values = self._engine.values(face, place)
                if any(not isinstance(value, Outside) for value in values):
                    return values
                outside = outside or values
        return outside

    def _choices(self, face: "Face", base: int) -> Iterator[int]:
        node = face.terms[base]
        for place in node[1:] if node[0] == "first" else (base,):
            if isinstance(place, int):
                yield place

    def _types(self, targets: "Targets") -> "Targets":
        return tuple(
            target
            for target in targets
            if not target.slot
            or any(
                found.entry.kind in _TYPES
                for found in self._engine.entries(target.space, target.slot)
            )
        )
