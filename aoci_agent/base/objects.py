"""The files of a commit, read from git's object store in as few commands as possible."""

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from aoci_agent.base.errors import NotPossible
from aoci_agent.base.hardened import HardenedGit

_REGULAR = (b"100644", b"100755", b"100664")  # the last is of very old repositories
_BATCH = 32_000_000  # bytes of blobs one command gives


class Blob(NamedTuple):
    """A file as git stores it; a size of -1 says that this repository does not have it."""

    id: str
    size: int


def blobs_of(git: HardenedGit, commit: str, under: str = "") -> dict[str, Blob]:
    """The regular files of a commit below a folder, by path relative to it, in path order.

    Links and submodules are left out. Raises NotPossible for what is no commit here.
    """
    where = ("--", under) if under else ()
    found: dict[str, Blob] = {}
    for entry in git.read("ls-tree", "-r", "-l", "-z", "--full-tree", commit, *where).split(b"\0"):
        described, _, name = entry.partition(b"\t")
        if described[:6] in _REGULAR:
            _, _, identity, size = described.split()
            path = os.fsdecode(name).removeprefix(f"{under}/" if under else "")
            found[path] = Blob(identity.decode(), int(size) if size.isdigit() else -1)
    return dict(sorted(found.items()))


def contents(git: HardenedGit, blobs: Iterable[Blob]) -> Iterator[tuple[str, bytes]]:
    """Id and bytes of each blob, in order. Raises NotPossible for one the repository does not have."""
    for batch in _batches(blobs):
        if any(blob.size < 0 for blob in batch):
            raise NotPossible("git does not have all files of that commit (a partial clone)")
        asked = "".join(f"{blob.id}\n" for blob in batch).encode()
        yield from _parsed(git.read("cat-file", "--batch", stdin=asked), len(batch))


def _batches(blobs: Iterable[Blob]) -> Iterator[list[Blob]]:
    batch: list[Blob] = []
    size = 0
    for blob in blobs:
        if batch and size + blob.size > _BATCH:
            yield batch
            batch, size = [], 0
        batch.append(blob)
        size += blob.size + 100
    if batch:
        yield batch


def _parsed(output: bytes, expected: int) -> Iterator[tuple[str, bytes]]:
    """`<id> blob <size>`, the bytes, a line end; so many times."""
    place = 0
    for _ in range(expected):
        end = output.find(b"\n", place)
        head = output[place:end].split() if end >= 0 else []
        if len(head) != 3 or head[1] != b"blob":
            told = output[place:end].decode("utf-8", "replace") if end >= 0 else "nothing more"
            raise NotPossible(f"git cannot give a file's content: {told}")
        start = end + 1
        place = start + int(head[2]) + 1
        if place > len(output):
            raise NotPossible("git cannot give a file's content: it ended early")
        yield head[0].decode(), output[start : place - 1]
