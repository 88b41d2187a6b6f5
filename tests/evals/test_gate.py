"""The gate counts what it is told, and nothing that was skipped, failed or never run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from aoci_agent.evals.gate.__main__ import main
from aoci_agent.evals.gate.judging import Judged, Outcome, Proof, Report, judge, verdict
from aoci_agent.evals.gate.lines import COMPLAINTS, LINES, NOT_HERE, Line, numbered
from aoci_agent.evals.gate.scorecard import as_json, scorecard

TESTS = Path(__file__).parents[1]
THREATS = Line("1", "threats", "2 of 2", ("T01", "T02"), 2, controls=True)
INPUTS = Line("11", "inputs", "20", ("S11",), 20)

TAGGED = """
import pytest

@pytest.mark.gate("T03", "S05")
@pytest.mark.gate("R01", control=True)
@pytest.mark.parametrize("n", [1, 2])
def test_counts(n, record_property):
    record_property("cases", 10 * n)

@pytest.mark.gate("T04")
def test_cannot():
    pytest.skip("no such kernel")

@pytest.mark.gate("T05")
@pytest.mark.skipif(True, reason="no strace")
def test_is_left_out():
    pass

@pytest.mark.gate("T06")
def test_fails():
    assert 1 == 2

@pytest.fixture
def broken():
    yield
    raise RuntimeError("cannot clean up")

@pytest.mark.gate("T07", control=True)
def test_fails_late(broken):
    pass

@pytest.mark.gate("T08")
@pytest.mark.gate_only
def test_takes_long():
    pass

def test_is_not_tagged():
    pass
"""


def pytest_in(folder: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_made_up.py").write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n gate: proves\n gate_only: long\n")
    env = os.environ | {"PYTHONPATH": str(TESTS)}
    argv = [sys.executable, "-m", "pytest", "-p", "support.gate_report", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*argv, *arguments], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("workers", [("-n", "2"), ("-p", "no:xdist")], ids=["xdist", "alone"])
def test_the_report_holds_what_tagged_tests_proved(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    ran = pytest_in(tmp_path, TAGGED, *workers, "--gate-report", "out.json", "--gate-quick")
    told = json.loads((tmp_path / "out.json").read_text())
    tests = {test["test"].partition("::")[2]: test for test in told["tests"]}
    assert told["exit"] == ran.returncode == 1
    assert set(tests) == {
        *("test_counts[1]", "test_counts[2]", "test_cannot", "test_is_left_out"),
        *("test_fails", "test_fails_late", "test_takes_long"),
    }
    assert tests["test_counts[2]"] | {"seconds": 0} == {
        "test": "test_made_up.py::test_counts[2]",
        "outcome": "passed",
        "reason": "",
        "seconds": 0,
        "ids": ["S05", "T03"],
        "controls": ["R01"],
        "cases": 20,
    }
    found = {name: (test["outcome"], test["reason"]) for name, test in tests.items()}
    assert found["test_cannot"] == ("skipped", "no such kernel")
    assert found["test_is_left_out"] == ("skipped", "no strace")
    assert found["test_takes_long"] == ("skipped", "it takes long, and --quick leaves it out")
    assert found["test_fails"][0] == found["test_fails_late"][0] == "failed"
    assert "AssertionError" in found["test_fails"][1]
    assert "RuntimeError" in found["test_fails_late"][1]


def test_only_what_is_asked_for_runs(tmp_path: Path) -> None:
    pytest_in(tmp_path, TAGGED, "--gate-report", "out.json", "--gate-ids", "R01,T04")
    told = json.loads((tmp_path / "out.json").read_text())
    assert [test["ids"] for test in told["tests"]] == [["S05", "T03"]] * 2 + [["T04"]]


@pytest.mark.parametrize("mark", ['"T36"', "", '"T01", controls=True'])
def test_a_tag_that_means_nothing_is_an_error(tmp_path: Path, mark: str) -> None:
    text = f"import pytest\n@pytest.mark.gate({mark})\ndef test_it(): pass\n"
    assert "gate" in pytest_in(tmp_path, text, "-p", "no:xdist").stderr


def proof(
    *ids: str,
    outcome: Outcome = "passed",
    cases: int = 1,
    controls: tuple[str, ...] = (),
    reason: str = "",
) -> Proof:
    return Proof("tests/test_it.py::test_it", outcome, reason, 0.1, cases, ids, controls)


def controlled(*ids: str) -> Proof:
    return proof(controls=ids)


def state(judged: Judged) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    return judged.state, judged.absent, judged.unproven


def test_a_threat_needs_a_test_and_a_control() -> None:
    both = [proof("T01"), proof("T02", "R07"), controlled("T01", "T02")]
    assert state(judge(THREATS, both)) == ("at target", (), ())
    assert state(judge(THREATS, both[:2])) == ("MISSED", ("T01 control", "T02 control"), ())
    assert state(judge(THREATS, both[1:])) == ("MISSED", ("T01",), ())
    assert judge(THREATS, both[1:]).proven == 1
    assert state(judge(THREATS, [])) == (
        "MISSED",
        ("T01", "T02", "T01 control", "T02 control"),
        (),
    )


def test_skipped_is_not_proven_and_failed_is_missed() -> None:
    rest = [proof("T02"), controlled("T01", "T02")]
    skipped = proof("T01", outcome="skipped", reason="no bwrap")
    failed = proof("T01", outcome="failed")
    assert state(judge(THREATS, [skipped, *rest])) == ("skipped", (), ("T01",))
    assert state(judge(THREATS, [failed, *rest])) == ("MISSED", (), ("T01",))
    assert state(judge(THREATS, [failed, proof("T01"), *rest]))[0] == "MISSED"
    assert state(judge(THREATS, [skipped, proof("T01"), *rest]))[0] == "at target"


def test_cases_are_summed_over_what_passed() -> None:
    assert judge(INPUTS, [proof("S11", cases=15), proof("S11", cases=5)]).state == "at target"
    assert judge(INPUTS, [proof("S11", cases=15), proof("T01", cases=5)]).state == "MISSED"
    assert judge(INPUTS, [proof("S11", cases=15), proof(cases=5, controls=("S11",))]).cases == 15
    left = proof("S11", outcome="skipped", cases=5, reason="no strace")
    assert judge(INPUTS, [proof("S11", cases=15), left]).state == "skipped"


def test_the_verdict_never_calls_a_part_the_whole() -> None:
    good = [judge(INPUTS, [proof("S11", cases=20)])]
    half = [judge(INPUTS, [proof("S11", outcome="skipped")])]
    bad = [judge(INPUTS, [])]
    fine, broken = Report(0, "none", ()), Report(1, "none", ())
    assert verdict(good, fine, whole=True, hidden=False) == (
        True,
        "PASSED: 1 of 1 lines at their target",
    )
    assert "only a part" in verdict(good, fine, whole=False, hidden=False)[1]
    assert not verdict(good, broken, whole=True, hidden=False)[0]
    assert not verdict(half, fine, whole=True, hidden=False)[0]
    assert verdict(half, fine, whole=True, hidden=True)[1].startswith("PARTIAL")
    assert verdict(bad, fine, whole=True, hidden=True) == (False, "FAILED: not at target: 11")


def test_the_scorecard_shows_why_and_how_to_run_a_line_alone() -> None:
    left = [proof("S11", outcome="skipped", reason="no strace")] * 5
    judged = judge(INPUTS, [proof("S11", cases=15), *left])
    text = "\n".join(scorecard([judged]))
    assert "11  skipped   inputs   [python -m aoci_agent.evals.gate 11]" in text
    assert "15 cases (at least 20)" in text
    assert "no strace: tests/test_it.py::test_it, " in text
    assert text.endswith("and 2 more")
    told = as_json({"git": "2"}, [judged], "FAILED", Report(0, "none", (left[0],)))
    assert json.loads(json.dumps(told))["lines"][0]["cases"] == 15


def test_the_lines_are_the_sixteen_of_the_scorecard() -> None:
    assert [line.name for line in LINES] == [str(number) for number in range(1, 17)]
    assert LINES[0].ids == numbered("T", 1, 35)
    assert [line.ids for line in LINES[1:]] == [
        numbered("R", 1, 40) if line.name == "8" else (f"S{int(line.name):02}",)
        for line in LINES[1:]
    ]
    assert len(COMPLAINTS.ids) + len(NOT_HERE) == 13 + 29


def test_a_line_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["17"])
    assert "no line 17: 1 to 16, or P" in capsys.readouterr().err
