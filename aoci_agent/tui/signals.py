"""Signals from outside act like a key: the turn is ended or the program stopped, terminal restored."""

import asyncio
import contextlib
import os
import select
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.app import App
    from textual.drivers._writer_thread import WriterThread

_ENDING = frozenset(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name)
)


@contextmanager
def held_back() -> Generator[None]:
    """Signals that end the program wait until the screen listens: the terminal is raw before that."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)


def leave_on_signals(app: "App[int]") -> None:
    """SIGTERM, SIGHUP and SIGINT end the app; Textual itself would leave the terminal raw.

    In raw mode Ctrl+C is a key, so a SIGINT comes from another program. SIGTSTP and SIGCONT are
    handled by the event loop: Textual's own handlers interrupt a half-done write to the screen,
    and then wait for the lock that it holds.
    """
    if app.is_headless:
        return
    for number in _ENDING:
        _on(number, partial(app.exit, 128 + number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    stopping = _Stopping(app)
    for name, act in (("SIGTSTP", stopping.stop), ("SIGCONT", stopping.go_on)):
        if number := getattr(signal, name, None):
            _on(number, act)
    leave = partial(asyncio.get_running_loop().call_soon_threadsafe, app.exit, 128 + signal.SIGHUP)
    driver = app._driver  # pyright: ignore[reportPrivateUsage]
    writer = getattr(driver, "_writer_thread", None)
    Thread(target=_hung_up, args=(leave, writer), name="hang-up", daemon=True).start()


def _hung_up(leave: Callable[[], object], writer: "WriterThread | None") -> None:
    """The terminal is gone, and perhaps no signal says so: nothing may wait for it or fail with it."""
    waiting = select.poll()
    waiting.register(0, 0)
    if not waiting.poll()[0][1] & select.POLLHUP:
        return
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (2, 1, 0):
        if os.path.sameopenfile(number, 0):
            os.dup2(nothing, number)
    os.close(nothing)
    with contextlib.suppress(RuntimeError):  # it left already
        leave()
    if writer is not None:
        drain(writer)


def drain(writer: "WriterThread") -> None:
    """Take what nobody writes any more, once `writer` failed: who writes would wait for room."""
    writer.join()
    while True:
        writer._queue.get()  # pyright: ignore[reportPrivateUsage]


def _on(number: int, act: Callable[[], object]) -> None:
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
        asyncio.get_running_loop().add_signal_handler(number, act)


class _Stopping:
    """Gives the terminal back before the process stops and takes it again when it goes on."""

    def __init__(self, app: "App[int]") -> None:
        self._app = app
        self._gone_on = False  # the SIGCONT that is still to come was acted upon

    def stop(self) -> None:
        """Stop here, until the process is in the foreground again."""
        if self._leaving():
            return
        self._give()
        signal.raise_signal(signal.SIGSTOP)
        while _in_background():  # `bg`: there is nothing to do without a terminal
            signal.raise_signal(signal.SIGSTOP)
        self._take()
        self._gone_on = True

    def go_on(self) -> None:
        """Whoever stopped it by SIGSTOP may have changed the modes of the terminal."""
        if not self._gone_on and not self._leaving():
            self._give()
            self._take()
        self._gone_on = False

    def _leaving(self) -> bool:
        """Who hangs up sends SIGCONT too: a terminal taken again now would never be given back."""
        return self._app._exit  # pyright: ignore[reportPrivateUsage]

    def _give(self) -> None:
        if driver := self._app._driver:  # pyright: ignore[reportPrivateUsage]
            driver.suspend_application_mode()

    def _take(self) -> None:
        if driver := self._app._driver:  # pyright: ignore[reportPrivateUsage]
            driver.resume_application_mode()
        self._app.refresh(layout=True)


def _in_background() -> bool:
    try:
        return os.tcgetpgrp(0) != os.getpgrp()
    except OSError:  # not a terminal of ours
        return False
