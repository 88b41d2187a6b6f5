"""Shell scripts in the graph: functions, variables of the top level, and the files a script reads in."""

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Self

from aoci_agent.views.graph.languages.common import expressions as ex, reading
from aoci_agent.views.graph.languages.common.outside import Containers
from aoci_agent.views.graph.languages.common.walk import Idiom, Walk
from aoci_agent.views.graph.languages.finder import PlainFinder
from aoci_agent.views.graph.languages.walker import lines_of
from aoci_agent.views.graph.model import ALWAYS, UNKNOWN, Entry, FileFacts
from aoci_agent.views.syntax.parsed import Grammar

if TYPE_CHECKING:
    from tree_sitter import Node

_FILE = re.compile(r"[\w.+-]+(?:/[\w.+-]+)*\Z")
_LOCAL = ("local", "typeset", "declare")
_TAKING = ("trap", "command", "time", "eval")  # commands whose first word is another one


class SourceFinder(PlainFinder):
    """A path as written is tried from the script's folder, then from every folder above it."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = frozenset(paths)

    def find(self, path: str, module: str) -> str:
        folder: str = posixpath.dirname(path)
        while True:
            found = posixpath.normpath(posixpath.join(folder, module))
            if found in self._paths and found != path:
                return found
            if not folder:
                return ""
            folder = posixpath.dirname(folder)

    def clue(self, kind: str, where: str, name: str) -> str | None:
        """The name of the file."""
        file = posixpath.basename(name)
        return None if kind != "find" else ALWAYS if file in ("", ".", "..") else file

    def moved(self, before: Self, paths: Collection[str]) -> Collection[str]:
        """The names of the files."""
        return [posixpath.basename(path) for path in paths]


class Shell:
    """One space for each file, called as its path."""

    name = "shell"
    settings: Sequence[str] = ()
    outside = Containers()

    def read(self, path: str, data: bytes) -> FileFacts:
        text = reading.text_of(path, data)
        tongue = reading.Tongue(self.name, Grammar("tree_sitter_bash"), _IDIOM, reading.by_path)
        return reading.read(text, tongue)

    def finder(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> SourceFinder:
        return SourceFinder(paths)


def _function(walk: Walk, node: "Node", _use: str) -> int:
    """Functions are of the whole script, wherever they are defined; they are called `name()`."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return UNKNOWN
    name = walk.text_of(named)
    slot = f"{name}()"
    walk.draft.entries.append(Entry(slot, "function"))
    with (
        walk.draft.part(slot, name, lines_of(node), "function"),
        walk.draft.scoped("function", slot, name),
    ):
        walk.inside(body)
    walk.define(slot, named, "function", node, body, qualified=name)
    return UNKNOWN


def _command(walk: Walk, node: "Node", _use: str) -> int:
    named, given = node.child_by_field_name("name"), node.children_by_field_name("argument")
    word = walk.text_of(named)
    if word in ("source", ".") and given:
        _read_in(walk, given[0])
    elif named is not None:
        _called(walk, named)
        if word in _TAKING and given and given[0].type == "word":
            _called(walk, given[0])
    for child in node.named_children:
        if child != named:
            walk.visit(child)
    return UNKNOWN


def _called(walk: Walk, node: "Node") -> None:
    place, name = walk.place(node), f"{walk.text_of(node)}()"
    walk.draft.use(place, "call", walk.draft.read(name, place.at))


def _read_in(walk: Walk, node: "Node") -> None:
    """`source "$folder/file.sh"`."""
    written = walk.text_of(node)
    found = _FILE.search(written.rstrip("\"'"))
    if found is not None:
        walk.stars.append(found[0])
        place = walk.place(node)
        if "\n" not in written:
            place = place._replace(column=place.column + found.start(), length=len(found[0]))
            walk.draft.use(place, "import", walk.term("import", found[0], ""))


def _declared(walk: Walk, node: "Node", _use: str) -> int:
    """`local name=value` hides names of the script."""
    if node.children and node.children[0].type in _LOCAL and walk.around("function") is not None:
        for child in node.named_children:
            named = (
                child.child_by_field_name("name") if child.type == "variable_assignment" else child
            )
            if named is not None and named.type == "variable_name":
                walk.bind(named, UNKNOWN, named.start_byte, scope=walk.around("function"))
            walk.visit(child.child_by_field_name("value"))
    else:
        walk.inside(node)
    return UNKNOWN


def _assigned(walk: Walk, node: "Node", _use: str) -> int:
    """A variable of the script: the first assignment at its top level defines it."""
    named = node.child_by_field_name("name")
    walk.visit(node.child_by_field_name("value"))
    if named is None or named.type != "variable_name":
        return UNKNOWN
    slot, place = walk.text_of(named), walk.place(named)
    if walk.around("function") is None and slot not in walk.known:
        walk.known.add(slot)
        walk.draft.entries.append(Entry(slot, "variable"))
        walk.define(slot, named, "variable", node)
    else:
        walk.draft.use(place, "write", walk.draft.read(slot, place.at))
    return UNKNOWN


_nothing = ("comment", "raw_string", "heredoc_redirect")
_IDIOM = Idiom(
    rules={
        "function_definition": _function,
        "command": _command,
        "declaration_command": _declared,
        "variable_assignment": _assigned,
        "variable_name": ex.name,
        **dict.fromkeys(_nothing, ex.nothing),
    },
)
