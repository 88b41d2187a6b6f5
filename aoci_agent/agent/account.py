"""What a session tells of its own use: the gauge, the turn's sums, what the index saved, the budget."""

import re
from collections.abc import Callable, Sequence

from aoci_agent.agent.budget import BOUNDS, Line
from aoci_agent.agent.events import Event
from aoci_agent.agent.forecast import Ahead
from aoci_agent.agent.gauge import Gauge, gauge
from aoci_agent.agent.loop import Agent
from aoci_agent.agent.meter import Totals, total
from aoci_agent.agent.preview import Choice, Coming, choices, preview
from aoci_agent.agent.saving import Exploring, Finds, Saving, saving
from aoci_agent.base.errors import BadUsage
from aoci_agent.policies.candidates import Candidate
from aoci_agent.policies.policy import Policy

_WHOLE = re.compile(r"0*[1-9][0-9_,]*")


class Account:
    """Reads the one meter; keeps nothing that could disagree with it."""

    def __init__(
        self, agent: Agent, indexed: Callable[[str], bool], explored: Callable[[], Exploring]
    ) -> None:
        """`indexed` says whether the index names a path; `explored` reads what exploring took before."""
        self._agent = agent
        self._finds = Finds(indexed)
        self._explored = explored
        self._exploring: Exploring | None = None
        self._turn_from: int | None = None  # the first record of the newest turn

    def prepare(self) -> None:
        """Count the prefix and read earlier records, once; may take a second, safe in a thread."""
        self.gauge()
        if self._exploring is None:
            self._exploring = self._explored()

    def begin(self, prompt: str, candidates: Sequence[Candidate] = ()) -> None:
        """A turn begins."""
        if self._turn_from is None:  # a session that goes on has seen things before
            self._finds.remember(self._agent.conversation.messages)
        self._turn_from = len(self._agent.meter.records)
        self._finds.begin(prompt, candidates)

    def saw(self, event: Event) -> None:
        """Something happened in the turn."""
        self._finds.saw(event)

    @property
    def turn(self) -> Totals:
        """Sums of the newest turn, also of one that was interrupted."""
        if self._turn_from is None:
            return Totals()
        return total(self._agent.meter.records[self._turn_from :])

    def gauge(self) -> Gauge:
        """How full the window is."""
        agent = self._agent
        return gauge(agent.meter, agent.conversation, agent.model)

    def ahead(self) -> Ahead:
        """The next call as the conversation stands, predicted."""
        agent = self._agent
        request = agent.conversation.request(agent.model.window)
        return agent.meter.ahead(agent.meter.pieces(request), agent.model)

    def saving(self) -> Saving | None:
        """What the index saved in the newest turn, estimated; None when it was not sent."""
        turn = self.turn
        if not turn.index.prompt:
            return None
        if self._exploring is None:
            self._exploring = self._explored()
        return saving(self._finds.turn, turn, self._exploring)

    def limits(self) -> tuple[Line, ...]:
        """Every limit, and what is used of it."""
        return self._agent.budget.lines(self._agent.meter.session)

    def set_limit(self, key: str, value: str) -> str:
        """Change a limit; a line to show. Raises BadUsage."""
        whole = key in BOUNDS and BOUNDS[key].kind in ("tokens", "steps") and value != "none"
        if whole and not _WHOLE.fullmatch(value):
            raise BadUsage(f"'{value}' is no limit of {key}", "a whole number from 1, or `none`")
        return self._agent.budget.set(key, value)

    def preview(self, coming: Coming, policies: Sequence[Policy] = ()) -> tuple[Choice, ...]:
        """The next call under each policy."""
        agent = self._agent
        meter = agent.meter
        return preview(
            policies or choices(),
            coming,
            agent.conversation.policy.name,
            predict=lambda request: meter.ahead(meter.pieces(request), agent.model),
            parts=meter.parts,
            window=agent.model.window,
        )
