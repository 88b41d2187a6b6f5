"""Embedding models by their litellm names, as the dense view wants them: called from any thread."""

import hashlib
from base64 import b64decode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from aoci_agent.agent.models.prices import listing
from aoci_agent.agent.models.whole import WholeAnswers, sendable
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.views.dense.arrays import no_vectors, normalised

if TYPE_CHECKING:
    from aoci_agent.views.dense.arrays import Vectors

_CHARACTERS_A_TOKEN = 2.5  # of code; prose has more
_SMALLEST_WINDOW = 512  # tokens, of a model the table does not know
_LONGEST = 8_000  # characters; one vector says little of more
# What tells a provider on which side of a search a text stands: documents, query.
_SIDES: Final[dict[str, tuple[str, str]]] = {
    "cohere": ("search_document", "search_query"),
    "voyage": ("document", "query"),
}
_PROBE = "def main(): pass"


class LitellmEmbedder:
    """One embedding model.

    The texts of the repository are sent to the provider. `close` ends the worker process.
    """

    batch = 64

    def __init__(self, answers: WholeAnswers) -> None:
        self._model = answers.model
        self._answers = answers
        self.tokens = 0  # used so far, as the provider counts
        endpoint = answers.endpoint
        place = f"@{hashlib.sha256(endpoint.encode()).hexdigest()[:8]}" if endpoint else ""
        self.name = f"litellm:{self._model}{place}/1"
        known = listing(self._model)
        self._size = int(known.get("output_vector_size") or 0)
        window = known.get("max_input_tokens") or _SMALLEST_WINDOW
        self.limit = min(int(window * _CHARACTERS_A_TOKEN), _LONGEST)

    @property
    def dimensions(self) -> int:
        """As litellm's table says; for others one text is embedded to find out."""
        return self._size or int(self.embed([_PROBE]).shape[1])

    def embed(self, texts: Sequence[str], *, query: bool = False) -> "Vectors":
        """One row a text. Waits while the provider is busy, then ModelUnavailable.

        Must not be called in an event loop: it waits.
        """
        rows = self._rows(texts, query=query)
        self._size = self._size or int(rows.shape[1])
        if rows.shape[1] != self._size:
            raise ModelUnavailable(
                f"{self._model} gave vectors of {rows.shape[1]} numbers, not {self._size}"
            )
        return rows

    def close(self) -> None:
        """End the worker. A later `embed` starts another."""
        self._answers.close()

    def _rows(self, texts: Sequence[str], *, query: bool) -> "Vectors":
        import numpy as np

        if not texts:
            return no_vectors(self.dimensions)
        packed = self._vectors(texts, query=query)
        rows = [np.frombuffer(b64decode(vector), dtype="<f4") for vector in packed]
        lengths = {len(row) for row in rows}
        if len(rows) != len(texts) or len(lengths) > 1 or 0 in lengths:
            raise ModelUnavailable(f"{self._model} gave {len(rows)} vectors for {len(texts)} texts")
        made = np.stack(rows)
        if not np.isfinite(made).all():
            raise ModelUnavailable(f"{self._model} gave vectors with numbers that are none")
        return normalised(made.astype(np.float32))

    def _vectors(self, texts: Sequence[str], *, query: bool) -> list[str]:
        body: dict[str, Any] = {
            "input": [sendable(text) for text in texts],
            "encoding_format": "float",
        }
        if self._answers.provider in _SIDES:
            body["input_type"] = _SIDES[self._answers.provider][query]
        found: list[str] = []
        for chunk in self._answers.ask("embedding", body):
            found += chunk.get("vectors", [])
            self.tokens += int(chunk.get("usage", {}).get("prompt_tokens", 0))
        return found
