"""Models that read blocks against a query."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from aoci_agent.base.errors import BadUsage
from aoci_agent.views.retrieve.material import Judge

if TYPE_CHECKING:
    from aoci_agent.views.dense.embedder import Embedder


@dataclass(frozen=True, slots=True)
class Similarity:
    """An embedding model used on few texts: too slow for a whole repository, fast enough for these."""

    embedder: "Embedder"

    @property
    def name(self) -> str:
        """That of the model."""
        return self.embedder.name

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Cosines of the query and each text."""
        if not texts:
            return []
        limit = self.embedder.limit
        vector = self.embedder.embed([query[:limit]], query=True)
        rows = self.embedder.embed([text[:limit] for text in texts])
        return [float(score) for score in rows @ vector[0]]


LOCAL = "local"


def judge_named(name: str, remote: "Callable[[str], Judge] | None" = None) -> Judge | None:
    """`local`, `none` (gives None), or a reranking model for `remote`: `cohere/rerank-v3.5`.

    Raises ForUser, naming the extra to install, where the parts of the local one are missing;
    BadUsage for a name that means nothing.
    """
    if name in ("", "none"):
        return None
    if name == LOCAL:
        return _local()
    if remote is not None and "/" in name:
        return remote(name)
    raise BadUsage(f"no reranking model is called {name!r}", "use local, none, or a litellm name")


@lru_cache(maxsize=1)
def _local() -> Judge:
    from aoci_agent.views.dense.embedder import embedder_named

    embedder = embedder_named("semantic")
    if embedder is None:
        raise BadUsage("there is no local model", "use none")
    return Similarity(embedder)
