"""Entities by annotation in TypeScript: TypeORM, MikroORM, sequelize-typescript, Nest's mongoose."""

import re

from aoci_agent.aoci.facts.stores.annotations import Marked, Marks, annotated, classes
from aoci_agent.aoci.facts.stores.brackets import option, strings, without_comments
from aoci_agent.aoci.facts.stores.naming import plural, snake
from aoci_agent.aoci.facts.stores.record import Change, Column, enum
from aoci_agent.aoci.wordset import wordset

_FIELD = re.compile(
    r"\s*(?:(?:public|private|protected|readonly|declare|override|static)\s+)*"
    r"(?P<name>\w+)\s*[?!]?\s*:\s*(?P<type>[^;=\n]+)"
)
_ENUM = re.compile(r"\benum\s+(\w+)\s*\{([^}]*)\}")
_SKIPPED = wordset("OneToMany ManyToMany HasMany BelongsToMany HasOne BelongsTo RelationId Formula")
_COLUMNS = wordset(
    "Column PrimaryColumn PrimaryGeneratedColumn CreateDateColumn UpdateDateColumn DeleteDateColumn"
    " VersionColumn ObjectIdColumn Prop Property PrimaryKey Enum CreatedAt UpdatedAt DeletedAt ForeignKey"
    " Generated ViewColumn"
)
_MANY = ("ManyToOne", "OneToOne")
_STAMPS = wordset("CreateDateColumn UpdateDateColumn DeleteDateColumn")
_CLASS_MARKS = ("Entity", "Table", "Schema")


def tables(text: str) -> list[Change]:
    """Entities, the classes they inherit from, and enums."""
    text = without_comments(text)
    changes: list[Change] = []
    for name, body in _ENUM.findall(text):
        values = strings(body) or re.findall(r"\b(\w+)\s*(?:,|=|\Z)", body)
        changes.append(Change("enum", name, alias=name, also=tuple(values)))
    for marked in classes(text):
        columns = [c for marks, rest in annotated(marked.body) if (c := _column(marks, rest))]
        own = next((mark for mark in _CLASS_MARKS if mark in marked.marks), "")
        if own or columns:
            changes.append(_entity(marked, own, tuple(columns)))
    return changes


def _entity(marked: Marked, own: str, columns: tuple[Column, ...]) -> Change:
    base = (f"<{marked.base}",) if marked.base else ()
    if not own:
        return Change("part", "", columns, marked.name, "typeorm", base)
    told = marked.marks[own]
    given = strings(told)[0] if told.strip()[:1] in ("'", '"', "`") else ""
    options = (option(told, key) for key in ("tableName", "collection", "name"))
    usual = plural(marked.name.lower()) if own == "Schema" else snake(marked.name)
    table = given or next(filter(None, options), "") or usual
    together = strings(marked.marks.get("Unique", ""))
    rules = (f"unique({'+'.join(together)})",) if len(together) > 1 else ()
    source = "mongoose" if own == "Schema" else "typeorm"
    return Change("model", table, columns, marked.name, source, (*base, *rules))


def _column(marks: Marks, rest: str) -> Column | None:
    field = _FIELD.match(rest)
    kept = [mark for mark in marks if mark in _COLUMNS]
    if not field or (not kept and _SKIPPED & marks.keys()):
        return None
    if relation := next((mark for mark in _MANY if mark in marks), ""):
        return _key(field["name"], relation, marks)
    told = " ".join(marks[mark] for mark in kept)
    if not kept:
        return None
    names = (option(told, key) for key in ("name", "fieldName", "field"))
    return Column(
        next(filter(None, names), field["name"]),
        _kind(marks, told, field["type"]),
        _flags(marks, kept, told),
    )


def _key(name: str, relation: str, marks: Marks) -> Column | None:
    """The column of a relation; a one-to-one relation has one on the side that joins."""
    target = re.search(r"=>\s*(\w+)", marks[relation])
    if target is None or (relation == "OneToOne" and "JoinColumn" not in marks):
        return None
    unique = ("unique",) if relation == "OneToOne" else ()
    stored = option(marks.get("JoinColumn", ""), "name") or f"{name}Id"
    return Column(stored, "fk", (*unique, f"→={target[1]}"))


def _flags(marks: Marks, kept: list[str], told: str) -> tuple[str, ...]:
    primary = re.search(r"\bprimary(?:Key)?\s*:\s*true", told) is not None
    flags = ["pk"] if primary or any(mark.startswith("Primary") for mark in kept) else []
    unique = re.search(r"\bunique\s*:\s*true", told) is not None
    flags += ["unique"] if unique or "Unique" in marks else []
    target = re.search(r"=>\s*(\w+)", marks.get("ForeignKey", ""))
    target = target or re.search(r"\bref\s*:\s*['\"]?(\w+)", told)
    flags += [f"→={target[1]}"] if target else []
    listed = re.search(r"\benum\s*:\s*\[([^\]]*)\]", told)
    return (*flags, *enum(strings(listed[1]) if listed else []))


def _kind(marks: Marks, told: str, declared: str) -> str:
    """The type; as written where it names an enum of the program."""
    if _STAMPS & marks.keys():
        return "timestamp"
    if named := re.search(r"\benum\s*:\s*([A-Z]\w*)|=>\s*([A-Z]\w*)", told):
        return named[1] or named[2]
    given = strings(told)[0] if told.strip()[:1] in ("'", '"') else ""
    return (option(told, "type") or given or declared.strip().split("<")[0]).lower()
