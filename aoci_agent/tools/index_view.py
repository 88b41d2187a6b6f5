"""What the tools need of the index."""

from collections.abc import Iterable
from typing import Protocol

from aoci_agent.aoci.model import Entry, Index


class IndexView(Protocol):
    """The index as it is now. Satisfied by `aoci.store.IndexStore`."""

    @property
    def current(self) -> Index:
        """Loaded or built, with the agent's own edits applied."""
        ...

    def refresh(self, paths: Iterable[str]) -> tuple[Entry, ...]:
        """Derive the entries of changed files anew."""
        ...
