"""The languages: one row each, with the module that reads its facts and the one that resolves its imports."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import NamedTuple


class Language(NamedTuple):
    """One language. `reader` and `resolver` are `module:name` of `aoci.facts` and `aoci.resolve`.

    Both are imported when the first file needs them. Languages that share a resolver see each
    other's files. `comments` names the syntax that `normal.py` leaves out of the semantic hash.
    """

    name: str  # as `Facts.language` says it
    shown: str  # as the header says it; what follows a slash is a dialect
    extensions: tuple[str, ...]
    reader: str
    resolver: str = ""
    comments: str = "slash"  # hash, slash, or any of `normal.STYLES`


LANGUAGES: tuple[Language, ...] = (
    Language("python", "Python", (".py", ".pyi", ".pyw"), "python:python", "python:PythonResolver", "python"),
    Language("typescript", "TypeScript", (".ts", ".mts", ".cts"), "typescript:typescript", "typescript:ScriptResolver"),
    Language("tsx", "TypeScript/React", (".tsx",), "typescript:tsx", "typescript:ScriptResolver"),
    Language(
        "javascript", "JavaScript", (".js", ".jsx", ".mjs", ".cjs"), "typescript:javascript", "typescript:ScriptResolver"
    ),
    Language("go", "Go", (".go",), "go:go", "go:GoResolver"),
)  # fmt: skip

BY_NAME: Mapping[str, Language] = {language.name: language for language in LANGUAGES}
_BY_EXTENSION = {ending: language for language in LANGUAGES for ending in language.extensions}
# Languages that run in a browser: hooks, components and client state are theirs alone.
BROWSER = frozenset(("typescript", "tsx", "javascript", "vue", "svelte"))


def language_of(path: str) -> Language | None:
    """The language a file's name says, None for everything without a row."""
    return _BY_EXTENSION.get(PurePosixPath(path).suffix)
