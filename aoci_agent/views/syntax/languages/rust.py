"""Rust definitions. An `impl` is an extension of its type; what it implements is its base."""

import re
from collections.abc import Iterable
from functools import partial

from aoci_agent.views.syntax import heads, lists
from aoci_agent.views.syntax.captures import Syntax
from aoci_agent.views.syntax.definitions import read
from aoci_agent.views.syntax.outline import Definition
from aoci_agent.views.syntax.parsed import Grammar
from aoci_agent.views.syntax.text import Text

_HEAD = "name: (identifier) @function parameters: (_) @parameters return_type: (_)? @of"
_QUERY = f"""
(function_item {_HEAD} body: (_) @body) @at
(function_signature_item {_HEAD}) @at
(macro_definition name: (identifier) @function (macro_rule) @body) @at
(struct_item name: (type_identifier) @class body: (_)? @body) @at
(union_item name: (type_identifier) @class body: (_) @body) @at
(enum_item name: (type_identifier) @enum body: (_) @body) @at
(enum_variant name: (identifier) @constant) @at
(trait_item name: (type_identifier) @interface bounds: (_)? @bases body: (_) @body) @at
(impl_item trait: (_)? @bases type: (_) @extension body: (_) @body) @at
(type_item name: (type_identifier) @type) @at
(associated_type name: (type_identifier) @type) @at
(mod_item name: (identifier) @module body: (_) @body) @at
(const_item name: (identifier) @constant type: (_) @of) @at
(static_item name: (identifier) @constant type: (_) @of) @at
(struct_item body: (field_declaration_list
  (field_declaration name: (field_identifier) @field type: (_) @of) @at))
[(line_comment) (block_comment) (attribute_item)] @above
"""
_WORDS = re.compile(r"'\w+|\b(?:mut|dyn|impl|const|for)\b")


def _type(text: str) -> str:
    """The last name of a path: `&'a mut a::B<T>` -> B."""
    return heads.dotted(_WORDS.sub(" ", text)).rpartition(".")[2]


def _bases(text: str) -> tuple[str, ...]:
    return heads.bases(text.replace("+", ","))


_SYNTAX = Syntax(
    Grammar("tree_sitter_rust"),
    _QUERY,
    parameters=partial(lists.named, quoted=False),
    owner=_type,
    bases=_bases,
)


def rust(text: Text) -> Iterable[Definition]:
    """Rust source files."""
    return read(text, _SYNTAX)
