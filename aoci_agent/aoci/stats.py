"""Figures about an index: how much it covers and where its tokens go."""

import re
from dataclasses import dataclass, replace

from aoci_agent.aoci.model import Index
from aoci_agent.aoci.render import render
from aoci_agent.aoci.write import entry_line
from aoci_agent.base import tokens


@dataclass(frozen=True, slots=True)
class Stats:
    """Token figures are of the whole index as rendered; `elements` maps F R A S, tags, names."""

    entries: int
    indexable: int
    tokens: int
    header: int
    elements: dict[str, int]
    documented: int  # entries whose F does not begin like a derived one

    @property
    def coverage(self) -> float:
        """Share of indexable files that have an entry, 0 to 1."""
        return self.entries / self.indexable if self.indexable else 1.0

    @property
    def per_entry(self) -> float:
        """Tokens per entry, header and directory lines not counted."""
        return sum(self.elements.values()) / self.entries if self.entries else 0.0


# How `function` and `elements` word what they had to derive; a route or page with text of its own is told.
_KINDS = "class|interface|type|enum|function|constant|variable|component|hook|struct"
_NOTES = (
    "runs|keys|sections|lists|list of|ignores|uses|calls|raises|tables|jobs|services|images|actions"
    "|loads|module|target|aliases|listens|exposes|default export|classes|CSS variables|query keys"
)
_DERIVED = re.compile(
    rf"(?:\d+ |internal )?(?:{_KINDS})(?:e?s)?(?: [\w$, ]+)?(?:\([^)]*\)?)?…?(?:\Z| showing )"
    rf"|routes \S*\Z|page [^:]*\Z|re-exports\Z|empty file\Z|tests |test support: |showing |(?:{_NOTES}) "
    r"|\S+=\S+\Z"
)


def stats(index: Index, indexable: int | None = None) -> Stats:
    """Measure an index. `indexable` is the number of files that should have an entry."""
    rendered = render(index, 10**9)
    parts: dict[str, list[str]] = {"names": [], "tags": [], "F": [], "R": [], "A": [], "S": []}
    for entry in index.entries:
        bare = replace(entry, function="", relations=(), api=(), synopsis="", extra="")
        parts["names"].append(entry.name)
        parts["tags"].append(entry_line(bare).removeprefix(entry.name).split("]")[0])
        parts["F"].append(f"F:{entry.function or '-'} |")
        parts["R"].append(f"R:{','.join(entry.relations) or '-'} |")
        parts["A"].append(f"A:{', '.join(entry.api) or '-'} |")
        parts["S"].append(f"S:{entry.synopsis or '-'}")
    return Stats(
        entries=len(index.entries),
        indexable=len(index.entries) if indexable is None else indexable,
        tokens=rendered.tokens,
        header=tokens.count(rendered.header),
        elements={name: tokens.count("\n".join(texts)) for name, texts in parts.items()},
        documented=sum(1 for entry in index.entries if is_documented(entry.function)),
    )


def is_documented(function: str) -> bool:
    """Whether F is the file's own documentation rather than derived from what it holds."""
    return bool(function) and _DERIVED.match(function) is None
