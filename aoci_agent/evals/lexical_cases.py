"""What the measure of the lexical view searches, and what for."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from zlib import crc32

from aoci_agent.base.text import content_id
from aoci_agent.views.lexical.deriving import units_of
from aoci_agent.views.model import Unit
from aoci_agent.views.units.blocks import blocks

QUERIES = 100  # of each kind
LONG = 200  # words of a long query
_NAME = re.compile(rb"[A-Za-z_]{4,}")
_REMARK = re.compile(r'"""\s*(.+?)"""|^\s*(?:///?|#|\*)\s+(\w.+)$', re.DOTALL | re.MULTILINE)


@dataclass
class Copied:
    """A source in memory: the files of a folder, and copies of them with other names inside."""

    contents: dict[str, bytes]
    copies: int = 1

    @property
    def files(self) -> Mapping[str, str]:
        """Path -> content id; of a copy, that of what it was made from."""
        found = {path: content_id(data) for path, data in self.contents.items()}
        for number in range(1, self.copies):
            found |= {f"copy{number}/{path}": found[path] for path in self.contents}
        return dict(sorted(found.items()))

    @classmethod
    def of(cls, path: Path, units: int) -> "Copied":
        """The files the views cover, with copies until there are about so many blocks."""
        from aoci_agent.base.files import Workspace
        from aoci_agent.base.git import Repository
        from aoci_agent.views.source import WorkTree

        with Workspace(path) as workspace:
            tree = WorkTree(workspace, Repository.find(workspace.root))
            tree.look()
            found = cls({name: tree.read(name) for name in tree.files})
        if units:
            one = sum(len(blocks(units_of(name, data))) for name, data in found.contents.items())
            found.copies = max(1, round(units / max(one, 1)))
        return found

    @property
    def size(self) -> int:
        """Bytes of all files, roughly where there are copies."""
        return self.copies * sum(map(len, self.contents.values()))

    @property
    def middle(self) -> str:
        """The file in the middle, by size."""
        paths = sorted(self.contents, key=lambda path: (len(self.contents[path]), path))
        return paths[len(paths) // 2]

    def read(self, path: str) -> bytes:
        """The bytes of a file."""
        if path in self.contents:
            return self.contents[path]
        copy, _, original = path.partition("/")

        def renamed(match: re.Match[bytes]) -> bytes:
            name = match.group()
            return name + copy[4:].encode() if crc32(name) % 4 == 0 else name

        return _NAME.sub(renamed, self.contents[original])


@dataclass
class Timed:
    """Cuts files and counts the processor seconds of it."""

    cut: Callable[[str, bytes], Sequence[Unit]]
    seconds: float = field(default=0.0, init=False)

    def __call__(self, path: str, data: bytes) -> Sequence[Unit]:
        """The units of a file."""
        start = time.process_time()
        try:
            return self.cut(path, data)
        finally:
            self.seconds += time.process_time() - start


def queries(source: Copied) -> dict[str, list[str]]:
    """Names of symbols, first sentences of docstrings and comments, and long texts, at random."""
    draw = Random(0)
    found: dict[str, list[str]] = {"symbol": [], "remark": [], "long": []}
    paths = list(source.contents)
    draw.shuffle(paths)
    for path in paths:
        data = source.contents[path]
        words = data.decode(errors="replace").split()
        if len(words) >= LONG:
            at = draw.randrange(len(words) - LONG + 1)
            found["long"].append(" ".join(words[at : at + LONG]))
        for block in blocks(units_of(path, data)):
            if block.symbol:
                found["symbol"].append(block.symbol)
            if remark := _REMARK.search(block.text):
                text = (remark.group(1) or remark.group(2)).split("\n\n")[0]
                found["remark"].append(" ".join(text.split()[:LONG]))
        if all(len(texts) >= 10 * QUERIES for texts in found.values()):
            break
    return {
        kind: draw.sample(texts, min(QUERIES, len(texts))) for kind, texts in found.items() if texts
    }


def percentile(values: Sequence[float], share: int) -> float:
    """The value below which this share of hundred lies, by the nearest rank."""
    return sorted(values)[max(0, -(-len(values) * share // 100) - 1)]
