"""Entries of the last build that still stand: an update derives only those whose inputs moved.

An entry draws on its file's facts and on what `drawn` gathers of the files around it. The last build
notes a mark of both beside a hash of the line it wrote; where mark and line are still the same, the
line on disk is what deriving anew would give. Proved over history by `evals.index_equal`.
"""

import hashlib
from collections.abc import Mapping

from aoci_agent.aoci.facts.model import VERSION
from aoci_agent.aoci.lock import GENERATOR
from aoci_agent.aoci.model import Entry, Index, Tag
from aoci_agent.aoci.surroundings import Surroundings
from aoci_agent.aoci.write import full_line, line_hash

Marks = Mapping[str, tuple[str, str]]  # path -> mark of the inputs, hash of the line


class Earlier:
    """What the last build made, read from the index on disk and the marks in the cache."""

    def __init__(self, index: Index, marks: Marks, keys: Mapping[str, str]) -> None:
        """`keys` name the content of each file's facts; a file without one is derived anew."""
        self._index = index
        self._before = marks
        self._keys = keys
        self._salt = b""
        self.marks: dict[str, tuple[str, str]] = {}

    def begin(self, around: Surroundings) -> None:
        """Take in what concerns every entry; a change of it leaves none standing."""
        everywhere = (sorted(around.hubs), sorted(around.usual), sorted(around.everywhere))
        text = repr((GENERATOR, VERSION, list(around.world), everywhere))
        self._salt = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()

    def entry(self, path: str, around: Surroundings, tag: Tag) -> Entry | None:
        """The entry as it was written, where deriving it would give the same."""
        key = self._keys.get(path)
        if key is None:
            return None
        inputs = repr((key, tag, drawn(path, around))).encode("utf-8", "replace")
        mark = hashlib.blake2b(inputs, digest_size=16, key=self._salt).hexdigest()
        known, old = self._before.get(path), self._index.by_path.get(path)
        self.marks[path] = (mark, "")
        if known is None or known[0] != mark or old is None or old.extra:
            return None
        if line_hash(full_line(old)) != known[1]:
            return None
        self.marks[path] = known
        return old

    def note(self, entry: Entry) -> Entry:
        """Remember the line this entry is written as."""
        if entry.path in self.marks:
            mark, _ = self.marks[entry.path]
            self.marks[entry.path] = (mark, line_hash(full_line(entry)))
        return entry


def drawn(path: str, around: Surroundings) -> tuple[object, ...]:
    """What the entry of a file draws on besides its facts and what concerns all entries."""
    facts, links = around.world[path], around.links
    edges = links.edges.get(path, {})
    top = [symbol.name for symbol in facts.symbols if not symbol.owner]
    members = [symbol.name for symbol in facts.symbols if symbol.owner and symbol.public]
    told = [flow.partition(": ")[0].rpartition(".")[2] for flow in facts.flows]
    passed = [name for name in facts.exports if name not in facts.defined]
    return (
        [(target, uses, around.fan_in[target]) for target, uses in edges.items()],
        [around.used(path, name) for name in top if (path, name) in links.used_by],
        [[around.used(target, name) for target in edges] for name in passed],
        [(around.owners[name], around.callers[name]) for name in members],
        [min(around.callers[name], 6) for name in told],
        sorted(around.shown.get(path, ())),
        links.mounted.get(path, ()),
        links.outside.get(path, {}),
    )
