"""A file parsed once, for everything that reads its syntax."""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from aoci_agent.aoci.facts.language import query_of
from aoci_agent.aoci.facts.parsing import parse

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


class Grammar(NamedTuple):
    """Where a tree-sitter grammar comes from: a package, and its function."""

    module: str
    function: str = "language"


@dataclass(frozen=True)
class Parsed:
    """Source text and its tree. Raises TooSlow at the first use of the tree where parsing is refused."""

    path: str
    data: bytes = field(repr=False)
    grammar: Grammar

    @cached_property
    def tree(self) -> "Tree":
        """The tree; a missing grammar raises ImportError."""
        return _parsed(self.data, self.grammar)

    def matches(self, query: str) -> "list[dict[str, list[Node]]]":
        """Every match of a query, in source order: nodes by capture name."""
        from tree_sitter import QueryCursor

        cursor = QueryCursor(query_of(*self.grammar, query), match_limit=4096)
        return [found for _, found in cursor.matches(self.tree.root_node)]

    def text(self, node: "Node") -> str:
        """The text of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")


@lru_cache(maxsize=8)
def _parsed(data: bytes, grammar: Grammar) -> "Tree":
    """The tree; the newest are kept, because outline and graph are made of the same file by turns."""
    return parse(data, *grammar)
