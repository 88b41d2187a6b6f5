import pytest
from support.fake_session import FakeSession, FakeStatus, Hold, finished, step
from support.screens import running

from aoci_agent.agent.approval import Mode
from aoci_agent.agent.models.model import Usage
from aoci_agent.agent.preview import Choice
from aoci_agent.agent.saving import Saving
from aoci_agent.tui import commands


def test_what_is_a_command() -> None:
    assert commands.split("/index show a.py") == ("index", "show a.py")
    assert commands.split("  /help ") == ("help", "")
    assert commands.split(":q") == ("quit", "")
    assert commands.split("/usr/lib is broken") is None
    assert commands.split("why?") is None
    assert commands.split("/") is None


def test_names_and_aliases_are_unique() -> None:
    names = [word for each in commands.COMMANDS for word in (each.name, *each.aliases)]
    assert len(names) == len(set(names))
    assert all(commands.named(name) for name in names)


def test_completion_stops_at_the_first_blank() -> None:
    assert [each.name for each in commands.starting_with("/mo")] == ["model", "mode"]
    assert commands.starting_with("/mode ") == []
    assert commands.starting_with("mo") == []


@pytest.mark.parametrize(
    ("typed", "near"), [("hlep", "/help"), ("modle", "/model"), ("costs", "/cost")]
)
def test_an_unknown_command_names_near_ones(typed: str, near: str) -> None:
    error = commands.unknown(typed)
    assert typed in error.message
    assert near in error.hint


async def test_help_lists_commands_and_keys() -> None:
    async with running(FakeSession(), (80, 40)) as it:
        await it.send("/help")
        for word in ("/policy [name]", "/quit", "Shift+Tab", "(also /?)"):
            assert word in it.screen


async def test_unknown_commands_are_answered_on_screen() -> None:
    async with running(FakeSession()) as it:
        await it.send("/hlep")
        assert "there is no command /hlep" in it.screen
        assert "did you mean /help?" in it.screen


async def test_the_model_is_shown_offered_and_switched() -> None:
    session = FakeSession(found=("ollama/qwen",))
    async with running(session, (120, 24)) as it:
        await it.send("/model")
        assert "○ ollama/qwen" in it.screen
        await it.send("/model ollama/qwen")
        assert session.status.model == "ollama/qwen"
        assert it.screen.splitlines()[-1].endswith("ollama/qwen")


async def test_a_wrong_name_is_one_red_line_with_the_way_out() -> None:
    async with running(FakeSession()) as it:
        await it.send("/model bad")
        assert "✗ no provider knows bad" in it.screen
        assert "try anthropic/claude" in it.screen
        await it.send("/policy nope")
        assert "choose from aoci, grep-read" in it.screen
        await it.send("/mode nope")
        assert "choose from read-only, ask, auto-edit, full-auto" in it.screen


async def test_policy_and_mode_show_in_the_footer() -> None:
    session = FakeSession()
    async with running(session, (120, 24)) as it:
        await it.send("/policy grep-read")
        await it.send("/mode full-auto")
        assert session.status.mode is Mode.FULL_AUTO
        footer = it.screen.splitlines()[-1]
        assert footer.strip().startswith("grep-read |")
        assert "full-auto" in footer


async def test_clear_empties_the_screen() -> None:
    session = FakeSession()
    async with running(session) as it:
        await it.send("/help")
        await it.send("/clear")
        assert session.cleared == 1
        assert "Shift+Tab" not in it.screen


async def test_the_index_answers_without_a_model() -> None:
    session = FakeSession(status=FakeStatus(model=""), found=("ollama/qwen", "lm_studio/phi"))
    async with running(session) as it:
        assert "no model: set a key or start a local server; /index works without" in it.screen
        assert "found: ollama/qwen, lm_studio/phi" in it.screen
        assert "choose with /model ollama/qwen" in it.screen
        await it.send("/index discount")
        assert "index: discount" in it.screen


async def test_cost_shows_steps_layers_and_provenance() -> None:
    async with running(FakeSession([step()]), (100, 50)) as it:
        await it.send("/cost")
        assert "no model call yet" in it.screen
        await it.send("go")
        await it.send("/cost")
        assert "index header" in it.screen
        assert "~40k" in it.screen
        assert "hit 95%" in it.screen


async def test_context_is_a_map_of_the_last_request() -> None:
    async with running(FakeSession([step()]), (100, 50)) as it:
        await it.send("/context")
        assert "no call has measured it yet" in it.screen
        await it.send("go")
        await it.send("/context")
        await it.until_shown("as the provider counted it")
        assert "kept for a reply" in it.screen


async def test_policy_without_a_name_previews_and_takes_another_question() -> None:
    session = FakeSession()
    session.choices = (Choice("aoci", True, {"conversation": 900}, Usage(2_000), 0),)
    async with running(session, (120, 40)) as it:
        await it.send("/policy")
        await it.until_shown("● aoci")
        await it.send("/policy for where is it?")
        await it.until(lambda: len(session.previewed) == 2)
    assert session.previewed == ["", "where is it?"]


async def test_a_limit_is_shown_and_changed() -> None:
    async with running(FakeSession([step()]), (100, 50)) as it:
        await it.send("/budget")
        assert "$0.00 of $0.50 (--max-cost)" in it.screen
        await it.send("/budget cost 2")
        assert "cost: $2.00, from the next call on" in it.screen
        await it.send("/budget cots 2")
        assert "there is no limit 'cots'" in it.screen


async def test_what_the_index_saved_stands_below_the_turn() -> None:
    session = FakeSession([step(), finished("done")])
    session.saved = Saving(("a.py",), 2.0, 34_000, 0.041, 120_000, 0.013, 0)
    async with running(session, (100, 50)) as it:
        await it.send("go")
        await it.until_shown("index this turn (estimate): saved ~$0.028")
        await it.send("/cost")
        await it.until(lambda: it.screen.count("(estimate)") == 2)


async def test_some_commands_wait_for_the_turn() -> None:
    session = FakeSession([Hold()])
    async with running(session) as it:
        await it.send("go")
        await it.send("/clear")
        assert "/clear: not now, the turn is running; send it again afterwards" in it.screen
        assert session.cleared == 0
        await it.send("/cost")
        assert "no model call yet" in it.screen


async def test_commands_before_the_session_is_open() -> None:
    hold = Hold()
    async with running(FakeSession(opens=hold), (80, 40)) as it:
        await it.send("/cost")
        assert "the session is still opening" in it.screen
        await it.send("/?")
        assert "Commands" in it.screen


@pytest.mark.parametrize("text", ["/exit", ":q"])
async def test_quit_closes_the_session(text: str) -> None:
    session = FakeSession()
    async with running(session) as it:
        await it.send(text)
    assert session.closed
    assert it.app.return_value == 0


async def test_tab_completes_and_enter_never_runs_half_a_name() -> None:
    session = FakeSession()
    async with running(session) as it:
        await it.press("/", "c")
        assert "/clear" in it.screen
        assert "/cost" in it.screen
        await it.press("enter")
        assert it.prompt.text == "/clear "
        assert session.cleared == 0
        await it.press("ctrl+c", "/", "c", "down", "tab")
        assert it.prompt.text == "/cost "
        await it.press("escape", "ctrl+c", "/", "c", "escape")
        assert "tokens and dollars" not in it.screen
