"""The facts that no compaction may lose, as text within a bound: kept as data beside the conversation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from aoci_agent.policies.conversation import Message, ToolMessage
from aoci_agent.policies.digest import Count
from aoci_agent.policies.facts import Facts, facts_of

CHANGE = "Δ "  # begins the line that replaces an entry of the index


@dataclass(frozen=True, slots=True)
class Pinned:
    """What was done so far. `changes` are the newest lines that replace entries of the index, by entry."""

    facts: Facts
    changes: tuple[str, ...] = ()

    def told(self, room: int, count: Count) -> str:
        """As text of at most `room` tokens; the list of what is to be done is whole, whatever its size.

        Of the others the newest stay; the kinds are cut in this order from the last: last check, files
        changed, lines of the index, commands that worked, files read.
        """
        facts = self.facts
        told = [f"To do:\n{facts.todo}"] if facts.todo else []
        told += [f"Last check: {facts.check}"] if facts.check else []
        room -= sum(map(count, told))
        for name, items, between in (
            ("Files changed: ", facts.changed, ", "),
            ("Entries of the index that read differently now:\n", self.changes, "\n"),
            ("Commands that worked: ", facts.worked, "; "),
            ("Files read: ", facts.read, ", "),
        ):
            if items:
                text = f"{name}{_newest(items, between, room - count(name), count)}"
                room -= count(text)
                told.append(text)
        return "\n".join(told)


class Notebook:
    """Writes down the facts of a session while it goes on; nothing that shapes history takes them away."""

    def __init__(self) -> None:
        self._seen: list[ToolMessage] = []
        self._changes: dict[str, str] = {}

    def saw(self, messages: Iterable[Message]) -> None:
        """Take note of the tool results among these."""
        for message in messages:
            if not isinstance(message, ToolMessage):
                continue
            if message.changed:
                for line in message.text.splitlines():
                    if line.startswith(CHANGE):
                        entry = line.removeprefix(CHANGE).partition("[")[0].partition(":")[0]
                        self._changes.pop(entry.strip(), None)
                        self._changes[entry.strip()] = line
            kept = message.text if message.name == "todo" else ""
            self._seen.append(replace(message, text=kept))

    @property
    def pinned(self) -> Pinned:
        """Everything so far."""
        return Pinned(facts_of(self._seen), tuple(self._changes.values()))

    def forget(self) -> None:
        """A new conversation."""
        self._seen.clear()
        self._changes.clear()


def _newest(items: Sequence[str], between: str, room: int, count: Count) -> str:
    """As many of the last as fit, and how many are left out."""
    left = room - count(f"({len(items)} earlier){between}")
    kept: list[str] = []
    for item in reversed(items):
        left -= count(item + between)
        if left < 0:
            break
        kept.append(item)
    missing = len(items) - len(kept)
    said = [f"({missing} earlier)"] if missing else []
    return between.join((*said, *reversed(kept)))
