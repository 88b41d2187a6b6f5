"""Which runner wrote this? The first reader that knows its own summary line decides."""

from collections.abc import Callable

from aoci_agent.tools.reports import native, node, python
from aoci_agent.tools.reports.report import Report

Reader = Callable[[str], Report | None]
READERS: tuple[Reader, ...] = (
    python.pytest,
    python.unittest,
    native.go_json,
    native.cargo,
    native.go,
    node.jest,
    node.vitest,
    node.ava,
    node.mocha,
    node.tap,
)


def report_of(text: str, reader: Reader | None = None) -> Report | None:
    """The report in an output, by the named reader first; None when no runner is recognised."""
    for read in (reader, *READERS) if reader else READERS:
        report = read(text)
        if report is not None:
            return report
    return None
