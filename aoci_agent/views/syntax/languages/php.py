"""PHP definitions. Traits in use are bases; names of variables stand without their sign."""

from collections.abc import Iterable

from aoci_agent.views.syntax import lists
from aoci_agent.views.syntax.captures import Syntax
from aoci_agent.views.syntax.definitions import read
from aoci_agent.views.syntax.outline import Definition
from aoci_agent.views.syntax.parsed import Grammar
from aoci_agent.views.syntax.text import Text

_BASES = "(base_clause)? @bases (class_interface_clause)? @bases body: (_) @body"
_HEAD = "parameters: (_) @parameters return_type: (_)? @of body: (_)? @body"
_QUERY = f"""
(namespace_definition name: (namespace_name) @space body: (_)? @body) @at
(class_declaration name: (name) @class {_BASES}) @at
(interface_declaration name: (name) @interface (base_clause)? @bases body: (_) @body) @at
(trait_declaration name: (name) @class body: (_) @body) @at
(enum_declaration name: (name) @enum (class_interface_clause)? @bases body: (_) @body) @at
(enum_case name: (name) @constant) @at
(return_statement (object_creation_expression (anonymous_class {_BASES}) @default.class))
(use_declaration [(name) (qualified_name)] @base)
(method_declaration name: (name) @method {_HEAD}) @at
(function_definition name: (name) @function {_HEAD}) @at
(property_declaration type: (_)? @of (property_element name: (variable_name (name) @field))) @at
(property_promotion_parameter type: (_)? @of name: (variable_name (name) @field)) @at
(const_declaration (const_element . (name) @constant)) @at
(expression_statement (function_call_expression function: (name) @is.define
  arguments: (arguments . (argument (string (string_content) @constant))))) @at
(program (expression_statement (assignment_expression left: (variable_name (name) @variable))) @at)
[(comment) (attribute_list)] @above
"""
_SYNTAX = Syntax(Grammar("tree_sitter_php", "language_php"), _QUERY, lists.typed)


def php(text: Text) -> Iterable[Definition]:
    """PHP files, also between markup."""
    return read(text, _SYNTAX)
