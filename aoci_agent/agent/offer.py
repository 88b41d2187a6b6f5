"""The committed index beside the code: what the agent's edits would change in it, shown before it is written."""

from typing import Protocol

from aoci_agent.aoci.differences import Differences, compare
from aoci_agent.aoci.files import INDEX_FILE, BuildReport
from aoci_agent.aoci.model import Index
from aoci_agent.base.files import STATE

_SHOWN = 40  # differences listed

NOT_KEPT = (
    f"the repository keeps no index: {STATE}/{INDEX_FILE} comes with `aoci-agent index build`"
)
IN_STEP = "nothing: /index update would write no change"


class KeptIndex(Protocol):
    """Satisfied by `aoci.store.IndexStore`."""

    @property
    def current(self) -> Index:
        """As the session knows it, edits followed."""
        ...

    @property
    def kept(self) -> bool:
        """Whether the repository itself has an index."""
        ...

    def on_disk(self) -> Index:
        """As it is written."""
        ...

    def build(self) -> BuildReport:
        """Bring the files in step. Raises ForUser."""
        ...


class Offer:
    """Offers the index update that belongs to the next commit. Nothing is written unasked."""

    def __init__(self, index: KeptIndex) -> None:
        self._index = index

    def due(self, changed: frozenset[str]) -> str:
        """One line for the person after a turn that changed these files; "" when nothing is behind."""
        if not changed or not self._index.kept:
            return ""
        behind = [item.path for item in self._differences().entries]
        if not behind:
            return ""
        entries = "1 entry" if len(behind) == 1 else f"{len(behind)} entries"
        return (
            f"{STATE}/{INDEX_FILE} is behind by {entries}: /index diff shows them,"
            " /index update writes them to be reviewed with the code"
        )

    def diff(self) -> str:
        """What `/index update` would write, element by element."""
        if not self._index.kept:
            return NOT_KEPT
        changes = self._changes()
        return f"what /index update would write:\n{changes}" if changes else IN_STEP

    def update(self) -> str:
        """Write index and lock; says what changed. Raises ForUser."""
        if not self._index.kept:
            return NOT_KEPT
        told = self._changes() or "no entry changed"
        report = self._index.build()
        where = f"{STATE}/{INDEX_FILE}"
        if not report.saved:
            return f"{where} could not be written: {'; '.join(report.findings[-1:])}"
        return f"{told}\n{where} is in step: {report.entries} entries; look at it with `git diff {STATE}`"

    def _changes(self) -> str:
        found = [str(item) for item in self._differences().all]
        more = [f"and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
        return "\n".join([*found[:_SHOWN], *more])

    def _differences(self) -> Differences:
        return compare(self._index.on_disk(), self._index.current)
