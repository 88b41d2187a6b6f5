"""The measures of vectors and of embedding models, on little."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from support.commits import git

from aoci_agent.evals import ann, embedders

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("faiss") is None, reason="faiss is not installed"),
    pytest.mark.skipif(find_spec("wordllama") is None, reason="wordllama is not installed"),
]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    words = ("open", "close", "read", "write", "parse", "send", "find", "drop")
    for first in words:
        functions = [
            f'def {first}_{second}(item):\n    """{first.title()} what was there to {second}, if any.'
            f'"""\n    return item.{first}({second!r})\n'
            for second in words
        ]
        (tmp_path / f"{first}.py").write_text("\n\n".join(functions))
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "all")
    return tmp_path


def test_indexes_are_compared(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ann.main(["--vectors", "40", "2000", "--", str(repository)]) == 0
    out = capsys.readouterr().out
    assert "asked for 2,000; there are " in out
    rows = [line.split() for line in out.splitlines()[1:] if "asked for" not in line]
    sizes = {(row[0], row[1]) for row in rows}
    assert len([size for size in sizes if size[0] == "units"]) >= 1
    assert {size for size in sizes if size[0] == "clusters"} == {
        ("clusters", "40"),
        ("clusters", "2,000"),
    }
    assert {row[3] for row in rows if row[2] in ("Flat", "numpy")} == {"1.000"}


def test_models_are_compared(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert embedders.main([str(repository), "--model", "hash", "static"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert [row[0] for row in rows] == ["BM25", "hash", "static"]
    assert all(row[1] == "64" and float(row[3]) > 0.2 for row in rows)
    assert embedders.main([str(repository), "--model", "no-such"]) == 1
