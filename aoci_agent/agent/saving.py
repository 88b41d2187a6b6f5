"""What the index saved in a turn: an estimate, and called one until a replay measures it.

Method. A file that the model opened (read or edited) is a find of the index when the index names it
and nothing else had: no search, listing or command of the session had its name in its output, the
person had not typed it, no block of it was delivered with a question, and it was not open before.
Without the index each find would have taken some exploring steps. How many, and how large one is, comes
from the user's own sessions without the index where there are any; else two steps of the size of this
turn's mean step, less the index layer. Against that stands what the index layer cost in this turn,
in the buckets it was sent in. What comes out may be negative, and is shown as it is.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from aoci_agent.agent.events import Event, ToolFinished
from aoci_agent.agent.meter import Totals
from aoci_agent.policies.candidates import Candidate
from aoci_agent.policies.conversation import Message, ToolMessage
from aoci_agent.tools.tool import ToolResult

SEARCHES = ("grep", "glob", "search", "symbols", "definition", "references", "bash")
OPENS = ("read", "edit")
DEFAULT_STEPS = 2.0  # a search, and a second one that narrows it
_NAME = re.compile(r"[^\s/\\:;,'\"`()\[\]{}<>|]+")


@dataclass(frozen=True, slots=True)
class Exploring:
    """What finding one file without the index takes. `sessions` 0: nothing was measured."""

    steps: float = DEFAULT_STEPS
    tokens: float | None = None  # of one step, prompt and output; None: as this turn's steps
    sessions: int = 0


@dataclass(frozen=True, slots=True)
class Saving:
    """The estimate for one turn. Dollars are None without a price, and where nothing costs any."""

    files: tuple[str, ...]
    steps: float  # exploring steps that were not taken
    tokens: int  # which they would have sent and received
    cost: float | None
    index_tokens: int  # what the index layer sent
    index_cost: float | None
    sessions: int  # own sessions the exploring was measured in

    @property
    def net_tokens(self) -> int:
        """Negative: the index took more than it saved."""
        return self.tokens - self.index_tokens

    @property
    def net_cost(self) -> float | None:
        """Negative: the index cost more than it saved."""
        if self.cost is None or self.index_cost is None:
            return None
        return self.cost - self.index_cost


class Finds:
    """Follows the events of a session and knows which files of a turn the index found."""

    def __init__(self, indexed: Callable[[str], bool]) -> None:
        self._indexed = indexed
        self._open: set[str] = set()
        self._named: set[str] = set()
        self.turn: list[str] = []

    def begin(self, prompt: str, candidates: Sequence[Candidate] = ()) -> None:
        """A turn begins: what the person typed and what was delivered is known already."""
        self.turn = []
        self._named.update(_names(prompt))
        self._open.update(one.path for one in candidates)

    def remember(self, messages: Iterable[Message]) -> None:
        """What an earlier part of the conversation opened and named is no find any more."""
        for message in messages:
            if isinstance(message, ToolMessage):
                self._took(message.name, message)
        self.turn = []

    def saw(self, event: Event) -> None:
        """Take note of a tool's result."""
        if isinstance(event, ToolFinished):
            self._took(event.call.name, event.result)

    def _took(self, name: str, result: ToolResult | ToolMessage) -> None:
        opened = (*result.read, *result.changed)
        if name in SEARCHES or (name == "read" and result.ok and not opened):
            self._named.update(_names(result.text))
        for path in opened:
            if path in self._open:
                continue
            self._open.add(path)
            if name in OPENS and _name(path) not in self._named and self._indexed(path):
                self.turn.append(path)


def saving(files: Sequence[str], turn: Totals, exploring: Exploring) -> Saving | None:
    """The estimate; None for a turn that was sent no index."""
    if not turn.index.prompt or not turn.steps:
        return None
    own = (turn.tokens - turn.index.prompt) / turn.steps
    size = own if exploring.tokens is None else exploring.tokens
    steps = len(files) * exploring.steps
    cost = index_cost = None
    if turn.cost and turn.index.cost is not None:
        index_cost = turn.index.cost
        step_cost = (turn.cost - index_cost) / turn.steps
        cost = steps * step_cost * (size / own if own else 1.0)
    return Saving(
        files=tuple(files),
        steps=steps,
        tokens=round(steps * size),
        cost=cost,
        index_tokens=turn.index.prompt,
        index_cost=index_cost,
        sessions=exploring.sessions,
    )


def _names(text: str) -> set[str]:
    """Everything in a text that could be the last part of a path."""
    return {word.rstrip(".") for word in _NAME.findall(text)}


def _name(path: str) -> str:
    return path.rpartition("/")[2]
