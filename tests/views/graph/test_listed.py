"""Files that come, go and are renamed: only what they may lead elsewhere is looked up again."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from support.graphs import Graph, Texts

from aoci_agent.views.graph.languages import languages
from aoci_agent.views.graph.model import ALWAYS, Finder
from aoci_agent.views.graph.view import GraphView


class World(NamedTuple):
    """What files of a language may be called, and what they ask for."""

    folders: Sequence[str]
    names: Sequence[str]
    modules: Sequence[str]
    settings: Mapping[str, str] = {}


PACKAGE = json.dumps({"name": "@org/kit", "main": "lib/main.js"})
SCRIPTS = World(
    ("", "src", "src/a", "kit", "kit/lib", "kit/src", "lib", "lib/x-a"),
    ("a.ts", "a.js", "a.d.ts", "index.ts", "index.js", "main.ts", "start.ts", "x-a.ts", "b.tsx"),
    (
        *("./a", "./a.js", "../a", ".", "..", "./index", "./b", "@/a", "@/a/b", "@kit", "~a"),
        *("@org/kit", "@org/kit/a", "lib/a", "lib/a/a", "react", "src/a", "./a?raw", "@/"),
    ),
)


def scripts(**paths: list[str]) -> World:
    options = {"baseUrl": ".", "paths": paths} if paths else {}
    told = {"tsconfig.json": json.dumps({"compilerOptions": options}), "kit/package.json": PACKAGE}
    return SCRIPTS._replace(settings=told)


WORLDS = {
    "python": World(
        ("", "a", "a/b", "src", "src/a", "tests", "json"),
        ("__init__.py", "a.py", "b.py", "b.pyi", "c.py", "json.py", "conftest.py"),
        (
            "a",
            "b",
            "c",
            "a.b",
            "a.b.c",
            "json",
            "json.a",
            ".",
            "..",
            ".b",
            "..a",
            "..",
            "...c",
            "src",
        ),
    ),
    "go": World(
        ("", "a", "a/b", "back", "back/a"),
        ("x.go", "y.go"),
        ("m.org/one", "m.org/one/a", "m.org/one/a/b", "m.org/two", "m.org/two/a", "fmt", "#others"),
        {"go.mod": "module m.org/one\n", "back/go.mod": "module m.org/two\n"},
    ),
    "script": scripts(),
    "script aliased": scripts(
        **{"@/*": ["src/*"], "@kit": ["kit/start.ts"], "~*": ["src/*/main"]}
    )._replace(folders=("kit", "src", "src/a"), names=("start.ts", "main.ts", "a.ts")),
    "script exotic": scripts(**{"lib/*": ["lib/x-*"], "src/*": ["./*"]}),
    "jvm": World(
        ("", "a", "a/b", "src/main/java/a", "src/main/java/a/b", "b"),
        ("A.java", "B.kt"),
        ("a", "a.b", "b", "java.util", "main.java.a"),
    ),
    "rust": World(
        ("", "src", "src/a", "src/a/b", "src/bin", "other", "other/src", "other/src/a"),
        ("lib.rs", "main.rs", "mod.rs", "a.rs", "b.rs", "c.rs"),
        (
            "crate",
            "self",
            "super",
            "super::super",
            "one",
            "two",
            "self::a",
            "crate::a::b",
            "two::a",
        ),
        {
            "Cargo.toml": '[package]\nname = "one"\n',
            "other/Cargo.toml": '[package]\nname = "two"\n[lib]\npath = "src/a.rs"\n',
        },
    ),
    "c": World(
        ("", "a", "a/b", "include", "include/a"),
        ("a.h", ".a.h", "b.h", "a.c", "stdio.h"),
        (
            '"a.h"',
            '"a/a.h"',
            '"../a.h"',
            "<a.h>",
            "<stdio.h>",
            '"stdio.h"',
            '"./.a.h"',
            '"b/../b.h"',
        ),
    ),
    "csharp": World(("", "a", "a/b"), ("GlobalUsings.cs", "Usings.cs", "A.cs"), ("*global", "A.B")),
    "php": World(("", "a"), ("A.php", "B.php"), ("A", "A\\B")),
    "ruby": World(
        ("", "lib", "lib/a", "app", "spec/lib"),
        ("a.rb", "b.rb", "b.rb.rb", "a.rake"),
        ("a", "a/b", "b", "b.rb", "./a", "./a.rb", "./b.rb", "./../a", "./a.rake", "./.", "./.."),
    ),
    "swift": World(
        ("", "Sources/A", "Sources/B", "Sources/B/A", "Tests/A", "Own"),
        ("A.swift", "B.swift"),
        ("A", "B", "Own", "Named"),
        {"Package.swift": '.target(name: "Named", path: "Sources/B")'},
    ),
    "shell": World(
        ("", "a", "a/b"), ("a.sh", "b.sh"), ("a.sh", "a/b.sh", "../a.sh", "./b.sh", "..", "b/a.sh")
    ),
}


def paths_of(world: World) -> st.SearchStrategy[list[str]]:
    every = [
        f"{folder}/{name}" if folder else name for folder in world.folders for name in world.names
    ]
    return st.lists(st.sampled_from(sorted(every)), unique=True, max_size=9)


def answers(
    finder: Finder, world: World, paths: Sequence[str]
) -> dict[tuple[str, str, str], object]:
    """Every question about files that stay, and about the spaces they lead to."""
    found: dict[tuple[str, str, str], object] = {}
    for path in paths:
        found["given", path, ""] = finder.given(path)
        found["implicit", path, path] = finder.implicit(path, path)
        for module in world.modules:
            found["find", path, module] = finder.find(path, module)
    names = ("a", "b", "c", "json")
    for space in (*paths, "a/", "src/", "src/a/", "a", "a.b"):
        for name in names:
            found["child", space, name] = finder.child(space, name)
    return found


@pytest.mark.parametrize("name", sorted(WORLDS))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_question_is_answered_otherwise_only_where_a_finder_says_so(
    name: str, data: st.DataObject
) -> None:
    world, language = WORLDS[name], languages()[name.split()[0]]
    given = {path: text.encode() for path, text in world.settings.items()}
    one = data.draw(paths_of(world))
    came = data.draw(paths_of(world).map(lambda found: found[:3]))
    stays = [path for path in one if path not in came]
    other = [*stays[data.draw(st.integers(0, 2)) :], *came]
    before, after = language.finder(sorted(one), given), language.finder(sorted(other), given)
    stays = [path for path in one if path in other]
    clues = after.moved(before, sorted({*one} ^ {*other}))
    if clues is None:
        return
    was = answers(before, world, stays)
    for question, answer in answers(after, world, stays).items():
        if answer != was[question]:
            assert language.finder((), {}).clue(*question) in (ALWAYS, *clues), question


def test_every_language_is_asked() -> None:
    assert {name.split()[0] for name in WORLDS} == languages().keys()


@pytest.mark.parametrize("name", sorted(WORLDS))
def test_a_file_nobody_asks_for_changes_no_question(name: str) -> None:
    world, language = WORLDS[name], languages()[name.split()[0]]
    folder = world.folders[-1]
    paths = [f"{folder}/{file}" for file in world.names]
    given = {path: text.encode() for path, text in world.settings.items()}
    new = f"{folder}/brandnew.{world.names[-1].rpartition('.')[2]}"
    before, after = language.finder(paths, given), language.finder([*paths, new], given)
    clues = after.moved(before, [new])
    if name != "script exotic":
        assert clues is not None
        assert all("brandnew" in clue for clue in clues)


REPOSITORY = {
    "py/__init__.py": "",
    "py/user.py": "from py import tool\nfrom py.kit import make\nimport json\ndef go():\n    make().run()\n    tool.run()\n    json.run()\n",
    "py/tool.py": "def run(): ...\n",
    "py/kit.py": "class Made:\n    def run(self): ...\ndef make():\n    return Made()\n",
    "web/use.ts": "import { make } from './kit';\nimport { low } from '@/low';\nexport function go() { make(); low(); }\n",
    "web/kit/index.ts": "export function make() {}\n",
    "web/src/low.ts": "export function low() {}\n",
    "c/main.c": '#include "util.h"\n#include "mid.h"\nint main(void) { return util() + low() + deep(); }\n',
    "c/deep.h": "static int deep(void) { return 3; }\n",
    "c/low.h": "static int low(void) { return 2; }\n",
    "c/include/util.h": "int util(void);\n",
    "c/util.c": '#include "util.h"\nint util(void) { return 1; }\n',
    "go.mod": "module m.org/one\n",
    "go/main.go": 'package main\nimport "m.org/one/go/store"\nfunc main() { store.Open() }\n',
    "go/store/store.go": "package store\nfunc Open() {}\n",
    "Cargo.toml": '[package]\nname = "one"\n',
    "src/lib.rs": "mod part;\nuse crate::part::work;\npub fn go() { work(); }\n",
    "src/part.rs": "pub fn work() {}\n",
    "sh/run.sh": "source lib.sh\nhelp_me\n",
    "sh/lib.sh": "help_me() { :; }\n",
    "rb/main.rb": "require_relative 'helper'\nHelper.help\n",
    "rb/helper.rb": "module Helper\n  def self.help; end\nend\n",
}
MOVES: dict[str, dict[str, str | None]] = {
    "a module beside hides one of the standard library": {"py/json.py": "def run(): ...\n"},
    "a module at the root hides none": {"json.py": "def run(): ...\n"},
    "a package hides a module": {"py/kit/__init__.py": "def make(): ...\n"},
    "a package is one no more": {"py/__init__.py": None},
    "another root": {"src/py/__init__.py": "", "src/py/kit.py": "def make(): ...\n"},
    "a module goes": {"py/tool.py": None},
    "a file hides an index": {"web/kit.ts": "export function make() {}\n"},
    "an index comes in front": {"web/kit/index.ts": None, "web/kit/index.js": "export function make() {}\n"},
    "a bundler's sources": {"web/src/low.ts": None, "src/low.ts": "export function low() {}\n"},
    "a header beside": {"c/util.h": "#include <other.h>\nint util(void);\n", "c/other.h": "int more(void);\n"},
    "a header between": {"c/mid.h": '#include "deep.h"\n'},
    "a header includes another": {"c/include/util.h": '#include "low.h"\nint util(void);\n'},
    "a header goes": {"c/include/util.h": None},
    "a header nearer": {"c/util.h": "static int util(void) { return 2; }\n"},
    "a package of Go": {"go/store/store.go": None, "go/other/other.go": "package other\nfunc Open() {}\n"},
    "a file in a package": {"go/store/more.go": "package store\nfunc More() { Open() }\n"},
    "a module of Rust as a folder": {"src/part.rs": None, "src/part/mod.rs": "pub fn work() {}\n"},
    "a module within": {"src/part/inner.rs": "use super::work;\npub fn more() { work(); }\n"},
    "a script nearer": {"sh/lib.sh": None, "lib.sh": "help_me() { :; }\n"},
    "renamed": {"rb/helper.rb": None, "rb/helpers.rb": REPOSITORY["rb/helper.rb"]},
    "a language goes": {"rb/helper.rb": None, "rb/main.rb": None},
    "go.mod goes": {"go.mod": None},
}  # fmt: skip


def rebuilt(source: Texts) -> str:
    view = GraphView()
    view.build(source)
    return view.digest()


@pytest.fixture(scope="module")
def whole() -> Texts:
    return Texts.of(REPOSITORY)


@pytest.mark.parametrize("name", MOVES)
def test_a_moved_file_there_and_back_is_a_rebuild(name: str, whole: Texts) -> None:
    graph = Graph(whole, GraphView())
    graph.view.build(whole)
    first = graph.view.digest()
    after = whole.changed(MOVES[name])
    graph.view.apply(after, whole.delta(after))
    assert graph.view.digest() == rebuilt(after)
    graph.view.apply(whole, after.delta(whole))
    assert graph.view.digest() == first


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(sorted(MOVES)), min_size=3, max_size=5))
def test_any_order_of_moves_is_a_rebuild(names: list[str]) -> None:
    states = [Texts.of(REPOSITORY)]
    for name in names:
        states.append(states[-1].changed(MOVES[name]))
    states.append(states[0])  # what was gone is there again
    view = GraphView()
    view.build(states[0])
    for before, after in pairwise(states):
        view.apply(after, before.delta(after))
    assert view.digest() == rebuilt(states[-1])
    view.apply(states[-2], states[-1].delta(states[-2]))
    assert view.digest() == rebuilt(states[-2])


def test_what_a_file_asked_is_looked_up_anew_when_it_is_there_again() -> None:
    """Its keys stay known while it is gone, and nobody keeps them in step then."""
    whole = Texts.of(
        {
            "src/lib.rs": "mod a;\n",
            "src/a/inner.rs": "use super::work;\npub fn go() { work(); }\n",
            "src/a.rs": "mod inner;\npub fn work() {}\n",
        }
    )
    view = GraphView()
    view.build(whole)
    states = [whole, whole.changed({"src/a/inner.rs": None})]
    states.append(states[-1].changed({"src/a.rs": None}))
    states.append(states[-1].changed({"src/a/inner.rs": whole.texts["src/a/inner.rs"].decode()}))
    states.append(whole)
    for before, after in pairwise(states):
        view.apply(after, before.delta(after))
        assert view.digest() == rebuilt(after)
