"""What has to be known of another agent to run it headless on a task."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Job:
    """One task for it. `home` is a folder of its own, `url` ends in /v1; the key is a dummy.

    `anthropic`: the endpoint is Anthropic's, where only the Messages API caches prompts.
    """

    prompt: str
    url: str
    model: str  # as the endpoint calls it
    home: Path
    anthropic: bool = False


def _none(_: Job) -> dict[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Peer:
    """An agent. `words` are its command line behind the program, `files` go into its home.

    `litter` are patterns of names it leaves at the root of the tree, which are no part of its answer;
    `kept` are files of its home worth keeping. `python` tells that it is a Python program: then the
    task's PYTHONPATH must not reach its own imports.
    """

    name: str
    program: str
    install: str  # the command that installs it
    words: Callable[[Job], list[str]]
    variables: Callable[[Job], dict[str, str]] = _none
    files: Callable[[Job], dict[str, str]] = _none
    litter: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    python: bool = False
    stages: bool = False  # it adds files to git's index by itself, and fails where it cannot
    shells: tuple[str, ...] = ("bash",)  # its tools that run commands

    @property
    def variable(self) -> str:
        """The variable that may name where it is installed."""
        return f"AOCI_REPLAY_{self.name.upper().replace('-', '_')}"
