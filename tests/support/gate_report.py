"""`--gate-report FILE`: what the tests tagged with `gate` proved, as JSON, with or without xdist."""

import json
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aoci_agent.base.sandbox.ladder import open_box

IDS = re.compile(r"T(0[1-9]|[12]\d|3[0-5])|R(0[1-9]|[123]\d|40)|P\d\d|S(0[1-9]|1[0-6])")
_TAGS = "gate"  # the user property that carries them from a worker


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("release gate")
    group.addoption("--gate-report", metavar="FILE", help="write what the tagged tests proved")
    group.addoption("--gate-ids", metavar="IDS", help="run only tests tagged with one of these")
    group.addoption("--gate-quick", action="store_true", help="skip what is marked gate_only")


def pytest_configure(config: pytest.Config) -> None:
    file: str | None = config.getoption("--gate-report")
    if file and not hasattr(config, "workerinput"):
        config.pluginmanager.register(GateReport(Path(file)))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = set((config.getoption("--gate-ids") or "").split(","))
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        proves, controls = _tags(item)
        if config.getoption("--gate-quick") and item.get_closest_marker("gate_only"):
            item.add_marker(pytest.mark.skip("it takes long, and --quick leaves it out"))
        if proves or controls:
            item.user_properties.append((_TAGS, [sorted(proves), sorted(controls)]))
        (kept if wanted == {""} or wanted & (proves | controls) else left).append(item)
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = kept


def _tags(item: pytest.Item) -> tuple[set[str], set[str]]:
    """What it proves, and what it is the positive control of. Marks of class and module count."""
    proves: set[str] = set()
    controls: set[str] = set()
    for mark in item.iter_markers("gate"):
        if wrong := [tag for tag in mark.args if not IDS.fullmatch(str(tag))]:
            raise pytest.UsageError(f"{item.nodeid}: gate has no {wrong}")
        if set(mark.kwargs) - {"control"} or not mark.args:
            raise pytest.UsageError(f"{item.nodeid}: gate takes ids and control=True")
        (controls if mark.kwargs.get("control") else proves).update(mark.args)
    return proves, controls


class GateReport:
    """Gathers reports where they all arrive: in the one process, or in the one that leads."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._tests: dict[str, dict[str, Any]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        properties: dict[str, Any] = dict(report.user_properties)
        if (tags := properties.get(_TAGS)) is None:
            return
        blank = {"test": report.nodeid, "outcome": "passed", "reason": "", "seconds": 0.0}
        test = self._tests.setdefault(report.nodeid, blank)
        test["ids"], test["controls"] = tags
        test["cases"] = int(properties.get("cases", 1))
        test["seconds"] = round(float(test["seconds"]) + report.duration, 3)
        if report.failed or (report.skipped and test["outcome"] == "passed"):
            test["outcome"] = report.outcome
            test["reason"] = "".join(_reason(report))

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        found = {
            "exit": int(exitstatus),
            "sandbox": _sandbox(),
            "tests": list(self._tests.values()),
        }
        self._file.write_text(json.dumps(found, indent=1), encoding="utf-8")


def _sandbox() -> str:
    """The box that a session would get here, and what it leaves open."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "workspace")
        root.mkdir()
        box = open_box(root, (), Path(folder, "cache"), os.environ)
    told = [f"{box.strength} ({box.kind or 'nothing'})"]
    told += [f"because {box.why}"] if box.why else []
    told += [f"open: {', '.join(box.gaps)}"] if box.gaps else []
    return "; ".join(told)


def _reason(report: pytest.TestReport) -> Iterator[str]:
    """Why it was skipped, or the last line of how it failed."""
    if report.skipped and isinstance(report.longrepr, tuple | list):
        yield str(report.longrepr[-1]).removeprefix("Skipped: ")
    elif lines := str(report.longrepr or "").strip().splitlines():
        yield lines[-1][:200]
