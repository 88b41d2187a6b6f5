"""Text that stands for code somebody did not write out."""

import re

from aoci_agent.base.errors import TryAgain

_COMMENT = r"^\s*(?:#|//|/\*|--|<!--|\{/\*|;|%)?\s*"
_PHRASE = (
    r"(?:the\s+)?(?:rest|remainder|remaining|existing|previous|other|unchanged|same)\b"
    r"[\w\s,'-]{0,60}\b(?:code|file|function|functions|method|methods|class|implementation|content|"
    r"unchanged|same|here|before|imports|above|tests|lines)\b[\w\s,'-]{0,40}"
)
_DOTS = r"(?:\.\.\.|\u2026)"
_PLACEHOLDER = re.compile(
    rf"{_COMMENT}(?:[\[(<]?\s*{_DOTS}\s*{_PHRASE}\s*{_DOTS}?|{_PHRASE}\s*{_DOTS})\s*[\])>]?"
    r"\s*(?:\*/|-->|\*/\})?\s*\.?$"
    rf"|^\s*(?:#|//|/\*|--|<!--)\s*(?:the\s+)?(?:rest|remainder)\s+of\s+(?:the\s+)?[\w\s]{{1,40}}"
    r"(?:unchanged|the\s+same|as\s+before|goes\s+here|remains?)\b.*$",
    re.IGNORECASE,
)


def refuse_placeholders(new: str, present: str) -> None:
    """Raise TryAgain when the new text has a placeholder line that the present text has not."""
    for line in new.split("\n"):
        if len(line) < 200 and _PLACEHOLDER.match(line) and line.strip() not in present:
            raise TryAgain(
                f'"{line.strip()}" stands for code that is not written out, and would replace it.'
                " Give the whole text, or change only the lines that differ with edit"
            )
