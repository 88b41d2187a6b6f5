"""Where Python imports lead, asked of jedi: run by `oracles.py` in an environment of its own."""

import ast
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

jedi: Any = importlib.import_module("jedi")


class Place(NamedTuple):
    """A name in a file: lines from 1, columns in bytes from 0."""

    name: str
    line: int
    column: int


def places(tree: ast.Module, lines: list[bytes]) -> Iterator[Place]:
    """Every imported name, and the first use of each attribute of an imported module."""
    modules: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                modules.add(alias.asname or alias.name)
                last = len(alias.name.rpartition(".")[0])
                yield Place("*", alias.lineno, alias.col_offset + last + bool(last))
        elif isinstance(node, ast.ImportFrom):
            yield from taken(node, lines)
    yield from attributes(tree, modules)


def taken(node: ast.ImportFrom, lines: list[bytes]) -> Iterator[Place]:
    if node.module:  # the module itself, on the line of `from`
        end = lines[node.lineno - 1].find(b" import", node.col_offset)
        whole = "*" if node.names[0].name == "*" else ""
        yield Place(whole, node.lineno, max(end - 1, node.col_offset + 5))
    for alias in node.names:
        if alias.name != "*":
            yield Place(alias.name, alias.lineno, alias.col_offset)


def attributes(tree: ast.Module, modules: set[str]) -> Iterator[Place]:
    seen: set[tuple[str, str]] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.end_lineno and node.end_col_offset:
            pair = (ast.unparse(node.value), node.attr)
            if pair[0] in modules and pair not in seen:
                seen.add(pair)
                yield Place(node.attr, node.end_lineno, node.end_col_offset - len(node.attr))


def target(script: Any, root: Path, path: Path, place: Place, lines: list[bytes]) -> str | None:
    """The file that defines a name; None where jedi stops at the import itself or finds nothing."""
    column = len(lines[place.line - 1][: place.column].decode("utf-8", "replace"))
    try:
        found = script.goto(place.line, column, follow_imports=True, follow_builtin_imports=True)
    except Exception:  # noqa: BLE001  jedi raises all sorts on odd code; that is no answer
        return None
    for name in found:
        where: Path | None = name.module_path
        if where is None:
            return "" if name.in_builtin_module() else None
        if where == path and name.line == place.line:
            return None
        return where.relative_to(root).as_posix() if where.is_relative_to(root) else ""
    return None


def main() -> None:
    request: dict[str, Any] = json.load(sys.stdin)
    root = Path(request["root"])
    extra = [str(root / "src")] if (root / "src").is_dir() else []
    project = jedi.Project(str(root), added_sys_path=extra)
    for source in request["sources"]:
        path = root / source
        data = path.read_bytes()
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError):
            continue
        lines = data.splitlines()
        script = jedi.Script(path=str(path), project=project)
        found = {
            (place.name, target(script, root, path, place, lines)) for place in places(tree, lines)
        }
        references = sorted(found, key=str)
        print(json.dumps({"source": source, "references": references}), flush=True)


if __name__ == "__main__":
    main()
