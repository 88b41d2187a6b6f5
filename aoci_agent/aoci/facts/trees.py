"""JSON, TOML and YAML as plain values: tables, lists and words. Damaged text gives what can be read."""

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any, TypeGuard

from aoci_agent.aoci.facts.language import Source

Table = dict[str, Any]
# Every alternative ends somewhere even in damaged text, so that no start is tried to the end in vain.
_STRING = r"(\"(?:[^\"\\\n]|\\.)*(?:\"|$))"
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*(?:.*?\*/|.*\Z)", re.DOTALL | re.MULTILINE)
_COMMA = re.compile(rf"{_STRING}|,(?= ?[}}\]])", re.MULTILINE)


# The library adds up the parts of a key one by one.
_ENDLESS_KEY = re.compile(r"^[ \t\[]*(?:[\w\"'-]{1,99}[ \t]*\.[ \t]*){99}", re.MULTILINE)


def load_json(text: str) -> Any:
    """The value of a JSON text, comments and trailing commas allowed; None where there is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    kept = (
        _COMMENT.sub(lambda found: found[1] or "", text) if "*/" in text or "//" in text else text
    )
    kept = _COMMA.sub(lambda found: found[1] or "", re.sub(r"[ \t\n]+", " ", kept))
    try:
        return json.loads(kept)
    except (ValueError, RecursionError):
        return None


def json_of(source: Source) -> Any:
    """As `load_json` of a file's text; one that is JSON by its name, and none by its text, is said."""
    value = load_json(source.text)
    named = source.path.lower().endswith((".json", ".ipynb"))
    if value is None and named and source.text.strip() not in ("", "null"):
        source.damage.append("not valid JSON")
    return value


def toml_of(source: Source) -> Table | None:
    """As `load_toml` of a file's text; one that is TOML by its name, and none by its text, is said."""
    value = load_toml(source.text)
    if value is None and source.path.lower().endswith(".toml"):
        source.damage.append("not valid TOML")
    return value


def load_toml(text: str) -> Table | None:
    """The table of a TOML text, None when it is not valid."""
    if _ENDLESS_KEY.search(text):
        return None
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def is_table(value: object) -> TypeGuard[Table]:
    """Whether a value has keys."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether a value is a list."""
    return isinstance(value, list)


def table(value: object) -> Table:
    """The value itself where it is a table, else an empty one."""
    return value if is_table(value) else {}


def items(value: object) -> list[Any]:
    """A list's items; a single word stands for a list of one."""
    if is_list(value):
        return value
    return [value] if isinstance(value, str) and value else []


def word(value: object) -> str:
    """A scalar as text, "" for tables and lists."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else ""


def words(value: object) -> list[str]:
    """The scalars of a list, or the keys of a table."""
    listed = list(table(value)) if is_table(value) else items(value)
    return [text for item in listed if (text := word(item))]


def at(value: object, *path: str) -> Any:
    """What lies at a path of keys, None where the path ends early."""
    for key in path:
        value = table(value).get(key)
    return value


def leaves(value: object, limit: int = 400) -> list[tuple[str, str]]:
    """Dotted keys with their scalars, in order, at most `limit`; a list of scalars is one leaf."""
    found: list[tuple[str, str]] = []
    pending: list[tuple[str, object]] = [("", value)]
    while pending and len(found) < limit:
        key, here = pending.pop()
        if is_table(here):
            name = word(here.get("name")) or word(here.get("key"))
            if (
                name and "value" in here
            ):  # `{name: PASSWORD, value: …}`: the name says what the value is
                pending.append((f"{key}.{name}" if key else name, here["value"]))
                continue
            inner = [(f"{key}.{k}" if key else str(k), v) for k, v in table(here).items()]
            pending.extend(reversed(inner[:limit]))
        elif is_list(here):
            inner = here
            if text := ",".join(filter(None, map(word, inner[:8]))):
                found.append((key, text))
            pending.extend((key, item) for item in reversed(inner[:20]) if is_table(item))
        elif text := word(here):
            found.append((key, text))
    return found


def tables_in(value: object, limit: int = 5000) -> Iterator[Table]:
    """Every table inside a value, the outer before the inner."""
    pending = [value]
    while pending and limit:
        here = pending.pop()
        limit -= 1
        if is_table(here):
            yield table(here)
            pending.extend(reversed(list(table(here).values())))
        elif is_list(here):
            pending.extend(reversed(here))
