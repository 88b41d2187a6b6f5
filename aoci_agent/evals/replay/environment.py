"""What the tests of a project need, prepared once for all trees that declare the same.

A folder holds a checkout `tree`, in which the set-up runs, and beside it what it makes outside of the
tree (a venv, a target folder). What the set-up leaves in the tree and git ignores (node_modules) is
linked into the tree of every cell. The checkout's own source goes: an installation of the project,
also an editable one, is replaced by PYTHONPATH, which leads into each cell's tree.
"""

import hashlib
import json
import os
import platform
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from aoci_agent.base.box import Access, Box
from aoci_agent.base.errors import ForModel, NotPossible
from aoci_agent.base.files import atomic_write
from aoci_agent.base.process import Limits, find_program, run_blocking
from aoci_agent.evals.replay.stripping import CARRIED, FOLDER, TREE, without_source

READY = "ready"  # holds where Python finds the project, relative to a tree, one a line
PYTHON = "PYTHONPATH"
_LIMITS = Limits(seconds=1200.0, output_bytes=200_000, spill_bytes=50_000_000)
_DECLARED = (
    *(
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "tox.ini",
        "Pipfile.lock",
        "uv.lock",
        "poetry.lock",
    ),
    *("package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock"),
    *("Cargo.toml", "Cargo.lock", "go.mod", "go.sum", "pom.xml", "Gemfile.lock", "composer.lock"),
    *(".npmrc", ".python-version", ".nvmrc", "rust-toolchain", "rust-toolchain.toml"),
)
_FORM = 2  # raise whenever a prepared folder comes out differently: older ones are not taken then
_VERSIONLESS = "999.0"  # for packages that ask git for their version: the tree has none
# Of package.json: what is no part of an environment.
_RELEASING = ("version", "scripts", "description", "keywords", "files", "exports", "author", "xo")
_TEST_GROUPS = ("test", "tests", "testing", "dev")


@dataclass(frozen=True, slots=True)
class Recipe:
    """The commands that prepare an environment; `{env}` in them is its folder. `shown` names it."""

    shown: str
    commands: tuple[tuple[str, ...], ...]
    path: tuple[str, ...] = ()  # folders below the environment that go before PATH
    variables: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Environment:
    """A prepared one. `folder` is only read by cells."""

    folder: Path
    recipe: Recipe

    def variables(self) -> dict[str, str]:
        """For commands that need it: its folders go before those of PATH. Paths of Python's are of the
        root of a tree, where commands begin."""
        path = os.environ.get("PATH", os.defpath)
        first = [str(self.folder / name) for name in self.recipe.path]
        own = {name: _filled(value, self.folder) for name, value in self.recipe.variables}
        with suppress(OSError):
            roots = (self.folder / READY).read_text("utf-8").splitlines()
            if roots := [root for root in (*roots, own.get(PYTHON, "")) if root]:
                own[PYTHON] = os.pathsep.join(dict.fromkeys(roots))
        return {FOLDER: str(self.folder), "PATH": os.pathsep.join((*first, path)), **own}

    def carry(self, tree: Path) -> None:
        """Put what the set-up left in its tree into another one, as links: a copy of tens of
        thousands of files would take longer than most tests.
        """
        for name in CARRIED:
            source, target = self.folder / TREE / name, tree / name
            if source.is_dir() and not target.exists():
                _link(source, target)


def recipe_of(tree: Path, setup: str = "") -> Recipe:
    """The set-up of a project, by what lies at its root; the user's own where there is one."""
    if setup:
        shell = find_program("bash", outside=tree) or "/bin/sh"
        variables = _python_variables(tree) if _is_python(tree) else ()
        return Recipe(setup, ((shell, "-c", setup),), ("bin", "venv/bin"), variables)
    if _is_python(tree):
        return _python(tree)
    if (tree / "package.json").is_file():
        return _node(tree)
    if (tree / "Cargo.toml").is_file():
        return _cargo(tree)
    return Recipe("nothing", ())


def key_of(tree: Path, recipe: Recipe) -> str:
    """What decides whether two trees can share an environment: the recipe and all that is declared."""
    digest = hashlib.blake2b(repr((_FORM, recipe)).encode(), digest_size=10)
    names = [*_DECLARED, *sorted(p.relative_to(tree).as_posix() for p in _requirements(tree))]
    for name in names:
        with suppress(OSError):
            data = _declaring(name, (tree / name).read_bytes())
            digest.update(name.encode() + b"\0" + data + b"\0")
    return digest.hexdigest()


def _declaring(name: str, data: bytes) -> bytes:
    """A manifest without what every release changes. Python's is taken whole: its version is installed."""
    if name not in ("package.json", "package-lock.json"):
        return data
    with suppress(ValueError, AttributeError):
        found: dict[str, Any] = json.loads(data)
        root: dict[str, Any] = found.get("packages", {}).get("", {})
        for table in (found, root):
            for key in _RELEASING:
                table.pop(key, None)
        return json.dumps(found, sort_keys=True).encode()
    return data


def prepare(recipe: Recipe, folder: Path, box: Box, env: Mapping[str, str]) -> Environment:
    """Run the commands in `folder`/tree, with network. Done once: a folder that is ready is taken.

    `env` are the user's proxies and package indexes, by name. Raises NotPossible with the end of
    what the failing command said.
    """
    made = Environment(folder, recipe)
    if (folder / READY).exists():
        return made
    # Never into the person's own Python: what is installed there would outlive the tree.
    variables = {"PIP_REQUIRE_VIRTUALENV": "1", **env, **made.variables()}
    for command in recipe.commands:
        argv = [_filled(word, folder) for word in command]
        try:
            entry = box.enter(argv, folder / TREE, Access(network=True))
            done = run_blocking(entry, cwd=folder / TREE, limits=_LIMITS, env=variables)
        except ForModel as error:
            raise NotPossible(f"set-up: {error}") from error
        if done.exit_code != 0:
            said = _told((done.stdout + b"\n" + done.stderr).decode("utf-8", "replace"))
            how = "no end in time" if done.timed_out else f"exit {done.exit_code}"
            raise NotPossible(f"set-up: {Path(argv[0]).name} {argv[1]}: {how}: {said}")
    roots = without_source(folder)
    atomic_write(folder / READY, "\n".join(roots).encode())
    return made


def _link(source: Path, target: Path) -> None:
    """A folder of links to what is in `source`, which tools may add their caches to."""
    target.mkdir(parents=True)
    for entry in source.iterdir():
        if entry.is_symlink():  # to a package of the project itself: that of the other tree
            led = os.path.relpath(source / entry.readlink(), source)
            (target / entry.name).symlink_to(led)
        elif entry.name.startswith("@") and entry.is_dir():
            _link(entry, target / entry.name)
        elif entry.name != ".cache":
            (target / entry.name).symlink_to(entry)


def _told(output: str) -> str:
    """What a failing installer says is wrong: its lines of errors, else its last ones."""
    if "activated virtualenv" in output:
        return (
            f"it installs into no venv of its own: python -m venv ${FOLDER}/venv && pip install ..."
        )
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(?:npm )?err(?:or|!)", line, re.IGNORECASE)]
    return " / ".join((errors or lines)[:6] if errors else lines[-3:])[:600] or "it said nothing"


def _filled(word: str, folder: Path) -> str:
    return word.replace("{env}", str(folder))


def _python(tree: Path) -> Recipe:
    """A venv with what the project and its tests declare. The code itself comes from each tree."""
    pip = (
        "{env}/venv/bin/python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    )
    commands: list[tuple[str, ...]] = [
        (sys.executable, "-m", "venv", "{env}/venv"),
        (*pip, "pytest", ".", *_groups(tree)),
    ]
    for path in _requirements(tree):
        # Only so is a project that stands in them as `-e .` installed in a way that can be taken out.
        commands.append((*pip, "--use-pep517", "-r", path.relative_to(tree).as_posix()))
    shown = "venv, project and test dependencies"
    return Recipe(shown, tuple(commands), ("venv/bin",), _python_variables(tree))


def _is_python(tree: Path) -> bool:
    return any((tree / name).is_file() for name in ("pyproject.toml", "setup.py", "setup.cfg"))


def _python_variables(tree: Path) -> tuple[tuple[str, str], ...]:
    return (
        (PYTHON, "src" if (tree / "src").is_dir() else "."),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("SETUPTOOLS_SCM_PRETEND_VERSION", _VERSIONLESS),
    )


def _groups(tree: Path) -> list[str]:
    """The requirements of test groups and extras of pyproject.toml, as they are written there."""
    try:
        data = tomllib.loads((tree / "pyproject.toml").read_text("utf-8"))
    except (OSError, ValueError):
        return []
    extras: Any = data.get("project", {}).get("optional-dependencies", {})
    found: list[str] = []
    for table in (data.get("dependency-groups", {}), extras):
        for name in _TEST_GROUPS:
            if isinstance(table, dict):
                items = cast("dict[str, Sequence[object]]", table).get(name, ())
                found += [item for item in items if isinstance(item, str)]
    return list(dict.fromkeys(found))


def _requirements(tree: Path) -> list[Path]:
    """requirements.txt, and the first one for tests, compiled ones before what they were compiled from."""
    stems = (
        *("tests", "test", "testing", "requirements-tests", "requirements-test"),
        *("requirements_test", "test-requirements", "requirements-dev", "requirements_dev"),
        *("dev-requirements", "dev"),
    )
    places = [folder / f"{stem}.txt" for stem in stems for folder in (tree / "requirements", tree)]
    tests = [path for path in places if path.is_file()][:1]
    return [*filter(Path.is_file, (tree / "requirements.txt",)), *tests]


def _cargo(tree: Path) -> Recipe:
    """Crates beside the tree; what is built stays in each tree, for cells only read the rest."""
    cargo = find_program("cargo", outside=tree)
    commands = ((cargo, "fetch"),) if cargo else ()
    variables = (("CARGO_HOME", "{env}/cargo"), ("CARGO_NET_OFFLINE", "true"))
    return Recipe("cargo fetch", commands, variables=variables)


def _node(tree: Path) -> Recipe:
    """The packages, without their scripts; and Node itself where the project wants a newer one."""
    npm = find_program("npm", outside=tree) or "npm"
    locked = (tree / "package-lock.json").is_file()
    words = ("ci" if locked else "install", "--ignore-scripts", "--no-audit", "--no-fund")
    commands: list[tuple[str, ...]] = [(npm, *words)]
    shown, path = f"npm {words[0]}", ()
    wanted = _node_wanted(tree)
    if wanted > _node_here(tree):
        arch = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine(), "")
        package = f"node-{sys.platform}-{arch}"
        quiet = ("--no-save", "--no-audit", "--no-fund", "--ignore-scripts")
        commands.insert(0, (npm, "install", *quiet, "--prefix", "{env}", f"{package}@{wanted}"))
        shown, path = f"Node {wanted}, {shown}", (f"node_modules/{package}/bin",)
    return Recipe(shown, tuple(commands), path, (("CI", "1"),))


def _node_wanted(tree: Path) -> int:
    """The oldest major version that `engines` of package.json takes; 0 where it does not say."""
    try:
        data: Any = json.loads((tree / "package.json").read_text("utf-8"))
        engines = str(data["engines"]["node"])
    except (OSError, ValueError, LookupError, TypeError):
        return 0
    return min((int(major) for major in re.findall(r"(?<![\d.])(\d+)", engines)), default=0)


def _node_here(tree: Path) -> int:
    node = find_program("node", outside=tree)
    if node is None:
        return 0
    limits = Limits(seconds=10.0, output_bytes=1_000)
    said = run_blocking((node, "--version"), cwd=Path(node).parent, limits=limits).stdout
    found = re.match(rb"v(\d+)", said)
    return int(found[1]) if found else 0
