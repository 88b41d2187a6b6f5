"""Go definitions. What a struct or an interface embeds is among its bases."""

from collections.abc import Iterable

from aoci_agent.views.syntax import lists
from aoci_agent.views.syntax.captures import Syntax
from aoci_agent.views.syntax.definitions import read
from aoci_agent.views.syntax.outline import Definition
from aoci_agent.views.syntax.parsed import Grammar
from aoci_agent.views.syntax.text import Text

_CALLABLE = "parameters: (_) @parameters result: (_)? @of body: (_)? @body"
_QUERY = f"""
(function_declaration name: (identifier) @function {_CALLABLE}) @at
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (field_identifier) @function {_CALLABLE}) @at
(type_spec name: (type_identifier) @class type: (struct_type (field_declaration_list) @body)) @at
(type_spec name: (type_identifier) @interface type: (interface_type) @body) @at
(type_spec name: (type_identifier) @type) @at
(type_alias name: (type_identifier) @type) @at
(field_declaration name: (field_identifier) @field type: (_) @of) @at
(field_declaration !name type: (_) @base)
(method_elem name: (field_identifier) @function parameters: (_) @parameters result: (_)? @of) @at
(type_elem . [(type_identifier) (qualified_type)] @base .)
(const_spec name: (identifier) @constant type: (_)? @of) @at
(var_spec name: (identifier) @variable type: (_)? @of) @at
(comment) @above
"""
_SYNTAX = Syntax(Grammar("tree_sitter_go"), _QUERY, lists.grouped)


def go(text: Text) -> Iterable[Definition]:
    """Go source files."""
    return read(text, _SYNTAX)
