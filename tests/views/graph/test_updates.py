from collections.abc import Mapping
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from support.graphs import Graph, Texts

from aoci_agent.views.graph.repair import Strategy
from aoci_agent.views.graph.view import GraphView

BASE = {
    "lib/__init__.py": "from lib.base import Base\n",
    "lib/base.py": "class Base:\n    def go(self):\n        return self.step()\n    def step(self): ...\n",
    "lib/child.py": "from lib import Base\nclass Child(Base):\n    def step(self):\n        return Base()\n",
    "use.py": "from lib.child import Child\ndef f():\n    return Child()\ndef g():\n    f().go()\n    f().step().go()\n",
}
Edit = Mapping[str, str | None]

EDITS: dict[str, Edit] = {
    "nothing": {},
    "a line above": {"lib/child.py": "# moved\n" + BASE["lib/child.py"]},
    "a method gets between": {
        "lib/child.py": BASE["lib/child.py"] + "    def go(self):\n        return Child()\n"
    },
    "a base class goes": {"lib/base.py": None},
    "a re-export goes": {"lib/__init__.py": ""},
    "a re-export leads elsewhere": {
        "lib/__init__.py": "from lib.child import Child as Base\n",
        "lib/child.py": "class Child:\n    def step(self): ...\n    def go(self): ...\n",
    },
    "another result": {"lib/child.py": BASE["lib/child.py"].replace("return Base()", "return 1")},
    "a module appears": {"lib/child/__init__.py": "class Child: ...\n", "lib/child.py": None},
    "a new root": {
        "src/lib/__init__.py": "class Base: ...\n",
        "src/lib/child.py": "class Child: ...\n",
    },
    "a function moves": {
        "use.py": "from lib.child import Child\nfrom more import f\ndef g():\n    f().go()\n",
        "more.py": "from lib.child import Child\ndef f():\n    return Child()\n",
    },
    "line ends change": {"use.py": BASE["use.py"].replace("\n", "\r\n")},
    "a syntax error": {"lib/base.py": "class Base(:\n    def go(self:\n"},
    "renamed": {"lib/child.py": BASE["lib/child.py"].replace("Child", "Kid")},
}


def rebuilt(source: Texts) -> GraphView:
    view = GraphView()
    view.build(source)
    return view


@pytest.mark.parametrize("strategy", get_args(Strategy))
@pytest.mark.parametrize("name", EDITS)
def test_an_update_there_and_back_is_a_rebuild(name: str, strategy: Strategy) -> None:
    before = Texts.of(BASE)
    after = before.changed(EDITS[name])
    view = GraphView(strategy)
    view.build(before)
    first = view.digest()
    view.apply(after, before.delta(after))
    assert view.digest() == rebuilt(after).digest()
    view.apply(before, after.delta(before))
    assert view.digest() == first


def test_only_what_depends_on_a_change_is_resolved_again() -> None:
    graph = Graph.of(BASE)
    view = graph.view
    moved = graph.source.changed(EDITS["a line above"])
    view.apply(moved, graph.source.delta(moved))
    assert (view.repaired.resolved, view.repaired.shifted) == (0, 2)
    again = moved.changed(
        {"lib/child.py": "# moved\n" + BASE["lib/child.py"].replace("Base()", "1")}
    )
    view.apply(again, moved.delta(again))
    done = view.repaired
    assert (done.affected, done.unchanged, done.resolved, done.elsewhere) == (1, 1, 1, 1)
    assert [item.qualified for item in view.definition("use.py", 5, 8)] == ["Base.go"]
    assert view.definition("use.py", 6, 15) == []


NAMES = ("alpha", "beta", "gamma")
PATHS = ("alpha.py", "beta.py", "pkg/__init__.py", "pkg/gamma.py", "conftest.py")


@st.composite
def statements(draw: st.DrawFn) -> str:
    one, two, three = (draw(st.sampled_from(NAMES)) for _ in range(3))
    return draw(
        st.sampled_from(
            [
                f"import {one}",
                f"from {one} import {two}",
                f"from {one} import *",
                f"from pkg.gamma import {two} as {three}",
                f"from . import {one}",
                f"class {one}({two}):\n    def {three}(self):\n        return self.{one}().{two}",
                f"class {one}:\n    {two}: {three}\n    def __init__(self, x: {two}):\n        self.{one} = x",
                f"def {one}({two}):\n    return {three}.{two}()",
                f"{one} = {two}()",
                f"def test_{one}({two}):\n    {two}.{three}()",
                f"{one}().{two}().{three}",
                f"# {one}",
            ]
        )
    )


repositories = st.dictionaries(
    st.sampled_from(PATHS), st.lists(statements(), max_size=5).map("\n".join), max_size=5
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(repositories, min_size=2, max_size=4), st.sampled_from(get_args(Strategy)))
def test_any_sequence_of_updates_is_a_rebuild(
    states: list[dict[str, str]], strategy: Strategy
) -> None:
    view = GraphView(strategy)
    before = Texts.of(states[0])
    view.build(before)
    for texts in states[1:]:
        after = Texts.of(texts)
        view.apply(after, before.delta(after))
        assert view.digest() == rebuilt(after).digest()
        before = after
