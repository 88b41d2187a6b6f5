"""SQLAlchemy, SQLModel and Alembic, read from the syntax tree."""

import ast
import re
from collections.abc import Iterable, Iterator

from aoci_agent.aoci.facts.stores.naming import snake
from aoci_agent.aoci.facts.stores.pysyntax import (
    called,
    choices_of,
    classes,
    constant,
    keyword,
    name_of,
    text_of,
)
from aoci_agent.aoci.facts.stores.record import Change, Column, enum, flag, rule
from aoci_agent.aoci.wordset import wordset

_MAKERS = frozenset(("Column", "mapped_column", "Field"))
_OPERATIONS = wordset("create_table add_column drop_column drop_table rename_table alter_column")


def tables(text: str) -> list[Change]:
    """Mapped classes, their mixins, `Table(...)` and the way up of a migration."""
    tree = ast.parse(text)
    known = {node.name: choices_of(node) for node in classes(tree)}
    changes = [change for node in classes(tree) if (change := _mapped(node, known))]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "upgrade":
            changes += _migrated(node, known)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            call = node.value
            if called(call) == "Table" and len(call.args) > 2 and constant(call.args[0]):
                columns, also = _arguments(call.args[2:], known)
                alias = name_of(node.targets[0])
                if columns:
                    changes.append(
                        Change(
                            "model",
                            constant(call.args[0]),
                            tuple(columns),
                            alias,
                            "sqlalchemy",
                            also,
                        )
                    )
    return changes


def _mapped(node: ast.ClassDef, known: dict[str, list[str]]) -> Change | None:
    bases = [text_of(base) for base in node.bases]
    modelled = any(constant(item.value) == "True" for item in node.keywords if item.arg == "table")
    shared = modelled or any(
        base == "SQLModel" for base in bases
    )  # a base of models or of messages
    table, args = "", None
    columns: list[Column] = []
    for name, annotation, value in _assigned(node):
        if name == "__tablename__":
            table = constant(value)
        elif name == "__table_args__":
            args = value
        elif (
            isinstance(value, ast.Call)
            and called(value) in _MAKERS
            and (called(value) != "Field" or shared)
        ):
            columns += [_column(value, name, annotation, known)]
        elif (
            annotation.startswith("Mapped[")
            and value is None
            and not re.search(r"List|list\[|\"|'", annotation)
        ) or (shared and annotation and not isinstance(value, ast.Call)):
            columns.append(Column(name, _bare(annotation)))
    if not table and (
        modelled or any(base == "db.Model" or base.endswith(".db.Model") for base in bases)
    ):
        table = node.name.lower() if modelled else snake(node.name)
    if not columns:
        return None
    also = _table_args(args, columns) if args is not None else ()
    op = "model" if table else "part"
    return Change(
        op, table, tuple(columns), node.name, "sqlalchemy", (*(f"<{base}" for base in bases), *also)
    )


def _assigned(node: ast.ClassDef) -> Iterator[tuple[str, str, ast.expr | None]]:
    """Name, annotation and value of the assignments in a class body."""
    for item in node.body:
        if isinstance(item, ast.Assign):
            yield name_of(item.targets[0]), "", item.value
        elif isinstance(item, ast.AnnAssign):
            yield name_of(item.target), ast.unparse(item.annotation), item.value


def _bare(annotation: str) -> str:
    words = [
        word
        for word in re.findall(r"\w+", annotation)
        if word not in ("Mapped", "Optional", "None", "t")
    ]
    return words[-1].lower() if words else ""


def _column(call: ast.Call, name: str, annotation: str, known: dict[str, list[str]]) -> Column:
    args = list(call.args)
    if args and called(call) != "Field" and constant(args[0]):
        name = constant(args.pop(0))
    name = constant(keyword(call, "name")) or name
    flags = ["pk"] if constant(keyword(call, "primary_key")) == "True" else []
    flags += ["unique"] if constant(keyword(call, "unique")) == "True" else []
    kind = keyword(call, "type_") or next((arg for arg in args if not _is(arg, "ForeignKey")), None)
    for arg in args:
        if isinstance(arg, ast.Call) and called(arg) == "ForeignKey" and arg.args:
            flags += _target(arg.args[0])
    flags += (
        [f"→{key.rpartition('.')[0]}"] if (key := constant(keyword(call, "foreign_key"))) else []
    )
    if isinstance(kind, ast.Call) and called(kind) in ("Enum", "ENUM", "SAEnum"):
        listed = [constant(arg) for arg in kind.args if constant(arg)]
        flags += enum(listed or (known.get(name_of(kind.args[0]), []) if kind.args else []))
    word = _kind(kind) if kind is not None and called_or_name(kind) else _bare(annotation)
    if word and not any(item.startswith("enum") for item in flags):
        named = [values for own, values in known.items() if own.lower() == word]
        flags += enum(named[0]) if named else ()
    return Column(name, word, tuple(flags))


def called_or_name(node: ast.AST) -> str:
    """The name of a type, called or not."""
    return called(node) if isinstance(node, ast.Call) else name_of(node)


def _kind(node: ast.AST) -> str:
    return called_or_name(node).lower()


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and called(node) == name


def _target(node: ast.expr) -> list[str]:
    """`ForeignKey("users.id")` or `ForeignKey(User.id)`."""
    text = constant(node)
    if text:
        return [f"→{text.rpartition('.')[0] or text}"]
    owner = text_of(node).split(".")[0]
    return [f"→={owner}"]


def _arguments(
    args: Iterable[ast.AST], known: dict[str, list[str]]
) -> tuple[list[Column], tuple[str, ...]]:
    columns: list[Column] = []
    also: list[str] = []
    for arg in args:
        if isinstance(arg, ast.Call) and called(arg) == "Column":
            columns.append(_column(arg, "", "", known))
        elif isinstance(arg, ast.Call):
            also += _constraint(arg, columns)
    return [column for column in columns if column.name], tuple(also)


def _constraint(call: ast.Call, columns: list[Column]) -> tuple[str, ...]:
    names = [constant(arg) for arg in call.args if constant(arg)]
    kind = called(call)
    if kind in ("UniqueConstraint", "PrimaryKeyConstraint"):
        return rule(columns, names, "unique" if kind[0] == "U" else "pk")
    if kind == "ForeignKeyConstraint" and len(call.args) > 1:
        own, target = (re.findall(r"'([^']+)'", ast.unparse(arg)) for arg in call.args[:2])
        if own and target:
            flag(columns, own, f"→{target[0].rpartition('.')[0]}")
    if kind == "Index" and constant(keyword(call, "unique")) == "True":
        return rule(columns, names[1:], "unique")
    return ()


def _table_args(node: ast.expr, columns: list[Column]) -> tuple[str, ...]:
    items = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    return tuple(
        word for item in items if isinstance(item, ast.Call) for word in _constraint(item, columns)
    )


def _migrated(function: ast.FunctionDef, known: dict[str, list[str]]) -> list[Change]:
    changes: list[Change] = []
    batch: dict[str, str] = {}  # `with op.batch_alter_table("t") as batch_op`
    for node in ast.walk(function):
        if (
            isinstance(node, ast.withitem)
            and isinstance(node.context_expr, ast.Call)
            and node.optional_vars
        ):
            call = node.context_expr
            batch[name_of(node.optional_vars)] = constant(call.args[0]) if call.args else ""
    for node in ast.walk(function):
        if (
            isinstance(node, ast.Call)
            and called(node) in _OPERATIONS
            and isinstance(node.func, ast.Attribute)
        ):
            owner = name_of(node.func.value)
            table = batch.get(owner, "")
            args = node.args if table else node.args[1:]
            table = table or (constant(node.args[0]) if node.args else "")
            if table:
                changes += _operation(called(node), table, node, args, known)
    return changes


def _operation(
    call: str, table: str, node: ast.Call, args: list[ast.expr], known: dict[str, list[str]]
) -> list[Change]:
    first = constant(args[0]) if args else ""
    if call in ("create_table", "add_column"):
        columns, also = _arguments(args, known)
        return [
            Change(
                "create" if call[0] == "c" else "add", table, tuple(columns), "", "alembic", also
            )
        ]
    if call == "drop_table":
        return [Change("drop", table, source="alembic")]
    if call == "rename_table":
        return [Change("rename", table, source="alembic", also=(first,))] if first else []
    if call == "drop_column" and first:
        return [Change("remove", table, (Column(first),), source="alembic")]
    new = constant(keyword(node, "new_column_name"))
    return (
        [Change("column", table, (Column(first), Column(new)), source="alembic")]
        if new and first
        else []
    )
