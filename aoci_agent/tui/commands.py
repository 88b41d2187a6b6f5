"""The slash commands, as one explicit tuple."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from aoci_agent.base.errors import BadUsage
from aoci_agent.tui.session import Session

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from aoci_agent.agent.events import Event

KEYS = (
    ("Enter", "send, or queue while the agent works"),
    ("Shift+Enter, Ctrl+J", "new line (Alt+Enter too)"),
    ("Esc", "interrupt the model and its command; twice when idle: go back"),
    ("Shift+Tab", "next mode: read-only, ask, auto-edit"),
    ("Up, Down", "earlier prompts; Ctrl+R searches them"),
    ("Tab", "complete a command; unfold a paste; when empty, go to the tool calls"),
    ("Ctrl+O", "open or close the output of all tool calls"),
    ("Ctrl+Y", "copy the last answer"),
    ("PageUp, PageDown", "scroll"),
    ("Ctrl+C", "clear the prompt; twice when empty quits"),
    ("Ctrl+D", "quit on an empty prompt"),
)
FULL_AUTO = "edits and commands run without asking; Shift+Tab leaves it"


class Front(Protocol):
    """What a command may touch."""

    @property
    def session(self) -> Session: ...

    def say(self, text: str) -> None:
        """Show plain text in the transcript."""
        ...

    @property
    def work(self) -> "Callable[[AsyncGenerator[Event], str], None]":
        """Shows what comes of something that takes a while as a turn is shown; Esc interrupts it."""
        ...

    def copy_answer(self) -> str:
        """Put the newest answer on the clipboard; what to say of it."""
        ...

    def start_over(self) -> None:
        """Empty the transcript."""
        ...

    async def choose_point(self) -> None:
        """Put up what one can go back to."""
        ...

    def rewound(self, what: str, prompt: str) -> None:
        """Say what was put back, and show the conversation as it is now."""
        ...

    def trust_decided(self) -> None:
        """Take the question down, and show what holds now."""
        ...

    def status_changed(self) -> None:
        """Read the session's status and figures again."""
        ...

    @property
    def leave(self) -> Callable[[], Awaitable[None]]:
        """Ends the program."""
        ...


@dataclass(frozen=True, slots=True)
class State:
    """What decides whether a command may run now."""

    opened: bool
    running: bool


@dataclass(frozen=True, slots=True)
class Command:
    """One slash command. `name` and `aliases` are written without the slash."""

    name: str
    summary: str
    run: Callable[[Front, str], Awaitable[None]]
    arguments: str = ""
    aliases: tuple[str, ...] = ()
    while_running: bool = True
    needs_session: bool = True


async def _help(front: Front, words: str) -> None:
    rows = [(f"/{command.name} {command.arguments}".rstrip(), command) for command in COMMANDS]
    width = max(len(usage) for usage, _ in rows)
    lines = ["Commands"]
    for usage, command in rows:
        also = f" (also {', '.join('/' + name for name in command.aliases)})"
        lines.append(f"  {usage:<{width}}  {command.summary}{also if command.aliases else ''}")
    width = max(len(key) for key, _ in KEYS)
    lines += ["", "Keys", *(f"  {key:<{width}}  {what}" for key, what in KEYS)]
    front.say("\n".join(lines))


async def _model(front: Front, words: str) -> None:
    if words:
        front.say(await front.session.set_model(words))
        front.status_changed()
        return
    current = front.session.status.model
    found = await front.session.models()
    lines = [f"model: {current}" if current else "no model is set"]
    lines += [f"  {'●' if name == current else '○'} {name}" for name in found]
    lines.append("choose one with /model NAME, for example /model anthropic/claude-sonnet-5-5")
    front.say("\n".join(lines))


async def _policy(front: Front, words: str) -> None:
    if words and not words.startswith("for "):
        front.say(front.session.set_policy(words))
        front.status_changed()
        return
    from aoci_agent.tui.policy_table import policy_table

    session = front.session
    choices = await session.policies(words.removeprefix("for "))
    front.say(policy_table(choices, session.status.window))


async def _mode(front: Front, words: str) -> None:
    from aoci_agent.agent.approval import Mode

    names = ", ".join(Mode)
    if words:
        try:
            mode = Mode(words)
        except ValueError as error:
            raise BadUsage(f"there is no mode {words!r}", f"choose from {names}") from error
        front.session.set_mode(mode)
        front.status_changed()
    front.say(f"mode: {front.session.status.mode} (of {names})")
    if words == Mode.FULL_AUTO:
        front.say(FULL_AUTO)


async def _clear(front: Front, words: str) -> None:
    front.session.clear()
    front.start_over()
    front.status_changed()
    front.say("new conversation")


async def _trust(front: Front, words: str) -> None:
    from aoci_agent.tui.trust_lines import TURNS_ON, WITHOUT, headline, what_lines

    if words in ("yes", "no"):
        front.say(front.session.set_trust(trusted=words == "yes"))
        front.trust_decided()
        return
    if words:
        raise BadUsage(f"/trust takes yes or no, not {words!r}", "/trust shows what it is about")
    trust = front.session.trust
    lines = [headline("this folder", trust.state), *what_lines(trust), TURNS_ON, WITHOUT]
    front.say("\n".join((*lines, "decide with /trust yes or /trust no")))


async def _rewind(front: Front, words: str) -> None:
    await front.choose_point()


async def _redo(front: Front, words: str) -> None:
    from aoci_agent.tui.rewind_lines import told

    points = await front.session.rewind.points()
    if not points or points[0].name.startswith("turn"):
        earlier = next((p.label for p in points if not p.name.startswith("turn")), "")
        row = f", row {earlier} to before the last rewinding" if earlier else ""
        raise BadUsage("nothing was rewound since the last question", f"/rewind goes back{row}")
    what = "both" if points[0].conversation else "code"
    done = await front.session.rewind.restore(points[0], what)
    front.rewound(told(points[0], what, done), done.prompt)


async def _compact(front: Front, words: str) -> None:
    front.work(front.session.compact(words), "making room")


async def _index(front: Front, words: str) -> None:
    front.say(await front.session.index(words))


async def _cost(front: Front, words: str) -> None:
    from aoci_agent.tui.account_lines import saving_line
    from aoci_agent.tui.cost_table import cost_table

    session = front.session
    table = cost_table(session.steps(), session.cost(), session.turn())
    saving = session.saving()
    front.say(table if saving is None else f"{table}\n\n{saving_line(saving)}")


async def _context(front: Front, words: str) -> None:
    from aoci_agent.tui.context_map import context_map

    front.say(context_map(front.session.gauge()))


async def _budget(front: Front, words: str) -> None:
    from aoci_agent.tui.account_lines import budget_lines

    session = front.session
    key, _, value = words.partition(" ")
    front.say(session.set_limit(key, value.strip()) if words else budget_lines(session.limits()))


async def _copy(front: Front, words: str) -> None:
    front.say(front.copy_answer())


async def _quit(front: Front, words: str) -> None:
    await front.leave()


COMMANDS: tuple[Command, ...] = (
    Command("help", "commands and keys", _help, aliases=("?",), needs_session=False),
    Command("model", "show or switch the model", _model, "[name]", while_running=False),
    Command(
        "policy",
        "what the next call would cost under each; switch",
        _policy,
        "[name]",
        while_running=False,
    ),
    Command("mode", "show or switch permissions", _mode, "[name]"),
    Command("trust", "what this folder runs by itself; trust it or not", _trust, "[yes|no]"),
    Command("clear", "start a new conversation", _clear, aliases=("new",), while_running=False),
    Command(
        "index", "status, WORDS, show PATH, update, diff (what it would write)", _index, "[words]"
    ),
    Command("cost", "tokens and dollars by step, bucket and layer", _cost),
    Command("context", "what fills the window, and what is left", _context),
    Command("budget", "show the limits, or change one", _budget, "[name value]"),
    Command(
        "compact",
        "make room: digest and summary of the conversation",
        _compact,
        "[focus]",
        while_running=False,
    ),
    Command(
        "rewind",
        "go back to before a question: code, conversation or both",
        _rewind,
        aliases=("undo",),
        while_running=False,
    ),
    Command("redo", "take the last /rewind back", _redo, while_running=False),
    Command("copy", "copy the last answer (Ctrl+Y too)", _copy),
    Command("quit", "leave", _quit, aliases=("exit",), needs_session=False),
)


def named(name: str) -> Command | None:
    """The command of that name or alias, without the slash."""
    for command in COMMANDS:
        if name == command.name or name in command.aliases:
            return command
    return None


def starting_with(text: str) -> list[Command]:
    """Commands that could complete `text`, which starts with a slash; none once a space is typed."""
    if not text.startswith("/") or any(mark in text for mark in " \n"):
        return []
    prefix = text[1:]
    return [
        command
        for command in COMMANDS
        if any(name.startswith(prefix) for name in (command.name, *command.aliases))
    ]


def split(text: str) -> tuple[str, str] | None:
    """("index", "show a.py") when `text` is a command; None for a prompt, also one like `/usr/lib`."""
    stripped = text.strip()
    if stripped in ("exit", "quit", ":q"):
        return "quit", ""
    first, _, rest = stripped.partition(" ")
    if not first.startswith("/") or "/" in first[1:] or "\n" in first or first == "/":
        return None
    return first[1:], rest.strip()


def unknown(name: str) -> BadUsage:
    """What to say about a command that does not exist."""
    from difflib import get_close_matches

    known = [word for command in COMMANDS for word in (command.name, *command.aliases)]
    near = get_close_matches(name, known, n=3, cutoff=0.5)
    hint = "did you mean " + " or ".join(f"/{word}" for word in near) + "?" if near else ""
    return BadUsage(f"there is no command /{name}", hint or "/help lists them")


async def dispatch(name: str, words: str, front: Front, state: State) -> None:
    """Run a command. Raises BadUsage when it does not exist or must wait."""
    command = named(name)
    if command is None:
        raise unknown(name)
    if command.needs_session and not state.opened:
        raise BadUsage(f"/{command.name}: the session is still opening")
    if state.running and not command.while_running:
        raise BadUsage(
            f"/{command.name}: not now, the turn is running; send it again afterwards",
            "Esc interrupts the turn",
        )
    await command.run(front, words)
