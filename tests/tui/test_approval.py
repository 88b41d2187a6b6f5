from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
from support.fake_session import Ask, FakeSession, Hold, edited, finished, may_edit, may_run
from support.screens import Driver, running
from textual.events import Paste

from aoci_agent.agent.approval import Answer, Decision, Effect, Question
from aoci_agent.agent.events import ApprovalAnswered, Event
from aoci_agent.tools.tool import Preview
from aoci_agent.tui.widgets.approval import SETTLE


class Listening(FakeSession):
    """Keeps the decisions the screen gave."""

    decisions: list[Decision]

    async def run(self, prompt: str) -> AsyncGenerator[Event]:
        self.decisions = []
        async for event in super().run(prompt):
            self._note(event)
            yield event

    def _note(self, event: Event) -> None:
        if isinstance(event, ApprovalAnswered):
            self.decisions.append(event.decision)


def asking(question: Question) -> Listening:
    return Listening([Ask(question), finished()])


async def answered(it: Driver, session: Listening) -> Decision:
    await it.until(lambda: session.decisions)
    await it.until(lambda: it.panel is None)
    return session.decisions[0]


async def test_it_shows_kind_command_reason_and_keys() -> None:
    async with running(asking(may_run("make && ls"))) as it:
        await it.send("go")
        await it.until_asked()
        for words in ("Run this command?", "$ make && ls", "mode ask", "y yes, once", "n no"):
            assert words in it.screen


async def test_it_shows_the_diff_with_line_numbers() -> None:
    async with running(asking(may_edit()), (100, 40)) as it:
        await it.send("go")
        await it.until_asked()
        assert "Allow this edit?  edit shop/quotes.py" in it.screen
        assert "12 +     if quote.discount >= 1:" in it.screen
        assert "a allows in this session: edit(/shop/quotes.py)" in it.screen


KEYS = (
    (("y",), Answer.ONCE),
    (("a",), Answer.SESSION),
    (("enter",), Answer.DENY),
    (("left", "enter"), Answer.SESSION),
    (("tab", "tab", "enter"), Answer.ONCE),
)


@pytest.mark.gate("T21", control=True)
async def test_every_key_gives_its_answer_and_the_default_is_no() -> None:
    session = Listening(
        [*(Ask(may_run(f"make {number}")) for number in range(len(KEYS))), finished()]
    )
    async with running(session) as it:
        await it.send("go")
        for number, (keys, answer) in enumerate(KEYS):
            await it.until_shown(f"$ make {number}")
            await it.until_asked()
            await it.press(*keys)
            await it.until(lambda wanted=number: len(session.decisions) > wanted)
            assert session.decisions[-1].answer is answer
        await it.until(lambda: it.panel is None)
        assert it.app.focused is it.prompt


async def test_a_comment_goes_with_the_denial() -> None:
    session = asking(may_run())
    async with running(session) as it:
        await it.send("go")
        await it.until_asked()
        await it.alone("c")
        await it.press(*"yes", "space", "n", "enter")
        assert await answered(it, session) == Decision(Answer.DENY, "yes n")
        assert "you denied bash: yes n" in it.screen


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (160, 50)])
async def test_a_long_body_never_pushes_the_answers_off_the_screen(size: tuple[int, int]) -> None:
    async with running(asking(may_run("ls\n" * 90)), size) as it:
        await it.send("go")
        await it.until_asked()
        await it.alone("c")
        await it.press(*"why")
        lines = it.screen.splitlines()
        assert any("y yes, once" in line for line in lines)
        assert any(line.strip(" │") == "why" for line in lines)
        assert lines[-1].strip().startswith("aoci |")


async def test_escape_leaves_the_comment_but_not_the_question() -> None:
    session = asking(may_run())
    async with running(session) as it:
        await it.send("go")
        await it.until_asked()
        await it.alone("c")
        await it.press("x", "escape")
        assert session.decisions == []
        await it.press("y")
        assert (await answered(it, session)).answer is Answer.ONCE


@pytest.mark.gate("T21")
@pytest.mark.gate("T21")
async def test_typing_when_it_appears_goes_into_the_prompt() -> None:
    hold = Hold()
    session = Listening([hold, Ask(may_run()), finished()])
    async with running(session) as it:
        await it.send("go")
        await it.press("y", "e")
        hold.gate.set()
        await it.until(lambda: it.panel is not None and it.app.focused is it.panel)
        await it.press("s", "y", "y", "enter")
        assert session.decisions == []
        assert it.prompt.text == "yesyy"
        await it.pilot.pause(0.35)
        await it.press("enter")  # letters go into the prompt, now that something stands there
        assert (await answered(it, session)).answer is Answer.DENY
        assert it.prompt.text == "yesyy"


@pytest.mark.gate("T21")
@pytest.mark.parametrize("words", ["add a test", "yes and no", "on it", "now can you", "What a"])
async def test_words_are_no_answer(words: str) -> None:
    """Whatever they begin with, however many letters of them would answer."""
    session = asking(may_run())
    async with running(session) as it:
        await it.send("go")
        await it.until_asked()
        for letter in words:
            await it.press("space" if letter == " " else letter)
            await it.pilot.pause(0.02)
        await it.pilot.pause(SETTLE + 0.1)
        assert session.decisions == []
        assert it.prompt.text == words


@pytest.mark.gate("T21")
async def test_a_prompt_that_is_being_written_is_not_an_answer() -> None:
    session = asking(may_run())
    async with running(session) as it:
        await it.send("go")
        await it.until_asked()
        it.prompt.put("later: ")
        for letter in "aya":
            await it.press(letter)
            await it.pilot.pause(SETTLE + 0.1)
        assert session.decisions == []
        assert it.prompt.text == "later: aya"
        await it.press("left", "left", "enter")
        assert (await answered(it, session)).answer is not Answer.DENY


async def test_a_command_can_be_let_out_of_the_sandbox_once() -> None:
    boxed = replace(may_run("git commit -m x"), box="sandbox: strong; no network", confined=True)
    session = Listening([Ask(boxed), Ask(may_run("make")), finished()])
    async with running(session, (100, 30)) as it:
        await it.send("go")
        await it.until_asked()
        assert "o yes, outside the sandbox" in it.screen
        await it.press("o")
        await it.until(lambda: session.decisions)
        assert session.decisions == [Decision(Answer.ONCE, outside=True)]
        await it.until_shown("$ make")
        assert "outside the sandbox" not in it.screen.rpartition("$ make")[2]


@pytest.mark.gate("P73", "T21")
@pytest.mark.gate("T21")
async def test_a_paste_never_answers() -> None:
    session = asking(may_run())
    async with running(session) as it:
        await it.send("go")
        await it.until_asked()
        it.app.post_message(Paste("y\ny\n"))
        await it.pilot.pause()
        assert session.decisions == []
        assert it.prompt.text == "y\ny\n"


async def test_clicking_elsewhere_does_not_take_the_keys_away() -> None:
    session = Listening([*edited(), Ask(may_run()), finished()])
    async with running(session, (100, 40)) as it:
        await it.send("go")
        await it.until_asked()
        await it.pilot.click(".call")
        await it.pilot.click("#prompt")
        await it.pilot.pause()
        assert it.app.focused is it.panel
        await it.press("y")
        assert (await answered(it, session)).answer is Answer.ONCE


@pytest.mark.gate("T20")
async def test_a_long_command_is_approved_only_when_its_end_was_seen() -> None:
    session = asking(may_run("\n".join(f"echo {number}" for number in range(30)) + "\nrm -rf ~"))
    async with running(session) as it:
        await it.send("go")
        await it.until_asked()
        assert "more lines" in it.screen
        assert "rm -rf" not in it.screen
        await it.alone("y")
        assert session.decisions == []
        while "rm -rf ~" not in it.screen:
            await it.press("pagedown")
        await it.press("y")
        assert (await answered(it, session)).answer is Answer.ONCE


@pytest.mark.gate("P79", "P81", "P83")
async def test_it_says_which_parts_ask_and_what_always_would_grant() -> None:
    command = "git status && make all && npm test && rm -rf tmp"
    session = asking(
        Question(
            *("c", "bash", Effect.RUN, Preview("command", "bash", command, command)),
            *("mode ask confirms commands; rm can destroy or run things",),
            *(("make all", "npm test", "rm -rf tmp"), ("bash(make all)", "bash(npm test)")),
            "sandbox: partial; no network",
        )
    )
    async with running(session, (100, 40)) as it:
        await it.send("go")
        await it.until_asked()
        lines = [line.strip(" │") for line in it.screen.splitlines()]
        assert f"$ {command}" in lines
        at = lines.index("needs your consent:")
        assert lines[at + 1 : at + 4] == ["make all", "npm test", "rm -rf tmp"]
        at = lines.index("a allows in this session:")
        assert lines[at + 1 : at + 3] == ["bash(make all)", "bash(npm test)"]
        assert "the model asks; mode ask confirms commands; rm can destroy or run things" in lines
        assert "sandbox: partial; no network" in lines
        await it.press("a")
        assert (await answered(it, session)).answer is Answer.SESSION
        await it.until_shown("you allowed for this session: bash(make all), bash(npm test)")


@pytest.mark.gate("P81")
async def test_always_is_offered_only_for_something_exact() -> None:
    preview = Preview("text", "fetch", "https://example.org")
    session = asking(Question("c", "fetch", Effect.RUN, preview))
    async with running(session) as it:
        await it.send("go")
        await it.until_asked()
        assert "always" not in it.screen
        await it.press("a", "left", "enter")
        assert session.decisions != [Decision(Answer.SESSION)]


@pytest.mark.gate("P92")
async def test_interrupting_the_turn_takes_the_question_down() -> None:
    session = asking(may_run())
    async with running(session) as it:
        await it.send("go")
        await it.until_asked()
        await it.app.run_action("interrupt")
        await it.until(lambda: it.panel is None)
        assert session.interrupted == 1
        assert it.app.focused is it.prompt


async def test_leaving_while_a_question_is_open() -> None:
    session = asking(may_run())
    async with running(session) as it:
        await it.send("go")
        await it.until_asked()
        await it.press("ctrl+q")
    assert session.interrupted == 1
    assert session.closed


async def test_one_question_at_a_time() -> None:
    session = Listening([Ask(may_run("one")), Ask(may_edit()), finished()])
    async with running(session) as it:
        await it.send("go")
        await it.until_asked()
        await it.press("y")
        await it.until_shown("Allow this edit?")
        assert "Run this command?" not in it.screen


@pytest.mark.gate("P74")
async def test_the_transcript_scrolls_behind_a_question() -> None:
    session = Listening([*edited(), *edited(), Ask(may_run("ls")), finished()])
    async with running(session) as it:
        await it.send("go")
        await it.until_asked()
        before = it.screen
        await it.press("pageup")
        assert it.screen != before
        assert "Run this command?" in it.screen
