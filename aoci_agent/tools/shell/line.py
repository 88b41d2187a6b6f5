"""What is known of a command line before it runs."""

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

Kind = Literal["plain", "glob", "open"]


@dataclass(frozen=True, slots=True)
class Word:
    """One word. "plain": the program gets exactly `text`; "glob": names that match `text`;
    "open": bash fills in what is not written here, and `text` is the source."""

    text: str
    kind: Kind = "plain"


@dataclass(frozen=True, slots=True)
class Redirection:
    """`operator` as written, with its descriptor: ">", "2>", ">>", "&>", "<", ">&"."""

    operator: str
    target: Word


@dataclass(frozen=True, slots=True)
class Part:
    """One simple command. `inside`: it stands in a substitution, a loop, a function or the like."""

    words: tuple[Word, ...]
    text: str  # as it is written
    assignments: tuple[str, ...] = ()
    redirections: tuple[Redirection, ...] = ()
    joined: str = ""  # what stands before it: "&&", "||", ";", "|"; "" for the first
    inside: bool = False

    @property
    def argv(self) -> tuple[str, ...]:
        """The words' texts."""
        return tuple(word.text for word in self.words)

    @property
    def program(self) -> str:
        """The name of what is started, without its folder; "" for assignments alone."""
        return PurePosixPath(self.words[0].text).name if self.words else ""

    @property
    def open(self) -> bool:
        """Bash fills in what is not written."""
        return any(word.kind == "open" for word in self.words)

    @property
    def exact(self) -> bool:
        """The words say all that runs: every one is plain, and nothing is set or redirected."""
        plain = all(word.kind == "plain" for word in self.words)
        return bool(self.words) and plain and not self.assignments and not self.writes

    @property
    def writes(self) -> tuple[Redirection, ...]:
        """Redirections that may create or change a file."""
        return tuple(one for one in self.redirections if not _harmless(one))


@dataclass(frozen=True, slots=True)
class CommandLine:
    """`complete`: the parts are all that runs, and this is certain; else `why` not."""

    parts: tuple[Part, ...]
    complete: bool
    why: str = ""


def _harmless(one: Redirection) -> bool:
    target = one.target
    if target.kind != "plain":
        return False
    if one.operator.endswith(">&"):
        return target.text in ("1", "2")
    return one.operator.endswith("<") or target.text == "/dev/null"
