from functools import cache

import pytest
from support.graphs import Graph
from support.projects import SHELL, SWIFT

ITEM, MORE, BASKET = (
    "Sources/Core/Item.swift",
    "Sources/Core/More.swift",
    "Sources/Web/Basket.swift",
)
RUN, COMMON = "bin/run.sh", "lib/common.sh"


@cache
def graph(language: str) -> Graph:
    return Graph.of({"swift": SWIFT, "shell": SHELL}[language])


LEADS = [
    ("swift", ITEM, "return |cost(count: count)", f"{ITEM}:Item.cost"),
    ("swift", MORE, "return |saved()", f"{ITEM}:Base.saved"),
    ("swift", MORE, "Box<T: |Priced>", f"{ITEM}:Priced"),
    ("swift", MORE, "value.|cost(count: 1)", f"{ITEM}:Priced.cost"),
    ("swift", BASKET, "first.|cost(count: 2)", f"{ITEM}:Item.cost"),
    ("swift", BASKET, "{ part.|more() }", f"{MORE}:Item.more"),
    ("swift", BASKET, "found.|next?", f"{ITEM}:Item.next"),
    ("swift", BASKET, "next?.more().|saved()", f"{ITEM}:Base.saved"),
    ("swift", BASKET, "made.|cost(count: 3, taxed: true)", f"{ITEM}:Item.cost"),
    ("swift", BASKET, "one.|more()", f"{MORE}:Item.more"),
    ("swift", BASKET, "Item.|none", f"{ITEM}:Item.none"),
    ("swift", BASKET, "func web() { |more() }", f"{MORE}:Item.more"),
    ("shell", RUN, "../lib/|common.sh", f"{COMMON}:1"),
    ("shell", RUN, "local limit=1; |greet", f"{COMMON}:greet"),
    ("shell", RUN, "trap |leave", f"{RUN}:leave"),
    ("shell", RUN, '"$|NAME"', f"{RUN}:NAME"),
    ("shell", RUN, "$|LIMIT", f"{COMMON}:LIMIT"),
]


@pytest.mark.parametrize(("language", "path", "needle", "wanted"), LEADS)
def test_a_use_leads_to_its_definition(language: str, path: str, needle: str, wanted: str) -> None:
    assert graph(language).leads(path, needle) == [wanted]


def test_a_script_that_is_not_read_in_is_not_seen() -> None:
    other = next(s for s in graph("shell").view.named("greet") if s.path == "other/common.sh")
    assert graph("shell").view.references(other) == []
    known = next(s for s in graph("shell").view.named("greet") if s.path == COMMON)
    assert len(graph("shell").view.references(known)) == 2
