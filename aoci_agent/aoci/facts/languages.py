"""Which language reads which file. Names only: a grammar is loaded when the first file needs it."""

from functools import cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import cast

from aoci_agent.aoci.facts.language import Language
from aoci_agent.aoci.facts.plain import kind_of

# Extension -> module of `facts` and class in it. A new language is one file and its lines here.
_KNOWN: dict[str, tuple[str, str]] = {
    **dict.fromkeys((".py", ".pyi", ".pyw"), ("python", "Python")),
    **dict.fromkeys((".ts", ".mts", ".cts"), ("typescript", "TypeScript")),
    **dict.fromkeys((".tsx",), ("typescript", "Tsx")),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), ("typescript", "JavaScript")),
    **dict.fromkeys((".go",), ("go", "Go")),
}


def language_of(path: str) -> Language | None:
    """The language of a file, None for one that is read without a grammar."""
    known = _KNOWN.get(PurePosixPath(path).suffix)
    return _load(*known) if known else None


def language_key(path: str) -> str:
    """What besides the bytes decides the facts: part of the cache key."""
    known = _KNOWN.get(PurePosixPath(path).suffix)
    return known[1] if known else f"plain:{kind_of(path)}"


@cache
def _load(module: str, name: str) -> Language:
    made: object = getattr(import_module(f"aoci_agent.aoci.facts.{module}"), name)()
    return cast("Language", made)
