"""Starting a program in a session of its own, and waiting for it without losing its process id."""

import asyncio
import os
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO

from aoci_agent.base import descendants
from aoci_agent.base.box import Entry
from aoci_agent.base.environment import scrubbed_environment
from aoci_agent.base.errors import TryAgain

_POLL = 0.02


class Child:
    """A started program. Its leader stays a zombie until `finish`, so that its id is not reused."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        command: descendants.Command,
        leave: Callable[[], None],
    ) -> None:
        self.process = process
        self.command = command
        self._leave = leave
        self._code: int | None = None
        self._finishing = threading.Lock()

    @property
    def stdout(self) -> IO[bytes]:
        """Our end of the output pipe."""
        assert self.process.stdout is not None
        return self.process.stdout

    def exited(self) -> bool:
        """Whether the leader has ended, looked up without reaping it."""
        if self.process.returncode is not None:
            return True
        if not hasattr(os, "waitid"):
            return self.process.poll() is not None
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self.process.pid, options) is not None
        except ChildProcessError:
            return True

    async def exit(self) -> None:
        """Wait for the leader to end, without reaping it."""
        try:
            descriptor = os.pidfd_open(self.process.pid)
        except (AttributeError, OSError):  # this system has nothing to wait on
            while not self.exited():  # noqa: ASYNC110
                await asyncio.sleep(_POLL)
            return
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()
        loop.add_reader(descriptor, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(descriptor)
            os.close(descriptor)

    def finish(self) -> int:
        """End everything the command left behind, once; reap the leader; its return code. Blocks."""
        with self._finishing:
            if self._code is not None:
                return self._code
            descendants.end(self.command, leader_too=not self.exited())
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(descendants.GRACE)
            descendants.forget(self.command)
            code = self.process.returncode
            self._code = code = -9 if code is None else code
            self._leave()
            return code

    def close(self) -> None:
        """Close our ends of the pipes."""
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def start(
    argv: Sequence[str] | Entry,
    cwd: Path,
    env: Mapping[str, str] | None,
    stdin: bytes | int | None,
    stderr: int,
) -> Child:
    """Start a program with the scrubbed environment plus `env`. TryAgain when it cannot be started.

    The streams are as for `subprocess.Popen`; `stdin` may also be the whole input, or None for none.
    """
    entry = argv if isinstance(argv, Entry) else Entry(tuple(argv), {})
    command = descendants.Command(boxed=entry.whole)
    environment = scrubbed_environment(env) | dict(entry.env) | {descendants.MARK: command.mark}
    with ExitStack() as stack:
        for descriptor in entry.pass_fds:
            stack.callback(os.close, descriptor)
        if isinstance(stdin, bytes):
            stdin = stack.enter_context(_file_with(stdin)).fileno()
        try:
            with descendants.starting(command):
                process = subprocess.Popen(
                    entry.argv,
                    cwd=cwd,
                    env=environment,
                    stdin=subprocess.DEVNULL if stdin is None else stdin,
                    stdout=subprocess.PIPE,
                    stderr=stderr,
                    bufsize=0,
                    start_new_session=True,
                    pass_fds=entry.pass_fds,
                )
                command.pid = process.pid
        except (OSError, ValueError) as error:
            entry.leave()
            raise TryAgain(_why(error, entry.argv, cwd)) from error
    return Child(process, command, entry.leave)


def _file_with(data: bytes) -> IO[bytes]:
    """An unnamed file holding `data`: unlike a pipe it needs nobody to feed it."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    file.write(data)
    file.seek(0)
    return file


def _why(error: OSError | ValueError, argv: Sequence[str], cwd: Path) -> str:
    name = argv[0] if argv else ""
    if isinstance(error, FileNotFoundError) and not cwd.is_dir():
        return f"the folder {cwd} does not exist"
    if isinstance(error, FileNotFoundError):
        return f"{name}: no such program"
    why = error.strerror if isinstance(error, OSError) else error
    return f"{name} cannot be started: {why}"
