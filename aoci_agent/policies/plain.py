"""The two policies that leave history alone: with the index layer and without it."""

from collections.abc import Sequence

from aoci_agent.policies.candidates import Candidate
from aoci_agent.policies.conversation import Message
from aoci_agent.policies.layers import Layer, fixed_layers
from aoci_agent.policies.policy import Material


class GrepRead:
    """No index layer: the model finds everything with its tools (the baseline of CodeNib Q5)."""

    name = "grep-read"
    wants_index = False
    wants_candidates = 0

    def layers(self, material: Material) -> tuple[Layer, ...]:
        """Rules, and the index where it is wanted and there is one."""
        return fixed_layers(material.rules, material.index if self.wants_index else None)

    def opening(self, candidates: Sequence[Candidate]) -> str:
        """Nothing is delivered with the question."""
        del candidates
        return ""

    def after_step(self, turn: tuple[Message, ...]) -> tuple[Message, ...] | None:
        """History is append-only."""
        del turn
        return None


class Aoci(GrepRead):
    """Rules, then the whole rendered index as a pinned, cached layer (AOCI section 3)."""

    name = "aoci"
    wants_index = True
