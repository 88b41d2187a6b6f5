"""The scorecard as text for a person and as JSON."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from aoci_agent.evals.gate.judging import Judged, Proof, Report

SHOWN = 3  # tests named of each reason
SLOWEST = 20
COMMAND = "python -m aoci_agent.evals.gate"


def scorecard(lines: Iterable[Judged]) -> Iterator[str]:
    """Each line: state, target, what was found, what is open and why, and the command for it alone."""
    for judged in lines:
        line = judged.line
        yield f"\n{line.name:>2}  {judged.state:<10}{line.measure}   [{COMMAND} {line.name}]"
        yield f"      target   {line.target}"
        yield f"      found    {', '.join(_found(judged))}"
        for word, names in (("no test", judged.absent), ("unproven", judged.unproven)):
            if names:
                yield f"      {word:<9}{', '.join(names)}"
        for word, proofs in (("failed", judged.failed), ("skipped", judged.skipped)):
            for reason, tests in _by_reason(proofs).items():
                more = f" and {len(tests) - SHOWN} more" if len(tests) > SHOWN else ""
                yield f"      {word:<9}{reason}: {', '.join(tests[:SHOWN])}{more}"


def _found(judged: Judged) -> Iterator[str]:
    if len(judged.line.ids) > 1:
        yield f"{judged.proven} of {len(judged.line.ids)} proven"
    yield f"{judged.cases:,} cases (at least {judged.line.cases:,})"
    yield f"tests: {judged.passed} passed, {len(judged.failed)} failed, {len(judged.skipped)} skipped"


def _by_reason(proofs: Iterable[Proof]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for proof in proofs:
        found.setdefault(proof.reason or "no reason given", []).append(proof.test)
    return found


def as_json(
    versions: Mapping[str, str], lines: Iterable[Judged], words: str, report: Report
) -> dict[str, Any]:
    """Everything, for a program to read."""
    slowest = sorted(report.tests, key=lambda proof: -proof.seconds)[:SLOWEST]
    return {
        "versions": dict(versions),
        "verdict": words,
        "lines": [asdict(judged) for judged in lines],
        "slowest": {proof.test: proof.seconds for proof in slowest},
    }
