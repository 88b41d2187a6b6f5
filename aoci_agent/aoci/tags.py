"""The tag `[ABCDE]`: its dictionaries, its one canonical spelling, and a forgiving reader."""

import re
from collections.abc import Mapping

from aoci_agent.aoci.model import Tag

LAYERS: Mapping[str, str] = {
    "E": "entry point",
    "R": "router",
    "W": "middleware",
    "H": "handler or endpoint",
    "S": "service or core logic",
    "P": "data access",
    "M": "model, schema, types",
    "X": "client of an outside system",
    "J": "job, worker, queue",
    "V": "page or view",
    "K": "UI component",
    "O": "client state, hook",
    "L": "shared library",
    "C": "configuration",
    "G": "migration",
    "B": "build, CI, deployment",
    "T": "test",
    "D": "documentation",
    "Z": "other",
}
TRAITS: Mapping[str, str] = {
    "A": "authentication",
    "B": "browser storage",
    "C": "cache",
    "D": "database",
    "E": "encryption or hashing",
    "F": "files or object storage",
    "H": "HTTP client",
    "L": "language model",
    "P": "processes or threads",
    "Q": "queue or events",
    "R": "retry or rate limit",
    "S": "streaming",
    "T": "transaction",
    "V": "validation",
    "W": "websocket",
    "Y": "async",
}
IMPORTANCE = (9, 8, 7, 5, 3, 1)
SIZES: tuple[tuple[str, int], ...] = (("T", 100), ("S", 200), ("M", 400))
MAX_TRAITS = 4
# Tokens of one entry by importance. Paper section 3.1 has 80-150 for C9 and 20-40 for C<=3; what
# functions do needs a little more at the top, which aside copies and the edge give up.
BUDGETS: Mapping[int, int] = {9: 165, 8: 145, 7: 115, 5: 62, 3: 36, 1: 22}

TAG_PATTERN = r"[A-Z][A-Za-z.]{0,7}[1-9][A-Z.]{0,12}"
_TAG = re.compile(r"([A-Z])([A-Za-z]*)([1-9])([A-Z]*)\Z")


def size_of(lines: int) -> str:
    """Size code of a file with this many physical lines: T<100<=S<200<=M<400<=L."""
    return next((code for code, limit in SIZES if lines < limit), "L")


def tag_text(tag: Tag, *, size: bool = True) -> str:
    """Canonical spelling: layer, module, importance, sorted traits, and size unless left out."""
    traits = "".join(sorted(set(tag.traits)))
    return f"{tag.layer}{tag.module}{tag.importance}{traits}{tag.size if size else ''}"


def read_tag(text: str) -> Tag | None:
    """Read a tag, dotted or not. After the digit the last of T S M L is the size, the rest traits."""
    found = _TAG.match(text.replace(".", "").strip())
    if found is None:
        return None
    layer, module, digit, rest = found.groups()
    size = rest[-1] if rest and rest[-1] in "TSML" else ""
    traits = rest[:-1] if size else rest
    return Tag(layer, module, int(digit), "".join(sorted(set(traits))), size)
