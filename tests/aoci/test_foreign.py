from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from aoci_agent.aoci import foreign
from aoci_agent.aoci.export import single
from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.foreign.reading import read_text
from aoci_agent.aoci.lock import Lock
from aoci_agent.aoci.merge import merge
from aoci_agent.aoci.model import Entry, HeaderLine, Index, TableEntry, Tag
from aoci_agent.base.files import Workspace

PLATFORM = """\
===Shop Platform Index-20260101===

[Notes]
Read this first

===Code Part===

Format: filename[tags]: F:Function | R:Relations | A:API | S:Summary
Tags[ABCDE]: Layer(F-Frontend/B-Backend) Size(L-Large/M-Medium/S-Small)

Module 1: Start
--Backend Core--
/srv/www/shop/backend/src/
server.js[BCC9S]: F:Starts the server | R:app.js,dbPool | A:None | S:SIGTERM drains,port 4000
app.js[BCC9M]: F:Express app | R:all routes,middleware | A:/health,/pages/:user(GET+PUT) | S:3 routes|no more
--Utilities--
/srv/www/shop/backend/src/utils/
index.js[UTC8PMv1.2]: F:Exports | R:None | A:None | S:one place
--Edge Files--
/srv/www/shop/backend/src/old/a.js, b.js
/srv/www/shop/backend/jest.config.js

Module 2: Mail --Backend Routes-- /srv/www/shop/backend/src/routes/ mail.js[RM7S]: F:Mail routes | R:app.js | A:/mail | S:two limits --Backend Models-- /srv/www/shop/backend/src/models/ Mail.js[DM5S]: F:Mail model | R:dbPool | A:None | S:soft delete,a->b index.js[DM3S]: F:All models | R:- | A:- | S:none here

===Code Part-Complete===

===Database Part-20260101===
Format: table_name[ABC] | primary_key | special

Users - 2 tables
users[U9PS] | id[PK] | email,name[UK] | - | group_id->groups[FK]
groups[U5] | id[PK] | - | - | -
v_mail[VIEW] | Mail overview

===Database Part-Complete===
"""
PLATFORM_FILES = [
    *("backend/src/server.js", "backend/src/app.js", "backend/src/utils/index.js"),
    *("backend/src/routes/mail.js", "backend/src/models/Mail.js", "backend/src/models/index.js"),
    *("backend/src/old/a.js", "backend/src/old/b.js", "backend/jest.config.js", "README.md"),
]
VOLUMES = {
    "aoci.txt": (
        "#AOCI-ROOT-MANIFEST: 1\n#Format-Version: cognition-volumes/v1\n"
        "#Volume: id=meta kind=meta path=aoci.meta.txt format=meta-v1 depends=- state=enabled\n"
        "#Volume: id=code kind=code path=vol/code.txt format=x depends=meta state=enabled\n"
        "#Volume: id=old kind=code path=old.txt format=x depends=meta state=disabled\n"
        "#Volume: id=db kind=database path=aoci.database.txt format=x depends=meta\n"
    ),
    "aoci.meta.txt": (
        "#AOCI-META-VOLUME: 1\n#S quota: C9-8≤600 C7-4≤200\n"
        "#Code Entry example: file.go[CG7T]: F:Example | R:- | A:- | S:-\n"
        "#E Scale: L-large>400 M-medium200-400 S-small100-200 T-tiny<100\n"
    ),
    "vol/code.txt": (
        "#AOCI-CODE-VOLUME: 1\n\n===/home/x/proj/===\n"
        "go.mod[CG8T]: F:Module | R:code:cmd/main.go,database://db/public/users | A:- | S:-\n\n"
        "===/home/x/proj/cmd/===\n"
        "main.go[CG8T]: F:Starts | R:- | A:run,POST /x;GET /y | S:stdout is reserved\n"
    ),
    "aoci.database.txt": (
        "#AOCI-DATABASE-VOLUME: 1\n===Main/database://db/public/===\n"
        "users[DB9L]: F:keep accounts | R:orders | A:user_id,UserRepo | S:no hard deletes\n"
        "logs[L-L-M-0]: id, at\n"
    ),
}
DOTTED = (
    "====样例====\n===核心 /repo/internal/===\n"
    "parser.go[Index.Parse.9.Rgx.M]：F：解析器 ｜ R：types.go，util.go ｜ A：Parse；Walk() ｜ S：三种写法【a,b】\n"  # noqa: RUF001
    "notag.go[]: F:无标签 | R:无 | A:无 | S1:一 | S2:二\n#分区: 注释\n"
    "===根 /repo/===\nscripts/tool.sh[Cfg.Root.3.T]: F:工具 | R:- | A:- | S:-\n====完====\n"
)
LISTING = """\
auth.go[WA9JM]: F:JWT middleware |

R:pkg/jwt,model/user | A:- |

S:extract Bearer token from

header, closure-

relation

users[U-M-M-GUID]: primary table,
uuid/email unique
"""


def put(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "tree").mkdir()
    with Workspace(tmp_path / "tree") as opened:
        yield opened


def read(text: str, files: list[str]) -> foreign.Foreign:
    found = foreign.read_files(["x.txt"], lambda _: text, files)
    assert found is not None
    return found


def test_titles_bare_folders_and_run_together_lines() -> None:
    found = read(PLATFORM, PLATFORM_FILES)
    assert (found.layout, found.parsed, found.unmapped) == ("single", 6, ())
    paths = found.index.by_path
    assert sorted(paths) == sorted(PLATFORM_FILES[:6])
    mail = paths["backend/src/models/Mail.js"]
    assert (mail.function, mail.synopsis) == ("Mail model", "soft delete,a->b")
    assert paths["backend/src/routes/mail.js"].synopsis == "two limits"
    app = paths["backend/src/app.js"]
    assert app.relations == ("all routes", "middleware")
    assert app.api == ("/health", "/pages/:user(GET+PUT)")
    assert app.synopsis == "3 routes|no more"
    assert paths["backend/src/utils/index.js"].tag == Tag("U", "TC", 8, "P", "M")
    assert paths["backend/src/server.js"].api == ()
    assert found.named == set(PLATFORM_FILES[6:9])


def test_tables_as_rows_of_cells() -> None:
    users, groups, view = sorted(
        read(PLATFORM, PLATFORM_FILES).index.tables, key=lambda table: "ugv".index(table.name[0])
    )
    assert users == TableEntry(
        "users", "U", "?", "?", ("P", "S"), "id[PK]; email,name[UK]; group_id->groups[FK]"
    )
    assert (groups.features, groups.fields) == ((), "id[PK]")
    assert (view.domain, view.fields) == ("VIEW", "Mail overview")


def test_volumes_are_read_together(workspace: Workspace) -> None:
    put(workspace.root, VOLUMES | {"go.mod": "module x\n", "cmd/main.go": "package main\n"})
    found = foreign.read(workspace)
    assert found is not None
    assert found.layout == "volumes"
    assert found.sources == ("aoci.txt", "aoci.meta.txt", "vol/code.txt", "aoci.database.txt")
    assert found.index.by_path["go.mod"].relations == ("cmd/main.go", "@db:users")
    assert found.index.by_path["cmd/main.go"].api == ("run", "POST /x", "GET /y")
    logs, users = found.index.tables
    assert users.fields == "keep accounts; with orders; as user_id, UserRepo; no hard deletes"
    assert (users.schema, users.scale, logs.kind) == ("db/public", "L", "L")


def test_dotted_tags_and_full_width_punctuation() -> None:
    found = read(DOTTED, ["internal/parser.go", "internal/notag.go", "scripts/tool.sh"])
    assert found.unmapped == ()
    parser = found.index.by_path["internal/parser.go"]
    assert parser.tag == Tag("Index", "Parse", 9, "Rgx", "M")
    assert parser.relations == ("types.go", "util.go")
    assert parser.api == ("Parse", "Walk()")
    assert found.index.by_path["internal/notag.go"].synopsis == "一 二"
    assert found.index.by_path["scripts/tool.sh"].tag.size == "T"


def test_the_papers_listing() -> None:
    found = read(LISTING, ["internal/middleware/auth.go"])
    assert found.layout == "listing"
    (entry,) = found.index.entries
    assert entry.path == "internal/middleware/auth.go"
    assert entry.relations == ("pkg/jwt", "model/user")
    assert entry.synopsis == "extract Bearer token from header, closure-relation"
    assert found.index.tables[0].fields == "primary table, uuid/email unique"


@pytest.mark.parametrize(
    ("prefix", "files", "resolved"),
    [
        ("/home/u/proj/", ["src/a.py", "src/b/c.py"], 2),
        ("C:\\work\\proj\\", ["src/a.py", "src/b/c.py"], 2),
        ("", ["src/a.py", "src/b/c.py"], 2),
        ("./", ["src/a.py", "src/b/c.py"], 2),
        ("/home/u/proj/", ["packages/proj/src/a.py", "packages/proj/src/b/c.py"], 2),
        ("/home/u/", ["a.py", "b/c.py"], 2),
        ("/home/u/proj/", ["src/a.py", "other/c.py", "src/b/d.py"], 1),
        ("/home/u/proj/", ["src/a.py", "src/b/c.py", "old/src/b/c.py", "old/a.py"], 2),
    ],
)
def test_roots_of_other_machines(prefix: str, files: list[str], resolved: int) -> None:
    slash = "\\" if "\\" in prefix else "/"
    text = (
        f"==={prefix}src{slash}===\na.py[SC5T]: F:x | R:- | A:- | S:-\n"
        f"==={prefix}src{slash}b{slash}===\nc.py[SC5T]: F:y | R:- | A:- | S:-\n"
    )
    found = read(text, files)
    assert len(found.index.entries) == resolved
    assert {item.reason for item in found.unmapped} <= {"file missing"}


def test_two_roots_in_one_index() -> None:
    text = "".join(
        f"==={root}===\n{name}[SC5T]: F:x | R:- | A:- | S:-\n"
        for root, name in (("/a/api/src/", "x.go"), ("/a/api/", "go.mod"), ("/b/web/", "y.ts"))
    )
    found = read(text, ["server/src/x.go", "server/go.mod", "ui/y.ts"])
    assert sorted(found.index.by_path) == ["server/go.mod", "server/src/x.go", "ui/y.ts"]


def test_what_is_not_mapped_has_a_reason() -> None:
    text = (
        "lone.py[SC5T]: F:x | R:- | A:- | S:-\ntwice.py[SC5T]: F:x | R:- | A:- | S:-\n"
        "=== src/\ngone.py[SC5T]: F:x | R:- | A:- | S:-\na.py[SC5T]: F:first | R:- | A:- | S:-\n"
        "a.py[SC5T]: F:second | R:- | A:- | S:-\n"
    )
    found = read(text, ["p/lone.py", "p/twice.py", "q/twice.py", "src/a.py"])
    reasons = {item.path: (item.reason, item.line) for item in found.unmapped}
    assert reasons == {
        "twice.py": ("name is ambiguous", 2),
        "src/gone.py": ("file missing", 4),
        "src/a.py": ("repeated", 6),
    }
    assert found.index.by_path["src/a.py"].function == "first"


def test_where_an_index_is_looked_for(workspace: Workspace) -> None:
    root = workspace.root
    entry = "===/x/===\na.py[SC5T]: F:{} | R:- | A:- | S:-\n"
    put(root, {"a.py": "", "README.md": "# no index\n"})
    assert foreign.read(workspace) is None
    put(root, {"docs/aoci.md": entry.format("md")})
    put(
        root, {f"docs/aoci/index-{name}.txt": entry.format(name) for name in ("zh-CN-2", "en-US-2")}
    )
    put(root, {"docs/aoci/index-en-US-1.txt": entry.format("old"), "docs/aoci/notes-en.txt": "x"})
    found = foreign.read(workspace)
    assert found is not None
    assert found.sources == ("docs/aoci/index-en-US-2.txt",)
    assert found.passed_over == ("docs/aoci/index-en-US-1.txt", "docs/aoci/index-zh-CN-2.txt")
    put(root, {"aoci.txt": entry.format("root")})
    assert (foreign.read(workspace) or found).sources == ("aoci.txt",)
    put(root, {".aoci/config.json": '{"index_path": "own.txt"}', "own.txt": entry.format("own")})
    assert (foreign.read(workspace) or found).sources == ("own.txt",)
    put(root, {".aoci/config.json": '{"index_path": "../../etc/passwd"}'})
    assert (foreign.read(workspace) or found).sources == ("aoci.txt",)


def test_ignored_files_count_as_there(workspace: Workspace) -> None:
    text = "===/p/===\n.env[SC5T]: F:x | R:- | A:- | S:-\na.py[SC5T]: F:x | R:- | A:- | S:-\n"
    put(workspace.root, {"aoci.txt": text, ".env": "", "a.py": ""})
    found = foreign.read(workspace, ["aoci.txt", "a.py"])
    assert found is not None
    assert found.unmapped == ()


def test_words_are_adopted_and_become_pins() -> None:
    tag = Tag("S", "Cr", 7, "", "S")
    made = Index(
        (),
        (
            Entry("src", "a.py", tag, "class Run", ("b",), ("run",), "uses x"),
            Entry("src", "b.py", tag, "Orders of the day."),
        ),
        (TableEntry("users", "U", "M", "?", (), "id", "app"),),
    )
    text = (
        "===/p/src/===\na.py[XX1L]: F:Runs | the shop | R:gone | A:old | S:-\n"
        "b.py[XX1L]: F:- | R:- | A:- | S:keeps order\nc.py[XX1L]: F:gone | R:- | A:- | S:-\n"
        "users[U9] | id[PK] | - | name\nroles[U9] | id[PK] | - | -\n"
    )
    found = read(text, ["src/a.py", "src/b.py"])
    merged, taken = foreign.adopt(made, found)
    assert taken == {"src/a.py": ("F",), "src/b.py": ("N",)}
    first, second = merged.entries
    assert first == replace(made.entries[0], function="Runs ¦ the shop")
    assert second == replace(made.entries[1], extra="N:keeps order")
    assert [(t.schema, t.name, t.fields) for t in merged.tables] == [
        ("", "roles", "id[PK]"),
        ("app", "users", "id"),
    ]
    world = {path: extract(path, b"x = 1\n") for path in ("src/a.py", "src/b.py")}
    kept = merge(made, merged, Lock(), world, {})
    assert {path: sorted(pins) for path, pins in kept.pins.items()} == {
        "src/a.py": ["F"],
    }
    assert kept.index.entries[1].extra == "N:keeps order"
    assert kept.aged == []


def test_our_own_export_holds_nobodys_words() -> None:
    tag = Tag("S", "Cr", 7, "", "S")
    theirs = Index((HeaderLine("overview", "x"),), (Entry("", "a.py", tag, "class A"),))
    made = replace(theirs, entries=(Entry("", "a.py", tag, "class B"),))
    text = single(theirs, "p")["aoci.txt"]
    assert foreign.adopt(made, read(text, ["a.py"])) == (made, {})
    edited = read(text.replace("class A", "as I say"), ["a.py"])
    assert foreign.adopt(made, edited)[0].entries[0].function == "as I say"


def test_stale_rows() -> None:
    sources = {
        "src/a.py": "import os\n\n\ndef runShop():\n    return os.environ['SHOP_KEY']\n",
        "src/b.py": "def load_all(): ...\n",
        "src/new.py": "",
        "src/edge.py": "",
    }
    world = {path: extract(path, text.encode()) for path, text in sources.items()}
    text = (
        "#E: T<100; S<200; M<400; L>=400 lines\n===/p/src/===\n"
        "a.py[SC7L]: F:calls load_all and dropAll | R:b.py,os,gone/x.py,lostThing,all routes"
        " | A:runShop,stopShop(),free words,/pay | S:SHOP_KEY and OLD_KEY; not prose\n"
        "b.py[SC5T]: F:loads | R:- | A:load_all | S:-\ngone.py[SC5T]: F:x | R:- | A:- | S:-\n"
        "/p/src/edge.py\n"
    )
    found = read(text, list(sources))
    rows = foreign.stale_report(found, world, sources)
    assert [tuple(row) for row in rows] == [
        ("api", "src/a.py", ("stopShop()", "/pay")),
        ("relation", "src/a.py", ("gone/x.py", "lostThing")),
        ("size", "src/a.py", ("L→T",)),
        ("token", "src/a.py", ("dropAll", "OLD_KEY")),
        ("missing", "src/gone.py", ()),
        ("uncovered", "src/new.py", ()),
    ]


def test_sizes_without_thresholds_are_judged_with_room() -> None:
    world = {"a.py": extract("a.py", b"x = 1\n"), "b.py": extract("b.py", b"x = 1\n")}
    text = "===/p/===\na.py[SC7S]: F:x | R:- | A:- | S:-\nb.py[SC7L]: F:x | R:- | A:- | S:-\n"
    rows = foreign.stale_report(read(text, list(world)), world, {})
    assert [(row.path, row.items) for row in rows] == [("b.py", ("L→T",))]


@settings(max_examples=300, deadline=None)
@given(st.text("#=- \n/a.[]:：|｜FRAS9TJM,，", max_size=160))  # noqa: RUF001
def test_any_text_is_read(text: str) -> None:
    reading = read_text(text)
    assert all(row.entry.name for row in reading.rows)
    foreign.read_files(["x"], lambda _: text, ["a", "a/a", "a.a"])


def test_long_lines_cost_little() -> None:
    line = "a.py[SC5T]: F:" + "x " * 20_000 + "| R:- | A:- | S:- "
    assert len(read_text(line * 20).rows) == 20
    assert read_text("--" * 50_000 + " /a" * 20_000).rows == ()
    assert read_text("[" * 50_000).rows == ()
    assert read_text("a" * 100_000 + "\n" + "/a" * 50_000).rows == ()
