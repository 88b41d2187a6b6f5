"""Facts by content hash, outside the repository. Losing it costs time, never truth."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from aoci_agent.aoci.facts.model import VERSION, Facts, from_record, to_record
from aoci_agent.base.cached import CachedTexts


class FactsCache:
    """A small sqlite file; nothing where the folder cannot be written."""

    def __init__(self, folder: Path) -> None:
        self._texts = CachedTexts(folder / f"facts-{VERSION}.sqlite")

    def load(self, keys: Iterable[str]) -> dict[str, Facts]:
        """The known ones among these keys."""
        found: dict[str, Facts] = {}
        try:
            for key, text in self._texts.load(keys).items():
                found[key] = from_record(json.loads(text))
        except (ValueError, KeyError, TypeError):
            self._texts.forget()
        return found

    def store(self, items: Mapping[str, Facts]) -> None:
        """Add facts; a cache that cannot be written is no error."""
        self._texts.store(
            {
                key: json.dumps(to_record(facts), ensure_ascii=False, separators=(",", ":"))
                for key, facts in items.items()
            }
        )

    def keep_only(self, keys: Iterable[str], slack: int = 20_000) -> None:
        """Drop everything else once the file holds more than `slack` rows."""
        self._texts.keep_only(keys, slack)
