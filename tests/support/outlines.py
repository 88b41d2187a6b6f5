"""Outlines of small sources, in lines that tests can hold against them."""

from textwrap import dedent

from aoci_agent.views.syntax.outline import Definition, outline_of


def every(path: str, text: str) -> tuple[Definition, ...]:
    """All definitions in order; the first line of the text is line 1."""
    outline = outline_of(path, dedent(text).lstrip("\n").encode())
    assert not outline.problem
    return outline.definitions


def definitions(path: str, text: str) -> dict[str, Definition]:
    """The first definition of each qualified name, in order."""
    found: dict[str, Definition] = {}
    for item in every(path, text):
        found.setdefault(item.qualified, item)
    return found


def told(path: str, text: str) -> str:
    """`kind name start-end` for each definition, in order."""
    return "\n".join(
        f"{item.kind} {item.qualified} {item.start}-{item.end}" for item in every(path, text)
    )
