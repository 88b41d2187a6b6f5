"""Sets of names, written as plain text."""


def wordset(text: str) -> frozenset[str]:
    """The blank-separated words of a text."""
    return frozenset(text.split())
