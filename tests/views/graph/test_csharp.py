from functools import cache

import pytest
from support.graphs import Graph
from support.projects import CSHARP

ITEM, MORE, BASKET = "Core/Item.cs", "Core/Item.More.cs", "Web/Basket.cs"


@cache
def graph() -> Graph:
    return Graph.of(CSHARP)


LEADS = [
    (ITEM, "public |Kind Kind =>", [f"{ITEM}:Kind"]),
    (ITEM, "=> |Cost(count);", [f"{ITEM}:Item.Cost"]),
    (MORE, "{ |Next.Cost(1)", [f"{ITEM}:Item.Next"]),
    (BASKET, "where T : |IPriced", [f"{ITEM}:IPriced"]),
    (BASKET, "Sum(|Item given)", [f"{MORE}:Item", f"{ITEM}:Item"]),
    (BASKET, "part.|Next.Cost(1, true)", [f"{ITEM}:Item.Next"]),
    (BASKET, "{ |Next = given }", [f"{ITEM}:Item.Next"]),
    (BASKET, "Parts.First().|More()", [f"{MORE}:Item.More"]),
    (BASKET, "made?.Next.|Twice(2)", [f"{MORE}:ItemExtensions.Twice"]),
    (BASKET, "Twice(2).|More()", [f"{MORE}:Item.More"]),
    (BASKET, "_first.Next.|Cost(3)", [f"{ITEM}:Item.Cost"]),
    (BASKET, "_best.|Cost(4)", [f"{ITEM}:IPriced.Cost"]),
    (BASKET, "{ other.|More(); }", [f"{MORE}:Item.More"]),
    (BASKET, "|Inherited();", [f"{BASKET}:Base.Inherited"]),
    (BASKET, "Alias.|Large", [f"{ITEM}:Kind.Large"]),
    (BASKET, "this.|Total(kind)", [f"{BASKET}:Basket.Total"]),
]


@pytest.mark.parametrize(("path", "needle", "wanted"), LEADS)
def test_a_use_leads_to_its_definition(path: str, needle: str, wanted: list[str]) -> None:
    assert graph().leads(path, needle) == wanted


def test_a_type_of_another_namespace_is_not_taken() -> None:
    other = next(s for s in graph().view.named("Item.More") if s.path == "Web/Other.cs")
    assert graph().view.references(other) == []


def test_a_function_that_acts_as_a_method_fits_only_its_own_type() -> None:
    code = """
        namespace N;
        class A { } class B { }
        static class X { public static void Go(this A it) { } }
        class Use { void F(A a, B b) { a.Go(); b.Go(); unknown.Go(); } }
        """
    graph = Graph.of({"a.cs": code})
    assert graph.leads("a.cs", "a.|Go()") == ["a.cs:X.Go"]
    assert graph.leads("a.cs", "b.|Go()") == []
    assert graph.leads("a.cs", "unknown.|Go()") == []


def test_a_property_may_be_called_as_its_type() -> None:
    code = """
        /// <summary>
        /// What it is.
        /// </summary>
        class Kind { public static Kind Small; }
        class Item { public Kind Kind { get; } Kind Other() { return Kind; } }
        """
    graph = Graph.of({"a.cs": code})
    assert graph.leads("a.cs", "public |Kind Kind") == ["a.cs:Kind"]
    assert graph.leads("a.cs", "|Kind Other()") == ["a.cs:Kind"]
    assert graph.leads("a.cs", "return |Kind;") == ["a.cs:Item.Kind"]
    assert graph.symbol("Kind").doc == "What it is."
