"""Foreign text on its way to the screen: cleaned once, never parsed as markup."""

from textual.content import Content

from aoci_agent.base.terminal import clean, one_line

TAB = 4


def block(text: str, style: str = "") -> Content:
    """Any number of lines, shown literally. `style` is ours, never foreign."""
    return Content.styled(clean(text).expandtabs(TAB), style) if text else Content("")


def line(text: str, width: int = 200, style: str = "") -> Content:
    """One line of at most `width` cells; line breaks become a visible sign."""
    return Content.styled(one_line(text, width), style)
