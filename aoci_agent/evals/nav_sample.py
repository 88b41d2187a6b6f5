"""Requests to put to navigation: places of names in the text, found by the parser alone.

Neither the graph nor a server decides what is asked, so neither is asked only what it knows.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from aoci_agent.aoci.facts.parsing import TooSlow
from aoci_agent.base.errors import ForModel
from aoci_agent.views.navigate.servers import group_of
from aoci_agent.views.syntax.outline import outline_of
from aoci_agent.views.syntax.parsed import Grammar, Parsed
from aoci_agent.views.syntax.table import language_named
from aoci_agent.views.syntax.text import Text, decoded

if TYPE_CHECKING:
    from tree_sitter import Node

    from aoci_agent.views.model import Source

GRAMMARS: Mapping[str, Grammar] = {
    "python": Grammar("tree_sitter_python"),
    "typescript": Grammar("tree_sitter_typescript", "language_typescript"),
    "tsx": Grammar("tree_sitter_typescript", "language_tsx"),
    "javascript": Grammar("tree_sitter_javascript"),
    "go": Grammar("tree_sitter_go"),
    "rust": Grammar("tree_sitter_rust"),
    "c": Grammar("tree_sitter_c"),
    "cpp": Grammar("tree_sitter_cpp"),
}
_NAMES = frozenset((
    "identifier", "field_identifier", "type_identifier", "property_identifier",
    "shorthand_property_identifier", "package_identifier", "namespace_identifier",
))  # fmt: skip
# The field a name fills, or the node around it, where it is a name being given and not one being used.
_GIVEN = frozenset(("name", "declarator", "pattern", "left", "alias", "parameter", "key", "label"))
_AROUND = frozenset((
    "parameters", "lambda_parameters", "formal_parameters", "typed_parameter", "list_splat_pattern",
    "dictionary_splat_pattern", "pattern_list", "as_pattern_target", "keyword_argument", "labeled_statement",
    "global_statement", "nonlocal_statement", "object_pattern", "array_pattern", "import_specifier",
    "package_clause", "tuple_pattern", "closure_parameters", "jsx_attribute", "var_spec", "const_spec",
))  # fmt: skip
# Nodes whose field `name` is a name being used.
_USING = frozenset((
    "scoped_identifier", "scoped_type_identifier", "qualified_identifier", "qualified_type", "generic_type",
    "template_type", "template_function", "nested_type_identifier", "nested_identifier", "struct_expression",
    "jsx_opening_element", "jsx_self_closing_element", "jsx_closing_element", "aliased_import",
))  # fmt: skip
_IMPORTS = frozenset((
    "import_statement", "import_from_statement", "import_declaration", "use_declaration", "preproc_include",
))  # fmt: skip
_MEMBERS = frozenset(("field_identifier", "property_identifier"))


class Request(NamedTuple):
    """One question. `kind` of a definition: call, member, type or name; of references: the symbol's kind."""

    group: str
    ask: str  # definition or references
    kind: str
    path: str
    line: int
    column: int
    name: str


def sample(source: "Source", groups: Sequence[str], count: int, seed: int) -> list[Request]:
    """Per group and ask about `count` requests, at random places of random files."""
    chance = random.Random(seed)
    found: list[Request] = []
    for group in groups:
        paths = [path for path in source.files if group_of(path) == group]
        chance.shuffle(paths)
        sites, symbols = _asked_of(source, group, paths, count * 4)
        found += chance.sample(sites, min(count, len(sites)))
        found += chance.sample(symbols, min(count, len(symbols)))
    return found


def _asked_of(
    source: "Source", group: str, paths: Sequence[str], most: int
) -> tuple[list[Request], list[Request]]:
    """Uses and definitions of some files; of each file only a few, so that no large one rules."""
    sites: list[Request] = []
    symbols: list[Request] = []
    per_file = max(4, most // max(len(paths), 1))
    for path in paths:
        if len(sites) >= most and len(symbols) >= most:
            break
        try:
            text = Text(path, decoded(source.read(path)))
        except ForModel:
            continue
        chance = random.Random(f"{path}:{len(text.text)}")
        uses = list(uses_in(text))
        defined = _defined_in(group, path, text)
        sites += [
            Request(group, "definition", *use)
            for use in chance.sample(uses, min(per_file, len(uses)))
        ]
        symbols += chance.sample(defined, min(per_file, len(defined)))
    return sites, symbols


def _defined_in(group: str, path: str, text: Text) -> list[Request]:
    """Definitions with a name of their own: no locals, no parameters."""
    outline = outline_of(path, text.data)
    return [
        Request(group, "references", item.kind, path, item.line, item.column, item.name)
        for item in outline.definitions
        if item.kind not in ("module", "namespace", "extension") and item.name.isidentifier()
    ]


def uses_in(text: Text) -> Iterator[tuple[str, str, int, int, str]]:
    """Names used in a file as (kind, path, line, column, name); none where it cannot be parsed."""
    grammar = GRAMMARS.get(language_named(text.path, text.text))
    if grammar is None:
        return
    try:
        root = Parsed(text.path, text.data, grammar).tree.root_node
    except (TooSlow, ImportError):
        return
    lines = text.data.split(b"\n")
    for node in _leaves(root):
        if node.type in _NAMES and not _is_given(node):
            row, start = node.start_point
            column = len(lines[row][:start].decode("utf-8", "replace"))
            name = (node.text or b"").decode("utf-8", "replace")
            yield _kind(node), text.path, row + 1, column, name


def import_lines(source: "Source", path: str) -> frozenset[int]:
    """The lines of a file that belong to an import."""
    try:
        text = Text(path, decoded(source.read(path)))
        grammar = GRAMMARS.get(language_named(path, text.text))
        root = Parsed(path, text.data, grammar).tree.root_node if grammar else None
    except (ForModel, TooSlow, ImportError):
        return frozenset()
    lines: set[int] = set()
    stack = [root] if root is not None else []
    while stack:
        node = stack.pop()
        if node.type in _IMPORTS:
            lines.update(range(node.start_point[0] + 1, node.end_point[0] + 2))
        else:
            stack += node.children
    return frozenset(lines)


def _leaves(root: "Node") -> "Iterator[Node]":
    stack = [root]
    while stack:
        node = stack.pop()
        if node.child_count:
            stack += reversed(node.children)
        else:
            yield node


def _is_given(node: "Node") -> bool:
    parent = node.parent
    if parent is None or parent.type in _AROUND or "parameter" in parent.type:
        return True
    if parent.type in _USING:
        return False
    if parent.type == "expression_list" and parent.parent is not None:  # a, b := of Go
        node, parent = parent, parent.parent
    return _field(parent, node) in _GIVEN


def _field(parent: "Node", node: "Node") -> str | None:
    """The field of its parent that a node fills."""
    children = enumerate(parent.children)
    return next((parent.field_name_for_child(at) for at, child in children if child == node), None)


def _kind(node: "Node") -> str:
    """call, member, type or name, by what stands around it."""
    parent = node.parent
    outer = node
    if parent is not None and node.type in ("identifier", *_MEMBERS) and _is_last(parent, node):
        outer = parent
    around = outer.parent
    if around is not None and around.type in ("call", "call_expression", "new_expression"):
        callee = around.child_by_field_name("function") or around.child_by_field_name("constructor")
        if callee == outer:
            return "call"
    if node.type == "type_identifier" or (parent is not None and parent.type == "type"):
        return "type"
    return "member" if outer != node or node.type in _MEMBERS else "name"


def _is_last(parent: "Node", node: "Node") -> bool:
    """Whether a name is the member in `a.b`."""
    member = parent.child_by_field_name
    return node in (member("attribute"), member("property"), member("field"))
