"""Scala definitions. Parameters of a class are its fields; an object is a class."""

from collections.abc import Iterable

from aoci_agent.views.syntax.captures import Syntax
from aoci_agent.views.syntax.definitions import read
from aoci_agent.views.syntax.outline import Definition
from aoci_agent.views.syntax.parsed import Grammar
from aoci_agent.views.syntax.text import Text

_CLASS = "extend: (_)? @bases body: (_)? @body"
_FUNCTION = "name: (_) @function (parameters)* @parameters return_type: (_)? @of"
_VALUES = """[(val_definition pattern: (identifier) @KIND type: (_)? @of) (val_declaration name: (identifier) @KIND type: (_) @of)
  (var_definition pattern: (identifier) @KIND type: (_)? @of) (var_declaration name: (identifier) @KIND type: (_) @of)]"""
_QUERY = f"""
(class_definition name: (_) @class {_CLASS}) @at
(object_definition name: (_) @class {_CLASS}) @at
(trait_definition name: (_) @interface {_CLASS}) @at
(enum_definition name: (_) @enum {_CLASS}) @at
[(simple_enum_case name: (_) @constant) (full_enum_case name: (_) @constant)] @at
(given_definition name: (_) @class body: (_)? @body) @at
(package_object name: (_) @class {_CLASS}) @at
(type_definition name: (type_identifier) @type) @at
(function_definition {_FUNCTION} body: (_) @body) @at
(function_declaration {_FUNCTION}) @at
(class_parameter name: (_) @field type: (_) @of) @at
(template_body {_VALUES.replace("KIND", "field")} @at)
(compilation_unit {_VALUES.replace("KIND", "variable")} @at)
[(comment) (block_comment) (annotation)] @above
"""
_SYNTAX = Syntax(Grammar("tree_sitter_scala"), _QUERY)


def scala(text: Text) -> Iterable[Definition]:
    """Scala sources."""
    return read(text, _SYNTAX)
