"""Reports of jest, vitest, mocha, and of node's own runner and others that speak TAP."""

import re

from aoci_agent.tools.reports.report import Report, blocks, number, unique


def _counts(line: str) -> tuple[int, int, int]:
    skipped = number(r"(\d+) (?:skipped|todo|pending)", line)
    return number(r"(\d+) passed", line), number(r"(\d+) failed", line), skipped


def _report(
    passed: int, failed: int, skipped: int, messages: tuple[tuple[str, str], ...]
) -> Report:
    """Where the headings of the messages are the names of what failed."""
    return Report(passed, failed, skipped, unique([name for name, _ in messages]), messages)


def jest(text: str) -> Report | None:
    """ "Tests: 1 failed, 2 passed, 3 total"; failures are headed by a bullet."""
    summary = re.search(r"^Tests: +(.*\d+ total)$", text, re.MULTILINE)
    if summary is None:
        return None
    passed, failed, skipped = _counts(summary[1])
    body = text.partition("Summary of all failing tests")[2] or text
    messages = blocks(body[: body.rfind("Test Suites:")], r"^  ● (.+)$")
    suites = number(r"^Test Suites: +(\d+) failed", text)
    return _report(passed, max(failed, suites), skipped, messages)


def vitest(text: str) -> Report | None:
    """ "Tests  1 failed | 2 passed (3)"; failures are headed by FAIL."""
    summary = re.search(r"^ +Tests +(.*\(\d+\)|no tests)", text, re.MULTILINE)
    if summary is None:
        return None
    passed, failed, skipped = _counts(summary[1])
    files = number(r"^ +Test Files +(\d+) failed", text)
    messages = blocks(text[: summary.start()], r"^ FAIL  (.+)$")
    return _report(passed, max(failed, files), skipped, messages)


def mocha(text: str) -> Report | None:
    """ "2 passing", "1 failing", then numbered failures whose names go over several lines."""
    if not re.search(r"^ +\d+ passing\b", text, re.MULTILINE):
        return None
    body = re.split(r"^ +\d+ failing\b.*$", text, maxsplit=1, flags=re.MULTILINE)
    messages = blocks(body[1], r"^ +\d+\) ((?:.+\n)*?.+:)$") if len(body) > 1 else ()
    messages = tuple((" ".join(name.split()).rstrip(":"), message) for name, message in messages)
    passed, failed, skipped = (
        number(rf"^ +(\d+) {word}\b", text) for word in ("passing", "failing", "pending")
    )
    return _report(passed, failed, skipped, messages)


def tap(text: str) -> Report | None:
    """The closing counts of TAP ("# pass 3") or of node's spec reporter ("i pass 3", with a sign for the i)."""
    counts = {
        word: int(count) for word, count in re.findall(r"^[#\u2139] (\w+) (\d+)$", text, re.M)
    }
    if "pass" not in counts:
        return None
    failed = counts.get("fail", 0) + counts.get("cancelled", 0)
    spec = text.partition("\u2716 failing tests:")[2]
    if spec:
        messages = blocks(spec, r"^ *\u2716 (.+?)(?: \([\d.]+ms\))?$")
    else:
        messages = blocks(text, r"^ *not ok \d+ (?:- )?(.+?)(?: #.*)?$") if failed else ()
    skipped = counts.get("skipped", 0) + counts.get("todo", 0) + counts.get("skip", 0)
    return _report(counts["pass"], failed, skipped, messages)
