"""A task: what to do, where to start, how to tell that it was done. TOML or JSON lines, for people to read."""

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from aoci_agent.base.errors import BadUsage

WIDTH = 90  # characters of a list on one line
_ID = r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}\z"


class Budget(BaseModel):
    """What one attempt may use; None is no limit of its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: int | None = Field(default=None, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    cost: float | None = Field(default=None, ge=0)
    time: float | None = Field(default=None, gt=0)


class Task(BaseModel):
    """One task. Only `id`, `prompt` and `base` are needed, and something that judges: `check` or `hidden`.

    `base` and `fix` are commits. The files in `hidden` are laid over the work tree once the agent has
    stopped, as they are in `fix` (or as `tests_patch` makes them); then `check` is run, a shell
    command whose exit code 0 is success. Gold is what the person changed: it scores, it is never shown.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=_ID)
    prompt: str = Field(min_length=1)
    base: str = Field(min_length=1)
    repository: str = ""
    """`owner/name` when it is not the repository the task file lies in."""
    fix: str = ""
    setup: str = ""
    """A shell command that prepares the environment, once for each base."""
    check: str = ""
    hidden: tuple[str, ...] = ()
    tests_patch: str = ""
    fail_to_pass: tuple[str, ...] = ()
    pass_to_pass: tuple[str, ...] = ()
    known_failures: tuple[str, ...] = ()
    """Tests of the check that fail with the fix too: they are not held against anybody."""
    gold_files: tuple[str, ...] = ()
    gold_symbols: tuple[str, ...] = ()
    """`path:Class.method`."""
    budget: Budget = Budget()
    tags: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    """What of the gold the prompt names: "path", "stem", "symbol"."""
    date: str = ""


def tasks_of(path: Path) -> list[Task]:
    """The tasks of a file, `.toml` (`[[task]]`) or JSON lines. Raises BadUsage naming file and task."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise BadUsage(
            f"cannot read the tasks in {path}: {why}", "aoci-agent replay tasks mine"
        ) from error
    rows = _toml(path, text) if path.suffix == ".toml" else _lines(path, text)
    found = [task_of(f"{path}: {where}", row) for where, row in rows]
    for number, task in enumerate(found):
        if any(task.id == other.id for other in found[:number]):
            raise BadUsage(f"{path}: two tasks are called {task.id}", "rename one")
    return found


def written(tasks: Iterable[Task], suffix: str = ".toml") -> str:
    """The tasks as text; what has its default is left out."""
    rows = [task.model_dump(mode="json", exclude_defaults=True) for task in tasks]
    if suffix != ".toml":
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    return "\n".join("[[task]]\n" + "".join(_items(row)) for row in rows)


def _toml(path: Path, text: str) -> list[tuple[str, Any]]:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadUsage(
            f"{path}: {error}", "mend it, or write it again: replay tasks mine"
        ) from error
    rows: object = data.get("task", [])
    if set(data) - {"task"} or not isinstance(rows, list):
        raise BadUsage(f"{path}: only [[task]] tables are known", "see docs/replay.md")
    return [(f"task {number}", row) for number, row in enumerate(cast("list[Any]", rows), 1)]


def _lines(path: Path, text: str) -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                rows.append((f"line {number}", json.loads(line)))
            except ValueError as error:
                raise BadUsage(
                    f"{path}: line {number}: {error}", "one JSON object a line"
                ) from error
    return rows


def task_of(where: str, row: object) -> Task:
    """One task. Raises BadUsage naming the field that is wrong."""
    try:
        return Task.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"])) or "it"
        why = "letters, digits, . _ @ and - only" if name == "id" else first["msg"]
        raise BadUsage(f"{where}: {name}: {why}", "see docs/replay.md") from error


def _items(row: dict[str, Any]) -> Iterable[str]:
    """The lines of one table; tables inside it come last, each on one line."""
    for name, value in sorted(row.items(), key=lambda item: isinstance(item[1], dict)):
        yield f"{name} = {_value(value)}\n"


def _value(value: object) -> str:
    match value:
        case str():
            return _long(value) if "\n" in value else _quoted(value)
        case list():
            values = [_value(item) for item in cast("list[object]", value)]
            line = f"[{', '.join(values)}]"
            return line if len(line) < WIDTH else _column(values)
        case dict():
            table = cast("dict[str, object]", value)
            return f"{{ {', '.join(f'{key} = {_value(item)}' for key, item in table.items())} }}"
        case _:
            return json.dumps(value)


def _column(values: list[str]) -> str:
    return "[\n" + "".join(f"    {value},\n" for value in values) + "]"


def _quoted(text: str) -> str:
    """A TOML basic string; JSON's escapes are a subset of its own, but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _long(text: str) -> str:
    """A TOML multi-line string; quotes stay as they are where they cannot end it."""
    lines = [_quoted(line)[1:-1] for line in text.split("\n")]
    plain = [line.replace('\\"', '"') for line in lines]
    kept = [
        bare if '""' not in bare and not bare.endswith('"') else line
        for bare, line in zip(plain, lines, strict=True)
    ]
    return '"""\n' + "\n".join(kept) + '"""'
