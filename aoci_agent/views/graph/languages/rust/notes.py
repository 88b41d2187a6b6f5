"""What the rules of Rust note for each other while they read one file."""

from dataclasses import dataclass


@dataclass(slots=True)
class RustNotes:
    """Of the statement that is read, and of the file."""

    given_names: frozenset[str] = frozenset()  # by the `use` that is read
    pattern_end: int = -1  # where names of the pattern begin to hold
    parsed: int = 0  # bytes that were parsed a second time
