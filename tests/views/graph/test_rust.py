from functools import cache

import pytest
from support.graphs import Graph
from support.projects_native import RUST

ITEM, MAIN, UTIL = "core/src/item.rs", "app/src/main.rs", "app/src/util.rs"


@cache
def graph() -> Graph:
    return Graph.of(RUST)


LEADS = [
    ("core/src/lib.rs", "pub use |item::", "core/src/item.rs:core/src/item.rs"),
    (ITEM, "use crate::inner::|Helper", "core/src/inner/mod.rs:Helper"),
    (ITEM, "-> |Self {", f"{ITEM}:Item"),
    (ITEM, "impl |Priced for", f"{ITEM}:Priced"),
    (ITEM, "self.|cost() * 2", f"{ITEM}:Priced.cost"),
    (ITEM, "Kind::|Small(it)", f"{ITEM}:Kind.Small"),
    (ITEM, "Kind::Large { |item } =>", f"{ITEM}:Kind.Large.item"),
    (ITEM, "assert_eq!(it.|cost()", f"{ITEM}:Item.cost"),
    (ITEM, ", |only_here())", f"{ITEM}:tests.only_here"),
    (MAIN, "item::|Priced, Item as", f"{ITEM}:Priced"),
    (MAIN, "load(items: Vec<|Thing>)", f"{ITEM}:Item"),
    (MAIN, "{ item.|helper().run()", f"{ITEM}:Item.helper"),
    (MAIN, "item.helper().|run().follow()", "core/src/inner/mod.rs:Helper.run"),
    (MAIN, "it.|extra()", "core/src/inner/mod.rs:Item.extra"),
    (MAIN, "first.|twice()", f"{ITEM}:Priced.twice"),
    (MAIN, "{ found.|cost(); }", f"{ITEM}:Item.cost"),
    (MAIN, "    item.|run();", "core/src/inner/mod.rs:Helper.run"),
    (MAIN, "shop_core::|priced!", "core/src/lib.rs:priced"),
    (MAIN, "priced!(first.|cost())", f"{ITEM}:Item.cost"),
    (MAIN, "util::|show(", f"{UTIL}:show"),
    (MAIN, "Kind::|Odd)", f"{ITEM}:Kind.Odd"),
    (MAIN, "made.|helper()", f"{ITEM}:Item.helper"),
    (UTIL, "use super::|load", f"{MAIN}:load"),
    (UTIL, "kind.item().|helper()", f"{ITEM}:Item.helper"),
    (UTIL, "it.|shown()", f"{UTIL}:Shown.shown"),
]


@pytest.mark.parametrize(("path", "needle", "wanted"), LEADS)
def test_a_use_leads_to_its_definition(path: str, needle: str, wanted: str) -> None:
    found = graph().view.definition(path, *graph().place(path, needle))
    assert [f"{item.path}:{item.qualified or item.path}" for item in found] == [wanted]


def test_a_name_bound_anew_is_another_one() -> None:
    assert graph().leads(MAIN, "    |item.run();") == [f"{MAIN}:10"]


def test_a_module_within_the_file_keeps_its_names() -> None:
    assert [s.qualified for s in graph().view.named("only_here")] == ["tests.only_here"]


def test_references_lead_back_through_reexports() -> None:
    found = graph().view.references(graph().symbol("Item"))
    assert {reference.location.path for reference in found} >= {ITEM, MAIN, "core/src/inner/mod.rs"}
    callers = graph().view.callers(graph().symbol("Item.helper"))
    assert {symbol.qualified for symbol in callers} == {"load", "main", "show"}


def test_a_variant_is_not_seen_without_its_enum() -> None:
    code = """
        enum Spec { Style(Style) }
        enum Style { Bold }
        impl Spec { fn bold(&self) -> bool { matches!(self, Spec::Style(Style::Bold)) } }
        fn other() { log::debug!("x"); debug!("y"); }
        macro_rules! debug { () => {} }
        """
    graph = Graph.of({"src/lib.rs": code})
    assert graph.leads("src/lib.rs", "(|Style::Bold") == ["src/lib.rs:Style"]
    assert graph.leads("src/lib.rs", "Spec::|Style(Style::") == ["src/lib.rs:Spec.Style"]
    assert graph.leads("src/lib.rs", "log::|debug!") == []
    assert graph.leads("src/lib.rs", "; |debug!") == ["src/lib.rs:debug"]
