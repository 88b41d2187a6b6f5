"""Tasks from elsewhere: mined cases, SWE-bench records, lists of issues."""

import json
import re
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, cast

from aoci_agent.base.errors import BadUsage, NotPossible
from aoci_agent.base.git import Repository
from aoci_agent.evals.replay.checks import MANIFESTS, check_of, filled
from aoci_agent.evals.replay.gold import commit_of, leaks
from aoci_agent.evals.replay.task import Task, task_of, tasks_of

Row = dict[str, Any]
_FILE = re.compile(r"^diff --git a/(?P<path>.+) b/(?P=path)$", re.MULTILINE)
_POINT = re.compile(r"^[-*] +(?:\[[ xX]\] +)?(?P<words>\S.*)$", re.MULTILINE)


def imported(path: Path, base: str = "", check: str = "") -> list[Task]:
    """The tasks of a file, by the fields its records have.

    JSON lines or a JSON array: mined cases (`query`, `base`, `commit`), SWE-bench's (`instance_id`,
    `problem_statement`), issues (`title`, `body`, `number`). Markdown: every point of a list is an
    issue. Issues name no commit: they start at `base` and are judged by `check`. TOML: tasks as
    they are.
    Raises BadUsage naming file and record.
    """
    if path.suffix == ".toml":
        own = {"check": check} if check else {}
        return [task.model_copy(update=own) for task in tasks_of(path)]
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise BadUsage(
            f"cannot read {path}: {why}", "name a JSON, JSON lines or Markdown file"
        ) from error
    rows = _points(text) if path.suffix in (".md", ".markdown") else _rows(path, text)
    return [_task(f"{path}: record {n}", row, base, check) for n, row in enumerate(rows, 1)]


def _rows(path: Path, text: str) -> list[Row]:
    try:
        whole = text.lstrip().startswith("[")
        data: object = (
            json.loads(text)
            if whole
            else [json.loads(line) for line in text.splitlines() if line.strip()]
        )
    except ValueError as error:
        raise BadUsage(
            f"{path} is no JSON: {error}", "a JSON array, or one object a line"
        ) from error
    rows = cast("list[object]", data)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise BadUsage(
                f"{path}: record {number} is no object", "a JSON array, or one object a line"
            )
    return cast("list[Row]", rows)


def _points(text: str) -> list[Row]:
    return [
        {"title": found["words"], "number": n} for n, found in enumerate(_POINT.finditer(text), 1)
    ]


def _task(where: str, row: Row, base: str, check: str) -> Task:
    if "problem_statement" in row:
        reader = _swe_bench
    elif "instance_id" in row:
        reader = _localization
    elif "commit" in row:
        reader = _mined
    elif "title" in row:
        reader = partial(_issue, base)
    else:
        known = "problem_statement, query with commit, or title"
        raise BadUsage(f"{where} is of no known kind", f"its fields should include {known}")
    try:
        fields = reader(row) | ({"check": check} if check else {})
    except (KeyError, TypeError, AttributeError) as error:
        raise BadUsage(f"{where} lacks {error}", "see docs/replay.md") from error
    made = task_of(where, fields)
    given = leaks(made.prompt, made.gold_files, made.gold_symbols)
    return made.model_copy(update={"leaks": given})


def _mined(row: Row) -> Row:
    symbols = [f"{item['path']}:{item['symbol']}" for item in row.get("gold_symbols", ())]
    repository = row.get("repo", "")
    name = repository.rpartition("/")[2]
    return {
        "id": f"{name}-{row['commit'][:10]}".lstrip("-"),
        "prompt": row["query"] or row.get("subject", ""),
        "base": row["base"],
        "repository": repository,
        "fix": row["commit"],
        "hidden": row.get("test_files", ()),
        "gold_files": row["gold_files"],
        "gold_symbols": symbols,
        "date": row.get("date", ""),
        "tags": [row["lang"]] if row.get("lang") else [],
    }


def _swe_bench(row: Row) -> Row:
    return {
        "id": row["instance_id"],
        "prompt": row["problem_statement"],
        "base": row["base_commit"],
        "repository": row["repo"],
        "tests_patch": row.get("test_patch", ""),
        "hidden": _files(row.get("test_patch", "")),
        "fail_to_pass": _names(row.get("FAIL_TO_PASS", ())),
        "pass_to_pass": _names(row.get("PASS_TO_PASS", ())),
        "gold_files": _files(row.get("patch", "")),
        "date": str(row.get("created_at", ""))[:10],
        "tags": ["swe-bench"],
    }


def _localization(row: Row) -> Row:
    """SWE-bench reduced to where the change belongs: nothing judges it but `check`."""
    return {
        "id": row["instance_id"],
        "prompt": row["query"],
        "base": row["base_commit"],
        "repository": row["repo"],
        "gold_files": row["gold_files"],
        "gold_symbols": row.get("gold_functions", ()),
        "tags": ["swe-bench"],
    }


def _issue(base: str, row: Row) -> Row:
    number = row.get("number") or row.get("id") or row.get("iid")
    words = re.sub(r"[^a-z0-9]+", "-", str(row["title"]).lower()).strip("-")[:40]
    body = str(row.get("body") or row.get("description") or "").replace("\r\n", "\n").strip()
    labels = row.get("labels") or ()
    return {
        "id": f"issue-{number}" if number is not None else words,
        "prompt": f"{row['title']}\n\n{body}".strip(),
        "base": base,
        "tags": [item["name"] if isinstance(item, dict) else str(item) for item in labels],
    }


def _files(patch: str) -> list[str]:
    return list(dict.fromkeys(found["path"] for found in _FILE.finditer(patch)))


def _names(value: object) -> list[str]:
    """A list, or a list written as JSON text, as SWE-bench's own files have it."""
    found: object = json.loads(value) if isinstance(value, str) and value else value
    return [str(name) for name in cast("list[object]", found or [])]


def ours(tasks: list[Task], repository: Repository) -> list[Task]:
    """Those that name no repository, or this one: by its folder's name, or by its origin."""
    origin = re.sub(r"(?:\.git)?/*$", "", repository.hardened.setting("remote.origin.url"))
    folder = repository.root.name.lower()

    def is_ours(task: Task) -> bool:
        wanted = task.repository.lower().replace("__", "/")
        return (
            not wanted
            or wanted.rpartition("/")[2] == folder
            or origin.lower().endswith((f"/{wanted}", f":{wanted}"))
        )

    return [task for task in tasks if is_ours(task)]


def located(task: Task, repository: Repository) -> Task:
    """The task with full ids of commits, and a check where its hidden tests tell which.

    NotPossible where the repository does not have its commits.
    """
    found = {"base": commit_of(repository, task.base)}
    if task.fix:
        found["fix"] = commit_of(repository, task.fix)
    if task.check:
        found["check"] = filled(task.check, task.hidden)
    elif task.hidden:
        with suppress(NotPossible):  # then nothing judges it, and that is said
            found["check"] = _check(repository, found["base"], task.hidden)
    return task.model_copy(update=found)


def _check(repository: Repository, base: str, tests: Sequence[str]) -> str:
    """By the files at the root of the base that tell which runner it is."""
    blobs = repository.blobs_of(base)
    data = dict(repository.contents(blobs[name] for name in MANIFESTS if name in blobs))
    with tempfile.TemporaryDirectory() as folder:
        for name in MANIFESTS:
            if name in blobs:
                (Path(folder) / name).write_bytes(data[blobs[name].id])
        return check_of(Path(folder), tests)
