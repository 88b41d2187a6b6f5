"""The interface of a context policy: which layers, what goes with the question, what becomes of history."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from aoci_agent.policies.candidates import Candidate
from aoci_agent.policies.conversation import Message
from aoci_agent.policies.layers import Layer

if TYPE_CHECKING:
    from aoci_agent.aoci.render import Rendered


@dataclass(frozen=True, slots=True)
class Material:
    """What the fixed layers can be made of."""

    rules: str
    index: "Rendered | None"


class Policy(Protocol):
    """A way to deliver context (design section 3). Pure: decides, never reads files or the clock."""

    @property
    def name(self) -> str:
        """As the user types it: grep-read, aoci, `compact,no-index`."""
        ...

    @property
    def wants_index(self) -> bool:
        """Whether the index layer is part of the prefix."""
        ...

    @property
    def wants_candidates(self) -> int:
        """How many ranked blocks go with a question; 0 for none."""
        ...

    def layers(self, material: Material) -> tuple[Layer, ...]:
        """The fixed layers, in prompt order. Same material, same bytes."""
        ...

    def opening(self, candidates: Sequence[Candidate]) -> str:
        """Text delivered with the question, below it; empty for none."""
        ...

    def after_step(self, turn: tuple[Message, ...]) -> tuple[Message, ...] | None:
        """The turn's messages rewritten after a step, or None to leave them (CodeNib eq. 4).

        Asked after every step until it rewrites once in the turn.
        """
        ...
