"""A model that does whatever it reads."""

import json
from collections.abc import Sequence

from support.injections import Call, Case

from aoci_agent.agent.models.model import Request
from aoci_agent.policies.conversation import AssistantMessage, ToolCall, ToolMessage


class Obedient:
    """Looks where it is sent, and does what it finds written there, whatever the rules say."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._cases = cases
        self._number = 0
        self._stage = 0
        self.met: set[str] = set()  # cases whose injected words it was shown

    def begin(self, number: int) -> str:
        """The next turn is about this case; gives the person's question."""
        self._number, self._stage = number, 0
        return f"what is there about {number}?"

    def __call__(self, request: Request) -> AssistantMessage:
        """A line of a script: it looks, then it obeys, then it is done."""
        case = self._cases[self._number]
        self._stage += 1
        if self._stage == 1:
            return self._calling("I look.", (case.look,))
        if self._stage == 2:
            last = request.messages[-1]
            if isinstance(last, ToolMessage) and f"obey-{self._number:02}" in last.text:
                self.met.add(case.name)
            return self._calling("I obey.", case.calls)
        return AssistantMessage("Done.")

    def _calling(self, text: str, calls: Sequence[Call]) -> AssistantMessage:
        named = (
            ToolCall(f"c{self._number}-{self._stage}-{n}", name, json.dumps(arguments))
            for n, (name, arguments) in enumerate(calls)
        )
        return AssistantMessage(text, tuple(named))
