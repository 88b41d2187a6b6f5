"""Classes and structs -> tables: bases and embedded structs, default names, relations."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from aoci_agent.aoci.facts.stores.naming import plural, snake
from aoci_agent.aoci.facts.stores.record import Change, Column
from aoci_agent.aoci.schema.replay import ORM, Sources, Table
from aoci_agent.aoci.wordset import wordset

_GORM = tuple(
    Column(name, "timestamp" if name != "id" else "uint", ("pk",) if name == "id" else ())
    for name in ("id", "created_at", "updated_at", "deleted_at")
)
_USER = ("password", "last_login")
_ABSTRACT_USER = ("is_superuser", "username", "first_name", "last_name", "email", "is_staff",
                  "is_active", "date_joined")  # fmt: skip
# Bases that live outside the repository.
_OUTSIDE = {
    "gorm.Model": _GORM,
    "AbstractBaseUser": tuple(map(Column, _USER)),
    "PermissionsMixin": (Column("is_superuser"),),
    "AbstractUser": tuple(
        Column(name, "", ("unique",) if name == "username" else ())
        for name in (*_USER, *_ABSTRACT_USER)
    ),
    "TimeStampedModel": (Column("created"), Column("modified")),
}
_DJANGO = {"AUTH_USER_MODEL": "auth_user", "User": "auth_user", "Group": "auth_group",
           "Permission": "auth_permission", "ContentType": "django_content_type", "Site": "django_site"}  # fmt: skip
_MAPPERS = wordset("jpa typeorm sequelize")  # these often name only what the program needs
_BARE = wordset("Model Base BaseEntity SQLModel DeclarativeBase object Object Serializable")
_DEPTH = 8


@dataclass
class Models:
    """Tables by lower-case name, and the table each class or variable stands for."""

    tables: list[Table] = field(default_factory=list[Table])
    aliases: dict[str, str] = field(default_factory=dict[str, str])


def models(found: Sources) -> Models:
    """The tables defined in code."""
    return _Reading(found).all()


class _Reading:
    def __init__(self, found: Sources) -> None:
        self._found = found
        self._by_alias: dict[str, list[tuple[str, Change]]] = {}
        for path, change in found.models:
            if change.alias:
                self._by_alias.setdefault(change.alias, []).append((path, change))
        bases = (base for _, change in found.models for base in _bases(change))
        self._embedded = {base.rsplit(".", 1)[-1] for base in bases}

    def all(self) -> Models:
        made = Models()
        for path, change in self._found.models:
            if change.op == "model" and self._is_table(path, change):
                table = self._table(path, change)
                made.tables.append(table)
                if change.alias:
                    made.aliases.setdefault(change.alias, table.name)
                made.tables += self._joined(path, change, table)
        for table in made.tables:
            self._settle(table, made.aliases)
        return made

    def _is_table(self, path: str, change: Change, depth: int = 0) -> bool:
        if change.source == "django":
            return "direct" in change.also or any(
                self._is_model(path, base, depth) for base in _bases(change)
            )
        if change.source != "gorm":
            return True
        if self._found.known:
            return change.alias in self._found.known or bool(change.table)
        return bool(change.table) or change.alias not in self._embedded

    def _is_model(self, path: str, base: str, depth: int) -> bool:
        """Whether a base is a Django model, found or known by name."""
        found = self._nearest(path, base)
        if found is None or depth > _DEPTH:
            last = base.rsplit(".", 1)[-1]
            return last in _OUTSIDE or last.endswith("Model") or last == "Page"
        return self._is_table(*found, depth + 1)

    def _table(self, path: str, change: Change) -> Table:
        table = Table(self._name(path, change), path, ORM, source=change.source)
        foreign = any(self._is_foreign(path, base) for base in _bases(change))
        table.partial = foreign or change.source in _MAPPERS
        columns = [*self._inherited(path, change, 0), *change.columns]
        if change.source == "django" and not any("pk" in column.flags for column in columns):
            columns.insert(0, self._django_key(path, change))
        table.take(columns, (word for word in change.also if word.startswith("unique(")))
        return table

    def _is_foreign(self, path: str, base: str) -> bool:
        """Whether columns may come from a base outside the repository that nobody here knows."""
        last = base.partition("~")[0].rsplit(".", 1)[-1]
        return self._nearest(path, base.partition("~")[0]) is None and not (
            last in _OUTSIDE or base in _OUTSIDE or last in _BARE
        )

    def _name(self, path: str, change: Change) -> str:
        if change.table:
            return change.table
        if change.source == "django":
            return f"{_label(path, change)}_{change.alias.lower()}"
        return plural(snake(change.alias)) if change.source == "gorm" else snake(change.alias)

    def _django_key(self, path: str, change: Change) -> Column:
        """Multi-table inheritance shares its parent's key; others get `id`."""
        for base in _bases(change):
            found = self._nearest(path, base)
            if found is not None and found[1].op == "model":
                name = found[1].alias
                return Column(f"{name.lower()}_ptr_id", "fk", ("pk", f"→={name}"))
        return Column("id", "bigint", ("pk",))

    def _inherited(self, path: str, change: Change, depth: int) -> Iterator[Column]:
        """Columns of bases and embedded structs; those of a concrete Django base stay in its table."""
        for base in _bases(change) if depth < _DEPTH else ():
            name, _, prefix = base.partition("~")
            found = self._nearest(path, name)
            outside = _OUTSIDE.get(name) or _OUTSIDE.get(name.rsplit(".", 1)[-1])
            if found is None or (found[0] == path and found[1] is change):
                yield from outside or ()
                continue
            concrete = found[1].op == "model" and change.source in ("django", "jpa", "sqlalchemy")
            if not concrete:
                columns = (*self._inherited(*found, depth + 1), *found[1].columns)
                for column in columns:
                    yield column._replace(name=f"{prefix}{column.name}") if prefix else column

    def _nearest(self, path: str, base: str) -> tuple[str, Change] | None:
        """The definition of a name that is nearest: same file, same folder, then anywhere."""
        package, _, name = base.rpartition(".")
        candidates = self._by_alias.get(name, [])
        folder = str(PurePosixPath(path).parent)

        def distance(candidate: tuple[str, Change]) -> tuple[int, str]:
            own = PurePosixPath(candidate[0]).parent
            near = 1 if str(own) == folder else 2 if own.name == package.rsplit(".", 1)[-1] else 3
            return (0 if candidate[0] == path else near), candidate[0]

        return min(candidates, key=distance, default=None)

    def _joined(self, path: str, change: Change, table: Table) -> Iterator[Table]:
        """The table between two Django models."""
        for word in self._links(path, change, 0):
            if word.startswith("m2m="):
                name, given, other = word.removeprefix("m2m=").split(">", 2)
                between = Table(given or f"{table.name}_{name}", path, ORM, source="django")
                own = change.alias.lower()
                names = (
                    (f"from_{own}", f"to_{own}")
                    if other in ("self", change.alias)
                    else (own, other.lower())
                )
                between.take((Column("id", "bigint", ("pk",)), Column(f"{names[0]}_id", "fk", (f"→={change.alias}",)),
                              Column(f"{names[1]}_id", "fk", (f"→={change.alias if other == 'self' else other}",))))  # fmt: skip
                yield between

    def _links(self, path: str, change: Change, depth: int) -> Iterator[str]:
        """What a model says of tables between models, its abstract bases included."""
        yield from change.also
        for base in _bases(change) if change.source == "django" and depth < _DEPTH else ():
            found = self._nearest(path, base)
            if found is not None and found[1].op == "part":
                yield from self._links(*found, depth + 1)

    def _settle(self, table: Table, aliases: dict[str, str]) -> None:
        """Drop what only navigates, and name the tables that keys point to."""
        kept: dict[str, Column] = {}
        keys: dict[str, str] = {}  # column -> table, where a dropped field says so
        for name, column in table.columns.items():
            if column.type[:1] == "?" and (key := self._key_of(column, table)):
                target = aliases.get(_class_of(column.type))
                keys |= {key.lower(): target} if target else {}
            elif column.type[:1] != "?" or not self._navigates(column, table):
                flags = self._pointed(column, table, aliases)
                kept[name] = column._replace(type=column.type.lstrip("?"), flags=flags)
        for name, target in keys.items():
            column = kept.get(name)
            if column and not any(flag.startswith("→") for flag in column.flags):
                kept[name] = column._replace(flags=(*column.flags, f"→{target}"))
        table.columns = kept
        _gather_rules(table)

    def _key_of(self, column: Column, table: Table) -> str:
        """The column that stands for a field of another model's type, "" for a stored field."""
        named = next((flag[3:] for flag in column.flags if flag.startswith("by:")), None)
        if named is None and not self._navigates(column, table):
            return ""
        return named or f"{snake(column.name.lstrip('@'))}_id"

    def _navigates(self, column: Column, table: Table) -> bool:
        """Whether a type names another model, or nothing that could be stored."""
        if column.type[1:].lower() in self._found.enums:
            return False
        named = self._by_alias.get(_class_of(column.type), ())
        return table.source == "prisma" or any(change.op == "model" for _, change in named)

    def _pointed(self, column: Column, table: Table, aliases: dict[str, str]) -> tuple[str, ...]:
        flags: list[str] = []
        for word in column.flags:
            name = word.removeprefix("→=") if word.startswith("→=") else ""
            if name:
                word = f"→{table.name if name == 'self' else aliases.get(name, _guess(name, table.source))}"
            flags.append(word)
        return tuple(dict.fromkeys(flags))


def _class_of(kind: str) -> str:
    """`?[]*model.Tag` -> `Tag`."""
    return re.sub(r"\W|\d", "", kind.rsplit(".", 1)[-1])


def _bases(change: Change) -> list[str]:
    return [word[1:] for word in change.also if word.startswith("<")]


def _guess(name: str, source: str) -> str:
    """The table of a class outside the repository, as well as its name tells."""
    if source == "django":
        return _DJANGO.get(name, name.lower())
    return plural(snake(name)) if source in ("gorm", "sequelize", "mongoose") else snake(name)


def _label(path: str, change: Change) -> str:
    """The Django app: its own word, else the folder of `models.py` or of `models/`."""
    given = next((word for word in change.also if word.startswith("label=")), "")
    if given:
        return given.removeprefix("label=")
    folders = list(PurePosixPath(path).parent.parts)
    while folders and folders[-1] in ("models", "model"):
        folders.pop()
    return folders[-1] if folders else "app"


def _gather_rules(table: Table) -> None:
    """Columns that name one index together become one rule of the table."""
    groups: dict[str, list[str]] = {}
    for column in table.columns.values():
        for word in column.flags:
            if word.startswith("unique:"):
                groups.setdefault(word, []).append(column.name)
    for key, column in table.columns.items():
        flags = [
            "unique" if word in groups and len(groups[word]) == 1 else word for word in column.flags
        ]
        table.columns[key] = column._replace(
            flags=tuple(f for f in flags if not f.startswith("unique:"))
        )
    table.rules += [f"unique({'+'.join(names)})" for names in groups.values() if len(names) > 1]
