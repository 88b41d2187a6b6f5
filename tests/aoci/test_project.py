from pathlib import Path

import pytest

from aoci_agent.aoci.model import Entry
from aoci_agent.aoci.project import project_of
from aoci_agent.aoci.roles import Role
from aoci_agent.aoci.store import IndexStore
from aoci_agent.base.errors import BadUsage
from aoci_agent.base.files import Workspace


def project(root: Path, toml: str = "", ignore: str = "") -> Workspace:
    (root / ".aoci-agent").mkdir(parents=True)
    if toml:
        (root / ".aoci-agent/aoci.toml").write_text(toml)
    if ignore:
        (root / ".aociignore").write_text(ignore)
    return Workspace(root)


def test_roles_by_pattern(tmp_path: Path) -> None:
    toml = '[scope]\nindex = ["vendor/ours/**", "legacy/keep.py"]\nfold = ["data/**"]\nexclude = ["/gen/"]\n'
    with project(tmp_path, toml, "legacy/\n*.bak\n") as workspace:
        said = project_of(workspace)
        roles = {
            path: said.role(path)[0]
            for path in (
                "vendor/ours/a.py", "vendor/theirs/a.py", "data/x.py", "gen/a.py", "src/gen/a.py",
                "legacy/a.py", "legacy/keep.py", "a.bak", "a.py", ".aoci-agent/index.aoci",
            )
        }  # fmt: skip
    assert roles == {
        "vendor/ours/a.py": Role.INDEX,
        "vendor/theirs/a.py": Role.EXCLUDE,
        "data/x.py": Role.FOLD,
        "gen/a.py": Role.EXCLUDE,
        "src/gen/a.py": Role.INDEX,
        "legacy/a.py": Role.EXCLUDE,
        "legacy/keep.py": Role.INDEX,
        "a.bak": Role.EXCLUDE,
        "a.py": Role.INDEX,
        ".aoci-agent/index.aoci": Role.EXCLUDE,
    }


@pytest.mark.parametrize(
    ("toml", "named"),
    [
        ("[scope\n", "not valid TOML"),
        ("[scop]\n", "[scop] is not known"),
        ("[scope]\nindx = []\n", "scope.indx is not known"),
        ('[scope]\nindex = "a"\n', "scope.index must be a list"),
        ("[scope]\nfold = [1]\n", "scope.fold must be a list"),
        ("[index]\nmax_tokens = 0\n", "index.max_tokens must be"),
        ('[check]\nR3 = "loud"\n', "check.R3 must be one of"),
        ("scope = 1\n", "[scope] is not known"),
    ],
)
def test_what_makes_no_sense_is_named(tmp_path: Path, toml: str, named: str) -> None:
    with project(tmp_path, toml) as workspace, pytest.raises(BadUsage) as raised:
        project_of(workspace)
    assert named in raised.value.message
    assert "aoci.toml" in raised.value.message


def test_a_changed_role_changes_the_index(tmp_path: Path) -> None:
    (tmp_path / "p/old").mkdir(parents=True)
    (tmp_path / "p/old/a.py").write_text('"""A."""\n')
    (tmp_path / "p/b.py").write_text('"""B."""\n')
    with Workspace(tmp_path / "p") as workspace:
        store = IndexStore(workspace, None, tmp_path / "cache")
        assert store.build().entries == 2
        (tmp_path / "p/.aociignore").write_text("old/\n.aociignore\n")
        assert [entry.path for entry in _built(store)] == ["b.py"]
        (tmp_path / "p/.aoci-agent/aoci.toml").write_text('[scope]\nindex = ["old/"]\n')
        assert [entry.path for entry in _built(store)] == ["b.py", "old/a.py"]
        header = {line.key: line.text for line in store.current.header}
    assert "excluded" in header["scope"]


def _built(store: IndexStore) -> tuple[Entry, ...]:
    store.build()
    return store.current.entries
