"""What turns texts into vectors, and how one is found by name."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from aoci_agent.base.errors import BadUsage
from aoci_agent.views.dense.hashed import HashEmbedder
from aoci_agent.views.dense.minilm import MiniLmEmbedder
from aoci_agent.views.dense.static import StaticEmbedder

if TYPE_CHECKING:
    from aoci_agent.views.dense.arrays import Vectors

NONE = "none"


class Embedder(Protocol):
    """A model of texts. The same text must give the same vector, whatever is embedded beside it."""

    @property
    def name(self) -> str:
        """The model and its revision; vectors of different names are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of its vectors."""
        ...

    @property
    def limit(self) -> int:
        """How many characters of a text it reads; the rest is not worth sending."""
        ...

    @property
    def batch(self) -> int:
        """How many texts to give it at once: the vectors of a batch are kept before the next."""
        ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> "Vectors":
        """One row a text, float32, length one (or zero where the text holds nothing it knows)."""
        ...


def embedder_named(name: str, remote: Callable[[str], Embedder] | None = None) -> Embedder | None:
    """`static`, `semantic`, `hash`, `none` (gives None), or a model for `remote`: `openai/NAME`.

    Nothing is downloaded. ForUser, naming the extra to install, where the parts are missing;
    BadUsage for a name that means nothing.
    """
    if name == NONE:
        return None
    if name == "static":
        return StaticEmbedder()
    if name == "semantic":
        return MiniLmEmbedder()
    if name == "hash":
        return HashEmbedder()
    if remote is not None and "/" in name:
        return remote(name)
    raise BadUsage(
        f"no embedding model is called {name!r}",
        "use static, semantic, none, or a litellm name such as openai/text-embedding-3-small",
    )
