"""As many items as fit in a limit of tokens."""

from collections.abc import Callable
from typing import TypeVar

from aoci_agent.base import tokens

T = TypeVar("T")

# No text worth reading has more characters to a token; longer need not be counted exactly.
CHARACTERS = 8


def fit(items: list[T], render: Callable[[list[T]], str], limit: int) -> tuple[str, int]:
    """The text of the first items within `limit` tokens, at least of one; and how many they are."""
    count = len(items)
    while True:
        text = render(items[:count])
        size = tokens.count(text) if len(text) <= limit * CHARACTERS else len(text) // 4
        if size <= limit or count <= 1:
            return text, count
        # A little below the proportional share, because items differ.
        count = max(1, min(count - 1, int(count * limit / size * 0.98)))
