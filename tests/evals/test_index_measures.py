"""The measures of the index, on repositories made for it."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from aoci_agent.evals import index_build, index_equal, index_merge


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    commit(
        root, {f"shop/part{n}.py": f'"""Part {n}"""\n\n\ndef part_{n}(): ...\n' for n in range(6)}
    )
    commit(root, {"shop/part1.py": '"""Part one"""\nfrom shop.part0 import part_0\n'})
    commit(root, {"shop/new.py": "from shop.part1 import part_0\n", "README.md": "# Shop\n"})
    return root


def commit(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    for arguments in (
        ["init", "-q", "-b", "main"],
        ["add", "-A"],
        [*identity, "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *arguments], cwd=root, check=True)


def test_updates_equal_rebuilds(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert index_equal.main([str(repository), "--commits", "2"]) == 0
    assert "update == rebuild 2/2, refresh == rebuild 1/1" in capsys.readouterr().out
    assert not (repository / ".aoci-agent").exists()


def test_neighbours_merge(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert index_merge.main([str(repository), "--merges", "2"]) == 0
    out = capsys.readouterr().out
    assert "neighbouring edits: 2/2 merges clean" in out
    assert "2 settled by `update --fix`, of 2" in out
    assert index_merge.main([str(repository), "--merges", "99"]) == 1


def test_a_build_is_measured_on_a_copy(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert index_build.main([str(repository)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines[1:3]] == ["cold", "no-op"]
    assert lines[1].split()[2] == "8"
    assert not (repository / ".aoci-agent").exists()
