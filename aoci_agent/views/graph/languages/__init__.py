"""The languages of the graph: one row each."""

from collections.abc import Mapping
from functools import cache

from aoci_agent.aoci.facts.languages import language_of
from aoci_agent.views.graph.model import Language


@cache
def languages() -> Mapping[str, Language]:
    """Every language of the graph by name; made at the first use."""
    from aoci_agent.views.graph.languages.c import C
    from aoci_agent.views.graph.languages.csharp import CSharp
    from aoci_agent.views.graph.languages.go import Go
    from aoci_agent.views.graph.languages.jvm import Jvm
    from aoci_agent.views.graph.languages.php import Php
    from aoci_agent.views.graph.languages.python import Python
    from aoci_agent.views.graph.languages.ruby import Ruby
    from aoci_agent.views.graph.languages.rust import Rust
    from aoci_agent.views.graph.languages.script import Script
    from aoci_agent.views.graph.languages.shell import Shell
    from aoci_agent.views.graph.languages.swift import Swift

    known: tuple[Language, ...] = (
        Python(),
        Go(),
        Script(),
        Jvm(),
        Rust(),
        C(),
        CSharp(),
        Php(),
        Ruby(),
        Swift(),
        Shell(),
    )
    return {language.name: language for language in known}


# Languages as `aoci.facts.languages` names them that share one of the graph's.
_FAMILIES = {
    "python": "python",
    "go": "go",
    "typescript": "script",
    "tsx": "script",
    "javascript": "script",
    "java": "jvm",
    "kotlin": "jvm",
    "scala": "jvm",
    "shell": "shell",
    "swift": "swift",
    "rust": "rust",
    "c": "c",
    "cpp": "c",
    "csharp": "csharp",
    "php": "php",
    "ruby": "ruby",
}


def language_for(path: str) -> Language | None:
    """The language that reads a file, None where there is none yet."""
    known = language_of(path)
    family = _FAMILIES.get(known.name) if known is not None else None
    return languages()[family] if family else None
