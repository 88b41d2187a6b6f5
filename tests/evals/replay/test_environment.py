"""What a project needs to run its tests: found, keyed, prepared, linked into a tree."""

import json
import shlex
import subprocess
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
from aoci_agent.tools.reports.reading import report_of

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


def test_python_takes_requirements_and_those_of_the_tests(tmp_path: Path) -> None:
    """Each by a command of its own: pins of two files need not agree."""
    place(tmp_path, pyproject__toml=PYPROJECT, requirements__txt="-e .[more]\ntrio\n")
    before = key_of(tmp_path, recipe_of(tmp_path))
    place(tmp_path, requirements_dev__txt="x\n", requirements__txt="-e .[more]\ntrustme\n")
    asked = [command[-2:] for command in recipe_of(tmp_path).commands[2:]]
    assert asked == [("-r", "requirements.txt"), ("-r", "requirements_dev.txt")]
    assert key_of(tmp_path, recipe_of(tmp_path)) != before


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


WAY_OUT = "python -m venv $AOCI_REPLAY_ENV/venv && pip install"
VENV = f'"{sys.executable}" -m venv --without-pip $AOCI_REPLAY_ENV/venv'
SITE = "$(echo $AOCI_REPLAY_ENV/venv/lib/python3.*/site-packages)"
# What installers of editable packages leave, said by the tree's path.
EDITABLE = {
    "src/shop": ("_shop.pth", "{tree}/src\n"),
    "shop": ("__editable___shop_finder.py", "MAPPING: dict[str, str] = {'shop': '{tree}/shop'}\n"),
    "lib/shop": ("shop.pth", "{tree}/lib\n"),
}
# An installer of its own: it needs nothing that is not there.
BACKEND = """
import os, zipfile
def build_editable(folder, *_):
    info = "shop-1.dist-info"
    with zipfile.ZipFile(os.path.join(folder, "shop-1-py3-none-any.whl"), "w") as file:
        file.writestr("shop.pth", os.path.join(os.getcwd(), "lib"))
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: shop\\nVersion: 1\\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        file.writestr(f"{info}/RECORD", "")
    return "shop-1-py3-none-any.whl"
"""
FIND = "import importlib.metadata as m, shop; print(shop.__file__, m.version('shop'))"


def installed(root: Path, setup: str, **files: str) -> Environment:
    """An environment prepared by a command of one's own, in a tree of these files."""
    tree = root / "env" / TREE
    tree.mkdir(parents=True)
    place(tree, **{"pyproject__toml": PYPROJECT, **files})
    return prepare(recipe_of(tree, setup), root / "env", Unboxed(), {})


def said_in(tree: Path, environment: Environment) -> str:
    """Where Python finds the package in a tree of one's own, and of which version."""
    tree.mkdir(parents=True)
    (tree / "__init__.py").write_text("")
    root = next(folder for folder in tree.parents if folder.name == "work")
    argv = ("python", "-c", FIND)
    env = environment.variables()
    done = subprocess.run(argv, cwd=root, env=env, capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr


@pytest.mark.parametrize("where", EDITABLE)
def test_an_editable_installation_leads_into_each_tree(tmp_path: Path, where: str) -> None:
    name, text = EDITABLE[where]
    tree = tmp_path / "env" / TREE
    files = {
        name: text.replace("{tree}", str(tree)),
        "shop-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: shop\nVersion: 1\n",
        "shop-1.dist-info/direct_url.json": json.dumps({"url": tree.as_uri()}),
        "shop-1.dist-info/RECORD": f"{name},,\n",
    }
    write = f"files = {files!r}\nimport pathlib, sys\nfor name, text in files.items():\n    file = pathlib.Path(sys.argv[1], name)\n    file.parent.mkdir(exist_ok=True)\n    file.write_text(text)\n"
    setup = f'{VENV} && "{sys.executable}" write.py "{SITE}"'
    environment = installed(tmp_path, setup, write__py=write)
    assert list(tree.iterdir()) == []
    module = tmp_path / "work" / where
    assert said_in(module, environment) == f"{module / '__init__.py'} 1"


@pytest.mark.gate_only
def test_pips_own_editable_installation_leads_into_each_tree(tmp_path: Path) -> None:
    built = "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n"
    setup = f"{VENV.replace(' --without-pip', '')} && pip install --no-index -e ."
    files = {"pyproject__toml": PYPROJECT + built, "backend__py": BACKEND}
    environment = installed(tmp_path, setup, **files)
    module = tmp_path / "work/lib/shop"
    assert said_in(module, environment) == f"{module / '__init__.py'} 1"


@pytest.mark.parametrize(
    ("setup", "why"),
    [
        (
            VENV.replace("$AOCI_REPLAY_ENV/venv", ".venv"),
            "it makes the venv .venv in the work tree",
        ),
        (f'{VENV} && pwd > "{SITE}/easy-install.pth"', "easy-install.pth leads into the work tree"),
        (
            '[ "$PIP_REQUIRE_VIRTUALENV" ] && echo "ERROR: no activated virtualenv (required)." && exit 3',
            "it installs into no venv of its own",
        ),
    ],
)
def test_what_would_lead_into_a_tree_that_is_gone_is_refused(
    tmp_path: Path, setup: str, why: str
) -> None:
    with pytest.raises(NotPossible) as error:
        installed(tmp_path, setup)
    assert why in str(error.value)
    assert WAY_OUT in str(error.value)
    assert not (tmp_path / "env" / READY).exists()


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
    (packages / "self").symlink_to(tmp_path / "env" / TREE)  # as `npm link` has it
    tree = tmp_path / "work"
    (tree / "packages/member").mkdir(parents=True)
    Environment(tmp_path / "env", Recipe("x", ())).carry(tree)
    made = tree / "node_modules"
    assert not (made / ".cache").exists()
    assert not made.is_symlink()
    assert (made / "left").resolve() == packages / "left"
    assert (made / "@scope/right").resolve() == packages / "@scope/right"
    assert (made / "member").resolve() == tree / "packages/member"
    assert (made / "self").resolve() == tree


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


@pytest.mark.parametrize("options", ["", "-q", "-v", "-rxXs", "-rN -q"])
def test_failing_tests_are_known_whatever_the_project_says_of_reports(
    tmp_path: Path, options: str
) -> None:
    (tmp_path / "pytest.ini").write_text(f"[pytest]\naddopts = {options}\n")
    (tmp_path / "test_a.py").write_text("def test_good(): pass\ndef test_bad(): assert 0\n")
    words = [sys.executable, *shlex.split(check_of(tmp_path, ["test_a.py"]))[1:]]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    report = report_of(done.stdout)
    assert report is not None
    assert (report.failing, report.passed) == (("test_a.py::test_bad",), 1)


@pytest.mark.parametrize("tests", [("tests/conftest.py",), ("tests/data.bin",)])
def test_without_a_test_there_is_no_check(tmp_path: Path, tests: tuple[str, ...]) -> None:
    with pytest.raises(NotPossible):
        check_of(tmp_path, tests)


def test_ones_own_check_names_the_tests() -> None:
    assert filled("run {tests}; echo ${x}", ["a b", "c"]) == "run 'a b' c; echo ${x}"
