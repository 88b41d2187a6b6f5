"""Answers of language servers, which run in a process of their own and never in an untrusted repository."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from aoci_agent.base.box import Box
from aoci_agent.views.model import Location
from aoci_agent.views.navigate.answer import Answer, NoAnswer, Place, Provenance, joined
from aoci_agent.views.navigate.link import Link
from aoci_agent.views.navigate.servers import (
    SERVERS,
    Files,
    Launch,
    Row,
    found,
    group_of,
    launch_of,
)
from aoci_agent.views.navigate.status import Bounds, Status, keep, status_of

FOLDER = "navigate"  # of a repository's cache: what `scratch` is in a session
LIMIT = 2.0  # seconds of one answer
_MARGIN = 0.1  # by which the process answers before the limit
UNTRUSTED = (
    "language servers are off: they may run code of the repository; in config.toml, "
    'navigation = "auto" allows them'
)


@dataclass
class LiveNavigator:
    """A Navigator over the language servers that are installed. Close it at the end.

    `scratch` is a folder outside the repository; what `doctor` shows is kept there. `files` lists the
    repository's paths for the servers that need it. The servers run in `box`, and only read there.
    """

    root: Path
    scratch: Path
    files: Files
    trusted: bool
    rows: Sequence[Row] = SERVERS
    limit: float = LIMIT
    bounds: Bounds = field(default_factory=Bounds)
    find: Callable[[Row, Path | None], str | None] = found
    box: Box | None = None

    def __post_init__(self) -> None:
        self.root = self.root.resolve()
        self._launches: dict[str, Launch | str] = {}
        hello = {"root": str(self.root), "cwd": str(self.scratch), "bounds": asdict(self.bounds)}
        self._link = Link(hello, self.scratch, self.box)
        self._kept: list[Status] = []

    def definition(self, path: str, line: int, column: int) -> Answer:
        """Where the server says it is defined."""
        return self._at("definition", path, line, column)

    def references(self, path: str, line: int, column: int) -> Answer:
        """Where the server says it is used."""
        return self._at("references", path, line, column)

    def hover(self, path: str, line: int, column: int) -> Answer:
        """What the server says about it."""
        return self._at("hover", path, line, column)

    def callers(self, path: str, line: int, column: int) -> Answer:
        """Where the server says it is called."""
        return self._at("callers", path, line, column)

    def symbols(self, query: str) -> Answer:
        """What the servers that run already know by that name."""
        running = [status["name"] for status in self._link.status if status["state"] == "ready"]
        launches = [launch for launch in self._launches.values() if not isinstance(launch, str)]
        answers = [
            self._ask(launch, {"ask": "symbols", "query": query})
            for launch in launches
            if launch.name in running
        ]
        if not answers:
            raise NoAnswer("no language server is running")
        places = [place for answer in answers for place in answer.places]
        return Answer(tuple(places), Provenance.LIVE, joined(*(a.note for a in answers)))

    def warm(self, path: str, seconds: float = 30.0) -> None:
        """Start the server for a file's language and wait until it answers. NoAnswer when it does not."""
        launch = self._launch(path)
        message = {"warm": asdict(launch), "path": path, "seconds": seconds - _MARGIN}
        self._link.ask(message, seconds)

    def tell(self, paths: Sequence[str]) -> None:
        """Tell the servers that run which files changed, came or went."""
        if paths:
            self._link.tell({"changed": list(paths)})

    def status(self) -> list[Status]:
        """How the servers that were started do."""
        if self._link.status:
            with suppress(NoAnswer):
                self._link.status = self._link.ask({"status": True}, self.limit)
        return [status_of(row) for row in self._link.status]

    def close(self) -> None:
        """End every server and the process that hosts them."""
        self._keep(self.status())
        self._link.close()

    def _at(self, ask: str, path: str, line: int, column: int) -> Answer:
        launch = self._launch(path)
        return self._ask(launch, {"ask": ask, "path": path, "line": line, "column": column})

    def _launch(self, path: str) -> Launch:
        """The first usable server for a file. NoAnswer: off, no such language, none installed."""
        if not self.trusted:
            raise NoAnswer(UNTRUSTED)
        if find_spec("multilspy") is None:
            raise NoAnswer("language servers need multilspy: pip install 'aoci-agent[live]'")
        group = group_of(path, self.rows)
        if not group:
            raise NoAnswer(f"no language server is known for {path}")
        if group not in self._launches:
            self._launches[group] = self._choose(group)
        launch = self._launches[group]
        if isinstance(launch, str):
            raise NoAnswer(launch)
        return launch

    def _choose(self, group: str) -> Launch | str:
        self.scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
        rows = [row for row in self.rows if row.group == group]
        faults: list[str] = []
        for row in rows:
            program = self.find(row, self.root)
            if program is None:
                continue
            launch = launch_of(row, program, self.root, self.scratch, self.files)
            if not isinstance(launch, str):
                return launch
            faults.append(f"{row.name}: {launch}")
        if faults:
            return "; ".join(faults)
        return f"no language server for {group} is installed ({rows[0].install or rows[0].command})"

    def _ask(self, launch: Launch, question: dict[str, Any]) -> Answer:
        message = {
            "path": "",
            "line": 1,
            "column": 0,
            "query": "",
            **question,
            "launch": asdict(launch),
            "seconds": max(self.limit - _MARGIN, _MARGIN),
        }
        try:
            reply = cast("dict[str, Any]", self._link.ask(message, self.limit))
        finally:
            self._keep([status_of(row) for row in self._link.status])
        places = tuple(
            Place(Location(path, start, end, column), symbol, kind)
            for path, start, end, column, symbol, kind in reply["places"]
        )
        return Answer(places, Provenance.LIVE, _note(reply), text=reply["text"])

    def _keep(self, statuses: Sequence[Status]) -> None:
        """Write down how the servers do, where that changed, for `doctor` in another process."""
        if statuses and statuses != self._kept:
            self._kept = list(statuses)
            with suppress(OSError):
                keep(self.scratch, statuses)


def _note(reply: dict[str, Any]) -> str:
    outside = cast("list[str]", reply["outside"])
    named = ", ".join(outside[:3]) + (" ..." if len(outside) > 3 else "")
    return joined(
        f"outside the repository: {named}" if outside else "",
        f"{reply['server']} is still reading the repository; places may be missing"
        if reply["indexing"]
        else "",
    )
