"""The person's trust in the folder of a session: as decided, and decided anew while it runs."""

from collections.abc import Collection
from pathlib import Path

from aoci_agent.agent.trusting import Terms, terms
from aoci_agent.base.trust import Fingerprint, Kind
from aoci_agent.base.trust_store import State, Trust, TrustStore


class FolderTrust:
    """What was found when the session began is what a decision counts for: it is what was shown.

    Trust that was given stays for the session, also when a call that was allowed changes what was
    compared; the next start asks again.
    """

    def __init__(
        self,
        store: TrustStore,
        root: Path,
        found: Fingerprint,
        kinds: Collection[Kind],
        *,
        flag: bool = False,
    ) -> None:
        """`root` is the person's folder, also for a worktree of it. `flag`: --trust, for this run only."""
        self._store = store
        self._root = root
        self._found = found
        self.trust = store.decide(root, found, kinds)
        if flag:
            self.trust = Trust(State.TRUSTED, found.items)

    @property
    def open(self) -> bool:
        """The person has not decided about the folder as it is."""
        return self.trust.state in (State.UNKNOWN, State.CHANGED)

    @property
    def notices(self) -> tuple[str, ...]:
        """What trust, or the lack of it, changed without anybody being asked."""
        if self.trust.given:
            cut = self.terms.cut
            return (f"instructions were cut: {cut}",) if cut else ()
        unread = ", ".join(one.name for one in self._found.instructions)
        if self.trust.state is State.CHANGED:
            return (
                f"not trusted any more, what it would run has changed: {_few(self.trust.changed)}",
            )
        return (f"this folder is not trusted: {unread} was not read",) if unread else ()

    @property
    def terms(self) -> Terms:
        """What the session may do by itself."""
        return terms(self._found.instructions, trusted=self.trust.given)

    def decide(self, *, trusted: bool) -> Terms:
        """Keep the person's answer; the terms it gives. Raises ForUser where it cannot be kept."""
        self._store.record(self._root, self._found, trusted=trusted)
        state = State.TRUSTED if trusted else State.REFUSED
        self.trust = Trust(state, self._found.items)
        return self.terms


def decided_line(terms: Terms, *, fresh: bool) -> str:
    """What the person's decision changes now, and what at the next start."""
    if not terms.trusted:
        return "not trusted: at most mode ask, no tests; instructions that were read stay until the next start"
    now = ["modes above ask", "the project's tests", "commands that plainly read, unasked"]
    later = ["language servers, where the settings want them"]
    (now if fresh else later).extend(["the project's instructions"] * bool(terms.instructions))
    return f"trusted. From now on: {', '.join(now)}. From the next start on: {', '.join(later)}"


def _few(names: tuple[str, ...]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
