"""JavaScript, TypeScript and TSX definitions. `this.x = ...` in a method is a field of its class."""

import re
from collections.abc import Iterable

from aoci_agent.views.syntax import heads
from aoci_agent.views.syntax.captures import Syntax
from aoci_agent.views.syntax.definitions import read
from aoci_agent.views.syntax.outline import Definition
from aoci_agent.views.syntax.parsed import Grammar
from aoci_agent.views.syntax.text import Text

_HEAD = "parameters: (_) @parameters RETURNS body: (_) @body"
_FUNCTION = f"""[(arrow_function {_HEAD}) (arrow_function parameter: (_) @parameters body: (_) @body)
  (function_expression {_HEAD}) (generator_function {_HEAD})]"""
_WRAPPED = f"""(call_expression function: [(identifier) @is.memo.forwardRef.observer (member_expression property: (_) @is.memo.forwardRef.observer)]
  arguments: (arguments . {_FUNCTION}))"""
_CLASS = "(class_heritage)? @bases body: (_) @body"
_NAMES = "[(property_identifier) (private_property_identifier)]"
_TARGET = f"left: (member_expression object: (_) @owner property: {_NAMES} NAME)"
_TOP = """[(lexical_declaration kind: "const" (variable_declarator name: (identifier) @constant TYPE) @at)
  (lexical_declaration kind: "let" (variable_declarator name: (identifier) @variable TYPE) @at)
  (variable_declaration (variable_declarator name: (identifier) @variable TYPE) @at)]"""

_SHARED = f"""
(function_declaration name: (identifier) @function {_HEAD}) @at
(generator_function_declaration name: (identifier) @function {_HEAD}) @at
(variable_declarator name: (identifier) @function value: {_FUNCTION}) @at
(variable_declarator name: (identifier) @function value: {_WRAPPED}) @at
(variable_declarator name: (identifier) @class value: (class {_CLASS})) @at
(variable_declarator name: (identifier) @skip value: (call_expression function: (identifier) @is.require))
(class_declaration name: (CLASS) @class {_CLASS}) @at
(method_definition name: {_NAMES} @method {_HEAD}) @at
(pair key: (property_identifier) @member value: {_FUNCTION}) @at
(assignment_expression {_TARGET.replace("NAME", "@function")} right: {_FUNCTION}) @at
(assignment_expression {_TARGET.replace("NAME", "@class")} right: (class {_CLASS})) @at
(assignment_expression left: (member_expression object: (_) @scope property: (_) @is.prototype)
  right: (object)) @at
(assignment_expression left: (member_expression object: (identifier) @is.module property: (_) @is.exports)
  right: [(object) (call_expression)] @default.constant)
(assignment_expression left: (member_expression object: (identifier) @is.module property: (_) @is.exports)
  right: {_FUNCTION} @default.function)
(assignment_expression left: (member_expression object: (this) property: {_NAMES} @field)) @at
(program {_TOP})
(program (export_statement declaration: {_TOP}))
(export_statement value: [(object) (call_expression) (new_expression) (array)] @default.constant)
(export_statement value: {_FUNCTION} @default.function)
(export_statement value: (class {_CLASS}) @default.class)
[(comment) (decorator)] @above
"""
_UNTYPED = f"""
(field_definition property: {_NAMES} @field) @at
(field_definition property: {_NAMES} @function value: {_FUNCTION}) @at
"""
_TYPED = f"""
(public_field_definition name: {_NAMES} @field TYPE) @at
(public_field_definition name: {_NAMES} @function value: {_FUNCTION}) @at
(required_parameter (accessibility_modifier) pattern: (identifier) @field TYPE) @at
(abstract_class_declaration name: (type_identifier) @class {_CLASS}) @at
(abstract_method_signature name: {_NAMES} @function parameters: (_) @parameters RETURNS) @at
(interface_declaration name: (type_identifier) @interface (extends_type_clause)? @bases body: (_) @body) @at
(interface_body (property_signature name: (property_identifier) @field TYPE) @at)
(interface_body (method_signature name: (property_identifier) @function parameters: (_) @parameters RETURNS) @at)
(type_alias_declaration name: (type_identifier) @type) @at
(type_alias_declaration value: (object_type (property_signature name: (property_identifier) @field TYPE) @at))
(enum_declaration name: (identifier) @enum body: (_) @body) @at
(enum_body name: (property_identifier) @constant)
(enum_assignment name: (property_identifier) @constant) @at
(function_signature name: (identifier) @function parameters: (_) @parameters RETURNS) @at
(class_body (method_signature name: {_NAMES} @function parameters: (_) @parameters RETURNS) @at)
(internal_module name: (_) @namespace body: (_) @body) @at
(internal_module body: (statement_block [{_TOP} (export_statement declaration: {_TOP})]))
(ambient_declaration {_TOP})
"""
_EXPORTS = re.compile(r"(?:module\.)?exports|this")


def _owner(text: str) -> str:
    """`Foo.prototype` -> Foo, `module.exports` -> the file itself."""
    bare = heads.dotted(text).removesuffix(".prototype")
    return "" if _EXPORTS.fullmatch(bare) else bare


def _syntax(module: str, function: str, query: str) -> Syntax:
    return Syntax(Grammar(module, function), query, owner=_owner)


_PLAIN = (
    (_SHARED + _UNTYPED).replace("RETURNS", "").replace("TYPE", "").replace("CLASS", "identifier")
)
_FULL = (
    (_SHARED + _TYPED)
    .replace("RETURNS", "return_type: (_)? @of")
    .replace("TYPE", "type: (_)? @of")
    .replace("CLASS", "type_identifier")
)
_JAVASCRIPT = _syntax("tree_sitter_javascript", "language", _PLAIN)
_TYPESCRIPT = _syntax("tree_sitter_typescript", "language_typescript", _FULL)
_TSX = _syntax("tree_sitter_typescript", "language_tsx", _FULL)


def javascript(text: Text) -> Iterable[Definition]:
    """JavaScript with JSX."""
    return read(text, _JAVASCRIPT)


def typescript(text: Text) -> Iterable[Definition]:
    """TypeScript sources and declarations."""
    return read(text, _TYPESCRIPT)


def tsx(text: Text) -> Iterable[Definition]:
    """TypeScript with JSX."""
    return read(text, _TSX)
