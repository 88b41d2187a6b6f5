"""What a started program may reach: the contract between those who start programs and the sandbox."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Entry:
    """A command as it is really started. `env` is added to the scrubbed environment."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    pass_fds: tuple[int, ...] = ()  # kept open for the child; closed here once it was started


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

    def enter(self, argv: Sequence[str], cwd: Path, access: Access) -> Entry:
        """The command line that runs `argv` inside. Raises NotPossible where it cannot be set up."""
        ...


class Unboxed:
    """No box at all: a program runs with the rights of the person."""

    strength = Strength.NONE
    kind = ""
    gaps: tuple[str, ...] = ("everything the person may do",)

    def enter(self, argv: Sequence[str], cwd: Path, access: Access) -> Entry:
        """The command as it is."""
        return Entry(tuple(argv), {})
