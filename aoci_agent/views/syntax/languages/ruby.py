"""Ruby definitions. Accessors and instance variables are fields, what is included is a base."""

from collections.abc import Iterable

from aoci_agent.views.syntax import lists
from aoci_agent.views.syntax.captures import Syntax
from aoci_agent.views.syntax.definitions import read
from aoci_agent.views.syntax.outline import TYPES, Definition
from aoci_agent.views.syntax.parsed import Grammar
from aoci_agent.views.syntax.text import Text

_QUERY = """
(module name: (_) @module body: (_)? @body) @at
(class name: (_) @class superclass: (superclass (_) @bases)? body: (_)? @body) @at
(assignment left: (constant) @class right: (call receiver: (constant) @is.Struct.Class.Data.Module
  method: (identifier) block: (_) @body)) @at
(method name: (_) @function parameters: (_)? @parameters body: (_)? @body) @at
(singleton_method object: [(self) (identifier) (instance_variable)] name: (_) @method parameters: (_)? @parameters body: (_)? @body) @at
(singleton_method object: (constant) @owner name: (_) @method parameters: (_)? @parameters body: (_)? @body) @at
(call !receiver method: (identifier) @is.define_method.scope
  arguments: (argument_list . (simple_symbol) @method)) @at
(call !receiver method: (identifier) @is.attr_accessor.attr_reader.attr_writer
  arguments: (argument_list (simple_symbol) @field)) @at
(call !receiver method: (identifier) @is.attribute.belongs_to.has_many.has_one.has_and_belongs_to_many
  arguments: (argument_list . (simple_symbol) @field)) @at
(call !receiver method: (identifier) @is.include.extend.prepend
  arguments: (argument_list [(constant) (scope_resolution)] @base))
(assignment left: (constant) @constant) @at
(assignment left: [(instance_variable) (class_variable)] @field) @at
(operator_assignment left: [(instance_variable) (class_variable)] @field) @at
(program (assignment left: (global_variable) @variable) @at)
(comment) @above
"""
_SYNTAX = Syntax(
    Grammar("tree_sitter_ruby"),
    _QUERY,
    parameters=lists.names,
    members=TYPES | {"module"},
    qualified=True,
    bodiless=False,
)


def ruby(text: Text) -> Iterable[Definition]:
    """Ruby sources, rake files and the like."""
    return read(text, _SYNTAX)
