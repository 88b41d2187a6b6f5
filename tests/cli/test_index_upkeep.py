"""`index update`, `pin`, `check` and `hook`, as a person runs them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.commits import git

from aoci_agent.cli import main

ORDERS = '"""Orders"""\n\n\ndef place_order():\n    return 1\n'


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AOCI_AGENT_HOME", str(tmp_path / "home"))
    root = tmp_path / "project"
    root.mkdir()
    (root / "orders.py").write_text(ORDERS)
    (root / "stock.py").write_text('"""Stock"""\nfrom orders import place_order\n')
    git(root, "init", "-q", "-b", "main")
    return root


def index(root: Path, *words: str) -> int:
    return main(["index", *words, "--cwd", str(root)])


def committed(root: Path) -> None:
    assert index(root, "build") == 0
    git(root, "add", "-A")
    assert git(root, "commit", "-qm", "start").returncode == 0


def edit(root: Path, old: str, new: str) -> None:
    place = root / ".aoci-agent/index.aoci"
    assert old in place.read_text()
    place.write_text(place.read_text().replace(old, new))


def test_update_lists_what_changed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert index(root, "update") == 1
    assert "index build" in capsys.readouterr().err
    committed(root)
    (root / "orders.py").write_text(ORDERS.replace("Orders", "Sales"))
    (root / "stock.py").rename(root / "shelf.py")
    (root / "new.py").write_text('"""New"""\n')
    capsys.readouterr()
    assert index(root, "update") == 0
    lines = capsys.readouterr().out.split("\n")
    assert lines[:2] == ["> stock.py -> shelf.py", "+ new.py"]
    assert "~ orders.py" in lines
    assert index(root, "update", "--json") == 0
    assert json.loads(capsys.readouterr().out)["changes"]["changed"] == []


def test_pin_and_unpin(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    committed(root)
    edit(root, "F:Orders", "F:The heart")
    (root / "orders.py").write_text(ORDERS.replace("return 1", "return 2"))
    assert index(root, "update") == 0
    assert "source changed under F" in capsys.readouterr().err
    assert index(root, "pin", "orders.py", "F") == 0
    assert "orders.py: F pinned" in capsys.readouterr().out
    assert index(root, "update") == 0
    assert "source changed" not in capsys.readouterr().err
    assert index(root, "unpin", "orders.py") == 0
    assert "F:Orders" in (root / ".aoci-agent/index.aoci").read_text()
    assert index(root, "pin", "orders.py", "Q") == 2
    assert index(root, "pin", "nowhere.py") == 1
    assert index(root, "pin", "../out.py") == 2


def test_check_exits_with_0_1_and_2(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert index(root, "check") == 2
    committed(root)
    assert index(root, "check") == 0
    edit(root, "| R:orders |", "| R:nowhere/at_all |")
    capsys.readouterr()
    assert index(root, "check") == 1
    assert "error R1 stock.py: R names no file: nowhere/at_all" in capsys.readouterr().out
    assert index(root, "check", "orders.py") == 0
    assert index(root, "check", "--format", "json") == 1
    capsys.readouterr()
    assert index(root, "check", "--format", "sarif", "--since", "HEAD") == 0
    assert index(root, "check", "--since", "nothing") == 2
    assert "no commit 'nothing' here" in capsys.readouterr().err
    assert index(root, "check", "--since=--output=x") == 2
    assert index(root, "check", "--since", "HEAD", "--staged") == 2
    (root / ".aoci-agent/aoci.toml").write_text('[check]\nZ9 = "off"\n')
    assert index(root, "check") == 2


def test_check_since_looks_at_changed_files_only(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    committed(root)
    (root / "orders.py").write_text(ORDERS + "\n\ndef more():\n    return 2\n")
    (root / "untracked.py").write_text('"""Not yet known"""\n')
    capsys.readouterr()
    index(root, "check", "--since", "HEAD")
    out = capsys.readouterr().out
    assert "orders.py" in out
    assert "untracked.py" in out
    index(root, "check", "--staged")
    assert "2 elsewhere" in capsys.readouterr().out


def test_fix_rewrites_the_file(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    committed(root)
    place = root / ".aoci-agent/index.aoci"
    right = place.read_text()
    place.write_text(right.removeprefix("#AOCI 1\n"))
    assert index(root, "check") == 1
    assert index(root, "update", "--fix") == 0
    assert "written canonically" in capsys.readouterr().out
    assert place.read_text() == right


def commit(root: Path) -> subprocess.CompletedProcess[str]:
    return git(root, "commit", "-qm", "next")


def test_the_hook_stops_a_commit_that_leaves_the_index_behind(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "aoci-agent"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m aoci_agent "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    committed(root)
    assert index(root, "hook", "install") == 0
    (root / "stock.py").write_text('"""Stock"""\nfrom orders import nothing\n')
    edit(root, "| R:orders |", "| R:nowhere/at_all |")
    git(root, "add", "-A")
    stopped = commit(root)
    assert stopped.returncode != 0
    assert "nowhere/at_all" in stopped.stdout + stopped.stderr
    assert index(root, "unpin", "stock.py") == 0
    not_staged = commit(root)
    assert not_staged.returncode != 0
    assert "not staged" in not_staged.stderr
    git(root, "add", "-A")
    assert commit(root).returncode == 0
    assert index(root, "hook", "uninstall") == 0
    assert not (root / ".git/hooks/pre-commit").exists()


def test_a_hook_of_somebody_else_is_left_alone(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = root / ".git/hooks/pre-commit"
    place.parent.mkdir(exist_ok=True)
    place.write_text("#!/bin/sh\nexit 0\n")
    assert index(root, "hook", "install") == 1
    assert "add this line to it: aoci-agent index check --staged" in capsys.readouterr().err
    assert index(root, "hook", "uninstall") == 1
    assert place.read_text() == "#!/bin/sh\nexit 0\n"
    place.unlink()
    git(root, "config", "core.hooksPath", ".husky")
    assert index(root, "hook", "install") == 1
    assert ".husky" in capsys.readouterr().err
    assert index(root, "hook", "ci") == 0
    assert "index check --since" in capsys.readouterr().out
