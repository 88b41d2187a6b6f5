"""The transcript: blocks from old to new, followed only while the reader is at the bottom."""

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets._static import Static

from aoci_agent.tui import foreign, signs
from aoci_agent.tui.widgets.call import Call

KEEP = 400  # blocks; older ones are in the session record


class Block(Static):
    """A still piece of the transcript."""

    def __init__(self, content: Content, kind: str) -> None:
        super().__init__(content, markup=False, classes=f"block {kind}")


class Transcript(VerticalScroll, can_focus=False):
    """Grows at the bottom. Once the reader scrolls up it stays where they are."""

    def on_mount(self) -> None:
        self.anchor()

    def add(self, widget: Widget) -> None:
        """Append a block; the oldest ones go when there are too many."""
        if self.children and all(_compact(each) for each in (self.children[-1], widget)):
            widget.add_class("tight")
        self.mount(widget)
        for old in self.children[: max(0, len(self.children) - KEEP)]:
            old.remove()

    def say(self, text: str) -> None:
        """Plain text of our own or of the session, for example the answer of a command."""
        self.add(Block(foreign.block(text), "said"))

    def say_prompt(self, prompt: str) -> None:
        """What the person sent; their own words bring the view to the bottom again."""
        text = prompt if prompt.count("\n") < 12 else _folded(prompt)
        marked = Content.assemble((f"{signs.PROMPT} ", "$text-primary bold"), foreign.block(text))
        self.add(Block(marked, "prompt"))
        self.anchor()

    def say_error(self, message: str, hint: str = "") -> None:
        """One red line, the way out after it."""
        parts: list[Content] = [foreign.line(f"✗ {message}", 600, "$text-error")]
        if hint:
            parts.append(foreign.line(f"  {hint}", 600, "$muted"))
        self.add(Block(Content("\n").join(parts), "error"))

    def say_notice(self, text: str, level: str = "info") -> None:
        """A retry, a nudge, a limit coming near."""
        styles = {"warning": "$text-warning", "error": "$text-error"}
        self.add(Block(foreign.block(f"· {text}", styles.get(level, "$muted")), "notice"))

    def clear(self) -> None:
        """Remove every block."""
        self.remove_children()

    def page(self, by: int) -> None:
        """Scroll by a page, up when `by` is negative."""
        (self.scroll_page_up if by < 0 else self.scroll_page_down)(animate=False)

    def calls(self) -> list[Call]:
        """The tool calls on the screen, oldest first."""
        return list(self.query(Call))

    def call_beside(self, focused: Widget | None, by: int) -> Call | None:
        """The call before (-1) or after (1) the focused one; None past the newest."""
        calls = self.calls()
        at = next((place for place, call in enumerate(calls) if call is focused), len(calls))
        at = max(0, at + by)
        return calls[at] if at < len(calls) else None

    def toggle_outputs(self) -> None:
        """Open the output of every call, or close all when any is open."""
        calls = self.calls()
        opened = not any(call.opened for call in calls)
        for call in calls:
            call.show(opened=opened)


def _folded(prompt: str) -> str:
    lines = prompt.split("\n")
    return "\n".join([*lines[:6], f"… {len(lines) - 8} more lines …", *lines[-2:]])


def _compact(widget: Widget) -> bool:
    return widget.has_class("call") or widget.has_class("notice")
