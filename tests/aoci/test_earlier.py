"""Entries of the last build stand only where deriving them anew gives the same."""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from aoci_agent.aoci import generate as generating
from aoci_agent.aoci.earlier import drawn
from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.store import IndexStore
from aoci_agent.aoci.surroundings import Surroundings
from aoci_agent.base.files import Workspace

WORK = """def first(x):
    data = store.load(x)
    store.save(data)
    events.publish("done")
    return data


def second(x):
    row = orders.find(x)
    orders.drop(row)
    return row
"""
USERS = """import { Router } from "express"

const router = Router()

router.get("/", async (req, res) => { res.json(await find()) })
router.post("/", async (req, res) => { res.json(await make(req.body)) })

export default router
"""
FILES = {
    "shop/__init__.py": "from shop.prices import price\n\n__all__ = ['price']\n",
    "shop/prices.py": '"""Prices."""\n\nLIMIT = 10\n\n\ndef price(weight):\n    return weight * 2\n\n\ndef reduced(weight):\n    return price(weight) - 1\n',
    "shop/orders.py": '"""Orders."""\n\nimport requests\n\nfrom shop.prices import price\n\n\nclass Order:\n    def total(self):\n        return price(self.weight)\n\n    def send(self):\n        requests.post("/orders")\n',
    "shop/stock.py": "from shop.prices import LIMIT\n\n\nclass Stock:\n    def take(self):\n        return LIMIT\n\n    def total(self):\n        return 1\n",
    "web/routes.py": '"""Routes."""\n\nfrom fastapi import APIRouter\n\nfrom shop.orders import Order\n\nrouter = APIRouter()\n\n\n@router.get("/orders")\ndef orders():\n    return Order().total()\n',
    "web/app.py": 'from fastapi import FastAPI\n\nfrom web.routes import router\n\napp = FastAPI()\napp.include_router(router, prefix="/api")\n',
    "ui/api.ts": "export function load(path: string) { return fetch(path) }\nexport function save() { }\nexport function drop() { }\nexport const LIMIT = 3\n",
    "ui/page.tsx": 'import { load } from "./api"\n\nexport function Page() { load("/orders"); return null }\n',
    "ui/index.ts": 'export { load, save, drop } from "./api"\n',
    "go/main.go": 'package main\n\nfunc main() { Serve("x") }\n',
    "go/serve.go": "package main\n\n// Serve answers.\nfunc Serve(name string) { }\n\nfunc helper() int { return 1 }\n",
    "shop/all.py": "from shop import orders, prices, stock\n\norders.go(), prices.go(), stock.go()\n",
    "shop/front/__init__.py": "from shop.front.work import first, second\n\n__all__ = ['first']\n",
    "shop/front/work.py": WORK,
    "ui/tsconfig.json": '{"compilerOptions": {"paths": {"@lib/*": ["./lib/*"]}}}\n',
    "ui/lib/tool.ts": "export function tool() { return 1 }\n",
    "ui/uses.ts": 'import { tool } from "@lib/tool"\n\nexport const run = () => tool()\n',
    "api/users.ts": USERS,
    "api/app.ts": 'import express from "express"\nimport users from "./users"\n\nconst app = express()\napp.use("/api/users", users)\n',
    "README.md": "# Shop\n\nSells things.\n",
}

Edit = tuple[str, Callable[[str], str]]
EDITS: dict[str, Edit] = {
    "one more use": ("shop/stock.py", lambda t: t + "\n\nfrom shop.prices import reduced\n"),
    "a use less": ("shop/orders.py", lambda t: t.replace("price(self.weight)", "1")),
    "a constant is used": ("web/app.py", lambda t: t + "\nfrom shop.prices import LIMIT\n"),
    "a package shows a name": ("shop/__init__.py", lambda t: t.replace("price", "reduced")),
    "another mount": ("api/app.ts", lambda t: t.replace("/api/users", "/v2/people")),
    "a front shows more": (
        "shop/front/__init__.py",
        lambda t: t.replace("['first']", "['second', 'first']"),
    ),
    "a function is called": ("shop/stock.py", lambda t: t + "\n\ndef go(w):\n    w.second(1)\n"),
    "a function is called again": (
        "web/app.py",
        lambda t: t + "\n\ndef go(w):\n    w.second(1)\n    w.first(2)\n",
    ),
    "a file of the same name": ("lib/prices.py", lambda _: "X = 1\n"),
    "another alias": ("ui/tsconfig.json", lambda t: t.replace("@lib", "@other")),
    "what is passed on is used": (
        "ui/more.ts",
        lambda _: 'import { save } from "./api"\n\nexport const go = () => save()\n',
    ),
    "a method is called": ("web/routes.py", lambda t: t + "\n\ndef gone(s):\n    s.take()\n"),
    "a method name is shared": (
        "shop/prices.py",
        lambda t: t + "\n\nclass P:\n    def take(self):\n        pass\n",
    ),
    "a package from outside": ("shop/stock.py", lambda t: "import requests\n" + t),
    "a re-export": ("ui/index.ts", lambda t: t + 'export { LIMIT } from "./api"\n'),
    "a use in another language": ("ui/page.tsx", lambda t: t.replace("load }", "load, LIMIT }")),
    "a call in go": ("go/main.go", lambda t: t.replace('Serve("x")', "helper()")),
    "its own words": ("shop/prices.py", lambda t: t.replace("Prices.", "What things cost.")),
    "a new file": ("shop/extra.py", lambda _: "from shop.prices import price, reduced, LIMIT\n"),
    "a test": ("tests/test_prices.py", lambda _: "from shop.prices import reduced\n"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    for path, text in FILES.items():
        put(folder, path, text)
    return folder


def put(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def change(root: Path, edit: Edit) -> None:
    path, how = edit
    before = (root / path).read_text() if (root / path).exists() else ""
    put(root, path, how(before))


def build(root: Path, cache: Path) -> tuple[str, str]:
    with Workspace(root) as workspace:
        IndexStore(workspace, None, cache).build()
    state = root / ".aoci-agent"
    return (state / "index.aoci").read_text(), (state / "lock.jsonl").read_text()


def rebuilt(root: Path, at: Path) -> tuple[str, str]:
    """What a build with nothing remembered gives of the same files, index and lock."""
    shutil.rmtree(at, ignore_errors=True)
    shutil.copytree(root, at / "copy")
    return build(at / "copy", at / "cache")


@pytest.mark.parametrize("name", EDITS)
def test_an_update_is_a_rebuild_after(name: str, root: Path, tmp_path: Path) -> None:
    build(root, tmp_path / "cache")
    before = {path: (root / path).read_text() for path in FILES}
    change(root, EDITS[name])
    expected = rebuilt(root, tmp_path / "other")
    assert build(root, tmp_path / "cache") == expected
    for path in [p.relative_to(root) for p in root.rglob("*") if p.suffix in (".py", ".ts")]:
        if str(path) not in before:
            (root / path).unlink()
    for path, text in before.items():
        put(root, path, text)
    expected = rebuilt(root, tmp_path / "other")
    assert build(root, tmp_path / "cache") == expected


def test_an_update_is_a_rebuild_through_any_edits(root: Path, tmp_path: Path) -> None:
    dice = random.Random(7)
    build(root, tmp_path / "cache")
    for _ in range(25):
        for edit in dice.sample(sorted(EDITS), dice.randint(1, 3)):
            change(root, EDITS[edit])
        if dice.random() < 0.3:
            gone = dice.choice(sorted(p for p in root.rglob("*.py") if p.name != "prices.py"))
            gone.unlink()
        expected = rebuilt(root, tmp_path / "other")
        assert build(root, tmp_path / "cache") == expected


def test_only_entries_that_moved_are_derived(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(root, tmp_path / "cache")
    derived: list[str] = []
    real = generating.entry_of

    def counted(path: str, *rest: object) -> object:
        derived.append(path)
        return real(path, *rest)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(generating, "entry_of", counted)
    change(root, EDITS["its own words"])
    build(root, tmp_path / "cache")
    assert derived == ["shop/prices.py"]


@pytest.mark.parametrize("damage", ["", "[]", '{"shop/prices.py": ["x"]}', "same marks"])
def test_damaged_marks_cost_time_only(damage: str, root: Path, tmp_path: Path) -> None:
    build(root, tmp_path / "cache")
    (file,) = (tmp_path / "cache").glob("marks-*.json")
    if damage == "same marks":  # of a line that is not there any more
        marks = json.loads(file.read_text())
        damage = json.dumps({path: [mark, "0" * 16] for path, (mark, _) in marks.items()})
    file.write_text(damage)
    change(root, EDITS["one more use"])
    expected = rebuilt(root, tmp_path / "other")
    assert build(root, tmp_path / "cache") == expected


def test_a_line_changed_by_hand_is_not_taken_for_the_programs(root: Path, tmp_path: Path) -> None:
    build(root, tmp_path / "cache")
    index = root / ".aoci-agent" / "index.aoci"
    index.write_text(index.read_text().replace("F:Prices.", "F:What a parcel costs"))
    change(root, EDITS["one more use"])
    expected = rebuilt(root, tmp_path / "other")
    text, lock = build(root, tmp_path / "cache")
    assert (text, lock) == expected
    assert "F:What a parcel costs" in text


NEAR = {
    "front/__init__.py": "from front.work import first, second\n\n__all__ = ['first']\n",
    "front/work.py": WORK,
    "many.py": "import one\nimport two\n\none.go()\ntwo.go()\n",
    "one.py": "def go():\n    pass\n",
    "two.py": "def go():\n    pass\n",
    "other.py": "X = 1\n",
    "ui/api.ts": "export function load() { }\nexport function save() { }\n",
    "ui/index.ts": 'export { load, save } from "./api"\n',
    "ui/other.ts": "export const y = 1\n",
}


@pytest.mark.parametrize(
    ("path", "changed", "text"),
    [
        ("many.py", "other.py", "import one\n\none.go()\n"),  # its target is used more
        ("front/work.py", "other.py", "def go(w):\n    w.first(1)\n"),  # a function is called
        (
            "front/work.py",
            "front/__init__.py",
            NEAR["front/__init__.py"].replace("['", "['second', '"),
        ),
        ("one.py", "other.py", "from one import go\n\ngo()\n"),  # its symbol is used
        ("ui/index.ts", "ui/other.ts", 'import { save } from "./api"\n\nsave()\n'),  # passed on
    ],
)
def test_what_an_entry_draws_on_is_in_its_mark(path: str, changed: str, text: str) -> None:
    before, after, far = (
        drawn(
            path, Surroundings({name: extract(name, data.encode()) for name, data in world.items()})
        )
        for world in (NEAR, NEAR | {changed: text}, NEAR | {changed: NEAR[changed] + "\n"})
    )
    assert before != after
    assert before == far
