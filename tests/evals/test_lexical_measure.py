from pathlib import Path

import pytest

import aoci_agent.evals
from aoci_agent.evals import lexical
from aoci_agent.evals.lexical_cases import Copied, percentile, queries

PROJECT = Path(aoci_agent.evals.__path__[0]) / "demo" / "project"


def test_the_measure_compares_with_rank_bm25() -> None:
    row = lexical.measure(PROJECT, 0)
    assert row["rank_bm25"]["furthest apart"] < 1e-9
    same, _, count = row["rank_bm25"]["same first ten"].partition("/")
    assert same == count


def test_copies_have_other_names() -> None:
    source = Copied({"a.py": b"def first_name(): return second_name\n" * 9}, copies=3)
    assert list(source.files) == ["a.py", "copy1/a.py", "copy2/a.py"]
    assert source.read("a.py") == source.contents["a.py"]
    assert len({source.read(path) for path in source.files}) == 3


def test_queries_are_drawn_from_the_files() -> None:
    text = b'def parse_price():\n    """Reads a price."""\n' + b"word " * 300
    asked = queries(Copied({"a.py": text}))
    assert asked["symbol"] == ["parse_price"]
    assert asked["remark"] == ["Reads a price."]
    assert len(asked["long"][0].split()) == 200


def test_percentiles_are_by_the_nearest_rank() -> None:
    values = [float(value) for value in range(1, 101)]
    assert (percentile(values, 50), percentile(values, 95)) == (50, 95)
    assert percentile([3.0], 95) == 3


def test_a_folder_that_cannot_be_measured_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lexical.main([str(tmp_path / "missing")]) == 1
    assert "missing failed" in capsys.readouterr().err
