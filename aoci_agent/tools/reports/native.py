"""Reports of go and cargo."""

import json
import re
from dataclasses import dataclass, field
from typing import Any, cast

from aoci_agent.tools.reports.report import Report, blocks, number, unique


@dataclass(slots=True)
class _Unit:
    """A test, or a package when `test` is empty."""

    package: str
    test: str
    action: str = ""
    output: list[str] = field(default_factory=list[str])

    @property
    def name(self) -> str:
        return f"{self.package}.{self.test}" if self.test else self.package


def go_json(text: str) -> Report | None:
    """`go test -json`: one event a line. A package that fails without a failing test counts as one."""
    units: dict[tuple[str, str], _Unit] = {}
    for event in _events(text):
        package = str(event.get("Package") or event.get("ImportPath", "")).split(" ")[0]
        test = str(event.get("Test", ""))
        unit = units.setdefault((package, test), _Unit(package, test))
        if "Output" in event:
            unit.output.append(str(event["Output"]))
        if event.get("Action") in {"pass", "fail", "skip"}:
            unit.action = str(event["Action"])
    if not units:
        return None
    tests = [unit for unit in units.values() if unit.test]
    failed = [unit for unit in tests if unit.action not in {"pass", "skip"}]
    blamed = {unit.package for unit in failed}
    failed += [
        unit
        for unit in units.values()
        if not unit.test and unit.action == "fail" and unit.package not in blamed
    ]
    return Report(
        passed=sum(unit.action == "pass" for unit in tests),
        failed=len(failed),
        skipped=sum(unit.action == "skip" for unit in tests),
        failing=unique([unit.name for unit in failed]),
        messages=tuple((unit.name, "".join(unit.output).strip()) for unit in failed),
    )


def _events(text: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    for line in text.split("\n"):
        if not line.startswith("{"):
            continue
        try:
            event = json.loads(line)
        except ValueError:
            continue  # a program's own line among the events
        if isinstance(event, dict) and "Action" in event:
            events.append(cast("dict[str, Any]", event))
    return events


def go(text: str) -> Report | None:
    """`go test`, with or without -v."""
    packages = re.findall(r"^(ok|FAIL)\s+(\S+)\s+(?:[\d.]+s|\(cached\)|\[.*\])", text, re.MULTILINE)
    if not packages:
        return None
    failing = re.findall(r"^ *--- FAIL: (\S+)", text, re.MULTILINE)
    bad = [name for verdict, name in packages if verdict == "FAIL"]
    passed = len(re.findall(r"^ *--- PASS: ", text, re.MULTILINE))
    good = sum(verdict == "ok" for verdict, _ in packages)
    return Report(
        passed=passed or good,
        failed=len(failing) or len(bad),
        skipped=len(re.findall(r"^ *--- SKIP: ", text, re.MULTILINE)),
        failing=unique(failing or bad),
        messages=blocks(text, r"^ *--- FAIL: (\S+).*$"),
    )


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
