"""Signals from outside act like a key: the turn is ended or the program stopped, terminal restored."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.app import App

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
        self._give()
        signal.raise_signal(signal.SIGSTOP)
        while _in_background():  # `bg`: there is nothing to do without a terminal
            signal.raise_signal(signal.SIGSTOP)
        self._take()
        self._gone_on = True

    def go_on(self) -> None:
        """Whoever stopped it by SIGSTOP may have changed the modes of the terminal."""
        if not self._gone_on:
            self._give()
            self._take()
        self._gone_on = False

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
