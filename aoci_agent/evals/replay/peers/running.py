"""An agent at work on a task: in the sandbox, with no way out but the proxy, measured by what passes there."""

import asyncio
import inspect
import shlex
import shutil
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from aoci_agent.agent.models.model import Model
from aoci_agent.base.box import Access, Box, Entry
from aoci_agent.base.errors import ForModel, NotPossible
from aoci_agent.base.files import atomic_write
from aoci_agent.base.process import Limits, Outcome, run
from aoci_agent.base.sandbox.gitfolders import git_folders
from aoci_agent.evals.replay.attempt import Opening, Worked
from aoci_agent.evals.replay.exchange import REQUESTS, Exchange
from aoci_agent.evals.replay.peers import inside
from aoci_agent.evals.replay.peers.peer import Job, Peer
from aoci_agent.evals.replay.peers.program import argv_of, needed, program_of, version_of
from aoci_agent.evals.replay.proxy import Proxy
from aoci_agent.evals.replay.task import Task
from aoci_agent.evals.replay.upstream import Upstream, upstream_of

OUTPUT = "output.txt"  # what the agent printed
SECONDS = 3600.0  # where the task names no time
GRACE = 10.0  # seconds to end by itself once its budget is used up
_OPENED = 60.0
_OWN = "-agent"  # behind the name of its tree: the folder of an agent's home and box
_XDG = {"CONFIG": ".config", "DATA": ".local/share", "STATE": ".local/state", "CACHE": ".cache"}
_FAULTS = (401, 402, 403, 404, 408, 429)  # of the endpoint or its account, not of the agent

OpenBox = Callable[[Path, Sequence[Path], Path], Box]
"""The box of a tree; folders readable in it besides; where it may keep its own state."""


class Peered:
    """Runs one peer on tasks; `solve` is a Solver. `env` has the keys, which stay outside."""

    def __init__(
        self,
        peer: Peer,
        open_box: OpenBox,
        env: Mapping[str, str],
        prices: Mapping[str, Mapping[str, Any]],
        grace: float = GRACE,
    ) -> None:
        self._peer = peer
        self._open_box = open_box
        self._env = env
        self._prices = prices
        self._grace = grace

    def solve(self, task: Task, opening: Opening, model: Model | None) -> Worked:
        """Work on a task. Raises ForUser or NotPossible where it cannot begin."""
        if model is not None:
            raise NotPossible(
                f"the harness's own models work in this program only, not in {self._peer.name}"
            )
        return asyncio.run(self._solve(task, opening))

    async def _solve(self, task: Task, opening: Opening) -> Worked:
        program = program_of(self._peer, self._env, outside=opening.tree)
        upstream = upstream_of(opening.model, self._env, self._prices)
        # Beside the tree: the place of the cell would tell the agent what it is tried on.
        own = opening.tree.with_name(f"{opening.tree.name}{_OWN}")
        for left in opening.tree.parent.glob(f"*{_OWN}"):  # by attempts that were killed
            if left == own or not left.with_name(left.name.removesuffix(_OWN)).exists():
                shutil.rmtree(left, ignore_errors=True)
        job = self._job(task, upstream, own / "home", opening)
        proxy = Proxy(upstream, opening.state.parent / REQUESTS, opening.budget)
        there = {path.name for path in opening.tree.iterdir()}
        begun = time.monotonic()
        try:
            readable = (*opening.readable, *needed(program))
            box = self._open_box(opening.tree, readable, own / "box")
            ended = await self._run(job, program, box, proxy, opening)
        finally:
            self._tidy(opening, there, job.home)
            shutil.rmtree(own, ignore_errors=True)
        told = ended.output if ended else "ended by the harness: its budget is used up\n"
        atomic_write(opening.state / OUTPUT, told.encode("utf-8", "replace"))
        worked = self._worked(proxy, ended, time.monotonic() - begun)
        return replace(worked, version=version_of(self._peer, program))

    def _job(self, task: Task, upstream: Upstream, home: Path, opening: Opening) -> Job:
        """Its job, and a home with all the settings it needs."""
        endpoint = upstream.endpoint
        url = f"http://127.0.0.1:{_free_port()}/v1"
        job = Job(task.prompt, url, endpoint.model, home, endpoint.provider == "anthropic")
        for folder in (home.parent, home, opening.state):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name, text in {**_profile(opening.variables), **self._peer.files(job)}.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(text, "utf-8")
        return job

    async def _run(
        self, job: Job, program: Path, box: Box, proxy: Proxy, opening: Opening
    ) -> Outcome | None:
        """Its end; None when it was ended because its budget is used up."""
        ours, theirs = socket.socketpair()
        limits = Limits(seconds=opening.budget.time or SECONDS, output_bytes=200_000)
        port = job.url.rpartition(":")[2].partition("/")[0]
        command = [*argv_of(self._peer, program), *self._peer.words(job)]
        before = (str(theirs.fileno()), port, str(opening.tree))
        argv = (sys.executable, "-I", "-c", inspect.getsource(inside), *before, *command)
        with ours, theirs:
            entry = self._entry(box, argv, job, opening, theirs)
            ended = asyncio.ensure_future(run(entry, cwd=job.home, limits=limits))
            try:
                listening = await _handed_out(ours, ended)
                if listening is None:
                    return await ended
                async with proxy.serving(listening):
                    return await _watched(ended, proxy, self._grace)
            finally:
                ended.cancel()
                with suppress(asyncio.CancelledError, ForModel):
                    await ended

    def _entry(
        self, box: Box, argv: tuple[str, ...], job: Job, opening: Opening, theirs: socket.socket
    ) -> Entry:
        """The command in the box, with the agent's own environment before everything else."""
        home = str(job.home)
        variables = {
            **opening.variables,
            **(_index(opening.tree, job.home) if self._peer.stages else {}),
            "HOME": home,
            **{f"XDG_{name}_HOME": f"{home}/{folder}" for name, folder in _XDG.items()},
            "NO_PROXY": "127.0.0.1",
            **self._peer.variables(job),
        }
        # It starts in its home, which is hidden but for that, and writable for that.
        entry = box.enter(argv, job.home, Access(network=False))
        handed = theirs.detach()  # closed by who starts the program
        return replace(entry, env={**entry.env, **variables}, pass_fds=(*entry.pass_fds, handed))

    def _tidy(self, opening: Opening, there: set[str], home: Path) -> None:
        """Take away what is no part of the answer, and keep of its home what is worth it."""
        for pattern in self._peer.litter:
            for path in opening.tree.glob(pattern):
                if path.name not in there:
                    _remove(path)
        for name in self._peer.kept:
            with suppress(OSError):
                shutil.move(home / name, opening.state / Path(name).name)

    def _worked(self, proxy: Proxy, ended: Outcome | None, seconds: float) -> Worked:
        reason, message, broke = _verdict(proxy, ended)
        calls = [call for one in proxy.exchanges if one.reply for call in one.reply.calls]
        return Worked(
            reason=reason,
            message=message,
            spent=proxy.spent,
            steps=proxy.steps,
            seconds=seconds,
            commands=sum(call.name in self._peer.shells for call in calls),
            failed_edits=None,
            broke=broke,
        )


async def _handed_out(
    ours: socket.socket, ended: "asyncio.Future[Outcome]"
) -> socket.socket | None:
    """The socket the agent will connect to; None when its process ended before. Raises NotPossible."""
    ours.settimeout(_OPENED)
    try:
        _, found, _, _ = await asyncio.to_thread(socket.recv_fds, ours, 16, 1)
    except TimeoutError as error:
        raise NotPossible("the agent's process did not start in the sandbox") from error
    if not found:
        await asyncio.wait((ended,))
        return None
    return socket.socket(fileno=found[0])


async def _watched(ended: "asyncio.Future[Outcome]", proxy: Proxy, grace: float) -> Outcome | None:
    """Wait for its end; one whose budget is used up gets a little time to end by itself."""
    over = asyncio.ensure_future(proxy.over.wait())
    try:
        await asyncio.wait((ended, over), return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait((ended,), timeout=grace if over.done() else 0)
        return await ended if ended.done() else None
    finally:
        over.cancel()


def _verdict(proxy: Proxy, ended: Outcome | None) -> tuple[str, str, bool]:
    """The reason and what is to be read of it; whether the infrastructure ended it, not the agent."""
    told = _last_lines(ended.output) if ended else ""
    calls = [one for one in proxy.exchanges if one.api != "other"]
    if proxy.reason:
        return proxy.reason, proxy.told, False
    if ended is not None and ended.timed_out:
        return "time", "it was ended: its time was over", False
    if calls and (fault := _fault(calls[-1])):
        return "model", fault[:500], True
    if not proxy.steps:
        return "failed", f"it ended without a call of the model: {told}", True
    if ended is not None and ended.exit_code == 0:
        return "done", "", False
    return "failed", f"it ended with exit code {ended and ended.exit_code}: {told}", False


def _fault(call: Exchange) -> str:
    """What the endpoint did wrong, in words; "" for nothing."""
    if call.ended == "unreachable":
        return call.message
    if call.ended == "cut":
        return "the model's endpoint broke off its answer"
    if call.ended == "refused" and (call.status >= 500 or call.status in _FAULTS):
        return f"the model's endpoint answered {call.path} with {call.status}: {call.message}"
    return ""


def _last_lines(output: str) -> str:
    return " ".join(output.split())[-400:]


def _profile(variables: Mapping[str, str]) -> dict[str, str]:
    """The task's environment for agents that run commands in a login shell, which begins PATH anew."""
    lines = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())
    return dict.fromkeys((".profile", ".zprofile"), lines)


def _index(tree: Path, home: Path) -> dict[str, str]:
    """An index of git's, and a place for objects, of its own: the tree's are only read in the sandbox."""
    folders = git_folders(tree)
    if folders is None:
        return {}
    (home / "objects").mkdir(exist_ok=True)
    there = [folder / "index" for folder in folders.dirs if (folder / "index").is_file()]
    if there:
        shutil.copyfile(there[0], home / "index")
    return {
        "GIT_INDEX_FILE": str(home / "index"),
        "GIT_OBJECT_DIRECTORY": str(home / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": ":".join(str(f / "objects") for f in folders.dirs),
    }


def _free_port() -> int:
    """Free here too, for where there is no sandbox."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
