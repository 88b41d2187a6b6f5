"""The approver of the screen: every question is a future that the approval panel resolves."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aoci_agent.agent.approval import Decision, Question

Present = Callable[["Question", "asyncio.Future[Decision]"], None]
Dismiss = Callable[[], None]


class ScreenApprover:
    """Built before the session and given to it; the app attaches itself when it runs.

    Questions are shown one at a time. A cancelled question (an interrupted turn) is taken down.
    Without a screen the answer is no.
    """

    def __init__(self) -> None:
        self._one_at_a_time = asyncio.Lock()
        self._present: Present | None = None
        self._dismiss: Dismiss | None = None

    def attach(self, present: Present, dismiss: Dismiss) -> None:
        """From now on questions are shown by `present` and taken down by `dismiss`."""
        self._present = present
        self._dismiss = dismiss

    def detach(self) -> None:
        """The screen is gone; whatever is asked from now on is denied."""
        self._present = self._dismiss = None

    async def ask(self, question: "Question") -> "Decision":
        """Show the question and wait for the person."""
        async with self._one_at_a_time:
            if self._present is None or self._dismiss is None:
                return _nobody()
            dismiss = self._dismiss
            answered: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
            self._present(question, answered)
            try:
                return await answered
            finally:
                dismiss()


def _nobody() -> "Decision":
    from aoci_agent.agent.approval import Answer, Decision

    return Decision(Answer.DENY, "the screen is closed: nobody can approve")
