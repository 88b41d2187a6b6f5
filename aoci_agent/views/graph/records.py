"""Facts of a file as stored: compressed JSON."""

import hashlib
import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, cast

from aoci_agent.views.graph.model import Entry, FileFacts, Part, Term, Use
from aoci_agent.views.graph.tables import Face
from aoci_agent.views.graph.terms import digests


def pack_face(facts: FileFacts) -> bytes:
    """What other files see of one."""
    return packed((facts.language, facts.space, facts.terms, facts.entries))


def unpack_face(path: str, data: bytes) -> Face:
    """The reverse of `pack_face`."""
    language, space, terms, entries = cast("list[Any]", unpacked(data))
    found = tuple(_entry(item) for item in entries)
    return _face(path, language, space, tuple(tuple(term) for term in terms), found)


def pack_parts(parts: Sequence[Part]) -> bytes:
    """The uses of a file, not resolved."""
    return packed(parts)


def unpack_parts(data: bytes) -> tuple[Part, ...]:
    """The reverse of `pack_parts`."""
    return tuple(_part(item) for item in cast("list[Any]", unpacked(data)))


def packed(value: object) -> bytes:
    """Compressed JSON."""
    return zlib.compress(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), 1)


def unpacked(data: bytes) -> object:
    """The reverse of `packed`. Raises ValueError for what is none."""
    try:
        return json.loads(zlib.decompress(data))
    except zlib.error as error:
        raise ValueError(f"not what was stored: {error}") from error


def _entry(item: list[Any]) -> Entry:
    slot, kind, value, bases, decorators, parameters, declared = item
    pairs = tuple((name, term) for name, term in parameters)
    return Entry(slot, kind, value, tuple(bases), tuple(decorators), pairs, declared)


def _part(item: list[Any]) -> Part:
    name, start, end, uses = item
    return Part(name, start, end, tuple(_use(use) for use in uses))


def _use(item: list[Any]) -> Use:
    line, column, length, kind, source, term, local = item
    places = tuple((line, column) for line, column in local)
    return Use(line, column, length, kind, source, term, places)


def face_of(path: str, facts: FileFacts) -> Face:
    """What the engine sees of a file."""
    return _face(path, facts.language, facts.space, facts.terms, facts.entries)


def _face(
    path: str, language: str, space: str, terms: tuple[Term, ...], entries: tuple[Entry, ...]
) -> Face:
    listed: dict[str, list[Entry]] = {}
    for entry in entries:
        listed.setdefault(entry.slot, []).append(entry)
    by_slot = {slot: tuple(found) for slot, found in listed.items()}
    return Face(path, language, space, terms, by_slot, digests(terms))


def meaning(part: Part, face: Face) -> str:
    """Equal for two states of a part whose names resolve alike as long as nothing outside changes."""
    return _hashed(
        f"{use.kind}\0{use.source}\0".encode() + face.digest(use.term) for use in part.uses
    )


def _hashed(pieces: Iterable[bytes]) -> str:
    state = hashlib.blake2b(digest_size=12)
    for piece in pieces:
        state.update(piece)
        state.update(b"\n")
    return state.hexdigest()
