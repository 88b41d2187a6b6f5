"""The process that hosts the language servers, so that nothing of them can hold up a session.

Speaks JSON lines. In: first {"root", "cwd", "bounds"}; then {"id", "launch", "seconds", ...Question} asks,
{"id", "warm": launch, "path"} starts and lets it read, {"id", "status": true}, {"changed": [path...]}; end of
input ends the process and every server. Out: {"ready": true} once, then per id {"id", "found"} or
{"id", "none": why}, and {"status": [...]} by itself whenever a server's state changed.
"""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, BinaryIO, cast

from aoci_agent.views.navigate.answer import NoAnswer
from aoci_agent.views.navigate.keeper import Keeper, later
from aoci_agent.views.navigate.server import Question, end_group
from aoci_agent.views.navigate.servers import Launch
from aoci_agent.views.navigate.status import Bounds, Status

_COARSE = 50_000_000  # bytes of memory that are worth telling


def main() -> None:
    """Serve until standard input ends."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever a library prints is not part of the protocol
    hello = json.loads(sys.stdin.buffer.readline())
    root = Path(hello["root"])
    outside(root, os.environ)
    host = Host(root, Path(hello["cwd"]), Bounds(**hello["bounds"]), out)
    asyncio.run(host.serve())
    os._exit(0)  # threads that read input would delay the exit


def outside(root: Path, env: Any) -> None:
    """Take out of the environment what would lead a server to programs in the repository."""
    folders = [f for f in env.get("PATH", "").split(os.pathsep) if not _leads_into(f, root)]
    env["PATH"] = os.pathsep.join(folders)
    for name in [n for n in env if n not in ("PATH", "PWD") and _is_inside(env[n], root)]:
        del env[name]


def _leads_into(folder: str, root: Path) -> bool:
    return not folder.startswith("/") or _is_inside(folder, root)


def _is_inside(value: str, root: Path) -> bool:
    if not value.startswith("/"):
        return False
    place = Path(value)
    try:
        return place.is_relative_to(root) or place.resolve().is_relative_to(root)
    except (OSError, RuntimeError, ValueError):
        return True


class Host:
    """Every server of one folder, by name."""

    def __init__(self, root: Path, cwd: Path, bounds: Bounds, out: BinaryIO) -> None:
        self._root, self._cwd, self._bounds, self._out = root, cwd, bounds, out
        self._keepers: dict[str, Keeper] = {}
        self._told: list[tuple[str, str, int, int, int]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Answer until the input ends, then end every server."""
        self._say({"ready": True})
        ticking = asyncio.create_task(self._tick())
        try:
            while line := await asyncio.to_thread(sys.stdin.buffer.readline):
                self._take(cast("dict[str, Any]", json.loads(line)))
        finally:
            ticking.cancel()
            self._end_all()

    def _take(self, message: dict[str, Any]) -> None:
        if "changed" in message:
            for keeper in self._keepers.values():
                if keeper.server is not None:
                    keeper.server.files_changed(message["changed"])
            return
        task = asyncio.create_task(self._answer(message))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, message: Mapping[str, Any]) -> None:
        reply: dict[str, Any] = {"id": message["id"]}
        try:
            if "status" in message:
                await self._look()
                reply["found"] = [asdict(status) for status in self._status()]
            elif "warm" in message:
                reply["found"] = await self._warmed(message)
            else:
                reply["found"] = await self._asked(message)
        except NoAnswer as error:
            reply["none"] = str(error)
        except Exception as error:  # noqa: BLE001 - a bug here must not leave the session waiting
            reply["none"] = f"{type(error).__name__}: {error}"[:300]
        self._say(reply)
        self._tell_status()

    async def _asked(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        keeper = self._keeper(message["launch"])
        question = Question(
            message["ask"], message["path"], message["line"], message["column"], message["query"]
        )
        found = await keeper.ask(question, message["seconds"])
        return {**found._asdict(), "server": keeper.launch.name}

    async def _warmed(self, message: Mapping[str, Any]) -> bool:
        """Start a server and put a first question to it: most read the repository only then."""
        keeper = self._keeper(message["warm"])
        await keeper.ready()
        with suppress(NoAnswer):
            await keeper.ask(Question("hover", message["path"]), message["seconds"])
        return True

    def _keeper(self, given: Mapping[str, Any]) -> Keeper:
        """The server of a launch; where too many run, the one unused for longest makes room."""
        name = given["name"]
        if name not in self._keepers:
            launch = replace(Launch(**given), argv=tuple(given["argv"]))
            self._keepers[name] = Keeper(launch, self._root, self._cwd, self._bounds)
        keeper = self._keepers[name]
        if keeper.state in ("off", "waiting"):
            self._make_room(keeper)
        return keeper

    def _make_room(self, wanted: Keeper) -> None:
        running = [
            k
            for k in self._keepers.values()
            if k.state in ("ready", "starting") and k is not wanted
        ]
        if len(running) < self._bounds.servers:
            return
        free = [k for k in running if k.state == "ready" and not k.working]
        if not free:
            raise NoAnswer(f"{len(running)} language servers run already and are busy")
        later(min(free, key=lambda k: k.used).stop())

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(self._bounds.look)
            await self._look()
            self._tell_status()

    async def _look(self) -> None:
        for keeper in list(self._keepers.values()):
            await keeper.look_after()

    def _status(self) -> list[Status]:
        return [keeper.status() for keeper in self._keepers.values()]

    def _tell_status(self) -> None:
        """Tell the states where they changed."""
        status = self._status()
        told = [(s.name, s.state, s.restarts, s.pid, s.memory // _COARSE) for s in status]
        if told != self._told:
            self._told = told
            self._say({"status": [asdict(one) for one in status]})

    def _end_all(self) -> None:
        for keeper in self._keepers.values():
            end_group(keeper.pid)

    def _say(self, message: Mapping[str, Any]) -> None:
        data = json.dumps(message).encode() + b"\n"
        while data:
            try:
                data = data[os.write(self._out.fileno(), data) :]
            except OSError:  # nobody reads any more; the input ends next
                return
