from functools import cache

import pytest
from support.graphs import Graph
from support.projects_native import CPP, C


@cache
def graph(language: str) -> Graph:
    return Graph.of({"c": C, "cpp": CPP}[language])


LEADS = [
    ("c", "include/item.h", "items[|MAX_ITEMS]", "include/item.h:MAX_ITEMS"),
    ("c", "src/item.c", "{ return |helper(item", "src/item.c:helper"),
    ("c", "src/item.c", "it->|next->cost", "include/item.h:item.next"),
    ("c", "src/item.c", "it->next->|cost", "include/item.h:item.cost"),
    ("c", "src/item.c", "+= |twice(cost)", "include/item.h:twice"),
    ("c", "src/item.c", "|helper(item_new(", "src/item.c:helper"),
    ("c", "src/main.c", "first = |item_new(", "src/item.c:item_new"),
    ("c", "src/main.c", "item_new(|LARGE)", "include/item.h:LARGE"),
    ("c", "src/main.c", "struct |shelf shelf", "include/item.h:shelf"),
    ("c", "src/main.c", "{ .|items = ", "include/item.h:shelf.items"),
    ("c", "src/main.c", ".|wide = 2", "include/item.h:shelf.wide"),
    ("c", "src/main.c", "cost = |helper(total)", "src/main.c:helper"),
    ("c", "src/main.c", "helper(|total)", "src/item.c:total"),
    ("c", "src/main.c", "item_new(1)->next->|cost", "include/item.h:item.cost"),
    ("c", "src/main.c", "use(|cost)", "src/main.c:10"),
    ("c", "src/main.c", "return |cost +", "src/main.c:9"),
    ("c", "tests/stub.c", "{ return |item_new(2)", "tests/stub.c:item_new"),
    ("cpp", "src/item.cc", "{ part.|cost(); }", "src/item.cc:shop.Item.cost"),
    ("cpp", "src/item.cc", "return |cost_ +", "include/shop/item.h:shop.Item.cost_"),
    ("cpp", "src/item.cc", "next_->|cost()", "src/item.cc:shop.Item.cost"),
    ("cpp", "src/item.cc", "made->|cost()", "src/item.cc:shop.Item.cost"),
    ("cpp", "src/item.cc", "Item::|SMALL", "include/shop/item.h:shop.Item.SMALL"),
    ("cpp", "include/shop/item.h", "cost_(|cost)", "include/shop/item.h:9"),
    ("cpp", "src/main.cc", "Item::|make(1)", "src/item.cc:shop.Item.make"),
    ("cpp", "src/main.cc", "box.|open().cost()", "include/shop/item.h:shop.Box.open"),
    ("cpp", "src/main.cc", "box.open().|cost()", "src/item.cc:shop.Item.cost"),
    ("cpp", "src/main.cc", "inner->|cost()", "src/item.cc:shop.Item.cost"),
    ("cpp", "src/main.cc", "return x.|cost()", "src/item.cc:shop.Item.cost"),
    ("cpp", "src/main.cc", "shop::|total(", "src/item.cc:shop.total"),
]


@pytest.mark.parametrize(("language", "path", "needle", "wanted"), LEADS)
def test_a_use_leads_to_its_definition(language: str, path: str, needle: str, wanted: str) -> None:
    assert graph(language).leads(path, needle) == [wanted]


def test_references_lead_to_the_definition_not_to_what_is_declared_or_stands_in_for_it() -> None:
    made = [s for s in graph("c").view.named("item_new") if s.path == "src/item.c"]
    paths = {reference.location.path for reference in graph("c").view.references(made[0])}
    assert paths == {"src/item.c", "src/main.c"}
    declared = next(s for s in graph("c").view.named("item_new") if s.path == "include/item.h")
    assert graph("c").view.references(declared) == graph("c").view.references(made[0])
    subclasses = graph("cpp").view.subclasses(graph("cpp").symbol("shop.Priced"))
    assert [symbol.qualified for symbol in subclasses] == ["shop.Item"]


def test_of_several_definitions_none_is_taken() -> None:
    texts = {"a.h": "int f(void);\n", "use.c": '#include "a.h"\nint g(void) { return f(); }\n'}
    one = Graph.of({**texts, "x/one.c": "int f(void) { return 1; }\n"})
    assert one.leads("use.c", "|f()") == ["x/one.c:f"]
    two = Graph.of(
        {
            **texts,
            "x/one.c": "int f(void) { return 1; }\n",
            "x/two.c": "int f(void) { return 2; }\n",
        }
    )
    assert two.leads("use.c", "|f()") == ["a.h:f"]


def test_a_class_declared_ahead_is_the_one_of_that_name() -> None:
    graph = Graph.of(
        {
            "a.hpp": "class Log;\nstruct Use { Log* log; void go(); };\n",
            "log.h": "class Log { public: void add(); };\n",
            "a.cc": '#include "a.hpp"\n#include "log.h"\nvoid Use::go() { log->add(); }\n',
            "log.cc": '#include "log.h"\nvoid Log::add() { add(); }\n',
        }
    )
    assert graph.leads("a.hpp", "{ |Log* log") == ["log.h:Log"]
    assert graph.leads("a.cc", "log->|add()") == ["log.cc:Log.add"]
    assert graph.leads("log.cc", "{ |add();") == ["log.cc:Log.add"]
