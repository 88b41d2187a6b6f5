"""Java definitions. The components of a record are its fields."""

from collections.abc import Iterable

from aoci_agent.views.syntax import lists
from aoci_agent.views.syntax.captures import Syntax
from aoci_agent.views.syntax.definitions import read
from aoci_agent.views.syntax.outline import Definition
from aoci_agent.views.syntax.parsed import Grammar
from aoci_agent.views.syntax.text import Text

_VARIABLE = "type: (_) @of declarator: (variable_declarator name: (identifier) @field)"
_QUERY = f"""
(class_declaration name: (identifier) @class superclass: (_)? @bases interfaces: (_)? @bases body: (_) @body) @at
(record_declaration name: (identifier) @class interfaces: (_)? @bases body: (_) @body) @at
(interface_declaration name: (identifier) @interface (extends_interfaces)? @bases body: (_) @body) @at
(annotation_type_declaration name: (identifier) @interface body: (_) @body) @at
(enum_declaration name: (identifier) @enum interfaces: (_)? @bases body: (_) @body) @at
(enum_constant name: (identifier) @constant) @at
(method_declaration type: (_) @of name: (identifier) @method parameters: (_) @parameters body: (_)? @body) @at
(constructor_declaration name: (identifier) @method parameters: (_) @parameters body: (_) @body) @at
(compact_constructor_declaration name: (identifier) @method body: (_) @body) @at
(annotation_type_element_declaration type: (_) @of name: (identifier) @method) @at
(field_declaration {_VARIABLE}) @at
(constant_declaration {_VARIABLE}) @at
(record_declaration parameters: (formal_parameters
  (formal_parameter type: (_) @of name: (identifier) @field) @at))
[(line_comment) (block_comment)] @above
"""
_SYNTAX = Syntax(Grammar("tree_sitter_java"), _QUERY, lists.typed)


def java(text: Text) -> Iterable[Definition]:
    """Java source files."""
    return read(text, _SYNTAX)
