"""What must outlive the messages it came from: files read and changed, commands that worked, the checks."""

from collections.abc import Iterable
from dataclasses import dataclass

from aoci_agent.policies.conversation import Message, ToolMessage

_CALLS = 40  # calls named; of more, the newest
_FILES = 60
_COMMANDS = 20


@dataclass(frozen=True, slots=True)
class Facts:
    """Each in the order it happened, the newest of a kind last, nothing twice."""

    calls: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    worked: tuple[str, ...] = ()  # commands that ended well
    check: str = ""  # how the newest check ended
    todo: str = ""  # the list as the model last wrote it

    def told(self) -> str:
        """One line for each kind that holds something."""
        lines = (
            ("Called", "; ".join(_newest(self.calls, _CALLS))),
            ("Files read", ", ".join(_newest(self.read, _FILES))),
            ("Files changed", ", ".join(_newest(self.changed, _FILES))),
            ("Commands that worked", "; ".join(_newest(self.worked, _COMMANDS))),
            ("Last check", self.check),
        )
        told = [f"{name}: {words}" for name, words in lines if words]
        return "\n".join([*told, f"To do:\n{self.todo}"] if self.todo else told)


def facts_of(messages: Iterable[Message]) -> Facts:
    """The facts of these messages."""
    calls: dict[str, None] = {}
    read: dict[str, None] = {}
    changed: dict[str, None] = {}
    worked: dict[str, None] = {}
    check = todo = ""
    for message in messages:
        if not isinstance(message, ToolMessage):
            continue
        title = message.title or message.name
        _again(calls, title if message.ok else f"{title} (failed)")
        for path in message.read:
            _again(read, path)
        for path in message.changed:
            _again(changed, path)
        if message.name == "bash" and message.ok:
            _again(worked, title)
        if message.check is not None:
            outcome = "passed" if message.check.passed else "failed"
            failing = ", ".join(message.check.failing[:5])
            check = f"{message.check.command}: {outcome}" + (f" ({failing})" if failing else "")
        if message.name == "todo" and message.ok:
            todo = message.text
    return Facts(tuple(calls), tuple(read), tuple(changed), tuple(worked), check, todo)


def _again(kinds: dict[str, None], item: str) -> None:
    """Put an item last."""
    kinds.pop(item, None)
    kinds[item] = None


def _newest(items: tuple[str, ...], most: int) -> tuple[str, ...]:
    left = len(items) - most
    return (f"({left} earlier)", *items[left:]) if left > 0 else items
