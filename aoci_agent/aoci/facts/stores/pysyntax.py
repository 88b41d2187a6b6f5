"""Small questions to Python's syntax tree."""

import ast
from collections.abc import Iterator

_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")  # where a statement holds others


def classes(tree: ast.AST) -> Iterator[ast.ClassDef]:
    """All classes, in source order, nested ones too."""
    found: list[ast.ClassDef] = []
    pending: list[ast.AST] = [tree]
    while pending:  # statements only: an expression holds no class
        node = pending.pop()
        if isinstance(node, ast.ClassDef):
            found.append(node)
        for name in _BLOCKS:
            pending += getattr(node, name, ())
    return iter(sorted(found, key=lambda node: node.lineno))


def called(call: ast.Call) -> str:
    """The last name of what is called: `models.CharField(...)` -> `CharField`."""
    return name_of(call.func)


def name_of(node: ast.AST) -> str:
    """The last part of a dotted name; "" for anything else."""
    return (
        node.id
        if isinstance(node, ast.Name)
        else node.attr
        if isinstance(node, ast.Attribute)
        else ""
    )


def text_of(node: ast.AST) -> str:
    """Source text; subscripts lose their brackets."""
    return ast.unparse(node.value if isinstance(node, ast.Subscript) else node)


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """The value of a keyword argument."""
    return next((item.value for item in call.keywords if item.arg == name), None)


def constant(node: ast.AST | None) -> str:
    """A literal as text, "" for anything else."""
    return str(node.value) if isinstance(node, ast.Constant) else ""


def choices_of(node: ast.ClassDef) -> list[str]:
    """What a class of constants stores: an enum's or Django choices' values, names for numbers."""
    values: list[str] = []
    names: list[str] = []
    for item in node.body:
        if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name):
            value = item.value
            first = value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value
            if isinstance(first, ast.Constant) and isinstance(first.value, str | int):
                values.append(str(first.value))
                names.append(item.targets[0].id)
    return names if all(value.isdigit() for value in values) else values
