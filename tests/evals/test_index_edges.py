from collections.abc import Sequence
from pathlib import Path

import pytest

from aoci_agent.aoci.facts.languages import BY_NAME
from aoci_agent.evals import index_edges
from aoci_agent.evals.edges import oracles
from aoci_agent.evals.edges.graph import Graph, derive, graphs
from aoci_agent.evals.edges.judge import Judged, drawn, judge, verdict
from aoci_agent.evals.edges.model import (
    Answers,
    Edge,
    Finding,
    NoOracle,
    Oracle,
    Reference,
    Share,
    Verdict,
)


class Fake:
    """An oracle that knows what it is told and keeps what it was asked."""

    title = "a fake"

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.asked: list[Sequence[str]] = []

    def ask(self, root: str, sources: Sequence[str]) -> Answers:
        self.asked.append(sources)
        return {path: self.answers[path] for path in sources if path in self.answers}


def graph(*edges: Edge) -> Graph:
    files = frozenset(path for edge in edges for path in (edge.source, edge.target))
    return Graph("python", files, edges, Share(2, 3), ("a.py: .gone",))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "shop/__init__.py": "",
        "shop/price.py": "def price() -> int:\n    return 1\n",
        "shop/till.py": "from shop.price import price\nfrom shop.gone import x\n\nprice()\n",
        "run.sh": "echo\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_sample_is_the_same_each_time_and_in_order() -> None:
    items = list(range(1_000))
    first = drawn(items, 50, "0 python")
    assert first == drawn(items, 50, "0 python") == sorted(first)
    assert first != drawn(items, 50, "1 python")
    assert len(set(first)) == 50
    assert drawn(items, 2_000, "0") == items


@pytest.mark.parametrize(
    ("hits", "count", "low", "high"),
    [(0, 0, 0, 1), (0, 10, 0, 0.2775), (10, 10, 0.7225, 1), (81, 263, 0.2553, 0.3662)],
)
def test_the_interval_is_wilsons(hits: int, count: int, low: float, high: float) -> None:
    found = Share(hits, count).interval
    assert max(abs(found[0] - low), abs(found[1] - high)) < 5e-4


@pytest.mark.parametrize(
    ("edge", "references", "expected"),
    [
        (Edge("a", "b", ("x",)), [Reference("x", "b")], Verdict.AGREED),
        (Edge("a", "b", ("x", "y")), [Reference("x", "c"), Reference("y", "b")], Verdict.AGREED),
        (Edge("a", "b", ("x",)), [Reference("x", "c")], Verdict.WRONG),
        (Edge("a", "b", ("x",)), [Reference("x", "")], Verdict.WRONG),
        (Edge("a", "b", ("x",)), [], Verdict.WRONG),
        (Edge("a", "b", ("x",)), [Reference("x", None)], Verdict.UNDECIDED),
        (Edge("a", "b", ("x",)), [Reference("", "b"), Reference("x", "c")], Verdict.THROUGH),
        (Edge("a", "b", ("x",)), [Reference("renamed", "b")], Verdict.AGREED),
        (Edge("a", "b"), [Reference("*", "b")], Verdict.AGREED),
        (Edge("a", "b"), [Reference("x", "c")], Verdict.WRONG),
        (Edge("other", "b", ("x",)), [Reference("x", "b")], Verdict.UNDECIDED),
    ],
)
def test_an_edge_is_judged_by_where_its_names_are_defined(
    edge: Edge, references: list[Reference], expected: Verdict
) -> None:
    assert verdict(edge, {"a": references}).verdict is expected


def test_precision_recall_and_names_are_counted() -> None:
    edges = (Edge("a.py", "b.py", ("x",), shown=True), Edge("a.py", "c.py", ("y",)))
    told = [Reference("x", "b.py"), Reference("y", "d.py"), Reference("z", "c.py")]
    extra = Edge("b.py", "d.py", ("w",))
    fake = Fake({"a.py": told, "b.py": [Reference("w", "d.py"), Reference("os", "")]})
    found = judge(graph(*edges, extra), fake, "", 200, 0)
    assert fake.asked == [["a.py", "b.py", "c.py", "d.py"]]
    assert [item.edge for item in found.of(Verdict.WRONG)] == [edges[1]]
    assert found.precision() == Share(2, 3)
    assert found.precision(shown=True) == Share(1, 1)
    assert found.names == Share(2, 3)
    assert found.recalled == Share(3, 4)
    assert found.lost == (Edge("a.py", "d.py", ("y",)),)


def test_the_edges_are_those_of_the_index_with_their_names(project: Path) -> None:
    found = {item.language: item for item in graphs(derive(project))}
    assert found["python"].edges == (Edge("shop/till.py", "shop/price.py", ("price",), True),)
    assert found["python"].resolved == Share(1, 2)
    assert found["python"].missing == ("shop/till.py: shop.gone",)
    assert not (project / ".aoci-agent").exists()


def test_the_command_prints_errors_and_a_table(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def choose(language: str) -> Oracle:
        if language != "python":
            raise NoOracle("not installed")
        return Fake({"shop/till.py": [Reference("price", "shop/other.py")]})

    assert index_edges.main([str(project)], choose) == 0
    printed = capsys.readouterr().out
    assert "shop/till.py: price; ours shop/price.py; theirs price in shop/other.py" in printed
    *_, head, python, shell = printed.splitlines()
    assert head.split()[:4] == ["repository", "language", "edges", "sampled"]
    assert python.split()[1:8] == ["python", "1", "1", "0", "0", "1", "0"]
    assert "0/1 0.0%" in python
    assert "no oracle" in shell


def test_a_language_without_its_tool_has_not_passed() -> None:
    row = index_edges.table([("shop", Judged(graph(), "no oracle: not installed"))])
    assert "%" not in row
    assert "no oracle" in row


def test_a_long_list_is_cut() -> None:
    findings = tuple(Finding(Verdict.WRONG, Edge(f"{at}", "b", ("x",))) for at in range(20))
    text = index_edges.report("shop", Judged(graph(), "a fake", findings), 5)
    assert "and 15 more" in text


def test_each_known_tool_is_for_a_language_of_the_table(tmp_path: Path) -> None:
    assert oracles.MAKERS.keys() <= BY_NAME.keys()
    with pytest.raises(NoOracle, match="no tool is known"):
        oracles.program("sql", tmp_path)


def test_what_a_program_prints_is_read() -> None:
    line = '{"source": "a.py", "references": [["x", "b.py"], ["y", null]]}\n'
    assert oracles.answers(line) == {"a.py": [Reference("x", "b.py"), Reference("y", None)]}


def test_a_program_that_fails_is_no_oracle() -> None:
    with pytest.raises(NoOracle, match="a tool"):
        oracles.Program("a tool", ["/nonexistent"]).ask("", [])


def test_the_second_reading_of_rust_follows_uses_and_globs(tmp_path: Path) -> None:
    files = {
        "Cargo.toml": '[package]\nname = "shop"\n[dependencies]\nserde = "1"\n',
        "src/lib.rs": "mod price;\npub mod till;\npub use price::*;\n/* /* mod gone; */ */\n",
        "src/price.rs": "pub struct Price;\npub(crate) fn total() -> u8 { 1 }\n",
        "src/till.rs": "use crate::Price as P;\nuse serde::Serialize;\nfn f() { super::price::total(); lost::x() }\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    told = oracles.program("rust", tmp_path / "tools").ask(
        str(tmp_path), ["src/lib.rs", "src/till.rs"]
    )
    assert set(told["src/till.rs"]) == {
        Reference("Price", "src/price.rs"),
        Reference("Serialize", ""),
        Reference("total", "src/price.rs"),
        Reference("x", None),
    }
    assert Reference("*", "src/till.rs") in told["src/lib.rs"]
