"""Entities of JPA and Hibernate, in Java and Kotlin."""

import re

from aoci_agent.aoci.facts.stores.annotations import Marked, Marks, classes, declared
from aoci_agent.aoci.facts.stores.brackets import option, strings, without_comments
from aoci_agent.aoci.facts.stores.naming import snake
from aoci_agent.aoci.facts.stores.record import Change, Column
from aoci_agent.aoci.wordset import wordset

_FIELD = re.compile(
    r"\s*+(?P<how>(?:(?:public|private|protected|final|static|transient|volatile|override|open|lateinit|internal)\s++)*)"
    r"(?:(?:val|var)\s+(?P<kname>\w+)\s*:\s*(?P<ktype>[\w.<>?, ]*?[\w.<>?,])[^\S\n]*+(?:[=,;)\n]|\Z)|(?P<type>[\w.<>,\[\]? ]*?[\w.<>,\[\]?])\s++(?P<name>\w++)\s*+(?:=[^;]*)?;)"
)
_ENUM = re.compile(r"\benum\s+(?:class\s+)?(\w+)[^{]*\{\s*([A-Z][\w\s,()\"'.]*)")
_SKIPPED = wordset("OneToMany ManyToMany Transient ElementCollection Embedded Formula")
_NO_TYPE = wordset("enum class interface record return package throw import new else")


def tables(text: str) -> list[Change]:
    """Entities, the classes they inherit from, and enums. Names follow Spring's snake case."""
    text = without_comments(text)
    changes: list[Change] = []
    for name, body in _ENUM.findall(text):
        values = re.findall(r"(?:\A|,)\s*([A-Z]\w*)", body)
        changes.append(Change("enum", name, alias=name, also=tuple(values)))
    for marked in classes(text):
        columns = [c for marks, rest in declared(marked) if (c := _column(marks, rest))]
        base = (f"<{marked.base}",) if marked.base else ()
        if "Entity" in marked.marks:
            also = (*base, *_rules(marked))
            changes.append(Change("model", _name(marked), tuple(columns), marked.name, "jpa", also))
        elif {"MappedSuperclass", "Embeddable"} & marked.marks.keys():
            changes.append(Change("part", "", tuple(columns), marked.name, "jpa", base))
    return changes


def _name(marked: Marked) -> str:
    own = option(marked.marks["Entity"], "name") or marked.name
    return (option(marked.marks.get("Table", ""), "name") or snake(own)).strip('`"')


def _rules(marked: Marked) -> list[str]:
    listed = re.findall(r"columnNames\s*=\s*\{([^}]*)\}", marked.marks.get("Table", ""))
    together = [strings(names) for names in listed]
    return [f"unique({'+'.join(names)})" for names in together if len(names) > 1]


def _column(marks: Marks, rest: str) -> Column | None:
    field = _FIELD.match(rest)
    if not field or _SKIPPED & marks.keys() or "static" in (field["how"] or ""):
        return None
    name = field["kname"] or field["name"]
    kind = (field["ktype"] or field["type"]).strip().rstrip("?").split("<")[0].rsplit(".", 1)[-1]
    if kind in _NO_TYPE or "mappedBy" in marks.get("OneToOne", ""):
        return None
    if relation := {"ManyToOne", "OneToOne"} & marks.keys():
        stored = option(marks.get("JoinColumn", ""), "name") or f"{snake(name)}_id"
        unique = ("unique",) if "OneToOne" in relation else ()
        return Column(stored, "fk", (*unique, f"→={kind}"))
    told = marks.get("Column", "")
    flags = ["pk"] if {"Id", "EmbeddedId"} & marks.keys() else []
    flags += ["unique"] if re.search(r"\bunique\s*=\s*true", told) else []
    stored = (option(told, "name") or snake(name)).strip('`"')
    return Column(stored, kind if "Enumerated" in marks else kind.lower(), tuple(flags))
