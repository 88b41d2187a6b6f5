"""Shell definitions: functions, and variables set at the top level."""

import re
from collections.abc import Iterable, Iterator

from aoci_agent.views.syntax.captures import Syntax
from aoci_agent.views.syntax.definitions import read
from aoci_agent.views.syntax.outline import Definition
from aoci_agent.views.syntax.parsed import Grammar
from aoci_agent.views.syntax.text import Text

_QUERY = """
(function_definition name: (word) @function body: (_) @body) @at
(program (variable_assignment name: (variable_name) @variable) @at)
(program (declaration_command (variable_assignment name: (variable_name) @variable)) @at)
(comment) @above
"""
_SYNTAX = Syntax(Grammar("tree_sitter_bash"), _QUERY)


_FUNCTION = re.compile(
    r"^([ \t]*)(?:function[ \t]+)?([A-Za-z_][\w:.-]*)[ \t]*\([ \t]*\)[ \t]*\n?[ \t]*\{[^\n]*$",
    re.MULTILINE,
)


def shell(text: Text) -> Iterable[Definition]:
    """Scripts of any shell of the Bourne family."""
    found = list(read(text, _SYNTAX))
    known = {item.line for item in found}
    missed = [item for item in _by_lines(text) if item.line not in known]
    if missed:  # what other shells write besides keeps the grammar from most of a file
        found = sorted([*found, *missed], key=lambda item: (item.start, -item.end, item.column))
    return found


def _by_lines(text: Text) -> Iterator[Definition]:
    """Functions whose closing bracket stands below their beginning."""
    for match in _FUNCTION.finditer(text.text):
        line, column = text.place(match.start(2))
        closed = text.text.find(f"\n{match[1]}}}", match.end())
        if match[0].rstrip().endswith("}"):
            closed = match.end() - 1
        if closed >= 0:
            last = text.place(closed + 1)[0]
            head = match[0].strip().rstrip("{ \n")
            yield Definition(match[2], "function", line, last, line, column, signature=head)
