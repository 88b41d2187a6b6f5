"""From what the tests proved to the lines of the scorecard."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from aoci_agent.evals.gate.lines import Line

Outcome = Literal["passed", "failed", "skipped"]
State = Literal["at target", "skipped", "MISSED"]


@dataclass(frozen=True, slots=True)
class Proof:
    """One tagged test: what it proves, what it is the positive control of, and how it ended."""

    test: str
    outcome: Outcome
    reason: str
    seconds: float
    cases: int
    ids: tuple[str, ...]
    controls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A run. `exit` is pytest's exit code, `sandbox` the box that a session got there."""

    exit: int
    sandbox: str
    tests: tuple[Proof, ...]


def read_report(file: Path) -> Report:
    """What `--gate-report` wrote."""
    return TypeAdapter(Report).validate_json(file.read_bytes())


@dataclass(frozen=True, slots=True)
class Judged:
    """A line and what was found. The shortfalls that a skipped test explains are in `unproven`."""

    line: Line
    state: State
    cases: int
    passed: int
    failed: tuple[Proof, ...]
    skipped: tuple[Proof, ...]
    absent: tuple[str, ...]  # no test at all
    unproven: tuple[str, ...]

    @property
    def proven(self) -> int:
        """Ids at target."""
        return len(self.line.ids) - len({name.split()[0] for name in self.absent + self.unproven})


def judge(line: Line, proofs: Iterable[Proof]) -> Judged:
    """A line is at target when every id is proven, nothing of it failed and it has its cases."""
    wanted = set(line.ids)
    mine = [proof for proof in proofs if wanted & {*proof.ids, *proof.controls}]
    passed = [proof for proof in mine if proof.outcome == "passed"]
    failed = tuple(proof for proof in mine if proof.outcome == "failed")
    skipped = tuple(proof for proof in mine if proof.outcome == "skipped")
    needed = _names(line, line.ids, line.ids)
    have = {name for proof in passed for name in _names(line, proof.ids, proof.controls)}
    could = {
        name for proof in (*skipped, *failed) for name in _names(line, proof.ids, proof.controls)
    }
    open_names = [name for name in needed if name not in have]
    absent = tuple(name for name in open_names if name not in could)
    unproven = tuple(name for name in open_names if name in could)
    cases = sum(proof.cases for proof in passed if wanted & {*proof.ids})
    if failed or absent or (cases < line.cases and not skipped):
        state: State = "MISSED"
    else:
        state = "skipped" if unproven or cases < line.cases else "at target"
    return Judged(line, state, cases, len(passed), failed, skipped, absent, unproven)


def _names(line: Line, ids: tuple[str, ...], controls: tuple[str, ...]) -> list[str]:
    """What is needed or given, controls apart."""
    return [*ids, *(f"{name} control" for name in controls if line.controls)]


def verdict(
    lines: Sequence[Judged], report: Report, *, whole: bool, hidden: bool
) -> tuple[bool, str]:
    """Whether it passed, and the last words. With bubblewrap hidden, what skips for it may be open."""
    allowed = ("at target", "skipped") if hidden else ("at target",)
    short = [judged.line.name for judged in lines if judged.state not in allowed]
    if report.exit:
        return False, f"FAILED: pytest ended with {report.exit}"
    if short:
        return False, f"FAILED: not at target: {', '.join(short)}"
    if hidden:
        return True, "PARTIAL: without bubblewrap; the lines that need a strong box were skipped"
    if not whole:
        return True, "passed, but only a part of the gate was run"
    return True, f"PASSED: {len(lines)} of {len(lines)} lines at their target"
