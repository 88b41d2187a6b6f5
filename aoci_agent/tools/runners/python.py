"""pytest and unittest."""

import os
import sys
from pathlib import Path

from aoci_agent.base.errors import NotPossible
from aoci_agent.base.process import Limits, find_program, run_blocking
from aoci_agent.tools.reports import python as reports
from aoci_agent.tools.runners.runner import Request, Runner

PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini")
ENVIRONMENTS = (".venv", "venv", "env")
OPTIONS = ("--color=no", "--tb=short")


def find(request: Request, ours: str = sys.executable) -> Runner | None:
    """pytest where a python has it, else unittest, unless the project was written for pytest.

    Nothing of the project is run to find out: this also makes the preview of a call that nobody
    has approved yet. `ours` is the python of last resort.
    """
    if not _is_project(request):
        return None
    interpreter, pytest = _interpreter(request, ours)
    shown = _shown(interpreter, request)
    if pytest:
        target = (request.target,) if request.target else ()
        argv = (shown, "-m", "pytest", *OPTIONS, *request.extra, *target)
        env = _source_first(interpreter, request)
        return Runner("pytest", argv, reports.pytest, request.folder, env)
    if _wants_pytest(request):
        raise NotPossible(
            f"the project uses pytest, which {shown} does not have:"
            " install the project's test dependencies, or run the tests with bash"
        )
    argv = (shown, "-m", "unittest", *_unittest_words(request), *request.extra)
    env = _source_first(interpreter, request)
    return Runner("unittest", argv, reports.unittest, request.folder, env)


def _source_first(interpreter: str, request: Request) -> tuple[tuple[str, str], ...]:
    """Outside an environment of the project, an installed copy would be tested instead of `src`."""
    if Path(interpreter).is_relative_to(request.root) or not (request.path / "src").is_dir():
        return ()
    return (("PYTHONPATH", "src"),)


def _is_project(request: Request) -> bool:
    if any((request.path / name).is_file() for name in PROJECT_FILES):
        return True
    return not request.folder and any(
        next(folder.glob(pattern), None) is not None
        for folder in (request.path, request.path / "tests", request.path / "test")
        for pattern in ("test_*.py", "*_test.py", "*/test_*.py")
    )


def _interpreter(request: Request, ours: str) -> tuple[str, bool]:
    """A python, and whether it has pytest: the project's own, then those on PATH, then ours."""
    environments = [
        folder / name
        for folder in dict.fromkeys((request.path, request.root))
        for name in ENVIRONMENTS
        if (folder / name / "bin" / "python").is_file()
    ]
    own = [(str(at / "bin" / "python"), _holds_pytest(at)) for at in environments]
    with_pytest = [python for python, has in own if has]
    if with_pytest:
        return with_pytest[0], True
    others = [python for python in _on_path(request.root) if not _is_beside(python, ours)]
    candidates = list(dict.fromkeys([*others, ours]))
    found = next((python for python in candidates if _has_pytest(python)), None)
    if found:
        return found, True
    return ([python for python, _ in own] or candidates)[0], False


def _holds_pytest(environment: Path) -> bool:
    return next(environment.glob("lib/python*/site-packages/pytest/__init__.py"), None) is not None


def _on_path(root: Path) -> list[str]:
    """Looked up folder by folder, because a search by name alone finds our own python first."""
    names = [f"{folder}/{name}" for folder in os.get_exec_path() for name in ("python3", "python")]
    return [found for name in names if (found := find_program(name, outside=root))]


def _is_beside(python: str, ours: str) -> bool:
    return Path(python).parent == Path(ours).parent


def _has_pytest(interpreter: str) -> bool:
    """Asked from the folder of the program, where no module of the project can be found."""
    probe = "import importlib.util as u, sys; sys.exit(u.find_spec('pytest') is None)"
    limits = Limits(seconds=10, output_bytes=1_000)
    where = Path(interpreter).parent
    return run_blocking([interpreter, "-c", probe], cwd=where, limits=limits).exit_code == 0


def _shown(interpreter: str, request: Request) -> str:
    """Relative where the python lies in the folder: short, and the same on every machine."""
    path = Path(interpreter)
    return (
        path.relative_to(request.path).as_posix()
        if path.is_relative_to(request.path)
        else interpreter
    )


def _wants_pytest(request: Request) -> bool:
    if any(
        (request.path / name).is_file()
        for name in ("pytest.ini", "conftest.py", "tests/conftest.py")
    ):
        return True
    return any(
        "pytest" in request.text(name) for name in ("pyproject.toml", "setup.cfg", "tox.ini")
    )


def _unittest_words(request: Request) -> tuple[str, ...]:
    if not request.target:
        packages = [
            name for name in ("tests", "test") if (request.path / name / "__init__.py").is_file()
        ]
        folders = [name for name in ("tests", "test") if (request.path / name).is_dir()]
        if packages:
            return ("discover", "-s", packages[0], "-t", ".")
        return ("discover", "-s", folders[0]) if folders else ("discover",)
    if (request.path / request.file).is_dir():
        return ("discover", "-s", request.file)
    module = request.file.removesuffix(".py").replace("/", ".")
    return (".".join([module, *request.test.split("::")]).rstrip("."),)
