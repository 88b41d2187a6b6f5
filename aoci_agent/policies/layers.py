"""The fixed part of the prompt: named layers whose bytes never move within a session."""

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aoci_agent.aoci.render import Rendered


@dataclass(frozen=True, slots=True)
class Layer:
    """A named piece of the fixed prompt. `text` ends without a newline."""

    name: str  # rules | index header | index
    text: str


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """One tool as the model is shown it. `parameters` is a JSON schema with sorted keys."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Prefix:
    """tools | rules | index header | index entries | <cache breakpoint>, in that order."""

    tools: tuple[ToolSchema, ...]
    layers: tuple[Layer, ...]

    @property
    def system(self) -> str:
        """The system message: all layers, a blank line behind each, so that none depends on the next."""
        return "".join(f"{layer.text}\n\n" for layer in self.layers if layer.text)

    @property
    def content_id(self) -> str:
        """Short hash of all that is fixed, tools and layers; written to the session record."""
        shown = [[tool.name, tool.description, tool.parameters] for tool in self.tools]
        hashed = hashlib.blake2b(json.dumps(shown).encode(), digest_size=8)
        hashed.update(b"\0" + self.system.encode())
        return hashed.hexdigest()


def fixed_layers(rules: str, index: "Rendered | None") -> tuple[Layer, ...]:
    """Rules, then index header, entries, and what changed since these were first sent."""
    layers = [Layer("rules", rules)]
    if index is not None:
        layers += [Layer("index header", index.header), Layer("index", index.entries)]
    if index is not None and index.changes:
        layers.append(Layer("index changes", index.changes))
    return tuple(layers)
