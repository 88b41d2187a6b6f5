"""A report as text, JSON, SARIF 2.1.0, or annotations of GitHub's workflows."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from aoci_agent import __version__
from aoci_agent.aoci.check.finding import CHECKS, Finding, Severity
from aoci_agent.aoci.check.run import Report
from aoci_agent.base.files import STATE
from aoci_agent.base.terminal import clean

PLACE = f"{STATE}/index.aoci"
_LEVELS = {Severity.ERROR: "error", Severity.WARN: "warning", Severity.INFO: "note"}
_COMMANDS = {Severity.ERROR: "error", Severity.WARN: "warning", Severity.INFO: "notice"}
SHOWN = 200


def as_text(report: Report) -> str:
    """One line each, then the count; a very long list is cut."""
    lines = [
        f"{PLACE}:{f.line or '-'}: {f.severity} {f.check} {f.path + ': ' if f.path else ''}{f.message}"
        for f in report.findings[:SHOWN]
    ]
    if len(report.findings) > SHOWN:
        lines.append(f"and {len(report.findings) - SHOWN} more (--format json lists all)")
    return clean("\n".join([*lines, _summary(report)]))


def _summary(report: Report) -> str:
    counts = ", ".join(
        f"{number} {noun}{'' if number == 1 else 's'}"
        for noun, number in (
            ("error", report.count(Severity.ERROR)),
            ("warning", report.count(Severity.WARN)),
            ("note", report.count(Severity.INFO)),
        )
    )
    elsewhere = f"; {report.elsewhere} elsewhere" if report.elsewhere else ""
    told = f"F from documentation in {report.documented}, derived in {report.entries - report.documented}"
    return f"{report.entries} entries for {report.files} files ({told}): {counts}{elsewhere}"


def as_json(report: Report) -> str:
    """An object with the findings and their counts."""
    return json.dumps(
        {
            "index": PLACE,
            "entries": report.entries,
            "files": report.files,
            "documented": report.documented,
            "errors": report.count(Severity.ERROR),
            "warnings": report.count(Severity.WARN),
            "notes": report.count(Severity.INFO),
            "elsewhere": report.elsewhere,
            "findings": [asdict(finding) for finding in report.findings],
        },
        ensure_ascii=False,
    )


def as_sarif(report: Report) -> str:
    """A SARIF log for code scanning."""
    driver: dict[str, Any] = {
        "name": "aoci-agent",
        "version": __version__,
        "rules": [
            {"id": check, "shortDescription": {"text": told}} for check, told in CHECKS.items()
        ],
    }
    run = {"tool": {"driver": driver}, "results": [_result(f) for f in report.findings]}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, ensure_ascii=False)


def _result(finding: Finding) -> dict[str, Any]:
    about = f"{finding.path}: " if finding.path else ""
    place = {"artifactLocation": {"uri": PLACE}, "region": {"startLine": max(finding.line, 1)}}
    return {
        "ruleId": finding.check,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{about}{finding.message}"},
        "locations": [{"physicalLocation": place}],
    }


def as_github(report: Report) -> str:
    """Workflow commands, which GitHub shows beside the changed lines."""
    lines = [
        f"::{_COMMANDS[f.severity]} file={PLACE},line={max(f.line, 1)},title={f.check}::"
        + _escaped(f"{f.path}: {f.message}" if f.path else f.message)
        for f in report.findings
    ]
    return clean("\n".join([*lines, _summary(report)]))


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


FORMATS: Mapping[str, Callable[[Report], str]] = {
    "text": as_text,
    "json": as_json,
    "sarif": as_sarif,
    "github": as_github,
}
