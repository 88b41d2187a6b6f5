"""Reports read from what the runners really printed (go: written after its documentation)."""

from pathlib import Path

import pytest

from aoci_agent.tools.output import plain
from aoci_agent.tools.reports.reading import report_of
from aoci_agent.tools.reports.report import Report

OUTPUTS = Path(__file__).parent / "outputs"


def read(name: str) -> Report:
    report = report_of(plain((OUTPUTS / f"{name}.txt").read_text(encoding="utf-8")))
    assert report is not None
    return report


@pytest.mark.parametrize(
    ("name", "counts", "failing"),
    [
        (
            "pytest_failures",
            (1, 4, 2),
            [
                "tests/test_a.py::test_param[a b]",
                "tests/test_a.py::test_param[c - d]",
                "tests/test_a.py::TestC::test_m",
                "tests/test_a.py::test_err",
            ],
        ),
        ("pytest_collection", (0, 1, 0), ["tests/test_b.py"]),
        ("pytest_usage", (0, 0, 0), []),
        ("pytest_none", (0, 0, 0), []),
        (
            "unittest",
            (1, 5, 1),
            ["test_u.A.test_err", "test_v", "test_u.A.test_bad", "test_u.A.test_sub"],
        ),
        ("node_tap", (1, 2, 1), ["subtracts", "group"]),
        ("node_spec", (1, 2, 0), ["subtracts"]),
        ("mocha", (1, 2, 1), ["top fails", "math deep subtracts"]),
        ("jest", (1, 2, 1), ["math \u203a subtracts", "Test suite failed to run"]),
        (
            "vitest",
            (1, 2, 1),
            [
                "t/vitest/b.test.mjs [ t/vitest/b.test.mjs ]",
                "t/vitest/a.test.mjs > math > subtracts",
            ],
        ),
        ("cargo", (2, 1, 1), ["tests::adds"]),
        ("ctest", (1, 2, 0), ["fails", "aborts"]),
        ("surefire", (1, 2, 1), ["OrderTest.bad", "OrderTest.boom"]),
        ("junit", (1, 2, 0), ["bad(T)", "boom(T)"]),
        ("go_json", (1, 2, 1), ["example.com/x.TestSub", "example.com/x/bad"]),
    ],
)
def test_counts_and_names(name: str, counts: tuple[int, int, int], failing: list[str]) -> None:
    report = read(name)
    assert (report.passed, report.failed, report.skipped) == counts
    assert list(report.failing) == failing


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pytest_failures", "AssertionError: assert 'a b' == 'x'"),
        ("pytest_collection", "No module named 'nothing_there'"),
        ("unittest", "AssertionError: 1 != 2"),
        ("node_tap", "error: '1 == 3'"),
        ("node_spec", "AssertionError"),
        ("mocha", "Error: boom"),
        ("jest", "Cannot find module './missing'"),
        ("vitest", "expected 1 to be 3"),
        ("cargo", "assertion `left == right` failed"),
        ("go_json", "x_test.go:9: got 1, want 3"),
        ("go_json", "bad/a.go:3:1: syntax error"),
    ],
)
def test_the_runners_own_words(name: str, words: str) -> None:
    assert any(words in message for _, message in read(name).messages)


@pytest.mark.parametrize("text", ["", "all good\n", "ERROR: no such table\n", "Tests run fine\n"])
def test_other_output_is_no_report(text: str) -> None:
    assert report_of(text) is None


def test_a_log_that_speaks_of_errors_is_not_counted() -> None:
    text = "ERROR something logged\n===== 2 passed in 0.10s =====\n"
    assert report_of(text) == Report(passed=2)
