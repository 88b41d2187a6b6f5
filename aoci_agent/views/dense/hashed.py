"""Vectors without a model: words hashed to places (feature hashing, Weinberger and others 2009)."""

import hashlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aoci_agent.views.dense.arrays import Vectors

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_DIMENSIONS = 64


class HashEmbedder:
    """A small, fast and exact stand-in: for tests, and to check the upkeep of vectors without a model.

    It sees equal words and nothing of what they mean.
    """

    name = f"hash-1-{_DIMENSIONS}"
    dimensions = _DIMENSIONS
    limit = 4_000
    batch = 256

    def embed(self, texts: Sequence[str], *, query: bool = False) -> "Vectors":
        """One row a text; `query` makes no difference."""
        import numpy as np

        from aoci_agent.views.dense.arrays import normalised

        rows = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in _WORD.findall(text):
                digest = hashlib.blake2b(word.lower().encode(), digest_size=4).digest()
                place = int.from_bytes(digest, "little")
                rows[row, place % _DIMENSIONS] += 1.0 if place & 0x1000_0000 else -1.0
        return normalised(rows)
