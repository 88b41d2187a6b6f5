"""Prompt files: the text a model reads about a tool lives beside the tool."""

from functools import cache
from pathlib import Path


@cache
def load(name: str) -> str:
    """The text of `builtin/<name>.md`, without the final newline."""
    path = Path(__file__).parent / "builtin" / f"{name}.md"
    return path.read_text(encoding="utf-8").strip()
