"""Python definitions. `self.x = ...` in a method is a field of its class."""

from collections.abc import Iterable

from aoci_agent.views.syntax.captures import Syntax
from aoci_agent.views.syntax.definitions import read
from aoci_agent.views.syntax.outline import Definition
from aoci_agent.views.syntax.parsed import Grammar
from aoci_agent.views.syntax.text import Text

_QUERY = """
(class_definition name: (identifier) @class superclasses: (_)? @bases body: (_) @body) @at
(function_definition name: (identifier) @function parameters: (_) @parameters return_type: (_)? @of
  body: (_) @body) @at
(assignment left: (identifier) @variable type: (_)? @of) @at
(assignment left: [(pattern_list (identifier) @variable) (tuple_pattern (identifier) @variable)]) @at
(assignment left: (attribute object: (identifier) @is.self.cls attribute: (identifier) @field) type: (_)? @of) @at
(type_alias_statement left: (type [(identifier) @type (generic_type (identifier) @type)])) @at
[(comment) (decorator)] @above
"""
_SYNTAX = Syntax(Grammar("tree_sitter_python"), _QUERY)


def python(text: Text) -> Iterable[Definition]:
    """Modules and stubs."""
    return read(text, _SYNTAX)
