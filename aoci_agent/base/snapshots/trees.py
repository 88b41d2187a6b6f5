"""Folders as data: entries, their bytes, and what differs between two of them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, NamedTuple

ID = 20  # bytes of an object's name
NOTHING = bytes(ID)
_HEAD = 3 + ID

# file, link, folder, unsaved: its content is not kept, but that it changed is seen; closed: a folder
# that was not looked into; unknown: nobody knows what was there.
Kind = Literal["f", "l", "d", "x", "o", "?"]


class Entry(NamedTuple):
    """What a name stands for. `id` names the content; of an unsaved file only its size and time."""

    kind: Kind
    mode: int  # permission bits, set-user-id and the like among them
    id: bytes


UNKNOWN = Entry("?", 0, NOTHING)
Change = tuple[str, Entry | None, Entry | None]  # path, before, after


def encoded(entries: Mapping[str, Entry]) -> bytes:
    """The bytes of a folder; the same entries give the same bytes. Names may hold any byte."""
    return b"".join(
        b"%c%c%c%b%b\0" % (ord(kind), mode >> 8, mode & 255, id_, name)
        for name, (kind, mode, id_) in sorted(
            (name.encode("utf-8", "surrogateescape"), entry) for name, entry in entries.items()
        )
    )


def decoded(data: bytes) -> dict[str, Entry]:
    """The entries of a folder by name."""
    entries: dict[str, Entry] = {}
    place = 0
    while place < len(data):
        end = data.index(0, place + _HEAD)
        kind: Kind = chr(data[place])  # pyright: ignore[reportAssignmentType] - as it was written
        mode = data[place + 1] << 8 | data[place + 2]
        name = data[place + _HEAD : end].decode("utf-8", "surrogateescape")
        entries[name] = Entry(kind, mode, data[place + 3 : place + _HEAD])
        place = end + 1
    return entries


def difference(
    read: Callable[[bytes], bytes], before: bytes, after: bytes, under: str = ""
) -> Iterator[Change]:
    """Every path that differs between two folders, parents first. `read` gives an object's bytes.

    A folder is compared by its mode, and then by what is in it. What stands in a folder that one
    side did not look into is UNKNOWN on that side.
    """
    old = decoded(read(before)) if before != NOTHING else {}
    new = decoded(read(after)) if after != NOTHING else {}
    for name in sorted(old.keys() | new.keys()):
        yield from _changed(read, f"{under}{name}", old.get(name), new.get(name))


def _changed(
    read: Callable[[bytes], bytes], path: str, old: Entry | None, new: Entry | None
) -> Iterator[Change]:
    if old == new:
        return
    old_is, new_is = old is not None and old.kind == "d", new is not None and new.kind == "d"
    if not (old_is and new_is and old and new and old.mode == new.mode):
        yield path, old, new
    if old_is and new is not None and new.kind == "o" and old:
        yield from ((p, e, UNKNOWN) for p, e, _ in difference(read, old.id, NOTHING, f"{path}/"))
    elif new_is and old is not None and old.kind == "o" and new:
        yield from ((p, UNKNOWN, e) for p, _, e in difference(read, NOTHING, new.id, f"{path}/"))
    elif old_is or new_is:
        ids = (old.id if old and old_is else NOTHING, new.id if new and new_is else NOTHING)
        yield from difference(read, *ids, f"{path}/")


def same(one: Entry | None, other: Entry | None) -> bool:
    """Whether two entries say the same of a path itself: of folders only the mode counts."""
    if one is None or other is None or one.kind not in "do" or other.kind not in "do":
        return one == other
    return one.mode == other.mode
