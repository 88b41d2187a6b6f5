"""Facts of small sources, as tests of languages ask for them."""

from collections.abc import Mapping
from textwrap import dedent

from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.facts.model import Facts


def facts(path: str, text: str) -> Facts:
    found = extract(path, dedent(text).lstrip("\n").encode())
    assert not found.problem
    return found


def world(files: Mapping[str, str]) -> dict[str, Facts]:
    return {path: facts(path, text) for path, text in sorted(files.items())}


def names(found: Facts, *, public: bool = True) -> list[str]:
    return [
        f"{s.owner}.{s.name}" if s.owner else s.name for s in found.symbols if s.public is public
    ]


def docs(found: Facts) -> dict[str, str]:
    return {symbol.name: symbol.doc for symbol in found.symbols if symbol.doc}
