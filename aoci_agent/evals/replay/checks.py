"""The command that judges a task: the project's own runner on the tests that belong to it."""

import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any, cast

from aoci_agent.base.errors import NotPossible

_NODE = ("ava", "vitest", "jest", "mocha", "tap")
_PYTEST = "python -m pytest -q --color=no --tb=short -p no:cacheprovider"


def check_of(tree: Path, tests: Sequence[str]) -> str:
    """A shell command for the root of a tree that has these test files. NotPossible where none is known."""
    by_suffix = {PurePosixPath(path).suffix for path in tests}
    if ".py" in by_suffix:
        files = [path for path in tests if _is_python_test(path)]
        return _command(_PYTEST, files)
    if (tree / "package.json").is_file():
        return _node(tree, [path for path in tests if PurePosixPath(path).suffix in _SCRIPTS])
    if ".rs" in by_suffix or (tree / "Cargo.toml").is_file():
        return "cargo test --quiet --no-fail-fast"
    if ".go" in by_suffix:
        folders = sorted(
            {f"./{PurePosixPath(path).parent}" for path in tests if path.endswith(".go")}
        )
        return _command("go test -json", folders)
    raise NotPossible(f"no runner is known for {', '.join(tests[:3])}: give one with --check")


_SCRIPTS = frozenset((".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"))


def _command(runner: str, words: Sequence[str]) -> str:
    if not words:
        raise NotPossible("only helpers of tests change: there is no test to run")
    return f"{runner} {shlex.join(words)}"


def _is_python_test(path: str) -> bool:
    name = PurePosixPath(path).name
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def _node(tree: Path, files: Sequence[str]) -> str:
    """The part of the test script that starts the runner, with what stands before it; else Node's own."""
    try:
        data = cast("dict[str, Any]", json.loads((tree / "package.json").read_text("utf-8")))
    except (OSError, ValueError) as error:
        raise NotPossible(f"package.json cannot be read: {error}") from error
    known = {**data.get("dependencies", {}), **data.get("devDependencies", {})}
    tests = [path for path in files if not _shared(path)]
    runner = next((name for name in _NODE if name in known), "")
    if not runner:
        return _command("node --test --test-reporter=tap", tests)
    script = str(data.get("scripts", {}).get("test", ""))
    parts = (part.strip() for part in re.split(r"&&|\|\||;", script))
    started = next(
        (found[1] for part in parts if (found := re.match(rf"(.*\b{runner})\b", part))), runner
    )
    options = {"vitest": " run", "ava": " --tap"}.get(runner, "")
    return _command(f'PATH="$PWD/node_modules/.bin:$PATH" {started}{options}', tests)


def _shared(path: str) -> bool:
    """Helpers and data that tests use, which are no tests."""
    return any(
        part.startswith(("helpers", "fixtures", "_")) for part in PurePosixPath(path).parts[1:]
    )
