"""Sessions killed at random moments (R09, R39, S10): nothing is lost, nothing runs twice."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aoci_agent.base.process import Limits, run_blocking

Property = Callable[[str, object], None]


def killed(kills: int, seed: int, record_property: Property) -> None:
    if sys.platform != "linux":
        pytest.skip("processes are watched by their descriptors: Linux only")
    words = [sys.executable, "-m", "aoci_agent.evals.kill_sessions", "--kills", str(kills)]
    words += ["--seed", str(seed)]
    ran = run_blocking(words, cwd=Path(__file__).parents[2], limits=Limits(seconds=2_400.0))
    told = ran.stdout.decode()
    assert ran.exit_code == 0, told + ran.stderr.decode()
    found = re.search(r"kills ([\d,]+)", told)
    assert found is not None
    assert int(found[1].replace(",", "")) >= kills
    assert "lost, torn, run twice or left behind 0" in told
    record_property("cases", int(found[1].replace(",", "")))


@pytest.mark.gate("R09", "R39")
def test_a_few(record_property: Property) -> None:
    killed(8, 1, record_property)


@pytest.mark.gate("S10", "R09", "R39")
@pytest.mark.gate_only
@pytest.mark.timeout(2_400)
@pytest.mark.parametrize("seed", [2, 3])
def test_half_a_thousand(seed: int, record_property: Property) -> None:
    killed(500, seed, record_property)
