"""C and C++ definitions; a header says by its content which of the two it is.

Macros that take the place of types, and conditions that cut a definition in two, are blanked where
they keep a file from being parsed.
"""

import re
from collections.abc import Iterable
from functools import partial
from pathlib import PurePosixPath

from aoci_agent.aoci.facts import c_text
from aoci_agent.views.syntax import heads, lists
from aoci_agent.views.syntax.captures import Syntax
from aoci_agent.views.syntax.definitions import read
from aoci_agent.views.syntax.languages.conditions import first_branches
from aoci_agent.views.syntax.outline import Definition
from aoci_agent.views.syntax.parsed import Grammar
from aoci_agent.views.syntax.text import Text


def _pointed(declarator: str, *more: str) -> str:
    """A declarator, by itself or behind pointers."""
    shapes = [declarator, f"(pointer_declarator declarator: {declarator})"]
    shapes += [f"(pointer_declarator declarator: (pointer_declarator declarator: {declarator}))"]
    shapes += [
        f"({wrapper} {field}{declarator})" for wrapper, field in (m.split(" ") for m in more)
    ]
    return f"[{' '.join(shapes)}]"


_POINTER = """(function_declarator declarator: (parenthesized_declarator (pointer_declarator
  declarator: NAME)))"""
_FIELD = "(field_identifier) @field"
_FIELDS = f"""[{_pointed(_FIELD)[1:-1]} (array_declarator declarator: {_pointed(_FIELD)})
  {_POINTER.replace("NAME", _FIELD)}]"""
_NAME = "(identifier) @variable"
_SHAPES = f"""[{_pointed(_NAME)[1:-1]} (array_declarator declarator: {_pointed(_NAME)})
  {_POINTER.replace("NAME", _NAME)}]"""
_VALUE = f"""(declaration type: (_) @of declarator: [{_SHAPES[1:-1]}
  (init_declarator declarator: {_SHAPES})]) @at"""
_FUNCTION = "(function_declarator declarator: (identifier) @function parameters: (_) @parameters)"
_TYPE = "(type_identifier) @type"

_C = f"""
(function_definition type: (_) @of declarator: {_pointed(_FUNCTION)} body: (_) @body) @at
(declaration type: (_) @of declarator: {_pointed(_FUNCTION)}) @at
(struct_specifier name: (type_identifier) @class body: (_) @body) @at
(union_specifier name: (type_identifier) @class body: (_) @body) @at
(enum_specifier name: (type_identifier) @enum body: (_) @body) @at
(enumerator name: (identifier) @constant) @at
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @class) @at
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @class) @at
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @enum) @at
(type_definition type: [(struct_specifier name: (_) body: (_)) (union_specifier name: (_) body: (_))
  (enum_specifier name: (_) body: (_))] declarator: {_pointed(_TYPE)})
(type_definition type: [(type_identifier) (primitive_type) (sized_type_specifier) (struct_specifier !body)
  (union_specifier !body) (enum_specifier !body)]
  declarator: [{_pointed(_TYPE)[1:-1]} (array_declarator declarator: {_TYPE}) {_POINTER.replace("NAME", _TYPE)}
    (function_declarator declarator: {_TYPE})]) @at
(field_declaration type: (_) @of declarator: {_FIELDS}) @at
(preproc_def name: (identifier) @constant value: (_)) @at @global
(preproc_function_def name: (identifier) @function value: (_) @body) @at @global
{_VALUE}
(comment) @above
"""
_HEAD = "parameters: (_) @parameters"
_METHOD = f"(function_declarator declarator: [(field_identifier) (operator_name) (destructor_name) (identifier)] @method {_HEAD})"
_OWNED = f"(function_declarator declarator: (qualified_identifier) @function {_HEAD})"
_WIDE = ("reference_declarator ",)
_CPP = f"""
(class_specifier name: (_) @class (base_class_clause)? @bases body: (_) @body) @at
(struct_specifier name: (_) @class (base_class_clause)? @bases body: (_) @body) @at
(field_declaration_list [(field_declaration type: (_)? @of declarator: {_pointed(_METHOD, *_WIDE)})
  (declaration type: (_)? @of declarator: {_pointed(_METHOD, *_WIDE)})] @at)
(field_declaration_list (template_declaration [
  (declaration type: (_)? @of declarator: {_pointed(_METHOD, *_WIDE)})] @at))
(function_definition type: (_)? @of declarator: {_pointed(_METHOD, *_WIDE)} body: (_) @body) @at
(function_definition type: (_)? @of declarator: {_pointed(_OWNED, *_WIDE)} body: (_) @body) @at
(function_definition declarator: (reference_declarator {_FUNCTION}) body: (_) @body) @at
(declaration declarator: (reference_declarator {_FUNCTION})) @at
(field_declaration type: (_) @of declarator: (reference_declarator {_FIELD})) @at
(friend_declaration (declaration declarator: {_pointed(_FUNCTION.replace("@function", "@skip"))}))
(namespace_definition name: (_) @namespace body: (_) @body) @at
(alias_declaration name: (type_identifier) @type) @at
(template_declaration (_) @wrapped .) @outer
"""


# Macros before and after the declaration of a pointer to a function, and after a prototype.
_AROUND_POINTERS = re.compile(
    r"^[A-Z][A-Z0-9_]{3,}(?=[ \t]+\w[\w \t]*[ \t*]+\(\*\w+\)[ \t]*\()|(?<=\))[ \t]+[A-Z][A-Z0-9_]{3,}(?=;$)",
    re.MULTILINE,
)
_LONG_LINES = re.compile(r"([^\n]{400,}\n?)")  # patterns take the square of them


def _blanks(found: re.Match[str]) -> str:
    return heads.blanks(found[0])


def undecorated(text: str, *, classes: bool) -> str:
    """Blanks for macros that only decorate a definition."""
    pieces = _LONG_LINES.split(text)
    pieces[::2] = [
        _AROUND_POINTERS.sub(_blanks, c_text.undecorated(piece, classes=classes))
        for piece in pieces[::2]
    ]
    return "".join(pieces)


def _syntax(language: str, query: str) -> Syntax:
    return Syntax(
        Grammar(f"tree_sitter_{language}"),
        query,
        parameters=lists.typed,
        qualified=True,
        prepared=partial(undecorated, classes=language == "cpp"),
        repairs=(first_branches,),
    )


_SYNTAX_C, _SYNTAX_CPP = _syntax("c", _C), _syntax("cpp", _C + _CPP)


def c(text: Text) -> Iterable[Definition]:
    """C sources and headers; a header with C++ in it is read as such."""
    header = PurePosixPath(text.path).suffix == ".h"
    is_cpp = header and c_text.is_cpp(c_text.without_comments(text.text))
    return read(text, _SYNTAX_CPP if is_cpp else _SYNTAX_C)


def cpp(text: Text) -> Iterable[Definition]:
    """C++ sources and headers."""
    return read(text, _SYNTAX_CPP)
