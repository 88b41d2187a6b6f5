"""pytest and unittest."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from aoci_agent.base.errors import NotPossible
from aoci_agent.base.process import Limits, find_program, run_blocking
from aoci_agent.tools.reports import python as reports
from aoci_agent.tools.runners.runner import Request, Runner

PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini")
ENVIRONMENTS = (".venv", "venv", "env")
# The last one names what failed, whatever else the project's own options name.
OPTIONS = ("--color=no", "--tb=short", "-rfE")


def find(request: Request, ours: str = sys.executable) -> Runner | None:
    """pytest where a python has it, else unittest, unless the project was written for pytest.

    Nothing of the project is run to find out: this also makes the preview of a call that nobody
    has approved yet. `ours` is the python of last resort.
    """
    if not _is_project(request):
        return None
    python, has_pytest = _interpreter(request, ours)
    shown = _shown(python, request)
    if has_pytest:
        target = (request.target,) if request.target else ()
        argv = (python, "-m", "pytest", *OPTIONS, *request.extra, *target)
        name, reader = "pytest", reports.pytest
    elif _wants_pytest(request):
        raise NotPossible(
            f"the project uses pytest, which {shown} does not have:"
            " install the project's test dependencies, or run the tests with bash"
        )
    else:
        argv = (python, "-m", "unittest", *_unittest_words(request), *request.extra)
        name, reader = "unittest", reports.unittest
    # Outside an environment of the project, an installed copy would be tested instead of `src`.
    bare = not Path(python).is_relative_to(request.root) and (request.path / "src").is_dir()
    env = (("PYTHONPATH", "src"),) if bare else ()
    return Runner(name, shown, argv, request.folder, reader, env)


def _is_project(request: Request) -> bool:
    return request.has(*PROJECT_FILES) or (
        not request.folder
        and any(
            next(folder.glob(pattern), None) is not None
            for folder in (request.path, request.path / "tests", request.path / "test")
            for pattern in ("test_*.py", "*_test.py", "*/test_*.py")
        )
    )


def _interpreter(request: Request, ours: str) -> tuple[str, bool]:
    """A python, and whether it has pytest: the project's own, then those on PATH, then ours.

    Where one is prepared, it is that one, as for every other command.
    """
    for folder in request.prepared:
        if find_program(f"{folder}/python", outside=request.root):
            return f"{folder}/python", _holds_pytest(Path(folder).parent)
    environments = [
        folder / name
        for folder in dict.fromkeys((request.path, request.root))
        for name in ENVIRONMENTS
        if (folder / name / "bin" / "python").is_file()
    ]
    for environment in environments:
        if _holds_pytest(environment):
            return str(environment / "bin" / "python"), True
    # Our own environment may be on PATH too; it still comes last.
    found = _in_folders(os.get_exec_path(), request.root, "python3", "python")
    on_path = [python for python in found if Path(python).parent != Path(ours).parent]
    for python in (*on_path, ours):
        if _has_pytest(python, request.root):
            return python, True
    own = [str(environment / "bin" / "python") for environment in environments]
    return [*own, *on_path, ours][0], False


def _holds_pytest(environment: Path) -> bool:
    return any(environment.glob("lib/python*/site-packages/pytest/__init__.py"))


def _in_folders(folders: Sequence[str], root: Path, *names: str) -> list[str]:
    """Folder by folder, because a search by name alone finds our own python first."""
    paths = (f"{folder}/{name}" for folder in folders for name in names)
    return [path for path in paths if find_program(path, outside=root)]


def _has_pytest(python: str, root: Path) -> bool:
    """Asked from the folder of the program, where no module of the project can be found.

    A python may be a script that looks for its shell on PATH: no folder of the project stays there.
    """
    probe = "import importlib.util as u, sys; sys.exit(u.find_spec('pytest') is None)"
    limits = Limits(seconds=10, output_bytes=1_000)
    where = Path(python).parent
    outside = [f for f in os.get_exec_path() if Path(f).is_absolute() and not _is_in(Path(f), root)]
    env = {"PATH": os.pathsep.join(outside) or os.defpath}
    done = run_blocking([python, "-c", probe], cwd=where, limits=limits, env=env)
    return done.exit_code == 0


def _is_in(folder: Path, root: Path) -> bool:
    return folder.resolve().is_relative_to(root)


def _shown(python: str, request: Request) -> str:
    """As a person would type it: relative in the project, by name where PATH leads to it."""
    path = Path(python)
    if path.is_relative_to(request.path):
        return path.relative_to(request.path).as_posix()
    folders = (*request.prepared, *os.get_exec_path())
    found = _in_folders(folders, request.root, path.name)
    return path.name if found[:1] == [python] else python


def _wants_pytest(request: Request) -> bool:
    return request.has("pytest.ini", "conftest.py", "tests/conftest.py") or any(
        "pytest" in request.text(name) for name in ("pyproject.toml", "setup.cfg", "tox.ini")
    )


def _unittest_words(request: Request) -> tuple[str, ...]:
    if not request.target:
        folders = [name for name in ("tests", "test") if (request.path / name).is_dir()]
        packages = [name for name in folders if request.has(f"{name}/__init__.py")]
        if packages:
            return ("discover", "-s", packages[0], "-t", ".")
        return ("discover", "-s", folders[0]) if folders else ("discover",)
    if (request.path / request.file).is_dir():
        return ("discover", "-s", request.file)
    module = request.file.removesuffix(".py").replace("/", ".")
    return (".".join([module, *request.test.split("::")]).rstrip("."),)
