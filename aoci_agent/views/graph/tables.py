"""What the engine reads: the entries of every slot, and where imports lead. Everything read is noted."""

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from aoci_agent.views.graph.model import Entry, Finder, Term
from aoci_agent.views.graph.terms import DIGEST


class Key(NamedTuple):
    """Something outside a file that an answer depended on, found or not.

    kind: slot (of a space), find (module seen from a path), child (of a space), implicit and given
    (spaces a path sees), sees (spaces it includes or uses, by any way), homes (spaces that define a slot).
    """

    kind: str
    where: str  # space or path
    name: str
    language: str = ""


class Face(NamedTuple):
    """What one file shows to the engine."""

    path: str
    language: str
    space: str
    terms: tuple[Term, ...]
    entries: Mapping[str, tuple[Entry, ...]]  # by slot
    digests: bytes  # of the terms

    def digest(self, term: int) -> bytes:
        """Equal for equal terms of any file."""
        return self.digests[DIGEST * term : DIGEST * term + DIGEST]


class Found(NamedTuple):
    """An entry, and the file whose names its terms are in."""

    face: Face
    entry: Entry


class Tables:
    """Faces by path, loaded when first needed, the files of each space, and finders by language."""

    def __init__(
        self,
        face: Callable[[str], Face],
        spaces: Mapping[str, Sequence[str]],
        finder: Callable[[str], Finder | None],
        stars: Callable[[str], Sequence[str]],
        homes: Callable[[str, str], Sequence[str]],
    ) -> None:
        """`stars`: path -> modules it sees whole; `homes`: slot and language -> spaces that define it."""
        self.face = face
        self._spaces = spaces
        self.finder = finder
        self._stars = stars
        self._homes = homes
        self._seen: dict[str, tuple[str, ...]] = {}
        self._by_slot: dict[str, dict[str, list[Face]]] = {}

    def entries(self, space: str, slot: str) -> tuple[Found, ...]:
        """The entries of a slot, in path order."""
        paths = self._spaces.get(space, ())
        if len(paths) > 1:
            faces: Iterable[Face] = self._definers(space, paths).get(slot, ())
        else:
            faces = map(self.face, paths)
        return tuple(Found(face, entry) for face in faces for entry in face.entries.get(slot, ()))

    def _definers(self, space: str, paths: Sequence[str]) -> Mapping[str, list[Face]]:
        """The files of a space by the slots they have entries for."""
        known = self._by_slot.get(space)
        if known is None:
            known = self._by_slot[space] = {}
            for path in paths:
                face = self.face(path)
                for slot in face.entries:
                    known.setdefault(slot, []).append(face)
        return known

    def look(self, key: Key) -> tuple[str, ...]:
        """What a key that is no slot leads to: spaces."""
        finder = self.finder(key.language)
        if key.kind == "homes" or finder is None:
            return tuple(self._homes(key.name, key.language)) if key.kind == "homes" else ()
        match key.kind:
            case "sees":
                found: Sequence[str] = self._sees(key.where, finder)
            case "find":
                found = (finder.find(key.where, key.name),)
            case "child":
                found = (finder.child(key.where, key.name),)
            case "implicit":
                found = finder.implicit(key.where, key.name)
            case _:
                found = finder.given(key.where)
        return tuple(found)

    def _sees(self, path: str, finder: Finder) -> tuple[str, ...]:
        """The spaces of a file's stars, and of theirs where a space is itself a file; nearest first."""
        known = self._seen.get(path)
        if known is None:
            found: dict[str, None] = {}
            pending = deque([path])
            while pending:
                place = pending.popleft()
                spaces = [finder.find(place, module) for module in self._stars(place)]
                new = [space for space in dict.fromkeys(spaces) if space and space not in found]
                found.update(dict.fromkeys(new))
                pending.extend(new)
            known = self._seen[path] = tuple(found)
        return known

    def value(self, key: Key) -> str:
        """A digest that is equal as long as the key leads to the same."""
        if key.kind == "sees":
            return hashlib.blake2b("\0".join(self.look(key)).encode(), digest_size=12).hexdigest()
        if key.kind != "slot":
            return "\0".join(self.look(key))
        state = hashlib.blake2b(digest_size=12)
        for face, entry in self.entries(key.where, key.name):
            state.update(f"{face.path}\0{entry.kind}\0{entry.declared}\0".encode())
            state.update(face.digest(entry.value))
            for group in (entry.bases, entry.decorators, [term for _, term in entry.parameters]):
                state.update(b"|")
                for term in group:
                    state.update(face.digest(term))
            state.update("\0".join(name for name, _ in entry.parameters).encode())
        return state.hexdigest()
