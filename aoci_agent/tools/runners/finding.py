"""Which runner is this project's, found from its files."""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from aoci_agent.base.errors import NotPossible, TryAgain
from aoci_agent.base.files import Workspace
from aoci_agent.tools.runners import others, python
from aoci_agent.tools.runners.runner import Finder, Request, Runner

LOOKED_FOR = (
    "pyproject.toml, setup.py, setup.cfg, pytest.ini, tox.ini or test_*.py (pytest, unittest),"
    " package.json with a test script, go.mod, Cargo.toml, a Makefile with a test target"
)
# In this order when the target does not tell.
FINDERS: dict[str, Finder] = {
    "python": python.find,
    "node": others.npm,
    "go": others.go,
    "cargo": others.cargo,
    "make": others.make,
}
LANGUAGES = {".py": "python", ".go": "go", ".rs": "cargo"} | dict.fromkeys(
    (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts"), "node"
)


def find_runner(
    workspace: Workspace, target: str, extra: Sequence[str], prepared: Sequence[str] = ()
) -> Runner:
    """The runner for a target ("" for all tests). NotPossible, saying what was looked for, if none.

    In a repository of many projects the nearest one above the target decides. `prepared` are
    folders of programs that come before those on PATH.
    """
    if target.startswith("-"):
        raise TryAgain("target is a path or a test's name; options go into args")
    target = _inside(workspace, target)
    language = LANGUAGES.get(PurePosixPath(target.partition("::")[0]).suffix, "")
    finders = sorted(FINDERS, key=lambda name: name != language)
    for folder in _folders(workspace.root, target):
        below = _below(folder, target)
        request = Request(workspace.root, folder, below, tuple(extra), tuple(prepared))
        for name in finders:
            runner = FINDERS[name](request)
            if runner is not None:
                return runner
    raise NotPossible(f"no test runner found; looked for {LOOKED_FOR}. Run the tests with bash")


def _inside(workspace: Workspace, target: str) -> str:
    """A path made relative to the workspace; the name of a test as it is."""
    file, colons, name = target.partition("::")
    if "/" in file or "\\" in file or (file and workspace.exists(file)):
        return workspace.relative(file) + colons + name
    return target


def _folders(root: Path, target: str) -> list[str]:
    file = PurePosixPath(target.partition("::")[0])
    if not target or not (root / file).exists():
        return [""]
    folders = [*([file] if (root / file).is_dir() else []), *file.parents]
    return ["" if folder == PurePosixPath(".") else folder.as_posix() for folder in folders]


def _below(folder: str, target: str) -> str:
    return "" if target == folder else target.removeprefix(f"{folder}/")
