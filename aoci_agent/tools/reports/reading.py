"""Which runner wrote this? The first reader that knows its own summary line decides."""

from aoci_agent.tools.reports import jvm, native, node, python
from aoci_agent.tools.reports.report import Reader, Report

READERS: tuple[Reader, ...] = (
    *(python.pytest, python.unittest, native.go_json, native.cargo, native.ctest),
    *(jvm.surefire, jvm.console),
    *(node.jest, node.vitest, node.mocha, node.tap),
)


def report_of(text: str, first: Reader | None = None) -> Report | None:
    """The report in an output, by the reader `first` if it can; None when nobody recognises it."""
    readers = (first, *READERS) if first else READERS
    return next((report for read in readers if (report := read(text)) is not None), None)
