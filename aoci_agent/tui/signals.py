"""Signals from outside end the screen the way a key would: cleaned up, terminal restored."""

import asyncio
import contextlib
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.app import App


def leave_on_signals(app: "App[int]") -> None:
    """SIGTERM, SIGHUP and SIGINT end the app; Textual itself would leave the terminal raw.

    In raw mode Ctrl+C is a key, so a SIGINT comes from another program.
    """
    if app.is_headless:
        return
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        number = getattr(signal, name, None)
        if number is not None:
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, app.exit, 128 + number)
