"""Reports of pytest and unittest."""

import re

from aoci_agent.tools.reports.report import Report, blocks, number, unique

_WORDS = r"failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun"
_SUMMARY = re.compile(
    rf"^(?:=+ )?((?:\d+ (?:{_WORDS})(?:, )?)+|no tests ran) in [\d.]+s.*$", re.MULTILINE
)
# A parameter's id may hold anything, also the " - " that parts the name from the message.
_FAILING = re.compile(r"^(?:FAILED|ERROR) ([^\[\n]+?(?:\[.+?\])?)(?: - .*)?$", re.MULTILINE)
_SECTION = re.compile(
    r"^=+ (FAILURES|ERRORS) =+$\n(.*?)(?=^=+ .* =+$|\Z)", re.MULTILINE | re.DOTALL
)


def pytest(text: str) -> Report | None:
    """Read from the last summary line and the short summary before it."""
    summaries = _SUMMARY.findall(text)
    if not summaries:
        return None
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (\w+)", summaries[-1])}
    short = text.rpartition("short test summary info")
    return Report(
        passed=counts.get("passed", 0) + counts.get("xpassed", 0),
        failed=counts.get("failed", 0) + counts.get("errors", 0) + counts.get("error", 0),
        skipped=counts.get("skipped", 0) + counts.get("xfailed", 0),
        failing=unique(_FAILING.findall(short[2] if short[1] else "")),
        messages=tuple(
            block
            for _, body in _SECTION.findall(text)
            for block in blocks(body, r"^_{3,} (.+?) _{3,}$")
        ),
    )


def unittest(text: str) -> Report | None:
    """Read from "Ran N tests" and the line that follows it."""
    ran = re.search(r"^Ran (\d+) tests? in [\d.]+s\s+(?:OK|FAILED|NO TESTS RAN)(.*)$", text, re.M)
    if ran is None:
        return None
    failed = number(r"(?:failures|errors|unexpected successes)=(\d+)", ran[2])
    skipped = number(r"(?:skipped|expected failures)=(\d+)", ran[2])
    body = text[: ran.start()]
    messages = tuple(
        (_unittest_name(name), message.strip("=-\n"))
        for name, message in blocks(body, r"^(?:FAIL|ERROR): (.+)$")
    )
    failing = unique([name for name, _ in messages])
    return Report(
        # Each failed part of a test counts as a failure, so the names are what can be subtracted.
        passed=max(int(ran[1]) - len(failing) - skipped, 0),
        failed=failed,
        skipped=skipped,
        failing=failing,
        messages=messages,
    )


def _unittest_name(heading: str) -> str:
    """ "test_a (pkg.Case.test_a)", or without the method before 3.11, as pkg.Case.test_a."""
    found = re.match(r"(\w+) \(([\w.]+)\)", heading)
    if found is None:
        return heading
    method, where = found.groups()
    if where.startswith("unittest.loader._FailedTest"):
        return method
    return where if where.endswith(f".{method}") else f"{where}.{method}"
