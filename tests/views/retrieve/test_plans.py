"""Whole queries over real views of a small project."""

from dataclasses import replace
from pathlib import Path

import pytest

import aoci_agent.evals
from aoci_agent.aoci.model import Entry, Index, Tag
from aoci_agent.base.errors import BadUsage, NotPossible
from aoci_agent.base.text import content_id
from aoci_agent.views.dense.hashed import HashEmbedder
from aoci_agent.views.dense.vectors import VectorCache
from aoci_agent.views.dense.view import DenseView
from aoci_agent.views.graph.view import GraphView
from aoci_agent.views.lexical.view import LexicalView
from aoci_agent.views.retrieve.answer import retrieve
from aoci_agent.views.retrieve.judges import Similarity
from aoci_agent.views.retrieve.material import Material
from aoci_agent.views.retrieve.plans import PLANS
from aoci_agent.views.retrieve.question import question_of

PROJECT = Path(aoci_agent.evals.__path__[0]) / "demo" / "project"


class Folder:
    """The files of a folder as a source."""

    def __init__(self, root: Path) -> None:
        paths = sorted(path for path in root.rglob("*") if path.suffix in (".py", ".md"))
        self._data = {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
        self.files = {path: content_id(data) for path, data in self._data.items()}

    def read(self, path: str) -> bytes:
        return self._data[path]

    def text(self, path: str) -> str:
        return self._data[path].decode()


@pytest.fixture(scope="module")
def source() -> Folder:
    return Folder(PROJECT)


@pytest.fixture(scope="module")
def material(source: Folder) -> Material:
    lexical, dense, graph = LexicalView(), DenseView(HashEmbedder(), VectorCache(None)), GraphView()
    for view in (lexical, dense, graph):
        view.build(source)
    entry = Entry("parcels", "zones.py", Tag("S", "core", 5), function="which zone a place is in")
    return Material(
        source.files,
        words=lexical,
        meaning=dense,
        links=graph,
        entries=Index(entries=(entry,)),
        judge=Similarity(HashEmbedder()),
        read=source.text,
    )


@pytest.mark.parametrize("plan", list(PLANS))
def test_every_plan_answers(plan: str, material: Material, source: Folder) -> None:
    answer = retrieve("surcharge for heavy parcels", material, plan, 5)
    assert answer.plan == plan
    assert 0 < len(answer.hits) <= 5
    if plan != "dense":  # by letters alone
        assert "parcels/surcharges.py" in [hit.path for hit in answer.hits]
    assert [hit.score for hit in answer.hits] == sorted(
        (hit.score for hit in answer.hits), reverse=True
    )
    for hit in answer.hits:
        assert 1 <= hit.start <= hit.end <= source.text(hit.path).count("\n") + 1
    assert retrieve("surcharge for heavy parcels", material, plan, 5) == answer


@pytest.mark.parametrize("plan", list(PLANS))
def test_files_come_once_each(plan: str, material: Material) -> None:
    hits = retrieve("convert money with exchange rates", material, plan, 8, by="file").hits
    paths = [hit.path for hit in hits]
    assert len(set(paths)) == len(paths)
    assert {"parcels/money.py", "parcels/rates.py"} & set(paths[:3])


def test_what_the_query_names_comes_first(material: Material) -> None:
    hit = retrieve("`ShippingService` is slow\nin parcels/service.py", material, "lexical").hits[0]
    assert hit.path == "parcels/service.py"
    assert "path 1" in hit.reason


def test_auto_takes_what_is_there(material: Material) -> None:
    assert retrieve("zone", material).plan == "combined"
    assert retrieve("zone", replace(material, meaning=None)).plan == "lexical"
    assert retrieve("zone", replace(material, words=None)).plan == "dense"
    with pytest.raises(NotPossible):
        retrieve("zone", Material(material.files))


def test_a_plan_without_its_view_says_so(material: Material) -> None:
    bare = Material(material.files, words=material.words)
    for plan, told in (
        ("dense", "dense"),
        ("graph", "graph"),
        ("index", "index"),
        ("rerank", "model"),
    ):
        with pytest.raises(NotPossible, match=told):
            retrieve("zone", bare, plan)
    with pytest.raises(BadUsage, match="no plan"):
        retrieve("zone", bare, "magic")


def test_tests_and_prose_can_be_kept_out(material: Material) -> None:
    product = replace(material, tests=False, prose=False)
    for plan in ("lexical", "dense", "combined"):
        hits = retrieve("test quote of a parcel", product, plan, 50).hits
        assert hits
        assert all(hit.path.startswith("parcels/") for hit in hits)
        within = replace(material, within=_only_tax)
        assert {hit.path for hit in retrieve("parcel", within, plan, 50).hits} <= {"parcels/tax.py"}


def test_tests_rank_lower_unless_they_are_asked_for(material: Material) -> None:
    def first(query: str) -> str:
        return retrieve(query, material, "lexical", 1, by="file").hits[0].path

    assert first("rates conversion") == "parcels/rates.py"
    assert first("tests of rates conversion") == "tests/test_rates.py"


def test_neighbours_of_what_is_found_are_found(material: Material) -> None:
    signals = PLANS["graph"].signals(question_of("storage of quotes"), material)
    linked = next(signal for signal in signals if signal.name == "linked")
    assert linked.ranking.blocks


def _only_tax(path: str) -> bool:
    return path == "parcels/tax.py"


def test_nothing_is_found_of_nothing(material: Material) -> None:
    assert retrieve("zzzqqq", material, "lexical").hits == []
    assert retrieve("surcharge", material, "lexical", 0).hits == []
