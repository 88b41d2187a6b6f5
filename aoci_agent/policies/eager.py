"""Blocks found for the question go with it (CodeNib: eager)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from aoci_agent.policies.candidates import HOW_MANY, Candidate, Form, delivered
from aoci_agent.policies.conversation import Message
from aoci_agent.policies.layers import Layer, fixed_layers
from aoci_agent.policies.policy import Material


@dataclass(frozen=True, slots=True)
class Eager:
    """The ranked blocks are frozen with the question, below it; history is append-only."""

    base: ClassVar[str] = "eager"
    wants_index: bool = True
    form: Form = Form.BLOCKS

    @property
    def name(self) -> str:
        """With every option that is not the usual one."""
        options = (
            "" if self.wants_index else "no-index",
            self.form if self.form is not Form.BLOCKS else "",
        )
        return ",".join((self.base, *filter(None, options)))

    @property
    def wants_candidates(self) -> int:
        """As many as the paper delivers."""
        return HOW_MANY

    def layers(self, material: Material) -> tuple[Layer, ...]:
        """Rules, and the index where it is wanted and there is one."""
        return fixed_layers(material.rules, material.index if self.wants_index else None)

    def opening(self, candidates: Sequence[Candidate]) -> str:
        """The blocks, whole or by their first lines."""
        return delivered(candidates, self.form)

    def after_step(self, turn: tuple[Message, ...]) -> tuple[Message, ...] | None:
        """History is append-only."""
        del turn
        return None
