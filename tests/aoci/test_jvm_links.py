from collections.abc import Mapping
from textwrap import dedent

import pytest

from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.layers import is_sample, is_test, layer_of
from aoci_agent.aoci.resolve.jvm import short
from aoci_agent.aoci.resolve.links import Linker, Links, needs_all, resolve
from aoci_agent.aoci.traits import traits_of


def facts(path: str, text: str) -> Facts:
    found = extract(path, dedent(text).encode())
    assert not found.problem
    return found


def world(files: Mapping[str, str]) -> dict[str, Facts]:
    return {path: extract(path, dedent(text).encode()) for path, text in sorted(files.items())}


FILES = {
    "app/src/main/java/com/acme/App.java": """
        package com.acme;
        import com.acme.store.Store;
        import com.acme.store.Store.Entry;
        import com.acme.kt.*;
        import static com.acme.util.Money.round;
        import com.acme.gone.Lost;
        import com.fasterxml.jackson.databind.ObjectMapper;
        class App { Store s; Entry e; Helper h; Box b; Lost l; int r = round(1); ObjectMapper m; Object k = ThingsKt.make(); }
        """,
    "app/src/main/java/com/acme/Helper.java": "package com.acme; class Helper {}",
    "app/src/main/java/com/acme/util/Money.java": "package com.acme.util; public class Money { public static int round(int i) { return i; } }",
    "app/src/test/java/com/acme/AppTest.java": "package com.acme; class AppTest { App app; Helper h; }",
    "app/src/test/java/com/acme/Helper.java": "package com.acme; class Helper {}",
    "store/src/main/java/com/acme/store/Store.java": "package com.acme.store; public class Store { public static class Entry {} }",
    "store/src/main/java/com/acme/store/Helper.java": "package com.acme.store; public class Helper {}",
    "kt/src/main/kotlin/Things.kt": """
        package com.acme.kt
        import com.acme.store.Store
        class Box(val store: Store)
        fun makeThings(): Box = Box(Store())
        """,
    "kt/src/main/kotlin/Use.kt": """
        package com.acme.other
        import com.acme.kt.makeThings
        import com.acme.kt.Box as Crate
        fun go(): Crate = makeThings()
        """,
    "kt/src/main/kotlin/Beside.kt": "package com.acme.kt\nval one = makeThings()\n",
    "sc/Main.scala": """
        package com.acme
        package web
        import store.{Store => Shop}
        import java.util.List
        object Main { val s = new Shop; val h = new Helper; import s.Entry }
        """,
}  # fmt: skip


def _names(row: Mapping[str, int]) -> set[str]:
    return {path.rsplit("/", 1)[-1] for path in row}


def test_imports_lead_to_the_file_that_defines_a_name() -> None:
    found = resolve(world(FILES))
    app = "app/src/main/java/com/acme/App.java"
    assert _names(found.edges[app]) == {"Store.java", "Money.java", "Helper.java", "Things.kt"}
    assert found.edges[app]["app/src/main/java/com/acme/Helper.java"] == 1
    assert found.outside[app] == {"jackson": 1}
    assert found.missing == {app: ["com.acme.gone.Lost"]}
    test = found.edges["app/src/test/java/com/acme/AppTest.java"]
    assert set(test) == {app, "app/src/test/java/com/acme/Helper.java"}
    assert _names(found.edges["kt/src/main/kotlin/Use.kt"]) == {"Things.kt"}
    assert _names(found.edges["kt/src/main/kotlin/Beside.kt"]) == {"Things.kt"}
    assert _names(found.edges["sc/Main.scala"]) == {"Store.java", "Helper.java"}
    assert found.used_by["kt/src/main/kotlin/Things.kt", "makeThings"] == {
        "kt/src/main/kotlin/Use.kt",
        "kt/src/main/kotlin/Beside.kt",
    }


def _plain(links: Links) -> tuple[object, ...]:
    used = {key: users for key, users in links.used_by.items() if users}
    return links.edges, links.outside, used, links.missing


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("store/src/main/java/com/acme/store/Helper.java", "package com.acme.store; class Other {}"),
        ("store/src/main/java/com/acme/store/Store.java", "package com.acme.store; class Shop {}"),
        ("app/src/main/java/com/acme/Helper.java", "package com.acme; class Renamed {}"),
        ("app/src/main/java/com/acme/util/Money.java", "package com.acme.util; class Money { } class Store {}"),
        ("kt/src/main/kotlin/Things.kt", "package com.acme.kt\nfun unrelated() = 1\n"),
        ("sc/Main.scala", "package com.acme\nclass Helper\nclass Store\n"),
        ("kt/src/main/kotlin/Use.kt", "package com.acme.gone\nclass Lost\n"),
    ],
)  # fmt: skip
def test_following_a_change_equals_linking_anew(path: str, text: str) -> None:
    known = world(FILES)
    linker = Linker(known)
    before = known[path]
    for changed in (extract(path, text.encode()), before):
        old = {path: known[path]}
        known[path] = changed
        if needs_all(old[path], changed):
            linker = Linker(known)
        else:
            linker.relink(old)
        assert _plain(linker.links) == _plain(Linker(known).links)
    assert _plain(linker.links) == _plain(resolve(world(FILES)))


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("com.fasterxml.jackson.databind", "jackson"),
        ("org.springframework.security.config", "spring-security"),
        ("org.springframework.beans.factory", "spring"),
        ("org.apache.commons.lang3", "commons-lang3"),
        ("org.apache.kafka.clients", "kafka"),
        ("kotlinx.coroutines.flow", "coroutines"),
        ("androidx.room", "androidx-room"),
        ("com.github.someone.project.inner", "project"),
        ("io.netty.channel", "netty"),
        ("cats.effect.kernel", "cats-effect"),
        ("fs2", "fs2"),
        ("org.Outer", "Outer"),
        ("net.sourceforge.argparse4j.inf", "argparse4j"),
    ],
)
def test_packages_from_outside_have_telling_names(module: str, name: str) -> None:
    assert short(module) == name


def test_layers_of_jvm_conventions() -> None:
    def layer(path: str, text: str) -> str:
        return layer_of(path, facts(path, text))

    root = "src/main/java/com/acme/demo/test"
    assert not is_test(f"{root}/A.java")
    assert not is_sample(f"{root}/A.java")
    assert is_test("src/test/java/com/acme/A.java")
    assert is_test("lib/src/commonTest/kotlin/A.kt")
    assert layer(f"{root}/OwnerRepository.java", "interface OwnerRepository { void f(); }") == "P"
    assert layer(f"{root}/OwnerServiceImpl.java", "class OwnerServiceImpl { }") == "S"
    assert layer(f"{root}/WebConfig.java", "class WebConfig { }") == "C"
    assert layer(f"{root}/TokenFilter.kt", "class TokenFilter") == "W"
    assert (
        layer(f"{root}/Shop.java", "class Shop { public static void main(String[] a) {} }") == "E"
    )
    assert layer(f"{root}/Strategy.java", "interface Strategy { void apply(); }") == "S"
    assert layer(f"{root}/Order.kt", "data class Order(val id: Int)") == "M"


def test_traits_of_jvm_libraries() -> None:
    found = facts(
        "A.java",
        "import java.security.MessageDigest;\nimport java.sql.Connection;\nclass A { MessageDigest d; Connection c; }",
    )
    assert traits_of(found, ()) == "DE"
    assert traits_of(facts("B.kt", "class B"), ("coroutines", "okhttp", "spring-kafka")) == "HQY"
