"""A test runner, and what it is asked to run."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from aoci_agent.base.errors import NotPossible
from aoci_agent.base.process import find_program
from aoci_agent.tools.reports.report import Reader


@dataclass(frozen=True, slots=True)
class Runner:
    """A command that runs tests in `folder`, relative to the workspace ("" for its root).

    `argv` begins with the absolute path of the program; `shown` is the name a person would type.
    """

    name: str
    shown: str
    argv: tuple[str, ...]
    folder: str
    reader: Reader | None = None
    env: tuple[tuple[str, str], ...] = ()

    @property
    def command(self) -> str:
        """The command as one would type it at the root of the workspace."""
        words = [f"{name}={shlex.quote(value)}" for name, value in self.env]
        typed = " ".join([*words, shlex.join((self.shown, *self.argv[1:]))])
        return f"cd {shlex.quote(self.folder)} && {typed}" if self.folder else typed


@dataclass(frozen=True, slots=True)
class Request:
    """What to run: a target relative to `folder` ("" for everything), and more words for the runner."""

    root: Path
    folder: str
    target: str
    extra: tuple[str, ...]
    prepared: tuple[str, ...] = ()  # folders of programs that commands find before those on PATH

    @property
    def path(self) -> Path:
        """The folder on the disk."""
        return self.root / self.folder

    @property
    def file(self) -> str:
        """The file or folder part of a target such as tests/test_a.py::test_b."""
        return self.target.partition("::")[0]

    @property
    def test(self) -> str:
        """The part of a target after the first "::"."""
        return self.target.partition("::")[2]

    def has(self, *names: str) -> bool:
        """Whether one of these files is in the folder."""
        return any((self.path / name).is_file() for name in names)

    def text(self, name: str) -> str:
        """A small text file of the folder, "" when it is missing."""
        path = self.path / name
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""

    def program(self, *names: str) -> tuple[str, str]:
        """Name and path of the first program that is installed outside the workspace. NotPossible."""
        for name in names:
            places = (*(f"{folder}/{name}" for folder in self.prepared), name)
            path = next(filter(None, (find_program(p, outside=self.root) for p in places)), None)
            if path:
                return name, path
        raise NotPossible(f"the project's tests need {names[0]}, which is not installed")


Finder = Callable[[Request], Runner | None]
