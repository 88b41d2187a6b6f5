"""The only place that starts a program."""

import asyncio
import os
import selectors
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from aoci_agent.base.box import Entry
from aoci_agent.base.capture import Capture
from aoci_agent.base.child import Child, start
from aoci_agent.base.environment import find_program, scrubbed_environment
from aoci_agent.base.peer import Peer

__all__ = [
    "BlockingOutcome",
    "Limits",
    "Outcome",
    "Peer",
    "find_program",
    "run",
    "run_blocking",
    "scrubbed_environment",
]

_CHUNK = 65_536
_EOF_GRACE = 0.5  # seconds a background process may hold the pipe after the command ended


@dataclass(frozen=True, slots=True)
class Limits:
    """What one command may use: wall time, output kept in memory, output at all (then it is ended)."""

    seconds: float = 120.0
    output_bytes: int = 96_000
    spill_bytes: int = 50_000_000


_DEFAULT = Limits()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a command. `output` is raw: standard output and error as they were interleaved.

    `exit_code` is None when this program ended it (time, flood, cancelled), 128 + the number for a
    signal from elsewhere. `omitted_bytes` are missing in the middle of `output`; `spill` then holds
    the whole.
    """

    exit_code: int | None
    output: str
    omitted_bytes: int
    spill: Path | None
    timed_out: bool
    seconds: float
    cancelled: bool = False


@dataclass(frozen=True, slots=True)
class BlockingOutcome:
    """What came of a blocking command; `exit_code` None: ended by this program (time, flood)."""

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    timed_out: bool
    truncated: bool


async def run(
    argv: Sequence[str] | Entry,
    *,
    cwd: Path,
    limits: Limits = _DEFAULT,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    spill_dir: Path | None = None,
) -> Outcome:
    """Run a command to its end and end whatever it leaves behind, also when cancelled.

    The CancelledError then carries the Outcome (`base/cancelled.py`).

    It gets a session and process group of its own, no terminal, an empty input unless `stdin` is
    given, and the scrubbed environment plus `env`. A command that prints more than
    `limits.spill_bytes` is ended. `argv` may be what a `Box` made of it: then it runs in the box.
    Raises TryAgain when the program is missing or cannot be started.
    """
    begun = time.monotonic()
    child = start(argv, cwd, env, stdin, subprocess.STDOUT)
    capture = Capture(limits.output_bytes, limits.spill_bytes, spill_dir)
    output = _Output(child.stdout.fileno(), capture, limits.spill_bytes)
    stopped, code, cut = "cancelled", None, None
    try:
        stopped = await _watch(child, output, limits.seconds)
        code = await _finish(child)
    except asyncio.CancelledError as error:
        cut = error
        with suppress(asyncio.CancelledError):  # a second one: the end is not waited for
            code = await _finish(child)
    except BaseException:
        await _finish(child)
        raise
    finally:
        output.drain()
        output.stop()
        child.close()
        capture.close()
    text, omitted = capture.text()
    exit_code = None if stopped or code is None else _shell_code(code)
    seconds, cancelled = time.monotonic() - begun, stopped == "cancelled" or code is None
    outcome = Outcome(
        *(exit_code, text, omitted, capture.spill, stopped == "time", seconds, cancelled)
    )
    if cut is not None:
        raise asyncio.CancelledError(outcome) from cut
    return outcome


class _Output:
    """A pipe read into a capture by the event loop. `flooded` is set once `limit` bytes came."""

    def __init__(self, descriptor: int, capture: Capture, limit: int) -> None:
        self._descriptor = descriptor
        self._capture = capture
        self._limit = limit
        self.ended = asyncio.Event()
        self.flooded = asyncio.Event()
        os.set_blocking(descriptor, False)
        asyncio.get_running_loop().add_reader(descriptor, self._take)

    def drain(self) -> None:
        """After the writers are gone: read what is left in the pipe."""
        while not self.ended.is_set() and not self.flooded.is_set() and self._take():
            pass

    def stop(self) -> None:
        """Stop reading."""
        asyncio.get_running_loop().remove_reader(self._descriptor)

    def _take(self) -> bool:
        try:
            data = os.read(self._descriptor, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if data:
            self._capture.feed(data)
        else:
            self.ended.set()
        if self._capture.total > self._limit:
            self.flooded.set()
        if self.ended.is_set() or self.flooded.is_set():
            self.stop()
        return bool(data)


async def _watch(child: Child, output: _Output, seconds: float) -> str:
    """Wait for the command's end; why it must be ended before ("time", "flood"), or ""."""
    exit_task = asyncio.ensure_future(child.exit())
    flood_task = asyncio.ensure_future(output.flooded.wait())
    try:
        done, _ = await asyncio.wait(
            (exit_task, flood_task), timeout=seconds, return_when=asyncio.FIRST_COMPLETED
        )
        if not done:
            return "time"
        if flood_task in done:
            return "flood"
        with suppress(TimeoutError):
            async with asyncio.timeout(_EOF_GRACE):
                await output.ended.wait()
        return ""
    finally:
        exit_task.cancel()
        flood_task.cancel()
        await asyncio.gather(exit_task, flood_task, return_exceptions=True)


async def _finish(child: Child) -> int:
    """`Child.finish` in a thread that a cancellation does not stop."""
    return await asyncio.shield(asyncio.ensure_future(asyncio.to_thread(child.finish)))


def _shell_code(code: int) -> int:
    return 128 - code if code < 0 else code


def run_blocking(
    argv: Sequence[str] | Entry,
    *,
    cwd: Path,
    limits: Limits = _DEFAULT,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
) -> BlockingOutcome:
    """Run a short helper program (git) and keep its output and errors apart, as bytes.

    Output is kept up to `limits.spill_bytes`, errors up to `limits.output_bytes`; more output ends
    the command with `truncated` set. Otherwise as `run`.
    """
    child = start(argv, cwd, env, stdin, subprocess.PIPE)
    reading = _Reading(child, limits)
    try:
        stopped = reading.run()
        code = child.finish()
    except BaseException:
        child.finish()
        raise
    finally:
        child.close()
    return BlockingOutcome(
        None if stopped else _shell_code(code),
        bytes(reading.stdout),
        bytes(reading.stderr[: limits.output_bytes]),
        stopped == "time",
        stopped == "flood",
    )


class _Reading:
    """Two pipes read until both end, the time is over, or too much has come."""

    def __init__(self, child: Child, limits: Limits) -> None:
        self._child = child
        self._limits = limits
        self.stdout = bytearray()
        self.stderr = bytearray()

    def run(self) -> str:
        """Why the command must be ended ("time", "flood"), or ""."""
        deadline = time.monotonic() + self._limits.seconds
        error = self._child.process.stderr
        assert error is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._child.stdout, selectors.EVENT_READ, self.stdout)
            selector.register(error, selectors.EVENT_READ, self.stderr)
            exited = False
            while selector.get_map() or not exited:
                if not exited and self._child.exited():
                    exited = True
                    deadline = min(deadline, time.monotonic() + _EOF_GRACE)
                if time.monotonic() > deadline:
                    return "" if exited else "time"
                self._take(selector)
                if len(self.stdout) > self._limits.spill_bytes:
                    return "flood"
        return ""

    def _take(self, selector: selectors.BaseSelector) -> None:
        if not selector.get_map():
            time.sleep(0.001)  # both pipes are closed; the end follows at once
            return
        for key, _ in selector.select(0.02):
            data = os.read(key.fd, _CHUNK)
            if not data:
                selector.unregister(key.fileobj)
            elif key.data is self.stdout:
                self.stdout += data
            elif len(self.stderr) < self._limits.output_bytes:
                self.stderr += data
