"""As eager, and what led to the first file that was read is cut once a turn (CodeNib: compact, eq. 4)."""

from collections.abc import Sequence
from typing import ClassVar

from aoci_agent.policies.conversation import AssistantMessage, Message, ToolMessage, UserMessage
from aoci_agent.policies.eager import Eager
from aoci_agent.policies.facts import facts_of

_SAID = 600  # characters of the model's own last words
CUT = "[The search up to here was cut to save room. What it found:]"
_GO_ON = "Go on from here; look again only for what is missing."


class Compact(Eager):
    """After the first step in which a read succeeded the turn becomes one message, by rule, without a model.

    The message holds the question, what was called, the files read and changed, the model's last
    words, and the last read in full: all of them where the newest step that read asked for several
    at once. Earlier turns are left as they are.
    """

    base: ClassVar[str] = "compact"

    def after_step(self, turn: tuple[Message, ...]) -> tuple[Message, ...] | None:
        """One message in place of the turn once a file was read; None before."""
        reads = [
            m for m in turn if isinstance(m, ToolMessage) and m.ok and m.read and m.name == "read"
        ]
        asked = next((m for m in turn if isinstance(m, UserMessage) and not m.harness), None)
        if not reads or asked is None:
            return None
        words = [m.text for m in turn if isinstance(m, AssistantMessage) and m.text.strip()]
        said = f"You said: {words[-1].strip()[:_SAID]}" if words else ""
        found = [f"{one.title or one.read[0]}:\n{one.text}" for one in _together(turn, reads)]
        parts = (asked.question, CUT, facts_of(turn).told(), said, *found, _GO_ON, asked.note)
        text = "\n\n".join(part for part in parts if part)
        return (UserMessage(text, question=asked.question, note=asked.note),)


def _together(turn: Sequence[Message], reads: Sequence[ToolMessage]) -> list[ToolMessage]:
    """The last read, and those of the same step."""
    last = reads[-1].call_id
    steps = [[call.id for call in m.calls] for m in turn if isinstance(m, AssistantMessage)]
    step = next((ids for ids in steps if last in ids), [last])
    return [read for read in reads if read.call_id in step]
