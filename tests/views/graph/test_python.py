import pytest
from support.graphs import Graph

SHAPES = """
    from typing import Generic, Optional, Self, TypeVar, overload

    T = TypeVar("T")

    class Base:
        def area(self) -> float:
            return 0.0

        def same(self) -> Self:
            return self

        def __enter__(self):
            return self

        def __exit__(self, *args): ...

    class Square(Base):
        side: "Side"
        count = 0

        def __init__(self, side: "Side | None" = None):
            self.side = side or Side()
            self.helper = Helper()

        @property
        def half(self):
            return Side()

        @classmethod
        def unit(cls):
            return cls()

        @staticmethod
        def make(name) -> "Square": ...

    class Side:
        def long(self): ...

        def __iter__(self):
            yield Base()

    class Helper:
        def help(self): ...

    class Box(Generic[T]):
        def __init__(self, item: T): ...
        def get(self) -> T: ...

    @overload
    def pick(a: int) -> Base: ...
    @overload
    def pick(a: str) -> Base: ...
    def pick(a):
        return Base()

    def same_as(f: T) -> T:
        return f
"""


def graph(use: str, **others: str) -> Graph:
    files = {"shapes/__init__.py": "from .core import *\nfrom .core import Square as Sq\n"}
    files |= {"shapes/core.py": SHAPES, "use.py": use}
    return Graph.of(files | {f"{name}.py": text for name, text in others.items()})


def core(*names: str) -> list[str]:
    return [f"shapes/core.py:{name}" for name in names]


@pytest.mark.parametrize(
    ("use", "needle", "name"),
    [
        ("import shapes\nshapes.Square()", "shapes.Squ|are", "Square"),
        ("import shapes as s\ns.Sq()", "s.S|q", "Square"),
        ("from shapes import Sq\nSq().area()", ".are|a()", "Base.area"),
        ("from shapes.core import Square\nSquare().same().half.long()", ".lon|g", "Side.long"),
        ("from shapes import Square\nSquare.unit().side.long()", ".lon|g", "Side.long"),
        ("from shapes import Square\nSquare.make('a').helper.help()", ".hel|p()", "Helper.help"),
        ("from shapes import Square\nwith Square() as s:\n    s.area()", "s.are|a", "Base.area"),
        ("from shapes import Side\nfor b in Side():\n    b.area()", "b.are|a", "Base.area"),
        ("from shapes import Side\n[b.area() for b in Side()]", "b.are|a", "Base.area"),
        ("from shapes import Box, Side\ndef f(b: Box[Side]):\n    b.get().long()", ".lon|g", "Side.long"),
        ("from shapes import pick\npick(1)", "pic|k(1)", "pick"),
        ("from shapes import pick\npick(1).area()", ".are|a", "Base.area"),
        ("import shapes\ndef f(a: 'list[shapes.Side]'):\n    a[0].long()", ".lon|g", "Side.long"),
        ("import shapes\ndef f(a: dict[str, shapes.Side]):\n    for k, v in a.items():\n        v.long()",
         ".lon|g", "Side.long"),
        ("import shapes\nasync def f(): return shapes.Side()\nasync def g(): (await f()).long()", ".lon|g",
         "Side.long"),
        ("from shapes import Side\nx = (lambda: Side())()\nx.long()", ".lon|g", "Side.long"),
        ("from shapes import Side\ndef f(x):\n    if isinstance(x, Side):\n        x.long()", ".lon|g", "Side.long"),
        ("from shapes import Side\ndef f(x):\n    if not isinstance(x, Side):\n        return\n    x.long()",
         ".lon|g", "Side.long"),
        ("from shapes import Side\ntry:\n    pass\nexcept Side as e:\n    e.long()", ".lon|g", "Side.long"),
        ("import typing as t\nfrom shapes import Side\nt.cast('Side', 1).long()", ".lon|g", "Side.long"),
        ("import contextlib\nfrom shapes import Side\n@contextlib.contextmanager\ndef f():\n    yield Side()\n"
         "with f() as s:\n    s.long()", ".lon|g", "Side.long"),
        ("from shapes import Side, same_as\n@same_as\ndef f():\n    return Side()\nf().long()", ".lon|g",
         "Side.long"),
        ("import functools\nfrom shapes import Side\ndef deco(f):\n    @functools.wraps(f)\n    def inner(*a):\n"
         "        return f(*a)\n    return inner\n@deco\ndef g():\n    return Side()\ng().long()", ".lon|g",
         "Side.long"),
        ("from shapes import Square\nclass Mine(Square):\n    def area(self):\n        super().area()", "super().are|a",
         "Base.area"),
    ],
)  # fmt: skip
def test_a_use_leads_to_its_definition(use: str, needle: str, name: str) -> None:
    assert graph(use).leads("use.py", needle) == core(name)


@pytest.mark.parametrize(
    ("use", "needle"),
    [
        ("import json\njson.loads('')", "load|s"),
        ("def f(x):\n    x.area()", "are|a"),
        ("from shapes import nothing_like_it\nnothing_like_it()", "nothing_like_i|t()"),
        ("from shapes import Square\nSquare().unknown()", "unknow|n"),
        ("import elsewhere\n@elsewhere.wrap\ndef f():\n    return 1\nf().area()", "are|a"),
    ],
)
def test_what_is_not_known_leads_nowhere(use: str, needle: str) -> None:
    assert graph(use).leads("use.py", needle) == []


def test_a_local_name_leads_to_where_it_is_bound() -> None:
    found = graph("def f(call):\n    x = call\n    x()\n    call()\n")
    assert found.leads("use.py", "    |x()") == ["use.py:2"]
    assert found.leads("use.py", "    |call()") == ["use.py:1"]


def test_only_bindings_that_reach_a_use_count() -> None:
    use = """
        from shapes import Base, Helper, Side
        def f(a):
            x = Base()
            if a:
                x = Side()
                x.first()
            elif a is None:
                x = Helper()
                return x
            x.last()
        """
    found = graph(use.replace("first", "long").replace("last", "area"))
    assert found.leads("use.py", "x.lo|ng()") == core("Side.long")
    assert found.leads("use.py", "x.ar|ea()") == core("Base.area")


def test_several_true_definitions_are_all_given() -> None:
    use = "try:\n    from one import go\nexcept ImportError:\n    from two import go\ngo(1)\n"
    found = graph(use, one="def go(a): ...", two="def go(a): ...")
    assert found.leads("use.py", "g|o(1)") == ["one.py:go", "two.py:go"]


def test_fixtures_are_given_by_name_from_the_nearest_conftest() -> None:
    found = Graph.of(
        {
            "conftest.py": "import pytest\n@pytest.fixture\ndef thing():\n    return 1\n",
            "tests/conftest.py": """
                import pytest
                class Thing:
                    def go(self): ...
                @pytest.fixture
                def thing(thing):
                    yield Thing()
                """,
            "tests/test_it.py": "def test_it(thing):\n    thing.go()\n",
        }
    )
    assert found.leads("tests/test_it.py", "thing.g|o") == ["tests/conftest.py:Thing.go"]


def test_columns_count_characters_and_definitions_lead_to_themselves() -> None:
    found = graph("from shapes import Side\nä = {'ü': Side().long()}\ndef ö(): ...\nö()\n")
    assert found.leads("use.py", "Side().lon|g") == core("Side.long")
    assert found.leads("use.py", "def |ö") == ["use.py:ö"]
    assert found.leads("use.py", "\n|ö()") == ["use.py:ö"]


def test_a_circle_of_definitions_ends() -> None:
    use = """
        import other
        def f(): return g()
        def g(): return other.h()
        class A(other.B): ...
        A().missing()
        f().go()
        """
    found = graph(use, other="import use\ndef h(): return use.f()\nclass B(use.A): ...\n")
    assert found.leads("use.py", "A().missin|g") == []
    assert found.leads("use.py", "return |g()") == ["use.py:g"]


ODD = {
    "open": "def f(:\n  x = (\n",
    "binary": "\0\1",
    "a word": "class",
    "a chain": "a" + ".b()" * 3000,
    "brackets": "x = " + "(" * 3000,
}


@pytest.mark.parametrize("name", ODD)
def test_any_text_is_read(name: str) -> None:
    assert graph("pass", odd=ODD[name]).view.counts["files"] == 4
