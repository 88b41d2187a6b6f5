"""The small list of commands that could complete what is typed."""

from collections.abc import Sequence

from textual.content import Content
from textual.widgets._static import Static

from aoci_agent.tui.commands import Command, starting_with


class Completions(Static):
    """Hidden while nothing matches; never takes the focus."""

    def __init__(self) -> None:
        super().__init__(markup=False, id="completions")
        self._commands: list[Command] = []
        self._text = ""
        self._at = 0
        self.display = False

    @property
    def chosen(self) -> Command | None:
        """The highlighted command, None while hidden."""
        return self._commands[self._at] if self._commands else None

    def offer_for(self, text: str) -> None:
        """Show what could complete `text`; nothing hides the widget."""
        if text != self._text:
            self._text = text
            # What is typed whole comes first: Enter after /mode must not run /model.
            found = starting_with(text)
            self._show(sorted(found, key=lambda command: f"/{command.name}" != text))

    def close(self) -> None:
        """Hide until the text changes."""
        self._show([])

    def _show(self, commands: Sequence[Command]) -> None:
        self._commands = list(commands)
        self._at = 0
        self._paint()

    def move(self, by: int) -> None:
        """Highlight the next or the previous one, around the ends."""
        self._at = (self._at + by) % len(self._commands)
        self._paint()

    def _paint(self) -> None:
        self.display = bool(self._commands)
        width = max((len(_usage(command)) for command in self._commands), default=0)
        lines: list[Content] = []
        for place, command in enumerate(self._commands):
            style = "reverse" if place == self._at else ""
            usage = Content.styled(f" {_usage(command):<{width}} ", style)
            lines.append(Content.assemble(usage, (f"  {command.summary}", "$muted")))
        self.update(Content("\n").join(lines))


def _usage(command: Command) -> str:
    return f"/{command.name} {command.arguments}".rstrip()
