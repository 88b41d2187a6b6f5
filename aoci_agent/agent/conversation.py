"""The conversation a model is sent: fixed prefix, append-only messages, and the policy that shapes them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from aoci_agent.agent.events import Event, Grew, ToolFinished
from aoci_agent.agent.masking import without_keys
from aoci_agent.agent.models.model import Request
from aoci_agent.agent.room import reply_room
from aoci_agent.agent.toolbox import storable
from aoci_agent.base.secrets import Mask
from aoci_agent.policies.candidates import Candidate
from aoci_agent.policies.conversation import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
    said,
)
from aoci_agent.policies.layers import Prefix
from aoci_agent.policies.pinned import Notebook
from aoci_agent.policies.policy import Policy
from aoci_agent.policies.validity import mended

CUT = "Interrupted by {}; it may have taken effect in part: look before running it again."


class Conversation:
    """Messages of a session. Every call in it has exactly one answer before it is sent.

    No credential enters it, whoever wrote it: what is kept is what is recorded and sent again.
    """

    def __init__(self, prefix: Prefix, policy: Policy, mask: Mask | None = None) -> None:
        self.prefix = prefix
        self.policy = policy
        self.mask = mask or Mask()
        self.notebook = Notebook()
        self._messages: list[Message] = []
        self._opening: int | None = None  # where the running turn begins
        self._rewritten = False  # the policy has, in this turn
        self._told = 0  # messages `write_grown` has written
        self._started: set[str] = set()  # ids of the newest reply's calls that were started

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages, oldest first."""
        return tuple(self._messages)

    @property
    def opening(self) -> int | None:
        """The place of the message that began the running turn; None between turns."""
        return self._opening

    def clear(self) -> None:
        """Forget everything but the fixed prefix."""
        self.notebook.forget()
        self.rewrite((), None)

    def restore(self, messages: Sequence[Message], notebook: Notebook) -> None:
        """Go on from a conversation that was written down. What an interruption left open is closed."""
        self.notebook = notebook
        self.rewrite(mended(messages), None)

    def rewrite(self, messages: Sequence[Message], opening: int | None) -> None:
        """Take these in place of all messages; the running turn begins at `opening`."""
        self._messages = list(messages)
        self._opening = opening
        self._told = len(messages)

    def write_grown(self, write: Callable[[Event], None]) -> None:
        """Write down the messages that came since the last time, or since history was rewritten."""
        if new := tuple(self._messages[self._told :]):
            write(Grew(new))  # where this fails they are still to be written
            self._told += len(new)

    def begin(self, prompt: str, note: str, candidates: Sequence[Candidate] = ()) -> str:
        """The person spoke. What is volatile (`note`) stands below the words, never before them.

        The words as they may be told.
        """
        self._opening = len(self._messages)
        self._rewritten = False
        told = self.mask.mask(prompt)
        delivered = self.mask.mask(self.policy.opening(candidates))
        self._messages.append(said(told, delivered, note))
        return told

    def end(self) -> None:
        """The turn is over: every unanswered call gets its answer, so that the next request is valid."""
        if self._opening is not None:
            open_turn = mended(self._messages[self._opening :], self._started)
            self._messages[self._opening :] = open_turn
        self._opening = None

    def remind(self, text: str) -> None:
        """The harness speaks."""
        self._messages.append(UserMessage(text, harness=True))

    def hear(self, message: AssistantMessage) -> AssistantMessage:
        """Store a reply; calls the model wrote badly are stored in a form that can be sent again.

        The reply as it may be told.
        """
        told = without_keys(message, self.mask)
        calls = tuple(storable(call) for call in told.calls)
        self._messages.append(AssistantMessage(told.text, calls, told.reasoning))
        self._started.clear()
        return told

    def start(self, call: ToolCall) -> None:
        """A call is about to be run: from here on it may have taken effect."""
        self._started.add(call.id)

    def hear_part(self, text: str) -> None:
        """Keep what was said before an interruption, so that "go on" has something to go on from."""
        if text.strip():
            self._messages.append(
                AssistantMessage(f"{self.mask.mask(text.rstrip())} [interrupted]")
            )

    def answer(self, finished: ToolFinished, nudge: str = "") -> None:
        """Store the result of a call."""
        result = finished.result
        text = f"{result.text}\n\n{nudge}" if nudge else result.text
        facts = (finished.title, result.read, result.changed, result.check)
        message = ToolMessage(finished.call.id, finished.call.name, text, result.ok, *facts)
        self._messages.append(message)
        self.notebook.saw((message,))

    def cut(self, finished: ToolFinished, *, by: str) -> ToolFinished:
        """Store what a call had come to that was cut off, or ended as others were; as it is told."""
        if finished.status == "interrupted":
            result = finished.result
            text = f"{CUT.format(by)}\n{result.text}"
            finished = replace(finished, result=replace(result, text=text))
        self.answer(finished)
        return finished

    def after_step(self) -> tuple[Message, ...] | None:
        """The conversation as the policy rewrites it after a step, at most once a turn; None to leave it."""
        if self._rewritten or self._opening is None:
            return None
        turn = self.policy.after_step(tuple(self._messages[self._opening :]))
        if turn is None:
            return None
        self._rewritten = True
        return (*self._messages[: self._opening], *turn)

    def request(self, window: int | None) -> Request:
        """The next request; in a small window the reply gets less room."""
        return Request(self.prefix, self.messages, reply_room(window))
