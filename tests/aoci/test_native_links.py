from collections.abc import Mapping

import pytest

from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.resolve.links import Linker, Links
from aoci_agent.aoci.surroundings import Surroundings


def world(files: Mapping[str, str]) -> dict[str, Facts]:
    return {path: extract(path, text.encode()) for path, text in sorted(files.items())}


def links(files: Mapping[str, str]) -> Links:
    return Linker(world(files)).links


CRATES = {
    "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n[package]\nname = "app"\n',
    "src/main.rs": (
        "mod args;\nmod help;\nuse args::Args;\nuse my_core::prelude::*;\nuse tokio::spawn;\n"
        "fn main() { let e: Engine = my_core::start(Args::new()); help::show(); core_say!(e); }\n"
    ),
    "src/args.rs": "use super::help;\npub struct Args;\nfn f() { help::show() }\n",
    "src/help/mod.rs": "mod text;\npub fn show() { self::text::body() }\n",
    "src/help/text.rs": "use crate::args::Args;\npub fn body() {}\n",
    "crates/engine/Cargo.toml": '[package]\nname = "my-core"\n',
    "crates/engine/src/lib.rs": (
        "pub mod prelude { pub use crate::run::Engine; }\npub use run::{begin as start};\n"
        "pub use crate::run::deep::*;\nmod run;\n#[macro_export] macro_rules! core_say { () => {} }\n"
    ),
    "crates/engine/src/run.rs": "pub mod deep;\npub struct Engine;\npub fn begin() {}\n",
    "crates/engine/src/run/deep.rs": "pub struct Low;\n",
    "crates/engine/tests/all.rs": "use my_core::{Low, start};\nmod common;\n#[test] fn t() { start(); }\n",
    "crates/engine/tests/common/mod.rs": "use my_core::prelude::Engine;\n",
}


def test_rust_paths() -> None:
    found = links(CRATES)
    assert found.edges["src/args.rs"] == {"src/help/mod.rs": 2}
    assert found.edges["src/help/text.rs"] == {"src/args.rs": 1}
    assert found.edges["src/help/mod.rs"] == {"src/help/text.rs": 2}
    assert set(found.edges["crates/engine/tests/all.rs"]) == {
        *("crates/engine/src/run/deep.rs", "crates/engine/src/run.rs"),
        "crates/engine/tests/common/mod.rs",
    }
    assert found.used_by["crates/engine/src/run.rs", "begin"] >= {"src/main.rs"}
    assert "crates/engine/src/lib.rs" in found.edges["src/main.rs"]  # its macro
    assert found.outside == {"src/main.rs": {"tokio": 1}}
    assert not found.missing


INCLUDED = {
    "src/main.c": '#include "all.h"\n#include <openssl/ssl.h>\n#include <sys/time.h>\n'
    "int main(void) { listAdd(listAdd(0)); return MAX_LEN + dictGet(); /* dictSet */ }\n",
    "src/all.h": '#include "list.h"\n#include "dict.h"\n#include "gone.h"\n#define MAX_LEN 4\n',
    "src/list.h": "int listAdd(int a);\n",
    "src/list.c": '#include "list.h"\nint listAdd(int a) { return a; }\n',
    "src/dict.h": "int dictGet(void);\nint dictSet(void);\n",
    "src/store.c": '#include "dict.h"\nint dictGet(void) { return 1; }\nstatic int dictSet(void) { return 0; }\n',
    "lib/include/lib/list.h": "int listAdd(int a);\n",
    "lib/src/x.cc": '#include "lib/list.h"\nint x() { return listAdd(1); }\n',
}


def test_includes() -> None:
    found = links(INCLUDED)
    assert found.edges["src/main.c"] == {"src/all.h": 2, "src/list.c": 2, "src/store.c": 1}
    assert found.used_by["src/list.h", "listAdd"] == {"src/main.c"}
    assert found.outside == {"src/main.c": {"openssl": 1}}
    assert found.missing == {"src/all.h": ["gone.h"]}
    assert set(found.edges["lib/src/x.cc"]) >= {"lib/include/lib/list.h"}


MODULES = {
    "Sources/App/Main.swift": "import Core\nimport Vapor\nlet e = Engine(start())\n",
    "Sources/App/Deep/Other.swift": "struct Helper { let m = Shown() }\nfunc start() {}\n",
    "Sources/App/Shown.swift": "struct Shown { var h: Helper }\n",
    "Sources/Core/Engine.swift": "public struct Engine { var h: Helper }\n",
    "Sources/Core/Helper.swift": "class Helper {}\n",
    "Tests/AppTests/T.swift": "@testable import App\nlet s = Shown()\n",
}


def test_swift_modules() -> None:
    found = links(MODULES)
    assert found.edges["Sources/App/Main.swift"] == {
        "Sources/Core/Engine.swift": 1,
        "Sources/App/Deep/Other.swift": 1,
    }
    assert found.edges["Sources/Core/Engine.swift"] == {"Sources/Core/Helper.swift": 1}
    assert found.edges["Sources/App/Shown.swift"] == {"Sources/App/Deep/Other.swift": 1}
    assert found.edges["Tests/AppTests/T.swift"] == {"Sources/App/Shown.swift": 1}
    assert found.outside == {"Sources/App/Main.swift": {"Vapor": 1}}


def comparable(found: Links) -> object:
    users = {key: names for key, names in found.used_by.items() if names}
    missing = {path: sorted(names) for path, names in found.missing.items()}
    return found.edges, found.outside, users, missing


@pytest.mark.parametrize(
    ("files", "path", "text"),
    [
        (CRATES, "crates/engine/src/run.rs", "pub mod deep;\npub fn other() {}\n"),
        (CRATES, "crates/engine/src/run/deep.rs", "pub struct Engine;\npub fn begin() {}\n"),
        (CRATES, "crates/engine/src/lib.rs", "pub use crate::run::*;\nmod run;\n"),
        (CRATES, "src/main.rs", "mod args;\nmod help;\nuse my_core::Low;\nfn main() {}\n"),
        (CRATES, "src/help/mod.rs", "mod text;\nuse crate::args::Args as A;\n"),
        (INCLUDED, "src/all.h", '#include "list.h"\n'),
        (INCLUDED, "src/list.h", '#include "dict.h"\nint listAdd(int a);\nint dictGet(void);\n'),
        (INCLUDED, "src/list.c", '#include "list.h"\nstatic int listAdd(int a) { return a; }\n'),
        (INCLUDED, "src/list.c", '#include "dict.h"\nint dictGet(void) { return 2; }\n'),
        (INCLUDED, "src/dict.h", "class dictGet {};\n"),
        (INCLUDED, "src/store.c", "int MAX_LEN = 1;\n"),
        (MODULES, "Sources/Core/Helper.swift", "private class Helper {}\nclass Shown {}\n"),
        (MODULES, "Sources/App/Shown.swift", "struct Engine {}\n"),
        (MODULES, "Sources/App/Main.swift", "struct Helper {}\n"),
    ],
)  # fmt: skip
def test_a_changed_file_leaves_the_links_a_fresh_start_finds(
    files: Mapping[str, str], path: str, text: str
) -> None:
    around = Surroundings(world(files))
    around.update({path: extract(path, text.encode())})
    assert comparable(around.links) == comparable(Linker(around.world).links)
    around.update({path: extract(path, files[path].encode())})
    assert comparable(around.links) == comparable(Linker(world(files)).links)


def test_damaged_files_give_facts() -> None:
    for path, text in (
        ("a.rs", 'pub fn ok() {}\nuse a::{b, ;\nmod x {\nimpl } } \'a " r#"'),
        ("a.c", 'int ok(void) { return 1; }\n#if 1\nstruct {{{ "\n/* '),
        ("a.cpp", "class A {\n public:\n  void f(;\n}}}} namespace"),
        ("a.swift", "struct A { func b( { } \n@Flag(name: ((( var x\nenum"),
        ("b.h", "\n"),
    ):
        assert extract(path, text.encode()).lines
