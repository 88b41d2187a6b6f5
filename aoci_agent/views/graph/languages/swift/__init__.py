"""Swift in the graph: one space for each module, called as its folder."""

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Self

from aoci_agent.aoci.wordset import wordset
from aoci_agent.views.graph.languages.common import reading
from aoci_agent.views.graph.languages.common.outside import Containers
from aoci_agent.views.graph.languages.finder import PlainFinder
from aoci_agent.views.graph.languages.swift.table import IDIOM
from aoci_agent.views.graph.model import FileFacts
from aoci_agent.views.syntax.parsed import Grammar

if TYPE_CHECKING:
    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text

_ROOTS = ("Sources", "Tests", "Plugins", "Examples")
_TARGET = re.compile(
    r"arget\(\s*name:\s*\"([^\"]+)\"[^()]*?(?:\([^()]*\)[^()]*?)*?path:\s*\"([^\"]+)\""
)


class ModuleFinder(PlainFinder):
    """Knows the modules by the last part of their folders, and by what their package says."""

    def __init__(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> None:
        self._modules: dict[str, str] = {}
        for folder in sorted({folder_of(path) for path in paths}, reverse=True):
            self._modules[folder.rpartition("/")[2]] = folder
        for path, data in sorted(settings.items()):
            for name, where in _TARGET.findall(data.decode("utf-8", "replace")):
                folder = posixpath.normpath(posixpath.join(posixpath.dirname(path), where))
                self._modules[name] = folder_of(f"{folder}/_")

    def find(self, path: str, module: str) -> str:
        return self._modules.get(module, "")

    def clue(self, kind: str, where: str, name: str) -> str | None:
        """The module asked for."""
        return name if kind == "find" else None

    def moved(self, before: Self, paths: Collection[str]) -> Collection[str]:
        """Modules that have another folder."""
        names = self._modules.keys() | before._modules.keys()
        return [name for name in names if self.find("", name) != before.find("", name)]


class Swift:
    """Files of a module see each other."""

    name = "swift"
    settings: Sequence[str] = ("Package.swift",)
    outside = Containers(
        items=wordset("Array Set Optional Result AnySequence ArraySlice"),
        maps=wordset("Dictionary"),
        through=wordset("Published State Binding ObservedObject EnvironmentObject StateObject"),
        gives={
            "item": wordset("removeFirst removeLast popLast randomElement"),
            "self": wordset("filter sorted reversed prefix suffix dropFirst dropLast shuffled"),
        },
        holds={
            "item": ("first", "last"),
            "all": ("values",),
            "keys": ("keys",),
            "self": ("lazy",),
        },
    )

    def read(self, path: str, data: bytes) -> FileFacts:
        text = reading.text_of(path, data)
        grammar = Grammar("tree_sitter_swift")
        return reading.read(text, reading.Tongue(self.name, grammar, IDIOM, _module))

    def finder(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> ModuleFinder:
        return ModuleFinder(paths, settings)


def _module(text: "Text", _root: "Node") -> str:
    return folder_of(text.path)


def folder_of(path: str) -> str:
    """The folder of a file's module: below `Sources` or `Tests`, `Source` itself, else the first one."""
    parts = PurePosixPath(path).parts[:-1]
    for at in range(len(parts) - 1, -1, -1):
        if parts[at] in (*_ROOTS, "Source"):
            return "/".join(parts[: at + 2 if parts[at] in _ROOTS else at + 1])
    return parts[0] if parts else "."
