"""What the rules of Ruby note for each other while they read one file."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from aoci_agent.views.graph.languages.common.walk import Walk


@dataclass(slots=True)
class Level:
    """`prefix` stands before names of methods of a type itself; `singleton`: such are defined here."""

    prefix: str = ""
    singleton: bool = False


@contextmanager
def level(walk: Walk, prefix: str, *, singleton: bool = False) -> Generator[None]:
    """Read something at another level."""
    here = walk.notes(Level)
    outer = here.prefix, here.singleton
    here.prefix, here.singleton = prefix, singleton
    try:
        yield
    finally:
        here.prefix, here.singleton = outer
