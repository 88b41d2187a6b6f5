"""Reports of go and cargo."""

import json
import re
from typing import Any, cast

from aoci_agent.tools.reports.report import Report, blocks, number, unique


def go_json(text: str) -> Report | None:
    """`go test -json`: one event a line. A package that fails without a failing test counts as one."""
    actions: dict[tuple[str, str], str] = {}  # of (package, test); the test is "" for a package
    output: dict[tuple[str, str], str] = {}
    for event in _events(text):
        package = str(event.get("Package") or event.get("ImportPath", "")).split(" ")[0]
        unit = (package, str(event.get("Test", "")))
        output[unit] = output.get(unit, "") + str(event.get("Output", ""))
        if event["Action"] in {"pass", "fail", "skip"} or unit not in actions:
            actions[unit] = str(event["Action"])
    if not actions:
        return None
    tests = {unit: action for unit, action in actions.items() if unit[1]}
    failed = [unit for unit, action in tests.items() if action not in {"pass", "skip"}]
    blamed = {package for package, _ in failed}
    failed += [
        (package, test)
        for (package, test), action in actions.items()
        if not test and action == "fail" and package not in blamed
    ]
    names = [".".join(filter(None, unit)) for unit in failed]
    return Report(
        passed=sum(action == "pass" for action in tests.values()),
        failed=len(failed),
        skipped=sum(action == "skip" for action in tests.values()),
        failing=unique(names),
        messages=tuple(zip(names, (output[unit].strip() for unit in failed), strict=True)),
    )


def _events(text: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    for line in text.split("\n"):
        if line.startswith('{"'):
            try:
                event = json.loads(line)
            except ValueError:
                continue  # a program's own line among the events
            if "Action" in event:
                events.append(cast("dict[str, Any]", event))
    return events


def cargo(text: str) -> Report | None:
    """`cargo test`: the sum of all test binaries."""
    if not re.search(r"^test result: ", text, re.MULTILINE):
        return None
    return Report(
        passed=number(r"^test result: .*?(\d+) passed", text),
        failed=number(r"^test result: .*?(\d+) failed", text),
        skipped=number(r"^test result: .*?(\d+) ignored", text),
        failing=unique(re.findall(r"^test (.+?) \.\.\. FAILED$", text, re.MULTILINE)),
        messages=tuple(
            (name, message.partition("\nfailures:\n")[0].strip())
            for name, message in blocks(text, r"^---- (.+) stdout ----$")
        ),
    )


def ctest(text: str) -> Report | None:
    """CMake's `ctest`: "90% tests passed, 2 tests failed out of 20", then what failed."""
    ended = re.findall(r"^\d+% tests passed, (\d+) tests failed out of (\d+)", text, re.MULTILINE)
    if not ended:
        return None
    failed = sum(int(count) for count, _ in ended)
    names = re.findall(r"^\s+\d+ - (\S+) \((?!Disabled|Skipped)", text, re.MULTILINE)
    return Report(
        passed=sum(int(of) for _, of in ended) - failed,
        failed=failed,
        failing=unique(names),
    )
