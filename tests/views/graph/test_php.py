from functools import cache

import pytest
from support.graphs import Graph
from support.projects import PHP

ITEM, BASKET = "src/Core/Item.php", "src/Web/Basket.php"


@cache
def graph() -> Graph:
    return Graph.of(PHP)


LEADS = [
    (ITEM, "use |Named;", f"{ITEM}:Named"),
    (ITEM, "{ $this->|helper->run()", f"{ITEM}:Item.helper"),
    (ITEM, "self::|LIMIT", f"{ITEM}:Item.LIMIT"),
    (BASKET, "use function Shop\\Core\\|total;", f"{ITEM}:total"),
    (BASKET, "sum(|Aid $aid", f"{ITEM}:Helper"),
    (BASKET, "$item->next()->|self()", f"{ITEM}:Named.self"),
    (BASKET, "self()->|name()", f"{ITEM}:Named.name"),
    (BASKET, "$aid->run()->|saved()", f"{ITEM}:Base.saved"),
    (BASKET, "make()->|cost(2)", f"{ITEM}:Item.cost"),
    (BASKET, "{ $part->|next(); }", f"{ITEM}:Item.next"),
    (BASKET, "$either->|saved()", f"{ITEM}:Base.saved"),
    (BASKET, "$x->|cost(3)", f"{ITEM}:Item.cost"),
    (BASKET, "|helper(Kind::", "src/functions.php:helper"),
    (BASKET, "return |total(", f"{ITEM}:total"),
    (BASKET, "Item::|LIMIT", f"{ITEM}:Item.LIMIT"),
    (BASKET, "\\Shop\\Core\\|total($item)", f"{ITEM}:total"),
]


@pytest.mark.parametrize(("path", "needle", "wanted"), LEADS)
def test_a_use_leads_to_its_definition(path: str, needle: str, wanted: str) -> None:
    assert graph().leads(path, needle) == [wanted]


def test_a_class_of_another_namespace_is_not_taken() -> None:
    other = next(s for s in graph().view.named("Item") if s.path == "src/functions.php")
    assert graph().view.references(other) == []
    item = next(s for s in graph().view.named("Item") if s.path == ITEM)
    assert {r.location.path for r in graph().view.references(item)} == {ITEM, BASKET}
