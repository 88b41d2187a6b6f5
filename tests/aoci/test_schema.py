"""Table entries: each kind of source, migrations replayed, sources that disagree, updates."""

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from support.schemas import (
    ALCHEMY,
    DIESEL,
    DJANGO,
    DRIZZLE,
    GORM,
    IN_CODE,
    JPA,
    KNEX,
    KOTLIN,
    LARAVEL,
    MONGOOSE,
    MYSQL,
    POSTGRES,
    PRISMA,
    QUERY_INTERFACE,
    RAILS,
    RAILS_MIGRATION,
    SEQUELIZE,
    TYPEORM,
)

from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.facts.model import from_record, to_record
from aoci_agent.aoci.facts.stored import stored
from aoci_agent.aoci.model import Index
from aoci_agent.aoci.parse import parse
from aoci_agent.aoci.render import render
from aoci_agent.aoci.schema.tables import schema_of, tables_of, unknown_tables
from aoci_agent.aoci.store import IndexStore
from aoci_agent.aoci.write import table_line, write
from aoci_agent.base.files import Workspace


def lines(files: dict[str, str]) -> list[str]:
    world = {path: extract(path, text.encode()) for path, text in files.items()}
    return [table_line(table) for table in tables_of(world, lambda _: "Db")]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("db/a.sql", MYSQL, [
            "orgs[Db-M-?-TREE]: id pk, parent_id →orgs",
            "users[Db-M-?-SOFT+TS+JSON+ENUM+TENANT]: id pk, email unique, org_id →orgs,"
            " role enum(admin¦it's member), password_hash secret, settings json, deleted_at soft-delete,"
            " name, created_at, updated_at, unique(org_id+name)",
        ]),
        ("db/a.sql", POSTGRES, [
            "posts[Db-M-?-GUID+JSON+ENUM]: id pk, key unique →keys, state enum(draft¦live), mood enum(good¦bad),"
            " body json, unique(state+mood)",
            "log[Db-L-?-0]: id pk, at",
        ]),
        ("src/schema.ts", DRIZZLE, [
            "team_members[Db-A-?-TS+ENUM+TENANT]: created_at, updated_at, user_id pk →user, team_id pk →teams,"
            " kind enum(a¦b), role enum(owner¦guest), plain, unique(team_id+role)",
            "teams[Db-M-?-GUID]: id pk, slug unique",
        ]),
        ("prisma/schema.prisma", PRISMA, [
            "Post[Db-M-?-JSON]: id pk, author_id →users, meta json, unique(author_id+id)",
            "users[Db-M-?-GUID+ENUM]: id pk, email unique, role enum(ADMIN¦USER)",
        ]),
        ("src/account.entity.ts", TYPEORM, [
            "accounts[Db-M-?-GUID+TREE+ENUM]: created_at, id pk, email unique, role enum(admin¦user),"
            " parent_id →accounts",
        ]),
        ("src/user.js", SEQUELIZE, [
            "Users[Db-M-?-SOFT+TS+ENUM+TENANT]: id pk, email unique, team_id →teams, state enum(on¦off),"
            " createdAt, updatedAt, deletedAt soft-delete",
            "teams[Db-M-?-0]: id pk, name",
        ]),
        ("migrations/1.js", QUERY_INTERFACE, ["jobs[Db-M-?-0]: id pk, state"]),
        ("migrations/1.js", KNEX, [
            "keys[Db-M-?-TS+ENUM]: id pk, user_id →users, status enum(active¦gone), api_key unique secret,"
            " created_at, updated_at, unique(user_id+status)",
        ]),
        ("models/order.js", MONGOOSE, [
            "orders[Db-M-?-GUID+TS+JSON+ENUM+DOC]: _id pk, customer →customers, state enum(new¦done), code unique,"
            " parts, address json, note, createdAt, updatedAt",
        ]),
        ("model/user.go", GORM, [
            "organisations[Db-M-?-SOFT+TS]: id pk, created_at, updated_at, deleted_at soft-delete, name",
            "user_profiles[Db-M-?-ENUM]: id pk, created_at, org →organisations, email unique, kind enum(a¦b),"
            " api_key secret",
        ]),
        ("shop/models.py", DJANGO, [
            "named_things[Db-M-?-GUID]: key pk",
            "shop_item[Db-M-?-ENUM]: id pk, created_at, owner_id →auth_user, state enum(new¦old),"
            " unique(owner_id+state)",
            "shop_item_tags[Db-A-?-0]: id pk, item_id →shop_item, tag_id →shop_tag",
            "shop_tag[Db-M-?-0]: id pk, name unique",
        ]),
        ("app/models.py", ALCHEMY, [
            "links[Db-M-?-0]: a_id pk →users, n",
            "users[Db-M-?-ENUM+TENANT]: created_at, id pk, email unique, role enum(admin¦user), org_id →orgs, name,"
            " unique(org_id+email)",
        ]),
        ("db/schema.rb", RAILS, [
            "posts[Db-A-?-GUID+JSON]: id pk, title unique, user_id →users, author_id →people, meta json, created_at",
        ]),
        ("db/migrate/1_a.rb", RAILS_MIGRATION, ["cards[Db-M-?-TS]: id pk, front, deck_id, created_at, updated_at"]),
        ("database/migrations/1.php", LARAVEL, [
            "songs[Db-M-?-SOFT+TS+ENUM]: id pk, album_id →albums, state enum(on¦off), handle unique, created_at,"
            " updated_at, deleted_at soft-delete",
        ]),
        ("src/Pet.java", JPA, [
            "owner[Db-M-?-0]: id pk, name",
            "pets[Db-M-?-ENUM]: id pk, birth_date, owner_id →owner, kind enum(CAT¦DOG), pet_name, unique(a+b)",
        ]),
        ("src/Card.kt", KOTLIN, ["cards[Db-M-?-GUID]: id pk, front_text unique, back"]),
        ("src/schema.rs", DIESEL, ["teams[Db-M-?-GUID]: id pk", "users[Db-M-?-TENANT]: id pk, type, team_id →teams"]),
        ("src/rules.js", IN_CODE, ["rules[Db-M-?-0]: id pk, subject unique, note"]),
    ],
    ids=lambda value: value if isinstance(value, str) and "/" in value and "\n" not in value else "",
)  # fmt: skip
def test_each_kind_of_source(path: str, text: str, expected: list[str]) -> None:
    assert lines({path: text}) == expected


def test_migrations_are_replayed_in_the_order_of_their_numbers() -> None:
    files = {
        "migrations/V1__a.sql": "CREATE TABLE a (id int PRIMARY KEY, x text, y text, UNIQUE (x, y));"
        "CREATE TABLE gone (id int); CREATE TABLE old (id int);",
        "migrations/V2__b.sql": "ALTER TABLE a ADD COLUMN z int, DROP COLUMN y, RENAME COLUMN x TO w;",
        "migrations/V10__c.sql": "ALTER TABLE a CHANGE z zz bigint REFERENCES b(id), MODIFY w varchar(3) UNIQUE;"
        "DROP TABLE IF EXISTS gone; ALTER TABLE old RENAME TO new;",
        "migrations/V10__c.down.sql": "DROP TABLE a;",
    }
    assert lines(files) == ["a[Db-M-?-0]: id pk, w unique, zz →b", "new[Db-M-?-0]: id"]


def test_the_way_down_is_left_out() -> None:
    text = "-- +goose Up\nCREATE TABLE a (id int);\n-- +goose Down\nDROP TABLE a;\n"
    assert lines({"migrations/1.sql": text}) == ["a[Db-M-?-0]: id"]


def test_tests_samples_and_old_copies_define_nothing() -> None:
    sql = "CREATE TABLE a (id int);"
    paths = ("tests/a.sql", "examples/a.sql", "db/migrations.bak.2025/1.sql", "db/backup_2/1.sql")
    assert lines(dict.fromkeys(paths, sql)) == []


def test_code_decides_and_the_difference_is_said() -> None:
    files = {
        "migrations/1.sql": "CREATE TABLE teams (id uuid PRIMARY KEY, slug text, lost text,"
        " owner text REFERENCES people(id)); CREATE TABLE forgotten (id int);",
        "src/schema.ts": DRIZZLE,
    }
    world = {path: extract(path, text.encode()) for path, text in files.items()}
    schema = schema_of(world)
    assert [table.name for table in schema.tables] == ["team_members", "teams"]
    assert list(schema.tables[1].columns) == ["id", "slug"]
    assert schema.findings == ("teams: lost, owner only in migrations/1.sql, not in src/schema.ts",)


def test_scripts_of_one_rank_add_up_unless_they_share_nothing() -> None:
    files = {
        "one/a.sql": "CREATE TABLE a (id int, x int, y int); CREATE TABLE b (id int, p int, q int);",
        "two/a.sql": "CREATE TABLE a (id int, x int, z int); CREATE TABLE b (k int, l int);",
        "three/a.sql": "ALTER TABLE a ADD COLUMN late int; ALTER TABLE a DROP COLUMN x;",
    }
    assert lines(files) == ["a[Db-M-?-0]: id, x, y, z, late", "b[Db-M-?-0]: id, p, q"]
    world = {path: extract(path, text.encode()) for path, text in files.items()}
    assert schema_of(world).findings[-1] == "b: two tables of this name, one/a.sql and two/a.sql"


def test_bases_of_other_files_are_followed() -> None:
    files = {
        "model/base.go": 'package model\n\ntype Base struct {\n\tID uint `gorm:"primarykey"`\n}\n',
        "model/a.go": 'package model\n\ntype KBDocument struct {\n\tBase\n\tOrgIDs Ids `gorm:"type:bigint[]"`\n}\n'
        'type View struct {\n\tKBDocument\n\tN int `gorm:"column:n"`\n}\n',
        "db/open.go": "package db\n\nfunc open() { db.AutoMigrate(&model.KBDocument{}) }\n",
    }
    assert lines(files) == ["kb_documents[Db-M-?-0]: id pk, org_ids"]


def test_records_survive_the_cache() -> None:
    facts = extract("db/a.sql", MYSQL.encode())
    assert from_record(to_record(facts)) == facts
    assert facts.stored


def test_the_index_round_trips_with_tables() -> None:
    world = {
        path: extract(path, text.encode()) for path, text in (("a.sql", MYSQL), ("b.sql", POSTGRES))
    }
    index = Index(tables=tables_of(world, lambda _: "Db"))
    assert parse(write(index)) == index
    assert write(parse(write(index))) == write(index)


def test_tables_shrink_to_names_before_they_go() -> None:
    many = "".join(
        f"CREATE TABLE t{n} (id int PRIMARY KEY, a int, b int, c int);" for n in range(99)
    )
    world = {"a.sql": extract("a.sql", many.encode())}
    index = Index(tables=tables_of(world, lambda _: "Db"))
    whole = render(index)
    assert "t98[Db-M-?-0]: id pk, a, b, c" in whole.entries.splitlines()
    names = render(index, whole.tokens - 1)
    assert names.tier == 3
    assert names.entries.splitlines()[-1].startswith("+ t0 t1 t10 ")
    assert names.tokens < whole.tokens
    assert render(index, names.tokens - 1).entries == ""


def test_tables_that_nobody_defines() -> None:
    code = 'db.query("SELECT * FROM users JOIN lost ON 1"); db.query("SELECT a FROM live_posts")\n'
    files = {"a.sql": MYSQL, "b.sql": POSTGRES, "src/a.js": code}
    world = {path: extract(path, text.encode()) for path, text in files.items()}
    found = unknown_tables(world, tables_of(world, lambda _: "Db"))
    assert [pair for pair in found if pair[0] == "src/a.js"] == [("src/a.js", "lost")]
    assert unknown_tables({"src/a.js": world["src/a.js"]}, ()) == ()


def test_refresh_equals_a_rebuild_and_keeps_a_persons_table(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    (root / "src").mkdir(parents=True)
    model = root / "src/schema.ts"
    model.write_text(DRIZZLE)
    (root / "src/a.ts").write_text("export const a = 1;\n")
    with Workspace(root) as workspace:
        store = IndexStore(workspace, None, tmp_path / "cache")
        store.build()
        file = root / ".aoci-agent/index.aoci"
        file.write_text(file.read_text() + "\nlegacy[Le-M-S-0]: id, kept by hand\n")
        store.build()
        model.write_text(DRIZZLE.replace("plain: text()", "other: text('renamed')"))
        store.refresh(["src/schema.ts"])
        refreshed = store.current.tables
        assert [table.name for table in refreshed] == ["legacy", "team_members", "teams"]
        assert "renamed, unique" in refreshed[1].fields
        store.build()
        assert store.current.tables == refreshed
        model.unlink()
        store.refresh(["src/schema.ts"])
        assert [table.name for table in store.current.tables] == ["legacy"]


ALL = (MYSQL, POSTGRES, DRIZZLE, PRISMA, TYPEORM, SEQUELIZE, KNEX, MONGOOSE, GORM, DJANGO, ALCHEMY, RAILS, LARAVEL, JPA, KOTLIN, DIESEL, IN_CODE)  # fmt: skip
ENDINGS = ("sql", "ts", "js", "prisma", "go", "py", "rb", "php", "java", "kt", "rs")


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(ALL), st.sampled_from(ENDINGS), st.data())
def test_damaged_files_give_what_they_can(text: str, ending: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 60)))
    broken = (
        text[:start]
        + data.draw(st.sampled_from(("", "(", ")", "{", "'", '"', "`", ",", "\\")))
        + text[end:]
    )
    world = {f"src/a.{ending}": extract("a.md", b"")}
    world[f"src/a.{ending}"] = from_record(
        {"language": "text", "stored": stored(f"a.{ending}", broken)}
    )
    index = Index(tables=tables_of(world, lambda _: "Db"))
    assert len(parse(write(index)).tables) == len(index.tables)
