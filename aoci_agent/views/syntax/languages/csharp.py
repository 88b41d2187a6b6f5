"""C# definitions. Namespaces are no part of qualified names, as a file's own is not around anything."""

from collections.abc import Iterable

from aoci_agent.views.syntax import lists
from aoci_agent.views.syntax.captures import Syntax
from aoci_agent.views.syntax.definitions import read
from aoci_agent.views.syntax.languages.conditions import first_branches
from aoci_agent.views.syntax.outline import Definition
from aoci_agent.views.syntax.parsed import Grammar
from aoci_agent.views.syntax.text import Text

_TYPE = "name: (identifier) @KIND (base_list)? @bases body: (_)? @body"
_HEAD = "name: (identifier) @method parameters: (_) @parameters body: (_)? @body"
_QUERY = f"""
(namespace_declaration name: (_) @space body: (_) @body) @at
(file_scoped_namespace_declaration name: (_) @space)
[(class_declaration {_TYPE.replace("KIND", "class")}) (struct_declaration {_TYPE.replace("KIND", "class")})
 (record_declaration {_TYPE.replace("KIND", "class")})
 (interface_declaration {_TYPE.replace("KIND", "interface")})] @at
(enum_declaration name: (identifier) @enum body: (_) @body) @at
(enum_member_declaration name: (identifier) @constant) @at
(delegate_declaration name: (identifier) @type) @at
(method_declaration returns: (_) @of {_HEAD}) @at
(constructor_declaration {_HEAD}) @at
(local_function_statement type: (_) @of name: (identifier) @function parameters: (_) @parameters body: (_)? @body) @at
(property_declaration type: (_) @of name: (identifier) @field) @at
[(field_declaration (variable_declaration type: (_) @of (variable_declarator name: (identifier) @field)))
 (event_field_declaration (variable_declaration type: (_) @of (variable_declarator name: (identifier) @field)))] @at
(record_declaration (parameter_list (parameter type: (_) @of name: (identifier) @field) @at))
(comment) @above
"""
_SYNTAX = Syntax(Grammar("tree_sitter_c_sharp"), _QUERY, lists.typed, repairs=(first_branches,))


def csharp(text: Text) -> Iterable[Definition]:
    """C# sources and scripts."""
    return read(text, _SYNTAX)
