"""Outlines by content, outside the repository. Losing it costs time, never truth."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from aoci_agent.aoci.facts.languages import language_of
from aoci_agent.base.cached import CachedTexts
from aoci_agent.views.syntax.outline import VERSION, Definition, Outline


def key_of(path: str, content: str) -> str:
    """What an outline is stored under, by path and content id: equal only where `outline_of` gives the same."""
    name = PurePosixPath(path).name
    known = language_of(path)
    # Without a row and a suffix, the first line says the language.
    said = f"{known.name}{PurePosixPath(path).suffix}" if known else "" if "." in name else "#!"
    return f"{content}:{said}"


class OutlineCache:
    """A small sqlite file; nothing where the folder cannot be written."""

    def __init__(self, folder: Path) -> None:
        self._texts = CachedTexts(folder / f"outlines-{VERSION}.sqlite")

    def load(self, keys: Iterable[str]) -> dict[str, Outline]:
        """The known ones among these keys."""
        try:
            return {key: from_text(text) for key, text in self._texts.load(keys).items()}
        except (ValueError, KeyError, TypeError):
            self._texts.forget()
            return {}

    def store(self, items: Mapping[str, Outline]) -> None:
        """Add outlines; a cache that cannot be written is no error."""
        self._texts.store({key: to_text(outline) for key, outline in items.items()})

    def keep_only(self, keys: Iterable[str], slack: int = 20_000) -> None:
        """Drop everything else once there are more than `slack`."""
        self._texts.keep_only(keys, slack)


def to_text(outline: Outline) -> str:
    """An outline as JSON."""
    return json.dumps(outline, ensure_ascii=False, separators=(",", ":"))


def from_text(text: str) -> Outline:
    """The reverse of `to_text`. Raises ValueError, KeyError or TypeError on foreign data."""
    language, definitions, problem = json.loads(text)
    return Outline(language, tuple(map(_definition, definitions)), problem)


def _definition(values: list[Any]) -> Definition:
    found = Definition(*values)
    pairs = tuple([(name, declared) for name, declared in found.parameters])
    return found._replace(bases=tuple(found.bases), parameters=pairs)
