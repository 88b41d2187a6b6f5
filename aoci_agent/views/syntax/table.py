"""The languages: one row each. To add one, write `languages/<family>.py` and a row here."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

from aoci_agent.aoci.facts.languages import language_of, language_of_program

if TYPE_CHECKING:
    from aoci_agent.views.syntax.outline import Definition
    from aoci_agent.views.syntax.text import Text

Reader = Callable[["Text"], "Iterable[Definition]"]

# Language as `aoci.facts.languages` names it -> `module:name` of its reader in `views.syntax.languages`.
READERS: Mapping[str, str] = {
    "python": "python:python",
    "javascript": "script:javascript",
    "typescript": "script:typescript",
    "tsx": "script:tsx",
    "go": "go:go",
    "java": "java:java",
    "scala": "scala:scala",
    "csharp": "csharp:csharp",
    "rust": "rust:rust",
    "c": "c:c",
    "cpp": "c:cpp",
    "swift": "swift:swift",
    "php": "php:php",
    "ruby": "ruby:ruby",
    "vue": "component:component",
    "svelte": "component:component",
    "kotlin": "kotlin:kotlin",
    "sql": "sql:sql",
    "shell": "shell:shell",
}


def language_named(path: str, text: str) -> str:
    """The language of a file by its name, else by its first line; "" for none with a reader."""
    known = language_of(path)
    if known is None and text.startswith("#!") and "." not in path.rpartition("/")[2]:
        known = language_of_program(text[:200].partition("\n")[0])
    return known.name if known is not None and known.name in READERS else ""


@cache
def reader_of(language: str) -> Reader:
    """What reads the definitions of a language."""
    module, _, name = READERS[language].partition(":")
    found: object = getattr(import_module(f"aoci_agent.views.syntax.languages.{module}"), name)
    return cast("Reader", found)
