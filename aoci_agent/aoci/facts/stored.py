"""What a file says about stored tables, whatever language it is in."""

import warnings
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import PurePosixPath
from typing import NamedTuple, cast

from aoci_agent.aoci.facts.model import Texts
from aoci_agent.aoci.facts.stores.record import Change, to_text


class _Reader(NamedTuple):
    """`reader` is `module:function` of `facts.stores`, imported when a marker is met."""

    extensions: frozenset[str]
    markers: tuple[tuple[str, ...], ...]  # one of each group must occur
    reader: str


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


_SCRIPT = _set(".ts .tsx .mts .cts .js .jsx .mjs .cjs .vue .svelte")
_CODE = _SCRIPT | _set(
    ".py .go .java .kt .php .rb .rs .cs .swift .scala .c .cc .cpp .h .sh .bash .ex .dart"
)
_READERS = (
    _Reader(_set(".sql .ddl .psql"), (("TABLE", "table", "Table", "TYPE"),), "sql:script"),
    _Reader(_CODE, (("CREATE TABLE", "ALTER TABLE", "create table", "DROP TABLE"),), "sql:in_code"),
    _Reader(_SCRIPT, (("drizzle-orm",), ("Table", "Enum", "Schema", "text(", "timestamp(")), "drizzle:tables"),
    _Reader(_set(".prisma"), (("model ", "enum "),), "prisma:tables"),
    _Reader(_SCRIPT, (("DataType", "ueryInterface"),), "objects:sequelize"),
    _Reader(_SCRIPT, (("mongoose",), ("Schema(", "Schema<")), "objects:mongoose"),
    _Reader(_set(".ts .js .mts"), (("@Entity", "@Table", "@Schema(", "Column("), ("@",)), "typeorm:tables"),
    _Reader(_SCRIPT, (("createTable", "alterTable", "dropTable", ".table(", "renameTable"), ("knex", "schema")), "builder:knex"),
    _Reader(_set(".php"), (("Schema::",),), "builder:laravel"),
    _Reader(_set(".go"), (("gorm", "utoMigrate", "TableName()"),), "gorm:tables"),
    _Reader(_set(".py"), (("django",), ("models.", "Model"), ("Field(", "ForeignKey(", "Model)", "AbstractUser")), "django:tables"),
    _Reader(_set(".py"), (("Column(", "mapped_column(", "Mapped[", "table=True", "op."), ("sqlalchemy", "sqlmodel", "alembic", "db.Column", "Column(")), "alchemy:tables"),
    _Reader(_set(".rb"), (("create_table", "add_column", "remove_column", "rename_column", "drop_table", "rename_table", "add_reference", "change_table", "add_foreign_key"),), "rails:tables"),
    _Reader(_set(".java .kt"), (("@Entity", "@MappedSuperclass", "@Embeddable"),), "jpa:tables"),
    _Reader(_set(".rs"), (("table! {", "table!{", "table_name"),), "rust:tables"),
)  # fmt: skip
_BY_EXTENSION: dict[str, list[_Reader]] = {}
for _reader in _READERS:
    for _extension in _reader.extensions:
        _BY_EXTENSION.setdefault(_extension, []).append(_reader)


def stored(path: str, text: str) -> Texts:
    """Records (`record.from_text`) of the tables a file defines or changes, in its order.

    Only the path's ending counts. A file without a definition costs a few substring searches, and
    one that cannot be read has none.
    """
    found: list[Change] = []
    for reader in _BY_EXTENSION.get(PurePosixPath(path).suffix, ()):
        if all(any(marker in text for marker in group) for group in reader.markers):
            found += _read(reader.reader, text)
    return tuple(to_text(change) for change in found)


def _read(reader: str, text: str) -> Iterable[Change]:
    module, _, name = reader.partition(":")
    read: object = getattr(import_module(f"aoci_agent.aoci.facts.stores.{module}"), name)
    try:
        with warnings.catch_warnings():  # the compiler warns of odd escapes in files it only reads
            warnings.simplefilter("ignore")
            return cast("Callable[[str], Iterable[Change]]", read)(text)
    except (SyntaxError, ValueError, LookupError, TypeError, RecursionError, MemoryError):
        return ()  # damaged, or in a dialect nobody thought of
