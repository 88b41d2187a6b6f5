from functools import cache

import pytest
from support.graphs import Graph
from support.projects import RUBY

ITEM, HELPER, MAIN = "lib/shop/item.rb", "lib/shop/helper.rb", "app/main.rb"


@cache
def graph() -> Graph:
    return Graph.of(RUBY)


LEADS = [
    (ITEM, "class Item < |Base", f"{HELPER}:Shop.Base"),
    (ITEM, "include |Named", f"{HELPER}:Shop.Named"),
    (ITEM, "before_action :|check", f"{ITEM}:Shop.Item.check"),
    (ITEM, "@helper = |Helper.new", f"{HELPER}:Shop.Helper"),
    (ITEM, "count + |LIMIT", f"{ITEM}:Shop.Item.LIMIT"),
    (ITEM, "@helper.|work.cost(1)", f"{HELPER}:Shop.Helper.work"),
    (ITEM, "@helper.work.|cost(1)", f"{ITEM}:Shop.Item.cost"),
    (ITEM, "|named.cost(2)", f"{HELPER}:Shop.Named.named"),
    (ITEM, "named.|cost(2)", f"{ITEM}:Shop.Item.cost"),
    (ITEM, "self.|next = ", f"{ITEM}:Shop.Item.next"),
    (ITEM, "build; |make.run", f"{ITEM}:Shop.Item.make"),
    (ITEM, "build; make.|run", f"{ITEM}:Shop.Item.run"),
    (ITEM, "def check; |saved", f"{HELPER}:Shop.Base.saved"),
    (MAIN, "Item.|new(", f"{ITEM}:Shop.Item.initialize"),
    (MAIN, "item.|run", f"{ITEM}:Shop.Item.run"),
    (MAIN, "each.|cost(3)", f"{ITEM}:Shop.Item.cost"),
    (MAIN, "other.|work", f"{HELPER}:Shop.Helper.work"),
    (MAIN, "|top_level", f"{HELPER}:top_level"),
    (MAIN, "Item::|LIMIT", f"{ITEM}:Shop.Item.LIMIT"),
]


@pytest.mark.parametrize(("path", "needle", "wanted"), LEADS)
def test_a_use_leads_to_its_definition(path: str, needle: str, wanted: str) -> None:
    assert graph().leads(path, needle) == [wanted]


def test_a_class_of_another_module_is_not_taken() -> None:
    other = next(s for s in graph().view.named("Item") if s.path == MAIN)
    assert graph().view.references(other) == []
    callers = graph().view.callers(graph().symbol("Shop.Item.cost"))
    assert {symbol.qualified for symbol in callers} == {"Shop.Item.run", "Main.go"}


def test_a_class_opened_again_elsewhere_is_the_same() -> None:
    graph = Graph.of(
        {
            "a/thing.rb": "class Thing\n  def one; two; end\nend\n",
            "b/more.rb": "class Thing\n  def two; self; end\nend\n",
            "c.rb": "Thing.new.one\nThing.new.two.one\n",
        }
    )
    assert graph.leads("a/thing.rb", "one; |two") == ["b/more.rb:Thing.two"]
    assert graph.leads("c.rb", "new.two.|one") == ["a/thing.rb:Thing.one"]
