from pathlib import Path

import pytest
from support.graphs import Graph, Texts

from aoci_agent.views.graph.model import Symbol
from aoci_agent.views.graph.view import GraphView

FILES = {
    "pkg/__init__.py": "",
    "pkg/animals.py": """
        class Animal:
            def speak(self):
                return self.sound()

            def sound(self): ...

        class Dog(Animal):
            def sound(self): ...

        class Puppy(Dog): ...

        def all_of():
            return [Dog(), Puppy()]
        """,
    "pkg/house.py": """
        from pkg.animals import Dog, all_of

        LIMIT = 3

        class House:
            def __init__(self):
                self.dog = Dog()

            def wake(self):
                self.dog.speak()
                return all_of(), LIMIT
        """,
    "tests/test_house.py": "from pkg.house import House\ndef test_wake():\n    House().wake()\nclass Dog: ...\n",
}


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph.of(FILES)


def names(symbols: list[Symbol]) -> list[str]:
    return [item.qualified for item in symbols]


def test_references_stand_where_the_name_does(graph: Graph) -> None:
    found = graph.view.references(graph.symbol("House.wake"))
    assert [
        (r.location.path, r.location.start, r.location.column, r.source, r.kind) for r in found
    ] == [("tests/test_house.py", 3, 12, "test_wake", "call")]
    kinds = [
        (r.source, r.kind) for r in graph.view.references(graph.view.named("pkg.animals.Dog")[0])
    ]
    assert kinds == [
        ("Puppy", "base"), ("all_of", "call"), ("", "import"), ("House.__init__", "call"),
    ]  # fmt: skip


def test_callers_and_callees_mirror_each_other(graph: Graph) -> None:
    view = graph.view
    assert names(view.callees(graph.symbol("House.wake"))) == ["Animal.speak", "all_of"]
    assert names(view.callers(graph.symbol("Animal.speak"))) == ["House.wake"]
    assert names(view.callers(graph.symbol("all_of"))) == ["House.wake"]
    assert "LIMIT" in names(view.uses(graph.symbol("House.wake")))


def test_subclasses_directly_and_at_all(graph: Graph) -> None:
    animal = graph.symbol("Animal")
    assert names(graph.view.subclasses(animal)) == ["Dog"]
    assert names(graph.view.subclasses(animal, transitive=True)) == ["Dog", "Puppy"]


def test_neighbours_carry_their_distance(graph: Graph) -> None:
    near = dict(graph.view.neighbours(graph.symbol("House.wake"), 1))
    assert {item.qualified for item in near} == {
        "House", "House.dog", "Animal.speak", "all_of", "LIMIT", "test_wake",
    }  # fmt: skip
    far = dict(graph.view.neighbours(graph.symbol("House.wake"), 2))
    assert {item.qualified: step for item, step in far.items()}["Animal"] == 2


def test_names_are_ranked_exact_first_and_product_before_tests(graph: Graph) -> None:
    found = [(item.path, item.qualified) for item in graph.view.named("Dog")]
    assert found == [
        ("pkg/animals.py", "Dog"),
        ("tests/test_house.py", "Dog"),
        ("pkg/house.py", "House.dog"),
    ]
    assert names(graph.view.named("wake")) == ["House.wake"]
    assert names(graph.view.named("house.House.wake")) == ["House.wake"]
    assert names(graph.view.named("House::wake")) == ["House.wake"]
    assert names(graph.view.named("Cat.wake")) == []


def test_symbols_of_a_file_have_ranges_and_signatures(graph: Graph) -> None:
    symbols = graph.view.symbols_in("pkg/house.py")
    assert [(s.qualified, s.kind, s.location.start, s.location.end) for s in symbols] == [
        ("LIMIT", "constant", 3, 3),
        ("House", "class", 5, 11),
        ("House.__init__", "method", 6, 7),
        ("House.dog", "field", 7, 7),
        ("House.wake", "method", 9, 11),
    ]
    assert symbols[4].signature.startswith("def wake(self)")


def test_a_saved_graph_answers_alike_and_is_not_changed_by_updates(
    graph: Graph, tmp_path: Path
) -> None:
    graph.view.save(tmp_path)
    stored = (tmp_path / "graph.db").read_bytes()
    loaded = GraphView()
    loaded.load(tmp_path)
    assert loaded.digest() == graph.view.digest()
    assert loaded.named("Dog") == graph.view.named("Dog")
    after = graph.source.changed({"pkg/animals.py": None})
    loaded.apply(after, graph.source.delta(after))
    assert loaded.named("Animal") == []
    assert (tmp_path / "graph.db").read_bytes() == stored
    built = GraphView()
    built.build(after)
    assert loaded.digest() == built.digest()


@pytest.mark.parametrize("data", [b"", b"not a database at all" * 50])
def test_what_is_no_graph_is_not_taken(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        GraphView().load(tmp_path)
    (tmp_path / "graph.db").write_bytes(data)
    with pytest.raises(ValueError, match="graph"):
        GraphView().load(tmp_path)


def test_a_failed_update_leaves_the_graph_as_it_was(graph: Graph) -> None:
    view, before = GraphView(), graph.source
    view.build(before)
    digest = view.digest()
    after = before.changed({"pkg/animals.py": None, "pkg/other.py": "x = 1"})
    broken = Texts({path: data for path, data in after.texts.items() if path != "pkg/other.py"})

    class Broken:
        files = after.files

        def read(self, path: str) -> bytes:
            return broken.read(path)

    with pytest.raises(KeyError):
        view.apply(Broken(), before.delta(after))
    assert view.digest() == digest
