"""The TUI: the screen first, the session behind it."""

import os
import sys
from typing import TYPE_CHECKING

from aoci_agent.agent.mode import Mode
from aoci_agent.base.errors import BadUsage
from aoci_agent.base.places import Places
from aoci_agent.base.terminal import clean
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.deferred import DeferredSession, Pending

if TYPE_CHECKING:
    from aoci_agent.bench import Launch

NO_SANDBOX = "NO SANDBOX: commands run with all your rights, network included"
WITHOUT = 'aoci-agent -p "what to do" works without one'


def run(arguments: Arguments) -> int:
    """Open the screen in this repository. Raises BadUsage without a terminal that can show it."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BadUsage("this is not a terminal", WITHOUT)
    if os.environ.get("TERM") == "dumb":
        raise BadUsage("this terminal can only write lines (TERM=dumb)", WITHOUT)
    if arguments.go_on or arguments.resume is not None:
        from aoci_agent.cli.launch import record_of, say_resumed

        say_resumed(arguments)
        record_of(arguments, Places(os.environ))  # what is refused is refused before the screen
    from aoci_agent.tui.app import run_app
    from aoci_agent.tui.approver import ScreenApprover

    approver = ScreenApprover()
    session = DeferredSession(lambda: _launch(arguments), approver, _pending(arguments))
    history = None if arguments.no_session else Places(os.environ).history_file
    banner = NO_SANDBOX if arguments.dangerously_no_sandbox else ""
    code = run_app(session, approver, first_prompt=arguments.prompt, banner=banner, history=history)
    if session.steps():
        from aoci_agent.cli.figures import turn_line

        print(turn_line(session.totals))
    if session.left:
        print(clean(session.left))
    return code


def _launch(arguments: Arguments) -> "Launch":
    from aoci_agent.cli.launch import launch_from

    return launch_from(arguments)


def _pending(arguments: Arguments) -> Pending:
    return Pending(arguments.model or "", arguments.policy or "aoci", Mode(arguments.mode or "ask"))
