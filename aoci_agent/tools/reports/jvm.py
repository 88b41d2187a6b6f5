"""Reports of JUnit: Surefire's of Maven, and JUnit's own on the console."""

import re

from aoci_agent.tools.reports.report import Report, blocks, unique

# The closing line has no class behind it, as those of each class have.
_SUREFIRE = re.compile(
    r"^(?:\[\w+\] +)?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+) *$", re.M
)
_BROKEN = re.compile(
    r"^(?:\[ERROR\] +)?([\w$.]+\([\w$.]+\)|[\w$.]+)(?:\[\d+\])? +(?:--? +)?Time elapsed: .*<<< (?:FAILURE|ERROR)!",
    re.M,
)
_CONSOLE = re.compile(r"^Tests run: (\d+),  Failures: (\d+) *$|^OK \((\d+) tests?\) *$", re.M)


def surefire(text: str) -> Report | None:
    """ "Tests run: 5, Failures: 1, Errors: 0, Skipped: 0", the sum over all modules."""
    sums = [tuple(map(int, found)) for found in _SUREFIRE.findall(text)]
    if not sums:
        return None
    ran, failures, errors, skipped = (sum(column) for column in zip(*sums, strict=True))
    # A class that has failures has a line of its own of that form, without a method in it.
    names = [name for name in _BROKEN.findall(text) if "." in name or "(" in name]
    failed = failures + errors
    return Report(ran - failed - skipped, failed, skipped, unique(names))


def console(text: str) -> Report | None:
    """`org.junit.runner.JUnitCore`: "OK (5 tests)", or numbered failures and their sum."""
    sums = _CONSOLE.findall(text)
    if not sums:
        return None
    failed = sum(int(failures or 0) for _, failures, _ in sums)
    ran = sum(int(run or ok) for run, _, ok in sums)
    messages = blocks(text, r"^\d+\) (\S.*\([\w$.]+\))$")
    return Report(ran - failed, failed, 0, unique([name for name, _ in messages]), messages)
