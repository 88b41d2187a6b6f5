import pytest
from support.graphs import Graph

FILES = {
    "go.mod": "module example.com/app\n",
    "store/store.go": """
        package store

        import "fmt"

        type Reader interface {
            Read(key string) (*Item, error)
        }

        type base struct{ name string }

        func (b *base) Close() {}

        type Store struct {
            base
            items map[string][]*Item
            first Item
            hooks []func() Item
        }

        type Item struct{ Owner *Store }

        func (i Item) Show() string { return fmt.Sprint(i) }

        func New() *Store { return &Store{} }

        func (s *Store) Read(key string) (*Item, error) { return nil, nil }

        type List[T any] struct{ held T }

        func (l *List[T]) Get() T { return l.held }

        func First[T any](all []T) T { return all[0] }

        const Limit = 3
        """,
    "store/more.go": """
        package store

        import f "fmt"

        func helper(s *Store) { s.first.Show(); f.Print(Limit) }
        """,
    "store/store_test.go": """
        package store_test

        import "example.com/app/store"

        func Fresh() *store.Store { return store.New() }
        """,
}


def graph(body: str) -> Graph:
    head = (
        'package main\n\nimport (\n\t"example.com/app/store"\n\tst "example.com/app/store"\n)\n\n'
    )
    text = f"{head}func run(s *store.Store, r st.Reader, c chan store.Item) {{\n{body}\n}}\n"
    return Graph.of(FILES | {"main.go": text})


@pytest.mark.parametrize(
    ("body", "needle", "name"),
    [
        ("store.New()", "store.Ne|w", "New"),
        ("st.New().Close()", ".Clos|e", "base.Close"),
        ("s.name = st.Limit", "Limi|t", "Limit"),
        ("item, err := s.Read(1)\n_ = err\nitem.Show()", "item.Sho|w", "Item.Show"),
        ("item, _ := r.Read(1)\nitem.Owner.Close()", "Clos|e", "base.Close"),
        ("for k, all := range s.items {\n_ = k\nall[0].Show()\n}", "Sho|w", "Item.Show"),
        ("for _, one := range s.items[1] {\none.Show()\n}", "Sho|w", "Item.Show"),
        ("(<-c).Show()", "Sho|w", "Item.Show"),
        ("s.hooks[0]().Show()", "Sho|w", "Item.Show"),
        ("x := store.Item{Owner: s}\nx.Show()", "Sho|w", "Item.Show"),
        ("x := store.Item{Owner: s}\n_ = x", "Owne|r", "Item.Owner"),
        ("x := []store.Item{{Owner: s}}\nx[0].Show()", "Sho|w", "Item.Show"),
        ("var x any = s\nx.(*store.Store).Close()", "Clos|e", "base.Close"),
        ("switch y := any(s).(type) {\ncase *store.Item:\ny.Show()\ncase *store.Store:\ny.Close()\n}", "Sho|w",
         "Item.Show"),
        ("if s := store.New().first; true {\ns.Show()\n}", "Sho|w", "Item.Show"),
        ("x := new(store.Item)\nfunc() { x.Show() }()", "Sho|w", "Item.Show"),
        ("x := make(map[string]*store.Item)\nx[`a`].Show()", "Sho|w", "Item.Show"),
        ("var l store.List[store.Item]\nl.Get().Show()", "Sho|w", "Item.Show"),
        ("store.First([]store.Item{}).Show()", "Sho|w", "Item.Show"),
        ("x := append([]store.Item{}, s.first)\nx[0].Show()", "Sho|w", "Item.Show"),
        ("t := []struct{ it store.Item }{}\nt[0].it.Show()", "Sho|w", "Item.Show"),
    ],
)  # fmt: skip
def test_a_use_leads_to_its_definition(body: str, needle: str, name: str) -> None:
    assert graph(body).leads("main.go", needle) == [f"store/store.go:{name}"]


@pytest.mark.parametrize(
    ("body", "needle"), [("fmt.Println()", "Printl|n"), ("store.Missing()", "Missin|g"), ("s.Nope()", "Nop|e")]
)  # fmt: skip
def test_what_is_not_known_leads_nowhere(body: str, needle: str) -> None:
    assert graph(body).leads("main.go", needle) == []


def test_a_package_sees_all_its_files_but_not_their_imports() -> None:
    found = graph("")
    assert found.leads("store/more.go", "s.first.Sho|w") == ["store/store.go:Item.Show"]
    assert found.leads("store/more.go", "f.Print(Limi|t)") == ["store/store.go:Limit"]
    assert found.leads("store/store_test.go", "store.Ne|w") == ["store/store.go:New"]
    assert found.leads("store/store.go", "fmt.Sprin|t") == []


def test_inner_blocks_have_names_of_their_own() -> None:
    found = graph("x := s.first\n{\nx := s\nx.Close()\n}\nx.Show()")
    assert found.leads("main.go", "x.Clos|e") == ["store/store.go:base.Close"]
    assert found.leads("main.go", "x.Sho|w") == ["store/store.go:Item.Show"]


def test_a_usual_build_comes_before_the_files_of_other_builds() -> None:
    files = {
        "go.mod": "module m\n",
        "os.go": "//go:build !special\n\npackage m\n\nfunc name() {}\n",
        "os_windows.go": "package m\n\nfunc name() {}\nfunc only() { name(); use() }\n",
        "special.go": "//go:build special && (linux || darwin)\n\npackage m\n\nfunc name() {}\n",
        "use.go": "package m\n\nfunc use() { name(); only() }\n",
    }
    found = Graph.of(files)
    assert found.leads("use.go", "n|ame()") == ["os.go:name"]
    assert found.leads("use.go", "o|nly()") == ["os_windows.go:only"]
    assert found.leads("os_windows.go", "u|se()") == ["use.go:use"]
    assert set(found.leads("os_windows.go", "n|ame();")) == {
        "os_windows.go:name",
        "special.go:name",
    }


def test_a_type_with_the_methods_of_an_interface_serves_it() -> None:
    found = graph("r.Read(`a`)\ns.Read(`b`)")
    view = found.view
    by_type = view.references(found.symbol("Store.Read"))
    by_interface = view.references(found.symbol("Reader.Read"))
    lines = [(item.location.path, item.location.start) for item in by_type]
    assert lines == [("main.go", 9), ("main.go", 10)]
    assert by_interface == by_type
    assert [item.qualified for item in view.subclasses(found.symbol("Reader"))] == ["Store"]
    assert [item.qualified for item in view.callers(found.symbol("Store.Read"))] == ["run"]


def test_updates_across_files_of_a_package_are_rebuilds() -> None:
    before = graph("s.Close()")
    for edit in (
        {"store/more.go": FILES["store/more.go"] + "\nfunc (s *Store) Close() {}\n"},
        {"store/more.go": None},
        {"go.mod": "module example.com/other\n"},
        {"store/store.go": "package store\n"},
    ):
        after = before.source.changed(edit)
        rebuilt = Graph.of({path: data.decode() for path, data in after.texts.items()})
        again = graph("s.Close()")
        again.view.apply(after, before.source.delta(after))
        assert again.view.digest() == rebuilt.view.digest()
