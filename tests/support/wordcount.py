"""The smallest honest view: how often each word stands in each file."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from aoci_agent.base.text import content_id
from aoci_agent.views.maintain import RepositoryViews
from aoci_agent.views.model import Delta, Source


class WordCount:
    """A view of the protocol in views/model.py. `broken` names a method that raises instead."""

    name = "words"

    def __init__(self, broken: str = "", version: str = "1") -> None:
        self.broken = broken
        self.version = version
        self.derived: list[str] = []  # paths, in the order they were read
        self.words: dict[str, dict[str, int]] = {}

    @property
    def config(self) -> Mapping[str, str]:
        return {"version": self.version}

    @property
    def counts(self) -> Mapping[str, int]:
        return {"files": len(self.words)}

    def build(self, source: Source) -> None:
        self._fail("build")
        self.words = {}
        for path in source.files:
            self._derive(source, path)

    def apply(self, source: Source, delta: Delta) -> None:
        self._fail("apply")
        for path in delta.removed:
            del self.words[path]
        for path in delta.touched:
            self._derive(source, path)

    def save(self, folder: Path) -> None:
        self._fail("save")
        (folder / "words.json").write_text(json.dumps(self.words, sort_keys=True))

    def load(self, folder: Path) -> None:
        self._fail("load")
        self.words = json.loads((folder / "words.json").read_text())

    def digest(self) -> str:
        return content_id(json.dumps(self.words, sort_keys=True).encode())

    def count(self, word: str) -> int:
        return sum(words.get(word, 0) for words in self.words.values())

    def _derive(self, source: Source, path: str) -> None:
        self.derived.append(path)
        text = source.read(path).decode("utf-8", "replace")
        self.words[path] = dict(Counter(re.findall(r"\w+", text)))

    def _fail(self, method: str) -> None:
        if method == self.broken:
            raise RuntimeError(f"{method} does not work")


def named(name: str, broken: str = "") -> WordCount:
    """A word count under another name."""
    view = WordCount(broken)
    view.name = name
    return view


def words(views: RepositoryViews, name: str = "words") -> WordCount:
    """The word count among views."""
    view = views.view(name)
    assert isinstance(view, WordCount)
    return view
