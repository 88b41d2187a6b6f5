"""What a project needs to run its tests: found, keyed, prepared, linked into a tree."""

import json
import sys
from pathlib import Path

import pytest

from aoci_agent.base.box import Unboxed
from aoci_agent.base.errors import NotPossible
from aoci_agent.evals.replay.checks import check_of, filled
from aoci_agent.evals.replay.environment import (
    READY,
    TREE,
    Environment,
    Recipe,
    key_of,
    prepare,
    recipe_of,
)

PYPROJECT = (
    '[project]\nname = "x"\nversion = "1"\n'
    '[project.optional-dependencies]\ntests = ["mock"]\ndocs = ["sphinx"]\n'
    '[dependency-groups]\ndev = ["hypothesis>=6", {include-group = "docs"}]\n'
)


def place(root: Path, **files: str) -> Path:
    for name, text in files.items():
        (root / name.replace("__", ".")).write_text(text)
    return root


def test_python_takes_the_groups_of_tests(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    recipe = recipe_of(place(tmp_path, pyproject__toml=PYPROJECT))
    assert recipe.commands[1][-4:] == ("pytest", ".", "hypothesis>=6", "mock")
    assert ("PYTHONPATH", "src") in recipe.variables
    assert recipe.path == ("venv/bin",)


def test_node_installs_what_is_locked_and_a_newer_node(tmp_path: Path) -> None:
    place(tmp_path, package__json=json.dumps({"engines": {"node": "^990.1.0 || >=999"}}))
    recipe = recipe_of(tmp_path)
    assert recipe.shown == "Node 990, npm install"
    assert recipe.commands[0][-1].endswith("@990")
    assert recipe.path[0].endswith("/bin")
    place(tmp_path, package__json="{}", package_lock__json="{}")
    (tmp_path / "package_lock.json").rename(tmp_path / "package-lock.json")
    assert recipe_of(tmp_path).shown == "npm ci"
    assert "--ignore-scripts" in recipe_of(tmp_path).commands[0]


def test_ones_own_command_comes_first(tmp_path: Path) -> None:
    place(tmp_path, pyproject__toml=PYPROJECT)
    recipe = recipe_of(tmp_path, "make deps")
    assert recipe.shown == "make deps"
    assert recipe.commands[0][1:] == ("-c", "make deps")


def test_a_release_alone_needs_no_new_environment(tmp_path: Path) -> None:
    def key(**fields: object) -> str:
        place(tmp_path, package__json=json.dumps(fields))
        return key_of(tmp_path, Recipe("npm ci", ()))

    first = key(version="1", dependencies={"a": "1"})
    assert key(version="2", scripts={"test": "x"}, dependencies={"a": "1"}) == first
    assert key(version="1", dependencies={"a": "2"}) != first
    place(tmp_path, package__json="no JSON")
    assert key_of(tmp_path, Recipe("npm ci", ())) != first
    assert key_of(tmp_path, Recipe("other", ())) != key_of(tmp_path, Recipe("npm ci", ()))


def test_prepared_once(tmp_path: Path) -> None:
    (tmp_path / TREE).mkdir()
    code = "import pathlib, sys; open(sys.argv[1], 'a').write('x')"
    recipe = Recipe("x", ((sys.executable, "-c", code, "{env}/count"),))
    for _ in range(2):
        prepare(recipe, tmp_path, Unboxed(), {})
    assert (tmp_path / "count").read_text() == "x"


def test_a_failing_set_up_says_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / TREE).mkdir()
    code = "print('npm warn old'); print('npm error no such package'); print('bye'); exit(3)"
    recipe = Recipe("x", ((sys.executable, "-c", code),))
    with pytest.raises(NotPossible, match=r"exit 3: npm error no such package$"):
        prepare(recipe, tmp_path, Unboxed(), {})
    assert not (tmp_path / READY).exists()


def test_packages_are_linked_and_caches_are_each_trees_own(tmp_path: Path) -> None:
    packages = tmp_path / "env" / TREE / "node_modules"
    for name in ("left", "@scope/right", ".cache", ".bin"):
        (packages / name).mkdir(parents=True)
    (packages / "member").symlink_to("../packages/member")
    tree = tmp_path / "work"
    (tree / "packages/member").mkdir(parents=True)
    Environment(tmp_path / "env", Recipe("x", ())).carry(tree)
    made = tree / "node_modules"
    assert not (made / ".cache").exists()
    assert not made.is_symlink()
    assert (made / "left").resolve() == packages / "left"
    assert (made / "@scope/right").resolve() == packages / "@scope/right"
    assert (made / "member").resolve() == tree / "packages/member"


@pytest.mark.parametrize(
    ("manifest", "tests", "command"),
    [
        ({}, ("tests/test_a.py", "tests/data.json"), "python -m pytest"),
        ({"Cargo.toml": "[package]\n"}, ("tests/a.rs",), "cargo test --color=never"),
        (
            {"pom.xml": "<project/>"},
            ("src/test/java/a/CartTest.java", "src/test/java/a/Data.java"),
            "test -Dtest=CartTest",
        ),
        ({"CMakeLists.txt": ""}, ("tests/a.c",), "ctest --output-on-failure"),
        ({"Makefile": "test:\n\ttrue\n"}, ("tests/a.c",), "make test"),
        (
            {"package.json": "{}"},
            ("test/a.js",),
            "node --test --test-reporter=tap --test-timeout=60000 test/a.js",
        ),
        (
            {
                "package.json": json.dumps(
                    {
                        "devDependencies": {"ava": "6"},
                        "scripts": {"test": "xo && NODE_OPTIONS='--import=tsx/esm' ava"},
                    }
                )
            },
            ("test/a b.ts", "test/helpers/x.ts"),
            "NODE_OPTIONS='--import=tsx/esm' ava --tap --timeout=60s 'test/a b.ts'",
        ),
    ],
)
def test_the_check_is_the_projects_own(
    tmp_path: Path, manifest: dict[str, str], tests: tuple[str, ...], command: str
) -> None:
    for name, text in manifest.items():
        (tmp_path / name).write_text(text)
    assert command in check_of(tmp_path, tests)


@pytest.mark.parametrize("tests", [("tests/conftest.py",), ("tests/data.bin",)])
def test_without_a_test_there_is_no_check(tmp_path: Path, tests: tuple[str, ...]) -> None:
    with pytest.raises(NotPossible):
        check_of(tmp_path, tests)


def test_ones_own_check_names_the_tests() -> None:
    assert filled("run {tests}; echo ${x}", ["a b", "c"]) == "run 'a b' c; echo ${x}"
