"""Generations of views on disk: private folders, one manifest swapped in whole, locks around both.

    <folder>/manifest.json        names the newest generation
    <folder>/building             held exclusively by whoever builds
    <folder>/generations/<id>/    files of the views; `lock` is held shared by its readers

A folder that a reader holds is never removed; one that nobody holds and the manifest does not name
is (an older generation, or what a crashed builder left).
"""

import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from aoci_agent.base.locks import opened, tried, wait
from aoci_agent.base.replace import atomic_write
from aoci_agent.views import manifest as manifests
from aoci_agent.views.manifest import Artifact, Manifest

WAIT_SECONDS = 900.0
_POLL = 0.05
_CHUNK = 1 << 20


class Generation:
    """A folder of a generation, kept from being removed until `close`."""

    def __init__(self, folder: Path, lock: int) -> None:
        self.folder = folder
        self._lock = lock

    @property
    def id(self) -> str:
        """Its name."""
        return self.folder.name

    def close(self) -> None:
        """Let go of it."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


class Generations:
    """The views of one repository on disk. Every method raises OSError when the disk refuses."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._all = folder / "generations"

    def manifest(self) -> Manifest | None:
        """The newest one, None where there is none. Raises ValueError for one that is damaged."""
        try:
            with (self.folder / "manifest.json").open("rb") as file:
                data = file.read(manifests.MAX_BYTES + 1)
        except FileNotFoundError:
            return None
        return manifests.parse(data)

    def newest(self) -> tuple[Manifest, Generation] | None:
        """The newest generation, held; None where there is none. Raises ValueError as `manifest`."""
        for _ in range(8):
            named = self.manifest()
            if named is None:
                return None
            held = self._hold(self._all / named.generation)
            if held is not None:
                return named, held
        return None  # a manifest whose folder is gone

    def build_lock(
        self, waiting: Callable[[], None] | None = None, limit: float = WAIT_SECONDS
    ) -> int:
        """Be the only builder until the descriptor is closed; another one is waited for.

        Raises TimeoutError after `limit` seconds.
        """
        lock = opened(self.folder / "building")
        try:
            until = time.monotonic() + limit
            while not tried(lock):
                if time.monotonic() > until:
                    raise TimeoutError(0, "another process has been building for too long")
                if waiting is not None:
                    waiting()
                time.sleep(_POLL)
        except BaseException:
            os.close(lock)
            raise
        return lock

    def new(self) -> Generation:
        """An empty folder for a builder, held by it."""
        self._all.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = self._all / f"{int(time.time()):x}-{secrets.token_hex(4)}"
        lock = opened(folder / "lock")
        tried(lock, shared=True)
        return Generation(folder, lock)

    def swap(self, manifest: Manifest) -> None:
        """Make a finished generation the newest one, in one step."""
        atomic_write(self.folder / "manifest.json", manifests.dump(manifest))

    def sweep(self, keep: str) -> None:
        """Remove every other generation that nobody holds. For the one who is `building`."""
        with suppress(OSError):
            for folder in list(self._all.iterdir()):
                if folder.name != keep:
                    _remove_unused(folder)

    def drop(self, generation: Generation) -> None:
        """Give up an unfinished generation."""
        generation.close()
        shutil.rmtree(generation.folder, ignore_errors=True)

    @staticmethod
    def _hold(folder: Path) -> Generation | None:
        try:
            lock = os.open(folder / "lock", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        wait(lock, shared=True)
        if (folder / "lock").exists():
            return Generation(folder, lock)
        os.close(lock)  # it was being removed
        return None


def artifacts_in(folder: Path) -> dict[str, Artifact]:
    """The files of a view by name. Raises OSError, ValueError for a folder in it."""
    found: dict[str, Artifact] = {}
    for path in sorted(folder.iterdir()):
        if not path.is_file() or path.is_symlink():
            raise ValueError(f"{path.name} is not a file")
        found[path.name] = Artifact(path.stat().st_size, _hash(path))
    return found


def damage_of(folder: Path, artifacts: Mapping[str, Artifact], *, hashes: bool) -> str:
    """What is wrong with the files of a view, "" when nothing is. `hashes` reads them all."""
    for name, artifact in artifacts.items():
        path = folder / name
        try:
            if path.stat().st_size != artifact.size:
                return f"{name} has another size"
            if hashes and _hash(path) != artifact.hash:
                return f"{name} has another content"
        except OSError as error:
            return f"{name}: {error.strerror}"
    return ""


def _hash(path: Path) -> str:
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            digest.update(piece)
    return digest.hexdigest()


def _remove_unused(folder: Path) -> None:
    try:
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:  # a builder crashed between making the folder and its lock
        if time.time() - folder.stat().st_mtime > 60:
            shutil.rmtree(folder, ignore_errors=True)
        return
    try:
        if tried(lock):
            (folder / "lock").unlink(missing_ok=True)  # first: who waits for it must see
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)
