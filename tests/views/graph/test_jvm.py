from functools import cache

import pytest
from support.graphs import Graph
from support.projects import JAVA

CORE, WEB = "app/src/main/java/shop/core", "app/src/main/java/shop/web"
BASKET = f"{WEB}/Basket.java"
CART, RACK = "app/src/main/kotlin/shop/web/Cart.kt", "app/src/main/scala/shop/web/Rack.scala"


@cache
def graph() -> Graph:
    return Graph.of(JAVA)


LEADS = [
    (BASKET, "import shop.core.Item.|Part", "Item.java:Item.Part"),
    (BASKET, "Basket<T extends |Priced>", "Priced.java:Priced"),
    (BASKET, "int size = |size();", "Basket.java:Basket.size"),
    (BASKET, "+= each.|cost(1, true)", "Item.java:Item.cost"),
    (BASKET, "each.|next().name()", "Item.java:Item.next"),
    (BASKET, "each.next().|name()", "Item.java:Item.name"),
    (BASKET, "items.get(0).|next()", "Item.java:Item.next"),
    (BASKET, "name2.|self()", "Priced.java:Priced.self"),
    (BASKET, "name2.self().|name()", "Item.java:Item.name"),
    (BASKET, "best.|cost(3)", "Priced.java:Priced.cost"),
    (BASKET, "part.|whole.name()", "Item.java:Item.Part.whole"),
    (BASKET, "{ found.|next(); }", "Item.java:Item.next"),
    (BASKET, "-> |inherited();", "Base.java:Base.inherited"),
    (BASKET, "return |total(size)", "Base.java:Helper.total"),
    (BASKET, "Item.|NONE.cost(4)", "Item.java:Item.NONE"),
    (BASKET, "case |SMALL:", "Basket.java:Kind.SMALL"),
    (f"{CORE}/Item.java", "this.|name = name", "Item.java:Item.name"),
    (CART, "Cart(val first: |Item)", "Item.java:Item"),
    (CART, "{ |close(); helper()", "Cart.kt:Cart.close"),
    (CART, "close(); |helper();", "Cart.kt:helper"),
    (RACK, "Item = item.|next().next()", "Item.java:Item.next"),
    (RACK, "Item = item.next().|next()", "Item.java:Item.next"),
    (RACK, "Rack.|make(item)", "Rack.scala:Rack.make"),
    (RACK, "{ |inherited();", "Base.java:Base.inherited"),
    (RACK, "turn.|name()", "Item.java:Item.name"),
]


@pytest.mark.parametrize(("path", "needle", "wanted"), LEADS)
def test_a_use_leads_to_its_definition(path: str, needle: str, wanted: str) -> None:
    assert [found.rpartition("/")[2] for found in graph().leads(path, needle)] == [wanted]


def test_of_several_methods_of_a_name_the_one_that_fits_is_meant() -> None:
    found = graph().view.definition(BASKET, *graph().place(BASKET, "+= each.|cost(1, true)"))
    assert [item.signature for item in found] == ["public int cost(int count, boolean taxed)"]


def test_a_local_variable_hides_no_method_and_no_type_of_another_package_is_taken() -> None:
    assert graph().leads(BASKET, "total(|size)") == [f"{BASKET}:10"]
    users = graph().view.references(
        next(s for s in graph().view.named("Item") if s.path.endswith("other/Item.java"))
    )
    assert users == []


def test_references_lead_back_from_all_three_languages() -> None:
    item = next(s for s in graph().view.named("Item") if s.path.startswith(CORE))
    paths = {reference.location.path for reference in graph().view.references(item)}
    assert {BASKET, CART, RACK} <= paths
    base = graph().symbol("Base")
    assert {s.qualified for s in graph().view.subclasses(base)} == {"Basket", "Cart", "Rack"}
