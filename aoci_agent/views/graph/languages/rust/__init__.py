"""Rust in the graph: one space for each file, called as its path."""

from collections.abc import Mapping, Sequence

from aoci_agent.views.graph.languages.common import reading
from aoci_agent.views.graph.languages.rust.finder import CrateFinder
from aoci_agent.views.graph.languages.rust.outside import OUTSIDE
from aoci_agent.views.graph.languages.rust.table import IDIOM
from aoci_agent.views.graph.model import FileFacts
from aoci_agent.views.syntax.parsed import Grammar


class Rust:
    """Modules are files; modules within a file are slots."""

    name = "rust"
    settings: Sequence[str] = ("Cargo.toml",)
    outside = OUTSIDE

    def read(self, path: str, data: bytes) -> FileFacts:
        text = reading.text_of(path, data)
        grammar = Grammar("tree_sitter_rust")
        return reading.read(
            text,
            reading.Tongue(self.name, grammar, IDIOM, reading.by_path, free="name", implicit=False),
        )

    def finder(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> CrateFinder:
        return CrateFinder(paths, settings)
