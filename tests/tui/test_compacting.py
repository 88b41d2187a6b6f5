"""/compact on the screen, and what a resumed session shows."""

from support.fake_session import FakeSession, Hold
from support.screens import running

from aoci_agent.agent.events import HistoryRewritten, Notice
from aoci_agent.policies.conversation import AssistantMessage, UserMessage


async def test_compact_shows_what_it_did_and_takes_a_focus() -> None:
    session = FakeSession()
    session.compacting = [HistoryRewritten("compacted: from 9,000 to 700 tokens", ())]
    async with running(session) as it:
        await it.send("/compact the discount rules")
        await it.until(lambda: "from 9,000 to 700" in it.screen)
        assert session.compacted == ["the discount rules"]
        await it.send("and now?")
        await it.until(lambda: session.prompts == ["and now?"])


async def test_esc_interrupts_compacting_and_what_was_typed_meanwhile_is_given_back() -> None:
    session = FakeSession()
    session.compacting = [Hold()]
    async with running(session) as it:
        await it.send("/compact")
        await it.until(lambda: session.compacted)
        await it.send("meanwhile")
        await it.press("escape")
        await it.until(lambda: "nothing was changed" in it.screen)
        assert it.prompt.text == "meanwhile"
        assert session.prompts == []


async def test_a_resumed_session_shows_what_was_said_and_what_to_know() -> None:
    session = FakeSession()
    session.messages = (UserMessage("mend [it", question="mend [it"), AssistantMessage("mended"))
    session.notices = (Notice("going on with session 2026", "info"), Notice("too big", "error"))
    async with running(session) as it:
        for words in ("mend [it", "mended", "going on with session 2026", "too big"):
            assert words in it.screen
