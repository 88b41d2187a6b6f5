"""What a person decided about folders: kept with the agent's own data, never in a repository."""

import json
import os
import time
import unicodedata
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from aoci_agent.base.errors import ForUser
from aoci_agent.base.files import atomic_write
from aoci_agent.base.locks import alone
from aoci_agent.base.trust import Fingerprint, Item, Kind

_VERSION = 1


class State(StrEnum):
    """What was decided about a folder, and whether it still holds."""

    TRUSTED = "trusted"
    CHANGED = "changed"  # trusted before; what would take effect is not what it was
    UNKNOWN = "unknown"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Trust:
    """The decision as it applies now. `changed` names what is new, different or gone since."""

    state: State
    what: tuple[Item, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def given(self) -> bool:
        """Whether the folder is trusted as it is."""
        return self.state is State.TRUSTED


@dataclass(frozen=True, slots=True)
class Decided:
    """One stored decision."""

    folder: str
    trusted: bool
    at: float
    seen: Mapping[str, str]  # "kind name" -> digest of everything that was compared


class TrustStore:
    """Decisions by real path. A parent's trust is not inherited; a damaged file trusts nothing.

    Safe for several processes. The file is 0600 in a folder of 0700.
    """

    def __init__(self, file: Path) -> None:
        """`file` lies in the agent's data folder (`Places.data / "trust.json"`)."""
        self._file = file

    def decide(self, root: Path, found: Fingerprint, kinds: Collection[Kind]) -> Trust:
        """What the person's decision about `root` means for what was found there."""
        decided = None if self._is_inside(root) else _of(self._read(), root)
        if decided is None:
            return Trust(State.UNKNOWN, found.items)
        if not decided.trusted:
            return Trust(State.REFUSED, found.items)
        changed = _changed(decided.seen, found, kinds)
        return Trust(State.CHANGED if changed else State.TRUSTED, found.items, changed)

    def record(self, root: Path, found: Fingerprint, *, trusted: bool) -> None:
        """Remember a decision for exactly what was found. Raises ForUser where it cannot be kept."""
        if self._is_inside(root):
            raise ForUser(
                f"{self._file} lies inside {root}, which could then trust itself",
                "set AOCI_AGENT_HOME to a folder outside of it",
            )
        seen = {_key(item): item.digest for item in found.items if item.digest}
        with self._changing() as all_decided:
            _drop(all_decided, root)
            all_decided.append(Decided(str(root.resolve()), trusted, time.time(), seen))

    def revoke(self, root: Path) -> bool:
        """Forget what was decided about a folder; whether there was anything. Raises ForUser."""
        with self._changing() as all_decided:
            return _drop(all_decided, root)

    def decided(self) -> list[Decided]:
        """Every decision, by folder."""
        return sorted(self._read(), key=lambda one: one.folder)

    def _is_inside(self, root: Path) -> bool:
        return Path(os.path.realpath(self._file)).is_relative_to(root.resolve())

    def _read(self) -> list[Decided]:
        try:
            stored: Any = json.loads(self._file.read_text(encoding="utf-8"))
            if stored["version"] != _VERSION:
                return []
            return [
                Decided(
                    str(folder),
                    one["trusted"] is True,
                    float(one["at"]),
                    {str(name): str(digest) for name, digest in one["seen"].items()},
                )
                for folder, one in stored["folders"].items()
            ]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return []

    @contextmanager
    def _changing(self) -> Generator[list[Decided]]:
        try:
            with alone(self._file.with_suffix(".lock")):
                all_decided = self._read()
                yield all_decided
                folders = {
                    one.folder: {"trusted": one.trusted, "at": one.at, "seen": dict(one.seen)}
                    for one in all_decided
                }
                text = json.dumps({"version": _VERSION, "folders": folders}, indent=1)
                atomic_write(self._file, text.encode())
        except OSError as error:
            raise ForUser(
                f"cannot keep the decision in {self._file}: {error.strerror}",
                "set AOCI_AGENT_HOME to a writable folder; --trust counts for one run",
            ) from error


def _changed(
    seen: Mapping[str, str], found: Fingerprint, kinds: Collection[Kind]
) -> tuple[str, ...]:
    now = {_key(item): item for item in found.items if item.kind in kinds and item.digest}
    before = {key: digest for key, digest in seen.items() if key.partition(" ")[0] in kinds}
    different = [
        item.name
        for key, item in now.items()
        if item.digest == "?" or before.get(key) != item.digest
    ]
    # What is gone cannot do harm; but git settings tell one repository from another in its place.
    gone = [f"{key.partition(' ')[2]} (gone)" for key in before if key not in now and _is_git(key)]
    return tuple(different + gone)


def _is_git(key: str) -> bool:
    return key.startswith(f"{Kind.GIT} ")


def _key(item: Item) -> str:
    return f"{item.kind} {item.name}"


def _of(all_decided: list[Decided], root: Path) -> Decided | None:
    return next((one for one in all_decided if _is_same(one.folder, root)), None)


def _drop(all_decided: list[Decided], root: Path) -> bool:
    one = _of(all_decided, root)
    if one is not None:
        all_decided.remove(one)
    return one is not None


def _is_same(folder: str, root: Path) -> bool:
    """The same folder, by its real path; other letters only where the file system ignores case."""
    real = str(root.resolve())
    if folder == real:
        return True
    try:
        return _folded(folder) == _folded(real) and Path(folder).samefile(real)
    except OSError:
        return False


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
