"""The state of the views, for people and as JSON, told without loading any."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from aoci_agent.views import proofs
from aoci_agent.views.generations import damage_of
from aoci_agent.views.ledger import QUERIES, UPDATES, Projection, medians, projected
from aoci_agent.views.maintain import RepositoryViews
from aoci_agent.views.manifest import Manifest, ViewRecord, capabilities, config_digest
from aoci_agent.views.snapshot import delta_between, fingerprint

_MB = 1_000_000
STEPS = ("build", "load", "update", "query")


@dataclass(frozen=True)
class ViewStatus:
    """One view: what is kept of it, and what it costs. `state` is one of the manifest's words."""

    state: str
    told: str  # why it is in that state, how it is kept in step
    counts: Mapping[str, int]
    bytes: int
    seconds: Mapping[str, float]  # median by build, load, update, query
    projection: tuple[Projection, ...]


@dataclass(frozen=True)
class Status:
    """All views of a repository against its files as they are now."""

    folder: str
    generation: str
    commit: str
    dirty: bool
    files: int
    changed: int  # files that differ from those the generation was made of
    views: Mapping[str, ViewStatus]
    capabilities: Mapping[str, bool]
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def status_of(views: RepositoryViews, *, verify: bool = False) -> Status:
    """Compare what is kept with the files. `verify` reads every artifact and checks its hash."""
    tree = views.tree
    before = {path: seen.content for path, seen in tree.seen.items() if seen.content}
    tree.look()
    delta = delta_between(before, tree.files)
    source, manifest = fingerprint(tree.files), views.disk.manifest
    costs = medians(views.ledger.read())
    told = {
        name: _view_status(views, name, source, costs.get(name, {}), verify=verify)
        for name in views.held
    }
    usable = {name for name, view in told.items() if view.state in ("fresh", "stale")}
    return Status(
        folder=str(views.disk.generations.folder),
        generation=manifest.generation if manifest else "",
        commit=manifest.commit if manifest else "",
        dirty=bool(manifest and manifest.dirty),
        files=len(tree.files),
        changed=len(delta.touched) + len(delta.removed) if manifest else 0,
        views=told,
        capabilities=capabilities(usable),
        notes=(*views.take_notes(), *tree.findings),
    )


def _view_status(
    views: RepositoryViews, name: str, source: str, costs: Mapping[str, float], *, verify: bool
) -> ViewStatus:
    manifest = views.disk.manifest
    record = manifest.views.get(name) if manifest else None
    state, why = _state(views, name, manifest, record, source, verify=verify)
    proof = proofs.read(views.disk.generations.folder).get(name)
    if proof is not None and record is not None and proof.config == config_digest(record.config):
        way = "" if proof.holds else ", so it is rebuilt whenever files change"
        why = "; ".join(filter(None, (why, f"its updates {proof.told}{way}")))
    seconds = {**(record.seconds if record else {}), **costs}
    return ViewStatus(
        state=state,
        told=why,
        counts=record.counts if record else {},
        bytes=record.bytes if record else 0,
        seconds=seconds,
        projection=tuple(projected(seconds)) if seconds else (),
    )


def _state(
    views: RepositoryViews,
    name: str,
    manifest: Manifest | None,
    record: ViewRecord | None,
    source: str,
    *,
    verify: bool,
) -> tuple[str, str]:
    if manifest is None or record is None or not record.artifacts:
        made = views.held[name].made()
        why = record.error if record and record.error else views.held[name].error
        return (
            "failed" if record and record.error else "absent"
        ), why if made is None or why else "not built"
    folder = views.disk.generations.folder / "generations" / manifest.generation / name
    damage = damage_of(folder, record.artifacts, hashes=verify)
    if damage:
        return "failed", f"damaged, to be rebuilt: {damage}"
    if record.error:
        return "failed", record.error
    made = views.held[name].made()
    if made is not None and config_digest(made.config) != config_digest(record.config):
        return "stale", "made with other settings, to be rebuilt"
    return ("fresh", "") if record.source == source else ("stale", "to be updated when asked")


def lines_of(status: Status) -> list[str]:
    """The status as text."""
    commit = status.commit[:10] or "no commit"
    state = "with uncommitted changes" if status.dirty else "clean"
    lines = [
        f"{status.folder}",
        f"{status.files} files; kept of {commit}, {state}; {status.changed} changed since"
        if status.generation
        else f"{status.files} files; nothing is kept yet: aoci-agent views build",
        "",
    ]
    for name, view in status.views.items():
        counts = ", ".join(f"{count:,} {what}" for what, count in view.counts.items())
        size = f"{view.bytes / _MB:.1f} MB" if view.bytes else ""
        parts = (f"{name:<8} {view.state:<7}", counts, size, view.told)
        lines.append("  ".join(filter(None, parts)))
    lines += ["", *_cost_lines(status)]
    able = [name.replace("_", " ") for name, can in status.capabilities.items() if can]
    lines.append(f"can: {', '.join(able) or 'nothing yet'}")
    return lines


def _cost_lines(status: Status) -> list[str]:
    """Two tables, each under what its columns mean."""
    rows = [(name, view) for name, view in status.views.items() if view.projection]
    if not rows:
        return []
    lines = [
        "what each step took here, the median of all times it was measured (- never):",
        "build derives all, load reads what is kept, update follows an edit, query answers once",
        _row("", STEPS),
    ]
    for name, view in rows:
        cells = [_time(view.seconds[what]) if what in view.seconds else "-" for what in STEPS]
        lines.append(_row(name, cells))
    counts = [f"{projection.sessions}" for projection in rows[0][1].projection]
    lines += [
        "",
        f"what one session of {QUERIES} queries and {UPDATES} updates pays where so many share a build,",
        "each loading the views itself (isolated) or all asking one process (resident)",
        _row("sessions", counts),
    ]
    for name, view in rows:
        for kind in ("isolated", "resident"):
            cells = [_time(getattr(projection, kind)) for projection in view.projection]
            lines.append(_row(f"{name:<8} {kind}", cells))
    return [*lines, ""]


def _row(head: str, cells: Sequence[str]) -> str:
    return f"  {head:<18}" + "".join(f"{cell:>10}" for cell in cells)


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"
