"""Each kind of defect in a small tree, and the same change done well."""

import pytest

from aoci_agent.evals.replay.defects import defects

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


@pytest.mark.parametrize(
    ("kind", "bad", "good"),
    [
        ("multi-path", {"db.py": READS.replace("id, name FROM", "id, name, nick FROM")}, {"db.py": READS.replace("name FROM", "name, nick FROM").replace("email FROM", "email, nick FROM")}),
        ("refresh", {"edit.ts": f"{EDIT}\n"}, {"edit.ts": f"{EDIT}.then(() => queries.invalidate('users'))\n"}),
        ("contract", {"more.ts": "export const a = () => fetch('/api/groups/all')\n"}, {"more.ts": "export const a = () => fetch('/api/users/7')\n"}),
        ("schema", {"new.py": "c = 'INSERT INTO users (id, phone) VALUES (1, 2)'\n"}, {"new.py": "c = 'INSERT INTO users (id, email) VALUES (1, 2)'\n"}),
        ("schema", {"b.sql": "CREATE TABLE accounts (id int, name text, email text, nick text);\n"}, {"b.sql": "CREATE TABLE prices (id int, amount int, currency text);\n"}),
    ],
)  # fmt: skip
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
