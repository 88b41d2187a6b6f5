"""The measures of the views, on repositories small enough to run in a moment."""

from pathlib import Path

import pytest
from support.commits import git

from aoci_agent.evals import views_edits, views_scale
from aoci_agent.evals.views_scale_code import LANGUAGES, write_repository
from aoci_agent.views.syntax.outline import outline_of

CODE = "def first():\n    total = 1\n    return total\n\n\ndef second():\n    return first()\n"


@pytest.mark.slow
def test_every_edit_is_right_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "repo"
    (root / "pack").mkdir(parents=True)
    (root / "pack/__init__.py").write_text("")
    (root / "pack/one.py").write_text(CODE)
    (root / "pack/two.py").write_text(CODE.replace("first", "third").replace("second", "fourth"))
    (root / "use.py").write_text("from pack.one import first\n\n\ndef run():\n    return first()\n")
    git(root, "init", "-q", "-b", "main")
    for text in ("one\n", "two\n"):
        (root / "README.md").write_text(text)
        git(root, "add", "-A")
        git(root, "commit", "-qm", text)
    code = views_edits.main([str(root)])
    out = capsys.readouterr().out
    assert "10/10 edits right at once" in out, out
    assert code == 0


def test_the_made_up_repository_is_always_the_same_and_whole(tmp_path: Path) -> None:
    first = list(write_repository(tmp_path / "a", 130))
    second = list(write_repository(tmp_path / "b", 130))
    assert len(set(first)) == 130
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert {path.suffix for path in first} == {item.suffix for item in LANGUAGES.values()}
    for path in first[::10]:
        outline = outline_of(path.name, path.read_bytes())
        assert len([d for d in outline.definitions if d.kind in ("function", "method")]) >= 3
        assert not outline.problem


@pytest.mark.slow
def test_the_scale_measure_runs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["--files", "45", "--view", "lexical", "--keep", str(tmp_path / "work")]
    assert views_scale.main(words) == 0
    out = capfd.readouterr().out
    for part in (
        "cold: wall s",
        "start: to the first answer s",
        "edit one file ms",
        "search p95 ms",
    ):
        assert part in out
