"""Each kind of defect in a small tree, and the same change done well."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from support.commits import git

from aoci_agent.base.git import Repository
from aoci_agent.evals.replay.defects import defects, defects_in

SCHEMA = "CREATE TABLE users (id int primary key, name text, email text, nick text);\n"
READS = "a = 'SELECT id, name FROM users WHERE id = ?'\nb = 'SELECT id, name, email FROM users'\n"
ROUTES = "from flask import Flask\napp = Flask(__name__)\n\n@app.route('/api/users/<id>', methods=['GET', 'POST'])\ndef user(id):\n    return ''\n"
LIST = "export const users = () => fetch('/api/users/all')\n"
TREE = {"schema.sql": SCHEMA, "db.py": READS, "app.py": ROUTES, "list.ts": LIST}
EDIT = "export const save = (id: string) => axios.post(`/api/users/${id}`, {})"
RECENT = (
    "limit = settings.limit(100)\nretries = settings.retries(3)\ntimeout = settings.timeout(9)\n"
)


def found(changes: dict[str, str], recent: dict[str, str] | None = None) -> list[str]:
    base = TREE | (recent or {})
    return [line.partition(":")[0] for line in defects(base, base | changes, recent or {}, {})]


KINDS = [
    ("multi-path", {"db.py": READS.replace("id, name FROM", "id, name, nick FROM")}, {"db.py": READS.replace("name FROM", "name, nick FROM").replace("email FROM", "email, nick FROM")}),
    ("refresh", {"edit.ts": f"{EDIT}\n"}, {"edit.ts": f"{EDIT}.then(() => queries.invalidate('users'))\n"}),
    ("contract", {"more.ts": "export const a = () => fetch('/api/groups/all')\n"}, {"more.ts": "export const a = () => fetch('/api/users/7')\n"}),
    ("schema", {"new.py": "c = 'INSERT INTO users (id, phone) VALUES (1, 2)'\n"}, {"new.py": "c = 'INSERT INTO users (id, email) VALUES (1, 2)'\n"}),
    ("schema", {"b.sql": "CREATE TABLE accounts (id int, name text, email text, nick text);\n"}, {"b.sql": "CREATE TABLE prices (id int, amount int, currency text);\n"}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "bad", "good"), KINDS)
def test_a_kind_is_found_and_the_change_done_well_is_not(
    kind: str, bad: dict[str, str], good: dict[str, str]
) -> None:
    assert set(found(bad)) == {kind}
    assert found(good) == []


def test_an_earlier_change_that_is_gone() -> None:
    recent = {"settings.py": RECENT}
    assert found({"settings.py": "nothing = 1\n"}, recent) == ["dropped"]
    assert found({"settings.py": f"{RECENT}more = 1\n"}, recent) == []


def test_nothing_changed_nothing_found() -> None:
    assert defects(TREE, TREE, {"db.py": READS}, {}) == ()


def test_a_deleted_file_is_an_earlier_change_that_is_gone() -> None:
    base, recent = TREE | {"settings.py": RECENT}, {"settings.py": RECENT}
    (line,) = defects(base, TREE, recent, {})
    assert line.startswith("dropped: settings.py lost 3 lines")
    assert defects(base, TREE, recent, {"settings.py": ""}) == ()  # the person did so too


class Shop:
    """The small tree as a repository: its base adds a file to an older commit; then comes a fix."""

    def __init__(self, root: Path) -> None:
        self.root = root
        git(root, "init", "-q", "-b", "main")
        commits = (TREE, {"settings.py": RECENT, "old.py": b"# caf\xe9\n"}, {"fix.py": "x = 1\n"})
        self.older, self.base, self.fix = (self.commit(files) for files in commits)
        git(root, "checkout", "-q", self.base)
        found = Repository.find(root)
        assert found is not None
        self.source = found

    def commit(self, files: Mapping[str, str | bytes]) -> str:
        self.write(files)
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", "more")
        return git(self.root, "rev-parse", "HEAD").stdout.strip()

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_bytes(text if isinstance(text, bytes) else text.encode())

    def found(self, files: Mapping[str, str | bytes], fix: str = "") -> set[str] | None:
        self.write(files)
        lines = defects_in(self.root, files, self.source, self.base, fix or self.fix)
        return None if lines is None else {line.partition(":")[0] for line in lines}


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


@pytest.mark.parametrize(
    ("kind", "bad", "good"),
    [*KINDS, ("dropped", {"settings.py": "x = 1\n"}, {"settings.py": f"{RECENT}x = 1\n"})],
)
def test_each_kind_is_named_in_a_work_tree(
    shop: Shop, kind: str, bad: dict[str, str], good: dict[str, str]
) -> None:
    assert shop.found({**bad}) == {kind}
    for name in bad:
        if name not in TREE and name != "settings.py":
            (shop.root / name).unlink()
    assert shop.found({**TREE, **good}) == set()


def test_only_source_is_looked_at_and_only_what_is_recent(shop: Shop) -> None:
    wrong = "c = 'INSERT INTO users (id, phone) VALUES (1, 2)'\n"
    assert shop.found({"tests/test_it.py": wrong, "CHANGES.rst": wrong}) == set()
    assert shop.found({"app.py": "x = 1\n"}) == set()  # it began with the repository
    lines = defects_in(shop.root, ["settings.py"], shop.source, shop.base, "")
    assert lines == ()  # without a fix nobody knows what was to stay


def test_what_cannot_be_looked_at_is_not_taken_for_clean(shop: Shop) -> None:
    blob = git(shop.root, "rev-parse", f"{shop.base}:db.py").stdout.strip()
    (shop.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert shop.found({"new.py": "x = 1\n"}) is None
