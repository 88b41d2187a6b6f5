"""The command that judges a task: the project's own runner on the tests that belong to it."""

import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any, cast

from aoci_agent.base.errors import NotPossible
from aoci_agent.base.files import Workspace
from aoci_agent.tools.runners.finding import find_runner

MANIFESTS = ("package.json", "pom.xml", "Cargo.toml", "CMakeLists.txt", "go.mod", "Makefile")
_NODE = ("ava", "vitest", "jest", "mocha", "tap")
# Built outside of the tree: what a check leaves there would count as changed.
_CMAKE = (
    'built="$(mktemp -d)" && cmake -S . -B "$built" >/dev/null && cmake --build "$built" -j2'
    ' >"$built/log" 2>&1 || { tail -n 40 "$built/log"; false; } && cd "$built"'
    " && ctest --output-on-failure --timeout 300"
)
# Without network: what it needs lies in the person's own store of packages.
_MAVEN = "mvn -o -B -Dstyle.color=never -Dsurefire.failIfNoSpecifiedTests=false test"
_JUNIT = re.compile(r"(?:Tests?|TestCase|IT)\.java\Z|(?:^|/)Test\w+\.java\Z")
# Without -q, of which two say no counts; -rfE names what failed, whatever the project's own options name.
_PYTEST = "python -m pytest --color=no --tb=short -rfE -p no:cacheprovider"


def check_of(tree: Path, tests: Sequence[str]) -> str:
    """A shell command for the root of a tree that has these test files. NotPossible where none is known."""
    by_suffix = {PurePosixPath(path).suffix for path in tests}
    if ".py" in by_suffix:
        files = [path for path in tests if _is_python_test(path)]
        return _command(_PYTEST, files)
    if (tree / "package.json").is_file():
        return _node(tree, [path for path in tests if PurePosixPath(path).suffix in _SCRIPTS])
    return _built(tree, tests) or _own(tree, tests)


def _built(tree: Path, tests: Sequence[str]) -> str:
    """Of what is compiled first; "" for none of these."""
    if (tree / "Cargo.toml").is_file():
        return "cargo test --color=never --no-fail-fast"
    if any(path.endswith(".go") for path in tests):
        folders = sorted(
            {f"./{PurePosixPath(path).parent}" for path in tests if path.endswith(".go")}
        )
        return _command("go test -json", folders)
    if (tree / "pom.xml").is_file():
        classes = [PurePosixPath(path).stem for path in tests if _JUNIT.search(path)]
        return _command(_MAVEN, [f"-Dtest={','.join(classes)}"] if classes else [])
    if (tree / "CMakeLists.txt").is_file():
        return _CMAKE
    return ""


def _own(tree: Path, tests: Sequence[str]) -> str:
    """The project's own runner, whatever it is."""
    with Workspace(tree) as workspace:
        try:
            return find_runner(workspace, "", ()).command
        except NotPossible as error:
            raise NotPossible(
                f"no runner is known for {', '.join(tests[:3])}: give one with --check"
            ) from error


def filled(command: str, tests: Sequence[str]) -> str:
    """A command of the user's own, `{tests}` in it filled with the paths of the test files."""
    return command.replace("{tests}", shlex.join(tests))


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
        return _command("node --test --test-reporter=tap --test-timeout=60000", tests)
    script = str(data.get("scripts", {}).get("test", ""))
    parts = (part.strip() for part in re.split(r"&&|\|\||;", script))
    started = next(
        (found[1] for part in parts if (found := re.match(rf"(.*\b{runner})\b", part))), runner
    )
    options = {"vitest": " run", "ava": " --tap --timeout=60s"}.get(runner, "")
    return _command(f'PATH="$PWD/node_modules/.bin:$PATH" {started}{options}', tests)


def _shared(path: str) -> bool:
    """Helpers and data that tests use, which are no tests."""
    return any(
        part.startswith(("helpers", "fixtures", "_")) for part in PurePosixPath(path).parts[1:]
    )
