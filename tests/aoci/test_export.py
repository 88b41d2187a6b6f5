import itertools
from collections.abc import Callable

import pytest
from hypothesis import given, settings, strategies as st

from aoci_agent.aoci import foreign
from aoci_agent.aoci.export import in_the_way, single, volumes
from aoci_agent.aoci.model import Entry, HeaderLine, Index, TableEntry, Tag
from aoci_agent.aoci.surroundings import ShortNames

TAG = Tag("S", "Cr", 7, "DT", "M")
INDEX = Index(
    (HeaderLine("overview", "Sells: things"), HeaderLine("A", "S=service"), HeaderLine("", "note")),
    (
        Entry("", "Makefile", Tag("B", "Rt", 5, "", "T"), "targets build, test"),
        Entry("a b", "[id].tsx", TAG, "", ("orders",), ("GET /x", "Type{a,b}"), "uses x; a ¦ b"),
        Entry("src", "orders.py", TAG, "Orders", ("@db:users", "Makefile"), ("pay",), "", "M:x"),
    ),
    (
        TableEntry("users", "U", "M", "?", ("GUID", "soft"), "id, name; old users"),
        TableEntry("log", "X", "L", "M", (), "", "audit"),
    ),
)
FILES = [entry.path for entry in INDEX.entries]
Layout = Callable[[Index, str], dict[str, str]]
LAYOUTS = pytest.mark.parametrize("layout", [single, volumes])


@LAYOUTS
def test_what_is_exported_is_read_back_equal(layout: Layout) -> None:
    texts = layout(INDEX, "shop")
    found = foreign.read_files(texts, texts.get, FILES)
    assert found is not None
    assert found.ours
    assert found.unmapped == ()
    assert found.index == INDEX


names = st.text("ab[]é.-_()", min_size=1, max_size=8).filter(
    lambda name: name not in (".", "..", "-")
)
prose = st.text("ab ;,:é(]x-", max_size=30).map(lambda text: " ".join(text.split()))
words = st.just("none") | prose.filter(lambda text: text != "-")
items = st.text("abC.{x}/é@", min_size=1, max_size=8)
entries = st.builds(
    Entry,
    st.lists(names, max_size=2).map("/".join),
    names,
    st.just(TAG),
    words,
    st.just(()),
    st.lists(items, max_size=3).map(tuple),
    words,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(entries, min_size=1, max_size=5, unique_by=lambda entry: entry.path))
def test_any_index_survives_both_layouts(rows: list[Entry]) -> None:
    folders = {entry.directory for entry in rows}
    paths = [entry.path for entry in rows if entry.path not in folders]
    rows = [entry for entry in rows if entry.path in paths]
    if not rows:
        return
    short = ShortNames(paths)
    linked = [
        Entry(e.directory, e.name, e.tag, e.function, (short(p),), e.api, e.synopsis)
        for e, p in zip(rows, itertools.cycle(paths), strict=False)
        if "," not in p
    ]
    index = Index((), tuple(sorted(linked, key=lambda entry: (entry.directory, entry.name))))
    for layout in (single, volumes):
        texts = layout(index, "p")
        found = foreign.read_files(texts, texts.get, paths)
        assert (found.index if found else Index()) == index


def test_volumes_name_whole_paths_and_tables() -> None:
    texts = volumes(INDEX, "shop")
    assert sorted(texts) == ["aoci.code.txt", "aoci.database.txt", "aoci.meta.txt", "aoci.txt"]
    assert "R:code:src/orders.py |" in texts["aoci.code.txt"]
    assert "R:database://default/default/users,code:Makefile |" in texts["aoci.code.txt"]
    assert "path=aoci.database.txt" in texts["aoci.txt"]
    without = volumes(Index(INDEX.header, INDEX.entries), "shop")
    assert "aoci.database.txt" not in without
    assert "database" not in without["aoci.txt"]


@LAYOUTS
def test_only_unchanged_exports_are_replaced(layout: Layout) -> None:
    texts = layout(INDEX, "shop")
    assert in_the_way(texts, texts) == []
    assert in_the_way(texts, {}) == []
    changed = {**texts, "aoci.txt": texts["aoci.txt"] + "# by hand\n"}
    assert in_the_way(texts, changed) == ["aoci.txt"]
    assert in_the_way(texts, {"aoci.txt": "something else\n"}) == ["aoci.txt"]
    crlf = {name: text.replace("\n", "\r\n") for name, text in texts.items()}
    assert in_the_way(texts, crlf) == []
