"""The conversation a model is sent: fixed prefix, append-only messages, and the policy that shapes them."""

from collections.abc import Sequence

from aoci_agent.agent.events import ToolFinished
from aoci_agent.agent.models.model import ContextOverflow, Request
from aoci_agent.agent.toolbox import storable
from aoci_agent.base import tokens
from aoci_agent.policies.candidates import Candidate
from aoci_agent.policies.conversation import (
    AssistantMessage,
    Message,
    ToolMessage,
    UserMessage,
    said,
)
from aoci_agent.policies.layers import Prefix
from aoci_agent.policies.policy import Policy
from aoci_agent.policies.shrink import drop_old_outputs

MAX_OUTPUT = 8192
INTERRUPTED = "Interrupted before it finished."


class Conversation:
    """Messages of a session. Every call in it has exactly one answer before it is sent."""

    def __init__(self, prefix: Prefix, policy: Policy) -> None:
        self.prefix = prefix
        self.policy = policy
        self._messages: list[Message] = []
        self._turn_start = 0
        self._rewritten = False  # the policy has, in this turn
        self._told = 0  # messages `grown` has given

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages, oldest first."""
        return tuple(self._messages)

    def clear(self) -> None:
        """Forget everything but the fixed prefix."""
        self._replace(())

    def grown(self) -> tuple[Message, ...]:
        """The messages that came since this was last asked, or since history was rewritten."""
        new = tuple(self._messages[self._told :])
        self._told = len(self._messages)
        return new

    def begin(self, prompt: str, note: str, candidates: Sequence[Candidate] = ()) -> None:
        """The person spoke. What is volatile (`note`) stands below the words, never before them."""
        self._turn_start = len(self._messages)
        self._rewritten = False
        self._messages.append(said(prompt, self.policy.opening(candidates), note))

    def remind(self, text: str) -> None:
        """The harness speaks."""
        self._messages.append(UserMessage(text, harness=True))

    def hear(self, message: AssistantMessage) -> None:
        """Store a reply; calls the model wrote badly are stored in a form that can be sent again."""
        calls = tuple(storable(call) for call in message.calls)
        self._messages.append(AssistantMessage(message.text, calls, message.reasoning))

    def hear_part(self, text: str) -> None:
        """Keep what was said before an interruption, so that "go on" has something to go on from."""
        if text.strip():
            self._messages.append(AssistantMessage(f"{text.rstrip()} [interrupted]"))

    def answer(self, finished: ToolFinished, nudge: str = "") -> None:
        """Store the result of a call."""
        result = finished.result
        text = f"{result.text}\n\n{nudge}" if nudge else result.text
        facts = (finished.title, result.read, result.changed, result.check)
        message = ToolMessage(finished.call.id, finished.call.name, text, result.ok, *facts)
        self._messages.append(message)

    def close_open_calls(self) -> None:
        """Give every unanswered call its answer, so that the next request is valid (peers.md 93)."""
        answered = {m.call_id for m in self._messages if isinstance(m, ToolMessage)}
        for message in tuple(self._messages[self._turn_start :]):
            if isinstance(message, AssistantMessage):
                for call in message.calls:
                    if call.id not in answered:
                        cut = ToolMessage(call.id, call.name, INTERRUPTED, ok=False)
                        self._messages.append(cut)

    def after_step(self) -> tuple[Message, ...] | None:
        """Let the policy rewrite this turn's messages, once; returns the whole conversation if it did."""
        if self._rewritten:
            return None
        rewritten = self.policy.after_step(tuple(self._messages[self._turn_start :]))
        if rewritten is None:
            return None
        self._rewritten = True
        self._replace((*self._messages[: self._turn_start], *rewritten))
        return self.messages

    def _replace(self, messages: tuple[Message, ...]) -> None:
        self._messages = list(messages)
        self._told = len(messages)

    def drop_old_outputs(self) -> bool:
        """Make room: old tool outputs first. False when there is nothing left to drop."""
        shrunk = drop_old_outputs(self.messages)
        if shrunk is None:
            return False
        self._replace(shrunk)
        return True

    def request(self, window: int | None) -> Request:
        """The next request. Raises ContextOverflow when it is plainly too long to be worth sending."""
        request = Request(self.prefix, self.messages, MAX_OUTPUT)
        if window is not None:
            size = tokens.estimate(self.prefix.system) + sum(
                tokens.estimate(m.text) for m in request.messages
            )
            if size > window:
                raise ContextOverflow(f"the request has about {size} tokens, the window {window}")
        return request
