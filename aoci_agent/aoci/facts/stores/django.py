"""Django models, read from the syntax tree: nothing is imported or run."""

import ast
import re

from aoci_agent.aoci.facts.stores.pysyntax import (
    called,
    choices_of,
    classes,
    constant,
    keyword,
    name_of,
    text_of,
)
from aoci_agent.aoci.facts.stores.record import Change, Column, enum

_TOGETHER = re.compile(
    r"unique_together\s*=\s*[\[(]+([^\])]*)|UniqueConstraint\(\s*fields=[\[(]([^\])]*)"
)
_NO_MODELS = ("TestCase", "migrations.Migration")  # parsing takes long, and such files are many
_RELATIONS = frozenset(("ForeignKey", "OneToOneField", "ParentalKey"))
_OUTSIDE = re.compile(
    r"Form|Serializer|Filter|Schema|Table|Admin|View|Test|Exception|Error|Command|Choices"
)


def tables(text: str) -> list[Change]:
    """Model classes with their columns; tables between two models come of their own."""
    if any(word in text for word in _NO_MODELS):
        return []
    tree = ast.parse(text)
    known = {node.name: choices_of(node) for node in classes(tree)}
    changes: list[Change] = []
    for node in classes(tree):
        bases = [text_of(base) for base in node.bases]
        if bases and not any(map(_OUTSIDE.search, bases)):
            changes += _model(node, bases, known)
    return changes


def _model(node: ast.ClassDef, bases: list[str], known: dict[str, list[str]]) -> list[Change]:
    columns: list[Column] = []
    joined: list[str] = []
    for statement in node.body:
        value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
        if isinstance(value, ast.Call):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement
            name = name_of(target.target if isinstance(target, ast.AnnAssign) else target)
            kind = called(value)
            if kind == "ManyToManyField" and not keyword(value, "through"):
                joined.append(f"{name}>{constant(keyword(value, 'db_table'))}>{_related(value)}")
            elif kind.endswith("Field") or kind in _RELATIONS:
                columns += _column(name, kind, value, known)
    meta = _meta(node)
    direct = any(base.rsplit(".", 1)[-1] == "Model" for base in bases)
    if meta.get("proxy") == "True":
        return []
    op = "part" if meta.get("abstract") == "True" else "model"
    also = [f"<{base}" for base in bases if base.rsplit(".", 1)[-1] != "Model"]
    also += [f"label={meta['app_label']}"] if "app_label" in meta else []
    also += ["direct"] if direct else []  # any other is a model if one of its bases is
    return [Change(op, meta.get("db_table", ""), tuple(columns), node.name, "django",
                   (*also, *(f"m2m={link}" for link in joined), *_rules(node, columns)))]  # fmt: skip


def _meta(node: ast.ClassDef) -> dict[str, str]:
    values: dict[str, str] = {}
    for inner in node.body:
        if isinstance(inner, ast.ClassDef) and inner.name == "Meta":
            for item in inner.body:
                if isinstance(item, ast.Assign) and isinstance(item.value, ast.Constant):
                    values[name_of(item.targets[0])] = str(item.value.value)
    return values


def _rules(node: ast.ClassDef, columns: list[Column]) -> list[str]:
    """`unique_together` and unique constraints; a field that refers is stored as `field_id`."""
    known = {column.name for column in columns}
    meta = next((i for i in node.body if isinstance(i, ast.ClassDef) and i.name == "Meta"), None)
    rules: list[str] = []
    for found in _TOGETHER.finditer(ast.unparse(meta) if meta is not None else ""):
        names = re.findall(r"'(\w+)'", found[1] or found[2])
        stored = [f"{name}_id" if f"{name}_id" in known else name for name in names]
        rules += [f"unique({'+'.join(stored)})"] if len(stored) > 1 else []
    return rules


def _related(call: ast.Call) -> str:
    """The model a relation points to: its name alone, `self` for the own one."""
    target = call.args[0] if call.args else keyword(call, "to")
    return text_of(target).strip("'\"").rsplit(".", 1)[-1] if target is not None else ""


def _column(name: str, kind: str, call: ast.Call, known: dict[str, list[str]]) -> list[Column]:
    if kind in ("GenericRelation", "ManyToManyField"):
        return []
    flags = ["pk"] if constant(keyword(call, "primary_key")) == "True" else []
    single = kind == "OneToOneField" or constant(keyword(call, "unique")) == "True"
    flags += ["unique"] if single and not flags else []
    stored = constant(keyword(call, "db_column"))
    if kind in _RELATIONS:
        flags += [f"→={_related(call)}"] if _related(call) else []
        return [Column(stored or f"{name}_id", "fk", tuple(flags))]
    if isinstance(listed := keyword(call, "choices"), ast.AST):
        flags += enum(_choices(listed, known))
    return [Column(stored or name, kind.removesuffix("Field").lower() or "field", tuple(flags))]


def _choices(node: ast.AST, known: dict[str, list[str]]) -> list[str]:
    """The stored values: of a class in this file, or of a list of pairs."""
    text = text_of(node)
    if isinstance(node, ast.List | ast.Tuple):
        values = [constant(i.elts[0]) for i in node.elts if isinstance(i, ast.Tuple) and i.elts]
        return [] if all(value.isdigit() for value in values) else values
    return known.get(text.removesuffix(".choices").rsplit(".", 1)[-1], [])
