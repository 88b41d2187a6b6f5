"""npm and its kin, go, cargo and make."""

import json
import re
from pathlib import PurePosixPath
from typing import Any, cast

from aoci_agent.base.errors import NotPossible
from aoci_agent.tools.reports import native, node
from aoci_agent.tools.reports.report import Reader
from aoci_agent.tools.runners.runner import Request, Runner

MANAGERS = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
}
NODE_READERS: dict[str, Reader] = {
    "vitest": node.vitest,
    "jest": node.jest,
    "mocha": node.mocha,
}


def npm(request: Request) -> Runner | None:
    """The test script of package.json, through the package manager the lock file names."""
    script = _test_script(request.text("package.json"))
    if not script or "no test specified" in script:
        return None
    folders = (request.path, request.root)
    locked = [name for lock, name in MANAGERS.items() for at in folders if (at / lock).is_file()]
    manager, path = request.program(*locked, "npm")
    words = (*request.extra, *((request.target,) if request.target else ()))
    dashes = ("--",) if words and manager == "npm" else ()
    reader = next((reader for name, reader in NODE_READERS.items() if name in script), None)
    argv = (path, "run", "test", *dashes, *words)
    return Runner(f"{manager} test", manager, argv, request.folder, reader)


def _test_script(package_json: str) -> str:
    try:
        scripts = cast("dict[str, Any]", json.loads(package_json))["scripts"]
        return str(scripts["test"])
    except (ValueError, LookupError, TypeError):
        return ""


def go(request: Request) -> Runner | None:
    """`go test -json`; a target is a folder, a file (its package), file::Test or a test's name."""
    if not request.has("go.mod"):
        return None
    shown, path = request.program("go")
    argv = (path, "test", "-json", *request.extra, *_go_words(request))
    return Runner("go test", shown, argv, request.folder, native.go_json)


def _go_words(request: Request) -> tuple[str, ...]:
    if not request.target:
        return ("./...",)
    file = request.path / request.file
    if not file.exists():
        return ("-run", request.target, "./...")
    if file.is_dir():
        return (f"./{request.file}/...",)
    named = ("-run", f"^{request.test}$") if request.test else ()
    parent = PurePosixPath(request.file).parent.as_posix()
    return (*named, "." if parent == "." else f"./{parent}")


def cargo(request: Request) -> Runner | None:
    """`cargo test`; a target is a file below tests/, or part of a test's name."""
    if not request.has("Cargo.toml"):
        return None
    shown, path = request.program("cargo")
    argv = (path, "test", "--color=never", *request.extra, *_cargo_words(request))
    return Runner("cargo test", shown, argv, request.folder, native.cargo)


def _cargo_words(request: Request) -> tuple[str, ...]:
    path = PurePosixPath(request.file)
    if path.suffix != ".rs":
        return (request.target,) if request.target else ()
    named = (request.test,) if request.test else ()
    return ("--test", path.stem, *named) if path.parts[0] == "tests" else (named or (path.stem,))


def make(request: Request) -> Runner | None:
    """`make test`, which takes no target."""
    if not re.search(r"^test\s*:(?!=)", request.text("Makefile"), re.MULTILINE):
        return None
    if request.target:
        raise NotPossible(
            "`make test` takes no target: leave it out, or run the one test with bash"
        )
    shown, path = request.program("make")
    return Runner("make test", shown, (path, "test", *request.extra), request.folder)
