import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aoci_agent import evals

PROJECT = Path(evals.__file__).parent / "demo" / "project"
FAILING = "test_a_redirected_order_is_priced_for_its_new_destination"
FAULT = "return (self.customer, self.service, tuple(self.parcels))"
FIX = "return (self.customer, self.destination.country, self.service, tuple(self.parcels))"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(PROJECT, tmp_path / "project", ignore=ignored))


def run_tests(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # -S: without site-packages, which proves that the standard library is enough.
    command = [sys.executable, "-B", "-S", "-m", "unittest", *arguments]
    return subprocess.run(command, cwd=project, check=False, capture_output=True, text=True)


def test_the_project_is_large_enough_for_an_index_to_matter() -> None:
    assert len(list((PROJECT / "parcels").glob("*.py"))) >= 12


def test_exactly_one_test_fails_and_the_fix_mends_it(project: Path) -> None:
    before = run_tests(project)
    assert before.returncode == 1
    assert "FAILED (failures=1)" in before.stderr
    assert f"FAIL: {FAILING}" in before.stderr
    order = project / "parcels" / "order.py"
    text = order.read_text(encoding="utf-8")
    assert text.count(FAULT) == 1
    order.write_text(text.replace(FAULT, FIX), encoding="utf-8")
    after = run_tests(project)
    assert after.returncode == 0, after.stderr


def test_the_command_line_of_the_project_works(project: Path) -> None:
    command = [
        sys.executable,
        "-B",
        "-m",
        "parcels",
        "quote",
        "--country",
        "FR",
        "--weight",
        "1200",
    ]
    run = subprocess.run(command, cwd=project, check=True, capture_output=True, text=True)
    assert run.stdout.splitlines()[-1].split() == ["total", "18.54", "EUR"]
