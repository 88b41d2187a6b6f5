import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from aoci_agent import aoci
from aoci_agent.aoci.parse import parse
from aoci_agent.aoci.store import IndexStore
from aoci_agent.aoci.write import write
from aoci_agent.base.files import Workspace

PROJECT: Mapping[str, str] = {
    "README.md": "# Shop\n\nShop sells things over HTTP and keeps orders in a database.\n",
    "pyproject.toml": '[project]\nname = "shop"\ndescription = "A shop."\ndependencies = ["fastapi"]\n',
    "src/shop/__init__.py": "from shop.orders import Order\n\n__all__ = ['Order']\n",
    "src/shop/orders.py": (
        '"""Orders and their states."""\n\n\nclass OrderError(Exception):\n    pass\n\n\n'
        "class Order:\n"
        '    """One order of a customer."""\n\n    def pay(self):\n        raise OrderError()\n'
    ),
    "src/shop/api.py": (
        "import os\n\nfrom fastapi import FastAPI\n\nfrom .orders import Order, OrderError\n\n"
        "app = FastAPI()\nKEY = os.environ['SHOP_KEY']\n\n\n"
        "@app.get('/orders/{id}')\ndef show(id):\n    return Order()\n\n\n"
        "def total(base):\n    return base.execute('SELECT id FROM orders WHERE paid')\n"
    ),
    "tests/test_orders.py": "from shop import Order\n\n\ndef test_pay():\n    Order().pay()\n",
    "web/package.json": '{"name": "web", "description": "Shop front."}\n',
    "web/src/cart.ts": (
        "import { money } from './money.js';\n\nexport class Cart {\n  total() { return money(1); }\n}\n"
    ),
    "web/src/money.ts": "/** Formats cents as euros. */\nexport function money(n: number) { return n; }\n",
    "notes.weird": "nothing known here\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    put(root, PROJECT)
    return root


def put(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


Opener = Callable[..., IndexStore]  # (root, cache name)


@pytest.fixture
def open_store(tmp_path: Path) -> Iterator[Opener]:
    opened: list[Workspace] = []

    def open_one(root: Path, cache: str = "cache") -> IndexStore:
        workspace = Workspace(root)
        opened.append(workspace)
        return IndexStore(workspace, None, tmp_path / cache)

    yield open_one
    for workspace in opened:
        workspace.close()


INDEX = ".aoci-agent/index.aoci"
LOCK = ".aoci-agent/lock.jsonl"


def both(root: Path) -> tuple[str, str]:
    return (root / INDEX).read_text("utf-8"), (root / LOCK).read_text("utf-8")


def test_every_file_has_an_entry(project: Path, open_store: Opener) -> None:
    report = open_store(project).build()
    index = parse((project / INDEX).read_text("utf-8"))
    assert (report.entries, report.indexable, report.derived, report.reused) == (10, 10, 10, 0)
    assert "notes.weird" in index.by_path
    assert report.findings == ()
    assert report.tokens > 200


def test_what_the_entries_say(project: Path, open_store: Opener) -> None:
    store = open_store(project)
    store.build()
    entries = store.current.by_path
    orders, api = entries["src/shop/orders.py"], entries["src/shop/api.py"]
    assert orders.function == "Orders and their states."
    assert {"Order", "OrderError", "pay"} <= set(orders.api)
    assert "raises OrderError" in orders.synopsis
    assert api.relations == ("orders",)
    assert {"GET /orders/{id}", "ENV:SHOP_KEY"} <= set(api.api)
    assert "reads orders" in api.synopsis
    assert "uses fastapi" in api.synopsis
    assert entries["web/src/cart.ts"].relations == ("money",)
    assert entries["tests/test_orders.py"].function == "tests pay"
    header = {line.key: line.text for line in store.current.header}
    assert header["overview"].startswith("Shop sells things over HTTP")


def test_credentials_and_addresses_stay_out(project: Path, open_store: Opener) -> None:
    (project / "src/shop/keys.py").write_text(
        '"""Signs things, see https://example.com/x for more."""\n'
        'API_KEY = "abc"\nLEVEL = 3\nNAME = "Zm9vYmFyMTIzNDU2Nzg5MDEy"\n'
    )
    store = open_store(project)
    store.build()
    entry = store.current.by_path["src/shop/keys.py"]
    assert entry.function == "Signs things, see for more."
    assert entry.synopsis == "LEVEL=3"


def test_the_file_on_disk_is_canonical(project: Path, open_store: Opener) -> None:
    open_store(project).build()
    text = (project / INDEX).read_text("utf-8")
    assert write(parse(text)) == text


def test_nothing_to_do_parses_nothing(project: Path, open_store: Opener) -> None:
    open_store(project).build()
    before = both(project)
    stamp = (project / INDEX).stat().st_mtime_ns
    report = open_store(project).build()
    assert (report.derived, report.reused) == (0, 10)
    assert both(project) == before
    assert (project / INDEX).stat().st_mtime_ns == stamp


def test_an_update_equals_a_fresh_build(project: Path, tmp_path: Path, open_store: Opener) -> None:
    open_store(project).build()
    lock = (project / LOCK).read_text("utf-8")
    (project / "src/shop/orders.py").write_text("class Basket:\n    def add(self): ...\n")
    (project / "src/shop/stock.py").write_text("from .orders import Basket\n\nLEVEL = 3\n")
    (project / "web/src/money.ts").unlink()
    report = open_store(project).build()
    assert report.derived == 2

    clean = tmp_path / "elsewhere" / "deeper"
    shutil.copytree(project, clean, ignore=shutil.ignore_patterns(".aoci-agent"))
    (clean / ".aoci-agent").mkdir()
    (clean / LOCK).write_text(lock, "utf-8")
    assert open_store(clean, "other-cache").build().reused == 0
    assert both(clean) == both(project)


def test_importance_is_sticky(project: Path, open_store: Opener) -> None:
    store = open_store(project)
    store.build()
    before = store.current.by_path["src/shop/orders.py"].tag.importance
    for number in range(6):
        text = "from shop.api import total\n\n" + "def f(): return total(1)\n" * 30
        (project / f"src/shop/more{number}.py").write_text(text)
    store.build()
    assert store.current.by_path["src/shop/orders.py"].tag.importance == before


def test_a_persons_line_is_kept(project: Path, open_store: Opener) -> None:
    open_store(project).build()
    text = (project / INDEX).read_text("utf-8")
    (project / INDEX).write_text(text.replace("F:Orders and their states.", "F:The heart of it."))
    (project / "src/shop/orders.py").write_text("class Changed: ...\n")
    report = open_store(project).build()
    assert any("src/shop/orders.py" in finding for finding in report.findings)
    assert "F:The heart of it." in (project / INDEX).read_text("utf-8")
    again = open_store(project).build()
    assert "F:The heart of it." in (project / INDEX).read_text("utf-8")
    assert len(again.findings) == 1


def test_a_line_nobody_vouches_for_is_kept(project: Path, open_store: Opener) -> None:
    open_store(project).build()
    text = (project / INDEX).read_text("utf-8")
    (project / INDEX).write_text(text.replace("F:Orders and their states.", "F:The heart of it."))
    (project / LOCK).unlink()
    report = open_store(project).build()
    assert len(report.findings) == 1
    assert "F:The heart of it." in (project / INDEX).read_text("utf-8")


def test_a_persons_header_lines_are_kept(project: Path, open_store: Opener) -> None:
    open_store(project).build()
    text = (project / INDEX).read_text("utf-8")
    edited = text.replace("#stack:", "#invariant: money is in cents\n#stack: mostly Python;", 1)
    (project / INDEX).write_text(edited)
    open_store(project).build()
    lines = (project / INDEX).read_text("utf-8").split("\n")
    assert "#invariant: money is in cents" in lines
    assert any(line.startswith("#stack: mostly Python;") for line in lines)


def test_refresh_is_in_memory_and_keeps_the_tag(project: Path, open_store: Opener) -> None:
    store = open_store(project)
    store.build()
    before = both(project)
    old = store.current.by_path["src/shop/orders.py"].tag
    (project / "src/shop/orders.py").write_text('"""Baskets now."""\n\nclass Basket: ...\n')
    (project / "src/shop/new.py").write_text('"""Something new."""\n')
    (project / "notes.weird").unlink()
    entries = store.refresh(["src/shop/orders.py", "src/shop/new.py", "notes.weird", "../x"])
    assert [entry.path for entry in entries] == ["src/shop/new.py", "src/shop/orders.py"]
    assert entries[1].function == "Baskets now."
    assert entries[1].tag.importance == old.importance
    assert entries[1].tag.module == old.module
    assert "notes.weird" not in store.current.by_path
    assert both(project) == before


def test_refresh_works_on_a_loaded_index_without_a_cache(project: Path, open_store: Opener) -> None:
    open_store(project).build()
    store = open_store(project, "empty-cache")
    assert store.load() is not None
    (project / "web/src/money.ts").write_text("/** Knows all coins. */\nexport const coin = 1;\n")
    (entry,) = store.refresh(["web/src/money.ts"])
    assert entry.function == "Knows all coins."


def test_refreshing_again_and_again_equals_refreshing_at_once(
    project: Path, open_store: Opener
) -> None:
    store = open_store(project)
    store.build()
    steps = (
        {"src/shop/orders.py": "class Order: ...\nclass Basket: ...\n"},
        {"src/shop/api.py": "from .orders import Basket\n\n\ndef show(id):\n    return Basket()\n"},
        {"web/src/money.ts": "export function money() {}\nexport function coins() {}\n"},
        {"src/shop/stock.py": '"""New."""\nfrom .api import show\n'},
        {"web/src/cart.ts": "import { coins } from './money.js';\nexport const total = coins;\n"},
    )
    for step in steps:
        put(project, step)
        made = store.refresh(step)
        at_once = open_store(project, "other-cache")
        at_once.load()
        at_once.refresh(path for earlier in steps[: steps.index(step) + 1] for path in earlier)
        assert [at_once.current.by_path[entry.path] for entry in made] == list(made)
    assert store.refresh(["src/shop/orders.py"])[0].api == ("Order", "Basket")


def test_what_is_left_out_is_said_once(project: Path, open_store: Opener) -> None:
    for name in ("b.py", "a.py", "c.py"):
        (project / name).write_text("x = 1\n" * 200_000)
    findings = open_store(project).build().findings
    assert findings == ("3 files over 1 MB are left out: a.py, b.py, c.py",)


def test_there_is_no_index_before_the_first_build(project: Path, open_store: Opener) -> None:
    store = open_store(project)
    assert store.load() is None
    assert store.current.entries == ()


def test_a_folder_that_cannot_be_written(project: Path, open_store: Opener) -> None:
    (project / ".aoci-agent").write_text("a file stands in the way\n")
    store = open_store(project)
    report = store.build()
    assert report.entries == 10
    assert any("was not written" in finding for finding in report.findings)
    loaded = open_store(project).load()
    assert loaded is not None
    assert loaded.entries == store.current.entries


def test_odd_files_never_stop_a_build(project: Path, open_store: Opener) -> None:
    (project / "bad.py").write_bytes(b"def broken(:\n\xff\xfe\xfa class ((((\n" * 50)
    (project / "deep.ts").write_text("(\n" * 20_000)
    (project / "binary.py").write_bytes(b"\0\1\2" * 100)
    (project / "big.py").write_text("x = 1\n" * 200_000)
    (project / "empty.go").write_text("")
    (project / "odd\nname.py").write_text("x = 1\n")
    (project / "with [b]: F:x.py").write_text('"""Odd name."""\n')
    if os.geteuid() != 0:
        (project / "secret.py").write_text("x")
        (project / "secret.py").chmod(0)
    store = open_store(project)
    report = store.build()
    paths = set(parse((project / INDEX).read_text("utf-8")).by_path)
    assert {"bad.py", "deep.ts", "empty.go", "with [b]: F:x.py"} <= paths
    assert not {"binary.py", "big.py"} & paths
    assert any("cannot stand on one line" in finding for finding in report.findings)
    assert report.entries == report.indexable


def test_a_broken_cache_and_lock_cost_only_time(
    project: Path, tmp_path: Path, open_store: Opener
) -> None:
    open_store(project).build()
    before = both(project)
    for file in (tmp_path / "cache").iterdir():
        file.write_bytes(b"not what it was")
    (project / LOCK).write_text("<<<<<<< HEAD\n" + before[1])
    assert open_store(project).build().derived == 10
    assert both(project) == before


def test_an_unreadable_index_is_built_anew(project: Path, open_store: Opener) -> None:
    open_store(project).build()
    (project / INDEX).write_text("gone\n")
    report = open_store(project).build()
    assert report.entries == 10
    assert any("built anew" in finding for finding in report.findings)


BUILD = """
import sys
from pathlib import Path
from aoci_agent.aoci.store import IndexStore
from aoci_agent.base.files import Workspace
IndexStore(Workspace(Path(sys.argv[1])), None, Path(sys.argv[2])).build()
"""


@pytest.mark.slow
def test_the_hash_seed_changes_nothing(tmp_path: Path) -> None:
    project = tmp_path / "own"
    shutil.copytree(Path(aoci.__file__).parents[1], project / "aoci_agent")
    found: set[tuple[str, str]] = set()
    for seed in ("1", "77"):
        shutil.rmtree(project / ".aoci-agent", ignore_errors=True)
        subprocess.run(  # the seed is fixed at start, so only a new interpreter shows it
            [sys.executable, "-c", BUILD, str(project), str(tmp_path / f"cache{seed}")],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
        )
        found.add(both(project))
    assert len(found) == 1


def test_loading_needs_no_parser(project: Path, tmp_path: Path, open_store: Opener) -> None:
    open_store(project).build()
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from aoci_agent.aoci.store import IndexStore\nfrom aoci_agent.aoci.render import render\n"
        "from aoci_agent.base.files import Workspace\n"
        "store = IndexStore(Workspace(Path(sys.argv[1])), None, Path(sys.argv[2]))\n"
        "print(render(store.load(), 60000).status)\n"
        "assert not {'tree_sitter', 'git'} & set(sys.modules), 'heavy'\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(project), str(tmp_path / "cache")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("10 of 10 entries")


def test_the_workspace_is_all_it_needs(project: Path, tmp_path: Path) -> None:
    with Workspace(project) as workspace:
        assert IndexStore(workspace, None, tmp_path / "c").build().entries == 10


def test_a_damaged_index_is_said_once(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    (root / ".aoci-agent").mkdir(parents=True)
    (root / "a.py").write_text('"""First."""\n')
    (root / ".aoci-agent" / "index.aoci").write_text("no index at all")
    with Workspace(root) as workspace:
        store = IndexStore(workspace, None, tmp_path / "cache")
        assert any("built anew" in finding for finding in store.build().findings)
        assert store.build().findings == ()
