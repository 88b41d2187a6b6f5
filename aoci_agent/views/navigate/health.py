"""Whether the installed language servers work, tried in an empty folder of their own."""

import re
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from aoci_agent.base.errors import ForModel
from aoci_agent.base.process import Limits, run_blocking
from aoci_agent.base.terminal import one_line
from aoci_agent.views.navigate.answer import NoAnswer
from aoci_agent.views.navigate.link import Link
from aoci_agent.views.navigate.servers import SERVERS, Row, found, launch_of
from aoci_agent.views.navigate.status import Bounds, Status, status_of

SECONDS = 20.0  # for one server to start and answer
_AT_ONCE = 2
_VERSION_SECONDS = 10.0

Find = Callable[[Row, Path | None], str | None]


@dataclass(frozen=True, slots=True)
class Health:
    """What became of one server. `memory` in bytes right after its start, `seconds` its start took."""

    name: str
    group: str
    program: str = ""  # "" where it is not installed
    version: str = ""
    works: bool = False
    why: str = ""  # it does not
    seconds: float = 0.0
    memory: int = 0
    licence: str = ""
    install: str = ""
    note: str = ""


def examine(
    rows: Sequence[Row] = SERVERS, outside: Path | None = None, find: Find = found
) -> list[Health]:
    """Start every installed server that lies outside a folder, one question each, and end it again."""
    with tempfile.TemporaryDirectory(prefix="aoci-agent-") as name:
        folder = Path(name).resolve()
        root, scratch = folder / "empty", folder / "scratch"
        root.mkdir()
        scratch.mkdir()
        bounds = asdict(Bounds(servers=len(rows), restarts=0))
        link = Link({"root": str(root), "cwd": str(scratch), "bounds": bounds}, scratch)

        def one(row: Row) -> Health:
            program = find(row, outside)
            return _tried(row, program, root, scratch, link) if program else _missing(row)

        try:
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                return list(pool.map(one, rows))
        finally:
            link.close()


def _missing(row: Row) -> Health:
    return Health(
        row.name, row.group, licence=row.licence, install=row.install, note=row.note, why="not installed"
    )  # fmt: skip


def _tried(row: Row, program: str, root: Path, scratch: Path, link: Link) -> Health:
    path = f"probe-{row.name}{next(iter(row.languages))}"
    (root / path).write_text("\n", encoding="utf-8")
    why, status = "", Status(row.name)
    launch = launch_of(row, program, root, scratch, lambda: ())
    if isinstance(launch, str):
        why = launch
    else:
        message = {"warm": asdict(launch), "path": path, "seconds": SECONDS - 1}
        try:
            link.ask(message, SECONDS)
            status = _status(link, row.name)
        except NoAnswer as error:
            why = str(error)
    return Health(
        row.name,
        row.group,
        program,
        _version(row, program, scratch) or status.version,
        not why,
        why,
        status.start_seconds,
        status.memory,
        row.licence,
        row.install,
        row.note,
    )


def _status(link: Link, name: str) -> Status:
    rows = link.ask({"status": True}, SECONDS)
    return next((status_of(row) for row in rows if row["name"] == name), Status(name))


def _version(row: Row, program: str, cwd: Path) -> str:
    """What it says of its version; "" when it says nothing."""
    if not row.version:
        return ""
    try:
        outcome = run_blocking(
            [program, *row.version], cwd=cwd, limits=Limits(seconds=_VERSION_SECONDS)
        )
    except ForModel:
        return ""
    text = outcome.stdout.decode("utf-8", "replace").strip()
    if outcome.exit_code != 0 or not text:
        return ""
    number = re.search(r"\d+\.\d[\w.+-]*", text)
    return number[0] if number else one_line(text.splitlines()[0], 60)
