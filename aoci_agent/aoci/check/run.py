"""All checks over one workspace. Nothing is written, nothing of the repository runs, no model is asked."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from aoci_agent.aoci import lock as locks
from aoci_agent.aoci.check.case import Case
from aoci_agent.aoci.check.finding import Finding, Severity
from aoci_agent.aoci.check.form import form
from aoci_agent.aoci.check.size import size
from aoci_agent.aoci.check.step import step
from aoci_agent.aoci.check.tables import tables
from aoci_agent.aoci.check.truth import truth
from aoci_agent.aoci.files import INDEX_FILE, LOCK_FILE
from aoci_agent.aoci.grounding import Grounds
from aoci_agent.aoci.parse import is_index
from aoci_agent.aoci.project import project_of
from aoci_agent.aoci.stats import is_documented
from aoci_agent.aoci.store import IndexStore
from aoci_agent.base.errors import BadUsage, ForModel
from aoci_agent.base.files import STATE, Workspace

Rule = Callable[[Case], Iterator[Finding]]
RULES: tuple[Rule, ...] = (form, step, truth, size, tables)
_ORDER = {Severity.ERROR: 0, Severity.WARN: 1, Severity.INFO: 2}


@dataclass(frozen=True)
class Report:
    """What was found, the worst first, then by place. `elsewhere` counts what a selection left out."""

    findings: tuple[Finding, ...]
    entries: int
    files: int
    elsewhere: int = 0
    documented: int = 0  # entries whose F is documentation, not a placeholder derived from names

    def count(self, severity: Severity) -> int:
        """How many findings are of this severity."""
        return sum(finding.severity is severity for finding in self.findings)


def check(store: IndexStore, workspace: Workspace, only: Collection[str] | None = None) -> Report:
    """Compare the index on disk with the files; `only` selects findings about these paths.

    A path selects what lies below it too. Raises BadUsage where there is no index to check.
    """
    text = store.files.own(INDEX_FILE)
    if text is None:
        raise BadUsage(f"there is no {STATE}/{INDEX_FILE} to check", "aoci-agent index build")
    if not is_index(text):
        way_out = "take it back from git, or write it anew: aoci-agent index build"
        raise BadUsage(f"{STATE}/{INDEX_FILE} holds no index", way_out)
    case = case_of(store, workspace, text)
    found = [finding for rule in RULES for finding in rule(case)]
    judged = [rated for finding in found if (rated := _rated(finding, case)) is not None]
    kept = judged if only is None else [f for f in judged if _is_about(f, only)]
    kept.sort(key=lambda f: (_ORDER[f.severity], f.line, f.path, f.check, f.message))
    entries = case.disk.entries
    documented = sum(is_documented(entry.function) for entry in entries)
    elsewhere = len(judged) - len(kept)
    return Report(tuple(kept), len(entries), len(case.world), elsewhere, documented)


def case_of(store: IndexStore, workspace: Workspace, text: str) -> Case:
    """Everything the rules look at."""

    def content(path: str) -> str | None:
        try:
            return workspace.read_bytes(path).decode("utf-8", "replace")
        except (ForModel, OSError):
            return None

    present = store.present()
    world = present.derived.world
    return Case(
        text=text,
        disk=replace(store.on_disk(), counts=store.files.counts()),
        lock=locks.load(store.files.own(LOCK_FILE) or ""),
        present=present,
        project=project_of(workspace),
        grounds=Grounds((*world, *present.derived.listed.folded), world, content),
    )


def _rated(finding: Finding, case: Case) -> Finding | None:
    """With the severity the repository asks for; None for a check it turned off."""
    wanted = case.project.severities.get(finding.check)
    if wanted is None:
        return finding
    return None if wanted == "off" else replace(finding, severity=Severity(wanted))


def _is_about(finding: Finding, only: Collection[str]) -> bool:
    if not finding.path:
        return True  # about the index as a whole
    return any(finding.path == path or finding.path.startswith(f"{path}/") for path in only)
