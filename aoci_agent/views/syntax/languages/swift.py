"""Swift definitions. An extension names the type it extends; what it adopts is its base."""

from collections.abc import Iterable

from aoci_agent.views.syntax.captures import Syntax
from aoci_agent.views.syntax.definitions import read
from aoci_agent.views.syntax.outline import Definition
from aoci_agent.views.syntax.parsed import Grammar
from aoci_agent.views.syntax.text import Text

_NAMED = "name: (simple_identifier) @function"
_PROPERTY = """(property_declaration name: (pattern bound_identifier: (simple_identifier) @KIND)
  (type_annotation)? @of) @at"""
_QUERY = f"""
(class_declaration "enum" name: (type_identifier) @enum body: (_) @body) @at
(class_declaration ["class" "struct" "actor"] name: (type_identifier) @class body: (_) @body) @at
(class_declaration "extension" name: (_) @extension body: (_) @body) @at
(protocol_declaration name: (type_identifier) @interface body: (_) @body) @at
(inheritance_specifier inherits_from: (_) @base)
(function_declaration {_NAMED} body: (_)? @body) @at
(protocol_function_declaration {_NAMED}) @at
(init_declaration "init" @method body: (_)? @body) @at
(deinit_declaration "deinit" @method body: (_) @body) @at
(typealias_declaration name: (type_identifier) @type) @at
(enum_entry name: (simple_identifier) @constant) @at
(class_body {_PROPERTY.replace("KIND", "field")})
(enum_class_body {_PROPERTY.replace("KIND", "field")})
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @field) (type_annotation)? @of) @at
(source_file {_PROPERTY.replace("KIND", "variable")})
[(comment) (multiline_comment)] @above
"""
_SYNTAX = Syntax(Grammar("tree_sitter_swift"), _QUERY, listed=False)


def swift(text: Text) -> Iterable[Definition]:
    """Swift sources."""
    return read(text, _SYNTAX)
