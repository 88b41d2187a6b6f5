"""The measure of localization, on commits made here."""

import json
from pathlib import Path

import pytest
from support.commits import git

from aoci_agent.base.errors import ForUser
from aoci_agent.evals import retrieval
from aoci_agent.evals.commits import GitFolder
from aoci_agent.evals.localization import Case, Ranks, cases_of, interval, stratified

TAX = "def rate_of(country):\n    return {}[country]\n"
CART = "class Cart:\n    def total(self):\n        return sum(self.prices)\n"


@pytest.fixture
def clones(tmp_path: Path) -> Path:
    root = tmp_path / "clones" / "acme__shop"
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    for number, (path, text) in enumerate(
        (("cart.py", CART), ("tax.py", TAX), ("cart.py", f"\n\n{CART}"))
    ):
        (root / path).write_text(text)
        (root / "test_cart.py").write_text(
            "from cart import Cart\n\n\ndef test_total():\n    Cart().total()\n"
        )
        git(root, "add", "-A")
        git(root, "commit", "-qm", f"number {number}")
    return root.parent


def row(clones: Path, back: int, query: str, *functions: str) -> dict[str, object]:
    commit = git(clones / "acme__shop", "rev-parse", f"HEAD~{back}").stdout.strip()
    files = sorted({function.partition(":")[0] for function in functions})
    return {
        "instance_id": f"{query} {back}", "repo": "acme/shop", "base_commit": commit,
        "query": query, "gold_files": files, "gold_functions": list(functions),
    }  # fmt: skip


def test_cases_are_asked_at_their_own_commits(
    clones: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        row(clones, 0, "the total of a cart", "cart.py:Cart.total"),
        row(clones, 2, "the total of a cart", "cart.py:Cart.total"),
        row(clones, 2, "rate of a country", "tax.py:rate_of"),  # not there yet
        row(clones, 0, "cart total, rate of country", "cart.py:Cart.total", "tax.py:rate_of"),
    ]
    cases = tmp_path / "cases.jsonl"
    cases.write_text("".join(f"{json.dumps(one)}\n" for one in rows))
    assert (
        retrieval.main([str(cases), "--repos", str(clones), "--plan", "lexical", "--plan", "graph"])
        == 0
    )
    told = capsys.readouterr().out
    assert "lexical: 4 cases" in told
    whole = next(line for line in told.splitlines() if line.strip().startswith("all")).split("]")
    assert [cell.split()[-3] for cell in whole[:-1]] == [
        "50.0",
        "75.0",
        "75.0",
        "75.0",
        "75.0",
        "75.0",
    ]
    assert "many files    1" in told
    assert "lexical: 1 builds" in told


def test_a_clone_that_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text(
        json.dumps({"repo": "a/b", "base": "0", "commit": "1", "query": "q", "gold_files": ["x"]})
    )
    assert retrieval.main([str(cases), "--repos", str(tmp_path), "--plan", "lexical"]) == 1
    assert "git clone https://github.com/a/b" in capsys.readouterr().err
    cases.write_text("{}")
    assert retrieval.main([str(cases), "--repos", str(tmp_path)]) == 1
    with pytest.raises(ForUser):
        GitFolder.of(tmp_path, "a/b")


def test_mined_cases_are_read_too(tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    symbols = [{"path": "a.go", "symbol": "T.f"}]
    mined = {
        "repo": "a/b",
        "base": "0",
        "commit": "1" * 40,
        "query": "q",
        "lang": "go",
        "gold_files": ["a.go"],
    }
    cases.write_text(json.dumps(mined | {"gold_symbols": symbols}))
    (case,) = cases_of(cases)
    assert (case.id, case.commit, case.functions, case.language) == (
        "a/b@111111111111",
        "0",
        ("a.go:T.f",),
        "go",
    )


def test_a_sample_is_even_over_the_repositories_and_stable() -> None:
    cases = [
        Case(f"{repo}{n}", repo, "", "", ("f",), ())
        for repo, many in (("a", 9), ("b", 2))
        for n in range(many)
    ]
    chosen = stratified(cases, 6)
    assert [case.repository for case in chosen].count("b") == 2
    assert chosen == stratified(cases[::-1], 6)
    assert len(stratified(cases, 99)) == 11
    assert 0 < sum(case.held_out for case in cases) < 11


def test_the_figures() -> None:
    case = Case("x", "a/b", "", "", ("f", "g"), ())
    ranks = Ranks(case, (1, 4), (0,), 0.0)
    assert [ranks.all_files(cut) for cut in (1, 3, 5)] == [False, False, True]
    assert [ranks.recall(cut) for cut in (1, 5)] == [0.5, 1]
    assert not ranks.all_functions(10)
    assert interval(86, 155) == "55.5 [48 63]"
    assert interval(0, 10) == "0.0 [0 28]"
