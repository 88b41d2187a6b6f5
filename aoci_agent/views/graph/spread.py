"""Names looked up by where they are defined: for files that see many spaces without naming them.

Asking each space a file sees (every header behind an include, every namespace in use) would make an
answer depend on thousands of things that are not there. Here it depends on two: which spaces define
the name, and which spaces the file sees.
"""

import posixpath
from typing import TYPE_CHECKING

from aoci_agent.aoci.layers import is_sample, is_test
from aoci_agent.aoci.resolve.nearness import shared_parts
from aoci_agent.views.graph.values import Class

if TYPE_CHECKING:
    from collections.abc import Callable

    from aoci_agent.views.graph.engine import Engine, Targets
    from aoci_agent.views.graph.tables import Face, Found

DECLARED = "@declared"  # after the slot of a callable or variable that is defined elsewhere
EXTENDED = "@extended"  # after the slot of a type to which members are given
_OPEN = frozenset(
    ("rust", "swift", "ruby")
)  # languages in which a type may be given members anywhere
_ONE = frozenset(("ruby",))  # languages in which a slot is the same thing in whatever space
_DECLARING = frozenset(
    ("c",)
)  # languages in which names are declared in one file and defined in another
_NOWHERE: "Targets" = ()


class Spread:
    """Looks names up over the whole repository."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    def seen(self, face: "Face", name: str) -> "Targets":
        """A name as a file sees it: of its own space, then of the spaces it includes or uses."""
        engine = self._engine
        if found := engine.seen(face.space, name):
            return found
        homes = set(engine.homes(face, name))
        if face.language in _DECLARING:
            homes.update(engine.homes(face, name + DECLARED))
        if homes:
            for space in engine.look("sees", face, face.path, ""):
                if space in homes and (found := engine.follow(space, name)):
                    return found
        return _NOWHERE

    def only(self, face: "Face", name: str) -> "Targets":
        """A name that one space of the repository defines."""
        homes = self._engine.homes(face, name)
        return self._engine.follow(homes[0], name) if len(homes) == 1 else _NOWHERE

    def everywhere(self, face: "Face", slot: str) -> "Targets":
        """A slot in whatever space; of several the one in the file called like it, or the outermost."""
        homes = self._engine.homes(face, slot)
        return self._engine.follow(min(homes, key=_named_for(slot)), slot) if homes else _NOWHERE

    def members(self, owner: Class, name: str) -> "list[tuple[str, str]]":
        """The slots of a member that a type has, whichever space gives it."""
        engine, slot = self._engine, f"{owner.slot}.{name}"
        for found in engine.entries(owner.space, owner.slot):
            if found.face.language in _ONE:
                homes = engine.homes(found.face, slot)
                if owner.space in homes or engine.entries(owner.space, slot):
                    return [(owner.space, slot)]
                return [(min(homes, key=_named_for(owner.slot)), slot)] if homes else []
        if entries := engine.entries(owner.space, slot):
            if any(item.entry.kind in ("declared", "import") for item in entries):
                return [target[:2] for target in engine.follow(owner.space, slot)]
            return [(owner.space, slot)]
        spaces = {space: None for space, _ in self.extensions(owner.space, owner.slot)}
        return [(space, slot) for space in spaces if engine.entries(space, slot)]

    def definition(self, face: "Face", slot: str) -> "Targets":
        """The definition of what a file declares: in the source of the same name, else the nearest one.

        Tests and samples define functions of the same name, to stand in for those of the program.
        """
        homes = self._engine.homes(face, slot)
        if not (is_test(face.path) or is_sample(face.path)):
            homes = tuple(s for s in homes if not (is_test(s) or is_sample(s)))
        if len(homes) > 1:
            ranks = {space: _distance(face.path, space) for space in homes}
            least = min(ranks.values())
            homes = tuple(space for space in homes if ranks[space] == least)
        return self._engine.follow(homes[0], slot) if len(homes) == 1 else _NOWHERE

    def extensions(self, space: str, slot: str) -> "tuple[tuple[str, Found], ...]":
        """Where members are given to a type besides its own definition: their space, and the entry."""
        engine = self._engine
        question = ("extensions", space, slot)
        return engine.asking.ask(question, lambda: self._extensions(space, slot), ())

    def _extensions(self, space: str, slot: str) -> "tuple[tuple[str, Found], ...]":
        engine = self._engine
        faces = {
            found.face.language: found.face
            for found in engine.entries(space, slot)
            if found.face.language in _OPEN
        }
        wanted = Class(space, slot)
        found: list[tuple[str, Found]] = []
        for face in faces.values():
            for home in engine.homes(face, slot + EXTENDED):
                found += [
                    (home, item)
                    for item in engine.entries(home, slot + EXTENDED)
                    if face.language in _ONE
                    or any(
                        isinstance(value, Class) and value[:2] == wanted[:2]
                        for value in engine.values(item.face, item.entry.value)
                    )
                ]
        return tuple(found)


def _named_for(slot: str) -> "Callable[[str], tuple[bool, int, str]]":
    """Orders paths by how well they fit what a slot is called: `A.HttpClient` and `a/http_client.rb`."""
    plain = slot.rpartition(".")[2].lower().replace("_", "")

    def rank(path: str) -> tuple[bool, int, str]:
        return _stem(path).replace("_", "").lower() != plain, path.count("/"), path

    return rank


def _distance(path: str, other: str) -> tuple[bool, int]:
    """How far a source is from the header that declares something."""
    same = posixpath.splitext(posixpath.basename(path))[0] == _stem(other)
    return not same, -shared_parts(posixpath.dirname(path), posixpath.dirname(other))


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]
