from collections.abc import Awaitable, Callable
from typing import Protocol

import pytest
from support.fake_session import (
    LAYERS,
    Ask,
    Fail,
    FakeSession,
    FakeStatus,
    Hold,
    Item,
    edited,
    finished,
    may_edit,
    may_run,
    ran,
    said,
    step,
)
from support.screens import Driver, still_app
from textual.app import App
from textual.pilot import Pilot

from aoci_agent.agent.events import TextDelta
from aoci_agent.agent.models.model import Usage
from aoci_agent.agent.preview import Choice
from aoci_agent.agent.rewind import Point
from aoci_agent.agent.saving import Saving
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.base.trust import Item as Run, Kind
from aoci_agent.base.trust_store import State, Trust
from aoci_agent.tui.app import AgentApp
from aoci_agent.tui.widgets.prompt import Prompt


class Compare(Protocol):
    def __call__(
        self,
        app: App[int],
        terminal_size: tuple[int, int] = (80, 24),
        run_before: Callable[[Pilot[int]], Awaitable[None]] | None = None,
    ) -> bool: ...


SMALL, LARGE = (80, 24), (160, 50)
PROSE = """## What I found

The discount is applied **twice**: `price()` multiplies by `quote.discount`
instead of by its complement. The fix is one line:

```python
return total * (1 - quote.discount)
```

- the guard also has to refuse a discount of exactly 1
"""
DOWN = ModelUnavailable(
    "the endpoint http://127.0.0.1:11434 does not answer", "start the server, or /model NAME"
)
WORKED: list[Item] = [*edited(), *ran("12 passed", ok=True), step(), *said(PROSE), finished()]


def sending(text: str) -> Callable[[Pilot[int]], Awaitable[None]]:
    async def run(pilot: Pilot[int]) -> None:
        prompt = pilot.app.query_one(Prompt)
        prompt.cursor_blink = False
        await pilot.pause()
        if text:
            prompt.put(text)
            await pilot.press("enter")
        await settled(pilot)

    return run


async def settled(pilot: Pilot[int]) -> None:
    """Wait until the screen stands still, however busy the machine is."""
    assert isinstance(pilot.app, AgentApp)
    driver = Driver(pilot.app, pilot)
    seen, same = "", 0
    while same < 4:
        await pilot.pause(0.03)
        same = same + 1 if driver.screen == seen else 0
        seen = driver.screen


@pytest.mark.parametrize(
    ("items", "text", "size"),
    [
        pytest.param([], "", SMALL, id="first-80"),
        pytest.param([], "", LARGE, id="first-160"),
        pytest.param([*ran(), TextDelta(PROSE[:160]), Hold()], "fix it", SMALL, id="streaming-80"),
        pytest.param(
            [*edited(), TextDelta(PROSE[:160]), Hold()], "fix it", LARGE, id="streaming-160"
        ),
        pytest.param([*said("I will mend it."), Ask(may_edit())], "fix it", SMALL, id="diff-80"),
        pytest.param([*said("I will mend it."), Ask(may_edit())], "fix it", LARGE, id="diff-160"),
        pytest.param([step(), Ask(may_run("make && ls > out"))], "go", SMALL, id="command-80"),
        pytest.param([Fail(DOWN)], "fix it", SMALL, id="error-80"),
        pytest.param(WORKED, "fix it", SMALL, id="end-80"),
        pytest.param(WORKED, "fix it", LARGE, id="end-160"),
        pytest.param([], "/help", (80, 32), id="help"),
        pytest.param([step(), finished()], "go", (44, 16), id="narrow"),
    ],
)
def test_screens(
    snap_compare: Compare, items: list[Item], text: str, size: tuple[int, int]
) -> None:
    app = still_app(FakeSession(items))
    assert snap_compare(app, terminal_size=size, run_before=sending(text))


RUNS = (
    Run(Kind.INSTRUCTIONS, "AGENTS.md", "1", "the model"),
    Run(Kind.GIT, "git setting core.fsmonitor", "2", "git"),
    Run(Kind.GIT, "git hook pre-commit", "3", "git"),
    *(Run(Kind.SHOWN, f"packages/part{at}/conftest.py", "", "pytest") for at in range(20)),
)


@pytest.mark.parametrize("size", [SMALL, (60, 20)], ids=["80", "60"])
def test_the_question_of_trust(snap_compare: Compare, size: tuple[int, int]) -> None:
    session = FakeSession()
    session.trust = Trust(State.CHANGED, RUNS, ("AGENTS.md",))
    assert snap_compare(still_app(session), terminal_size=size, run_before=sending(""))


def test_where_one_can_go_back_to(snap_compare: Compare) -> None:
    session = FakeSession()
    session.rewind.known = (
        Point("r12", "turn 2", 0.0, 2, 3, 14),
        Point("turn 3", "make it shout", 0.0, 2, 14, 3),
        Point("turn 1", "fix the discount", 0.0, 5, 40, 9),
    )
    run = sending("/rewind")
    assert snap_compare(still_app(session), terminal_size=SMALL, run_before=run)


SAVED = Saving(("a.py", "b.py"), 4.0, 34_000, 0.041, 120_000, 0.013, 0)
CHOICES = (
    Choice(
        *("grep-read", False, {"tools": 2_600, "conversation": 19_200}),
        *(Usage(19_900, cache_read=1_900, cost=0.066), 0),
    ),
    Choice("aoci", True, LAYERS, Usage(1_100, 61_100, 0, 500, cost=0.029), 0),
    Choice("eager", False, LAYERS | {"candidates": 8_200}, Usage(9_300, 61_100, cost=0.054), 0),
    Choice(
        *("eager,no-index", False),
        {"tools": 2_600, "candidates": 8_200, "conversation": 19_200},
        *(Usage(30_000), 0),
    ),
)


@pytest.mark.parametrize("command", ["cost", "context", "policy", "budget"])
def test_what_a_session_used(snap_compare: Compare, command: str) -> None:
    session = FakeSession([step(), finished()])
    session.saved, session.choices = SAVED, CHOICES

    async def run(pilot: Pilot[int]) -> None:
        await sending("go")(pilot)
        await sending(f"/{command}")(pilot)

    assert snap_compare(still_app(session), terminal_size=(120, 40), run_before=run)


def test_without_a_model(snap_compare: Compare) -> None:
    status = FakeStatus(model="", window=None)
    app = still_app(
        FakeSession(status=status, found=("ollama/qwen2.5-coder:7b",)), "recorded replies"
    )
    assert snap_compare(app, terminal_size=SMALL, run_before=sending(""))
