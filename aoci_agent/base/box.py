"""What a started program may reach: the contract between those who start programs and the sandbox."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Protocol


class Strength(StrEnum):
    """How far a box holds (safety.md section 3). Shown as it is; never lowered silently."""

    STRONG = "strong"
    PARTIAL = "partial"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Access:
    """What one command needs. The rest is closed."""

    network: bool = False
    write: bool = True  # the workspace; False for what only reads, such as a language server


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Entry:
    """A command as it is really started. `env` is added to the scrubbed environment."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    pass_fds: tuple[int, ...] = ()  # kept open for the child; closed here once it was started
    leave: Callable[[], None] = _nothing  # called once, after everything in it has ended
    whole: bool = False  # everything in it dies with its first process


class Box(Protocol):
    """Confines programs to one workspace. Built once a session, after its self-test."""

    @property
    def strength(self) -> Strength: ...

    @property
    def kind(self) -> str:
        """What enforces it: "bubblewrap", "landlock", or "" for nothing."""
        ...

    @property
    def gaps(self) -> tuple[str, ...]:
        """What a program can still do that it should not, in words for a person."""
        ...

    @property
    def why(self) -> str:
        """Why nothing stronger is there, in words for a person; "" for the strongest."""
        ...

    def enter(self, argv: Sequence[str], cwd: Path, access: Access) -> Entry:
        """What to start in place of `argv` (`process.run` takes it), once. NotPossible where it fails."""
        ...


class Unboxed:
    """No box at all: a program runs with the rights of the person."""

    strength = Strength.NONE
    kind = ""
    gaps: tuple[str, ...] = ("everything the person may do",)

    def __init__(self, why: str = "it was not asked for") -> None:
        self.why = why

    def enter(self, argv: Sequence[str], cwd: Path, access: Access) -> Entry:
        """The command as it is."""
        return Entry(tuple(argv), {})


class Furnished:
    """A box whose commands get more of an environment: a prepared one, for the tasks of a replay."""

    def __init__(self, box: Box, variables: Mapping[str, str]) -> None:
        self.strength, self.kind = box.strength, box.kind
        self.gaps, self.why = box.gaps, box.why
        self._box = box
        self._variables = dict(variables)

    def enter(self, argv: Sequence[str], cwd: Path, access: Access) -> Entry:
        """As the box does it, with the variables behind its own."""
        entry = self._box.enter(argv, cwd, access)
        return replace(entry, env={**entry.env, **self._variables})


class Door:
    """A box that a person may let one command out of. Only whoever asks the person holds it."""

    def __init__(self, box: Box) -> None:
        self.strength, self.kind = box.strength, box.kind
        self.gaps, self.why = box.gaps, box.why
        self._box = box
        self._open = False

    @contextmanager
    def opened(self) -> Generator[None]:
        """What starts meanwhile is in no box. Nothing else may be started at the same time."""
        self._open = True
        try:
            yield
        finally:
            self._open = False

    def enter(self, argv: Sequence[str], cwd: Path, access: Access) -> Entry:
        """As the box does it, or as it is while the door is open."""
        box = Unboxed("a person let it out") if self._open else self._box
        return box.enter(argv, cwd, access)
