"""A program for pty tests: the real screen on a session that says hostile things."""

import asyncio
import sys

from support.fake_session import Ask, FakeSession, FakeStatus, may_run, said
from support.hostile import ESCAPES

from aoci_agent.agent.events import SessionStarted
from aoci_agent.tui.app import run_app
from aoci_agent.tui.approver import ScreenApprover


class Late(FakeSession):
    """Opens like a real session: not at once."""

    async def ready(self) -> SessionStarted:
        await asyncio.sleep(0.2)
        return await super().ready()


def hostile_session() -> Late:
    """Says every escape sequence in a reply, in its status and in a question."""
    whole = "\n".join(f"{number} {text}" for number, text in enumerate(ESCAPES))
    status = FakeStatus(branch=whole, index_status=whole)
    return Late([*said(whole), *said("HEARD"), Ask(may_run(whole))], status=status)


if __name__ == "__main__":
    session = hostile_session()
    assert isinstance(session.approver, ScreenApprover)
    sys.exit(run_app(session, session.approver, banner="\x1b]0;pwned\x07[b]"))
