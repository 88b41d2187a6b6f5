"""The two policies that leave history alone: with the index layer and without it."""

from aoci_agent.policies.conversation import Message
from aoci_agent.policies.layers import Layer
from aoci_agent.policies.policy import Material


class GrepRead:
    """No index layer: the model finds everything with its tools (the baseline of CodeNib Q5)."""

    name = "grep-read"
    wants_index = False

    def layers(self, material: Material) -> tuple[Layer, ...]:
        """Rules only."""
        return (Layer("rules", material.rules),)

    def opening(self, question: str) -> str:
        """Nothing is delivered with the question."""
        return ""

    def after_step(self, turn: tuple[Message, ...]) -> tuple[Message, ...] | None:
        """History is append-only."""
        return None


class Aoci(GrepRead):
    """Rules, then the whole rendered index as a pinned, cached layer (AOCI section 3)."""

    name = "aoci"
    wants_index = True

    def layers(self, material: Material) -> tuple[Layer, ...]:
        """Rules, index header, index entries; without an index, the rules alone."""
        rules = super().layers(material)
        if material.index is None:
            return rules
        return (
            *rules,
            Layer("index header", material.index.header),
            Layer("index", material.index.entries),
        )
