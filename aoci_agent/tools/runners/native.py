"""go, cargo and make."""

import re
from pathlib import PurePosixPath

from aoci_agent.base.errors import NotPossible
from aoci_agent.tools.reports import native as reports
from aoci_agent.tools.runners.runner import Request, Runner


def go(request: Request) -> Runner | None:
    """`go test -json`; a target is a folder, a file (its package), file::Test or a test's name."""
    if not (request.path / "go.mod").is_file():
        return None
    argv = (request.program("go"), "test", "-json", *request.extra, *_go_words(request))
    return Runner("go test", argv, reports.go_json, request.folder)


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
    if not (request.path / "Cargo.toml").is_file():
        return None
    argv = (request.program("cargo"), "test", "--color=never", *request.extra)
    return Runner("cargo test", (*argv, *_cargo_words(request)), reports.cargo, request.folder)


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
    return Runner(
        "make test", (request.program("make"), "test", *request.extra), folder=request.folder
    )
