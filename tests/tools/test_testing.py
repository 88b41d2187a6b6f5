"""The test tool: which runner, which command, what is said about the run."""

import json
import os
import sys
from pathlib import Path

import pytest
from support.desk import Desk

from aoci_agent.base import tokens
from aoci_agent.base.errors import NotPossible, TryAgain
from aoci_agent.base.process import find_program
from aoci_agent.tools.registry import builtin_tools
from aoci_agent.tools.runners import python
from aoci_agent.tools.runners.runner import Request

UNITTEST = """\
import unittest


class Sums(unittest.TestCase):
    def test_good(self):
        self.assertEqual(1 + 1, 2)

    def test_bad(self):
        self.assertEqual(1 + 1, 3)
"""


def fake_python(desk: Desk, *, pytest: bool = True) -> None:
    """A virtual environment of the project whose python prints its words; it leaves a mark when probed."""
    file = desk.put(
        ".venv/bin/python",
        '#!/bin/sh\n[ "$1" = -c ] && touch probed\necho "ran: $*"\n',
    )
    file.chmod(0o755)
    if pytest:
        desk.put(".venv/lib/python3.12/site-packages/pytest/__init__.py", "")


def put_program(folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text('#!/bin/sh\necho "ran: $*"\n')
    (folder / name).chmod(0o755)


def command(desk: Desk, **arguments: str) -> str:
    preview = desk.preview("test", **arguments)
    assert (preview.kind, preview.key) == ("command", preview.body)
    return preview.body


def test_pytest_by_the_projects_own_python(desk: Desk) -> None:
    fake_python(desk)
    desk.put("pyproject.toml", "")
    base = ".venv/bin/python -m pytest --color=no --tb=short -rfE"
    assert command(desk) == base
    assert command(desk, target="tests/test_a.py::test_b") == f"{base} tests/test_a.py::test_b"
    assert command(desk, args="-x -k 'a and b'") == f"{base} -x -k 'a and b'"
    absolute = str(desk.root / "tests/test_a.py")
    assert command(desk, target=absolute) == f"{base} tests/test_a.py"


def test_our_own_python_is_the_last_resort(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_python(desk, pytest=False)
    desk.put("pyproject.toml", "[tool.pytest.ini_options]\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command(desk).startswith(f"{sys.executable} -m pytest")


@pytest.mark.parametrize("has_pytest", [True, False])
async def test_what_was_prepared_for_the_commands_comes_first(
    desk: Desk, tmp_path: Path, *, has_pytest: bool
) -> None:
    """Also before a python of the project and one on PATH that has pytest; and it is not probed."""
    fake_python(desk)
    desk.put("test_a.py", "")
    for name in ("python", "go"):
        put_program(tmp_path / "env/bin", name)
    if has_pytest:
        (tmp_path / "env/lib/python3.12/site-packages/pytest").mkdir(parents=True)
        (tmp_path / "env/lib/python3.12/site-packages/pytest/__init__.py").touch()
    path = os.pathsep.join((str(tmp_path / "env/bin"), os.environ["PATH"]))
    tools = builtin_tools(desk.workspace, None, desk.spill_dir, path=path)
    desk.tools = {tool.name: tool for tool in tools}
    assert command(desk).split()[:3] == ["python", "-m", "pytest" if has_pytest else "unittest"]
    said = (await desk.call("test")).text
    assert "ran: -m" in said
    desk.put("go/go.mod", "module x\n")
    assert "ran: test -json" in (await desk.call("test", target="go")).text
    desk.put("pytest.ini", "[pytest]\n")
    if not has_pytest:
        with pytest.raises(NotPossible, match="uses pytest, which python does not have"):
            command(desk)


async def test_nothing_of_the_project_runs_before_it_is_approved(desk: Desk) -> None:
    fake_python(desk)
    desk.put("test_a.py", "")
    command(desk)
    result = await desk.call("test", target="test_a.py")
    assert "ran: -m pytest --color=no --tb=short -rfE test_a.py" in result.text
    assert not list(desk.root.rglob("probed"))


def test_unittest_where_no_python_has_pytest(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.put("tests/__init__.py", "")
    desk.put("tests/test_a.py", UNITTEST)
    monkeypatch.setenv("PATH", str(tmp_path))

    def words(target: str) -> str:
        runner = python.find(Request(desk.root, "", target, ()), ours="/bin/false")
        assert runner is not None
        return " ".join(runner.argv)

    base = "/bin/false -m unittest"
    assert words("") == f"{base} discover -s tests -t ."
    assert words("tests") == f"{base} discover -s tests"
    assert words("tests/test_a.py") == f"{base} tests.test_a"
    assert words("tests/test_a.py::Sums::test_bad") == f"{base} tests.test_a.Sums.test_bad"
    assert words("tests.test_a.Sums") == f"{base} tests.test_a.Sums"
    desk.put("pytest.ini", "[pytest]\n")
    with pytest.raises(NotPossible, match="uses pytest, which /bin/false does not have"):
        words("")


def test_sources_come_before_an_installed_copy(desk: Desk) -> None:
    desk.put("pyproject.toml", "")
    desk.put("src/pack/__init__.py", "")
    desk.put("tests/conftest.py", "")
    desk.put("tests/test_a.py", "")
    assert command(desk, target="tests/test_a.py").startswith("PYTHONPATH=src ")
    fake_python(desk)
    assert command(desk, target="tests/test_a.py").startswith(".venv/bin/python -m pytest")


def test_other_runners(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bin_folder = tmp_path / "bin"
    for name in ("npm", "pnpm", "go", "cargo", "make"):
        put_program(bin_folder, name)
    monkeypatch.setenv("PATH", f"{bin_folder}:/usr/bin:/bin")
    desk.put("js/package.json", json.dumps({"scripts": {"test": "jest"}}))
    desk.put("js/src/a.test.ts", "")
    desk.put("pn/package.json", json.dumps({"scripts": {"test": "vitest"}}))
    desk.put("pn/pnpm-lock.yaml", "")
    desk.put("go/go.mod", "module x\n")
    desk.put("go/pkg/a_test.go", "")
    desk.put("rs/Cargo.toml", "")
    desk.put("rs/tests/it.rs", "")
    desk.put("rs/src/lib.rs", "")
    desk.put("mk/Makefile", "all:\n\ntest: all\n\t./run\n")
    assert command(desk, target="js") == "cd js && npm run test"
    assert command(desk, target="js/src/a.test.ts") == "cd js && npm run test -- src/a.test.ts"
    assert command(desk, target="pn", args="--bail") == "cd pn && pnpm run test --bail"
    assert command(desk, target="go") == "cd go && go test -json ./..."
    assert command(desk, target="go/pkg") == "cd go && go test -json ./pkg/..."
    assert command(desk, target="go/pkg/a_test.go::TestA") == (
        "cd go && go test -json -run '^TestA$' ./pkg"
    )
    assert command(desk, target="rs") == "cd rs && cargo test --color=never"
    assert command(desk, target="rs/tests/it.rs") == "cd rs && cargo test --color=never --test it"
    assert command(desk, target="rs/src/lib.rs::sums") == "cd rs && cargo test --color=never sums"
    assert command(desk, target="mk") == "cd mk && make test"


def test_the_targets_language_decides_in_a_mixed_project(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_program(tmp_path / "bin", "npm")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    fake_python(desk)
    desk.put("pyproject.toml", "")
    desk.put("package.json", json.dumps({"scripts": {"test": "jest"}}))
    desk.put("a.test.js", "")
    desk.put("test_a.py", "")
    assert "pytest" in command(desk)
    assert command(desk, target="a.test.js") == "npm run test -- a.test.js"
    assert "pytest" in command(desk, target="test_a.py")


def test_no_runner(desk: Desk) -> None:
    desk.put("README.md", "")
    desk.put("package.json", json.dumps({"scripts": {"test": 'echo "no test specified"'}}))
    with pytest.raises(
        NotPossible, match=r"no test runner found; looked for pyproject.toml, .*Makefile"
    ):
        command(desk)
    with pytest.raises(TryAgain, match="options go into args"):
        command(desk, target="-x")
    with pytest.raises(TryAgain, match="args cannot be split"):
        command(desk, args="'open")
    with pytest.raises(NotPossible, match="outside"):
        command(desk, target="../other/test_a.py")


def test_a_runner_that_is_not_installed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.path.devnull)
    desk.put("go.mod", "module x\n")
    with pytest.raises(NotPossible, match="need go, which is not installed"):
        command(desk)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            {"target": "tests/test_gone.py"},
            "ERROR: file or directory not found: tests/test_gone.py",
        ),
        ({"target": "test_sums.py::Sums::test_gone"}, "ERROR: not found: "),
        ({"args": "--no-such"}, "__main__.py: error: unrecognized arguments: --no-such"),
    ],
)
async def test_a_runner_that_could_not_start_leads_with_its_own_error(
    desk: Desk, arguments: dict[str, str], error: str
) -> None:
    desk.put("test_sums.py", UNITTEST)
    result = await desk.call("test", **arguments)
    first, second = result.text.splitlines()[:2]
    assert first.startswith(error)
    assert second == result.summary
    assert second.endswith("(exit 4)")
    assert result.check is not None
    assert not result.check.passed


async def test_a_conftest_that_does_not_import_leads_with_the_reason(desk: Desk) -> None:
    desk.put("conftest.py", "import zzz\n")
    desk.put("test_sums.py", UNITTEST)
    result = await desk.call("test")
    assert result.text.splitlines()[0].startswith("ImportError while loading conftest")
    assert "No module named 'zzz'" in result.text.splitlines()[1]
    assert result.text.splitlines()[2].startswith("pytest: no counts in its output (exit 4)")


def test_a_program_on_the_path_is_shown_by_name(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_program(tmp_path / "bin", "python3")
    put_program(desk.root / "bin", "python3")
    monkeypatch.setenv("PATH", f"{desk.root / 'bin'}:{tmp_path / 'bin'}")
    desk.put("test_a.py", "")
    assert command(desk) == "python3 -m pytest --color=no --tb=short -rfE"
    runner = python.find(Request(desk.root, "", "", ()))
    assert runner is not None
    assert runner.argv[0] == str(tmp_path / "bin" / "python3")


async def test_what_was_found_is_what_runs(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_program(tmp_path / "bin", "cargo")
    (desk.put("bin/cargo", "#!/bin/sh\necho intruder\n")).chmod(0o755)
    desk.put("Cargo.toml", "")
    monkeypatch.setenv("PATH", f"{desk.root / 'bin'}:{tmp_path / 'bin'}:/usr/bin:/bin")
    text = (await desk.call("test")).text
    assert "ran: test --color=never" in text
    assert "intruder" not in text


async def test_failures_are_named_and_explained(desk: Desk) -> None:
    desk.put("test_sums.py", UNITTEST)
    result = await desk.call("test")
    assert result.ok
    assert "1 failed, 1 passed (exit 1)" in result.summary
    assert "failing:\n  test_sums.py::Sums::test_bad" in result.text
    assert "AssertionError: 2 != 3" in result.text
    assert "full log: " in result.text
    log = result.text.rpartition("full log: ")[2]
    assert "test session starts" in (await desk.call("bash", command=f"cat {log}")).text
    assert result.check is not None
    assert (result.check.passed, result.check.failing) == (False, ("test_sums.py::Sums::test_bad",))


async def test_failures_are_named_whatever_the_project_says_of_reports(desk: Desk) -> None:
    desk.put("pytest.ini", "[pytest]\naddopts = -rxXs\n")
    desk.put("test_sums.py", UNITTEST)
    result = await desk.call("test")
    assert result.check is not None
    assert result.check.failing == ("test_sums.py::Sums::test_bad",)


async def test_success_is_short(desk: Desk) -> None:
    desk.put("test_sums.py", UNITTEST)
    result = await desk.call("test", target="test_sums.py::Sums::test_good")
    assert len(result.text.splitlines()) == 2
    assert result.text.startswith("pytest: 0 failed, 1 passed (exit 0)\ncommand: ")
    assert result.check is not None
    assert result.check.passed


async def test_many_failures_stay_within_the_limit(desk: Desk) -> None:
    desk.put(
        "test_many.py",
        "import pytest\n"
        "@pytest.mark.parametrize('n', range(80))\n"
        "def test_n(n):\n    print('word ' * 2_000)\n    assert n == -1\n",
    )
    result = await desk.call("test")
    assert result.text.startswith("pytest: 80 failed, 0 passed (exit 1)")
    assert "[50 more not shown]" in result.text
    assert "more failures in the full log]" in result.text
    assert tokens.count(result.text) < 2_600
    assert result.check is not None
    assert len(result.check.failing) == 80


async def test_no_test_is_no_success(desk: Desk) -> None:
    desk.put("test_none.py", "")
    result = await desk.call("test")
    assert result.summary == "pytest: no tests ran (exit 5)"
    assert result.check is not None
    assert not result.check.passed


async def test_unknown_output_shows_its_end(desk: Desk) -> None:
    if find_program("make") is None:
        pytest.skip("make is not installed")
    desk.put("Makefile", "test:\n\t@seq 1 9000; echo broken; exit 4\n")
    result = await desk.call("test")
    assert result.text.startswith(
        "make test: no counts in its output (exit 2)\ncommand: make test\n1\n"
    )
    assert "\nbroken\n" in result.text
    assert "[output was cut; all of it: " in result.text
    assert result.check is not None
    assert not result.check.passed


async def test_a_missing_program_is_guessed_at(desk: Desk) -> None:
    if find_program("npm") is None:
        pytest.skip("npm is not installed")
    desk.put("package.json", json.dumps({"scripts": {"test": "no-such-program-here"}}))
    text = (await desk.call("test")).text
    assert text.endswith("a program was not found: are the project's dependencies installed?")


async def test_a_run_that_takes_too_long(desk: Desk) -> None:
    if find_program("make") is None:
        pytest.skip("make is not installed")
    desk.put("Makefile", "test:\n\t@echo begun; sleep 30\n")
    result = await desk.call("test", timeout=1)
    assert "killed: still running after 1 s" in result.text
    assert "begun" in result.text
