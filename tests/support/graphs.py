"""Small repositories for tests of the graph, and places in them told by their text."""

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import dedent

from aoci_agent.base.text import content_id
from aoci_agent.views.graph.model import Symbol
from aoci_agent.views.graph.view import GraphView
from aoci_agent.views.model import Delta
from aoci_agent.views.snapshot import delta_between


@dataclass(frozen=True)
class Texts:
    """A source of views held in memory."""

    texts: Mapping[str, bytes]

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> "Texts":
        return cls({path: dedent(text).lstrip("\n").encode() for path, text in texts.items()})

    @property
    def files(self) -> Mapping[str, str]:
        return {path: content_id(self.texts[path]) for path in sorted(self.texts)}

    def read(self, path: str) -> bytes:
        return self.texts[path]

    def changed(self, texts: Mapping[str, str | None]) -> "Texts":
        """Other files; None takes one away."""
        kept = {path: data for path, data in self.texts.items() if path not in texts}
        new = {path: text for path, text in texts.items() if text is not None}
        return Texts({**kept, **Texts.of(new).texts})

    def delta(self, after: "Texts") -> Delta:
        return delta_between(self.files, after.files)


@dataclass(frozen=True)
class Graph:
    """A built graph and the texts it was built of."""

    source: Texts
    view: GraphView

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> "Graph":
        source, view = Texts.of(texts), GraphView()
        view.build(source)
        return cls(source, view)

    def leads(self, path: str, needle: str) -> list[str]:
        """Where the name at `|` in a piece of text leads: `path:qualified`, a local as `path:line`."""
        line, column = self.place(path, needle)
        return [
            f"{found.path}:{found.qualified or found.line}"
            for found in self.view.definition(path, line, column)
        ]

    def place(self, path: str, needle: str) -> tuple[int, int]:
        """Line and column of `|` in the only place where the text around it stands."""
        text = self.source.texts[path].decode()
        plain = needle.replace("|", "")
        assert text.count(plain) == 1, f"{plain!r} stands {text.count(plain)} times in {path}"
        before = text[: text.index(plain) + needle.index("|")]
        return before.count("\n") + 1, len(before.rpartition("\n")[2])

    def symbol(self, qualified: str) -> Symbol:
        """The symbol of that qualified name."""
        return next(item for item in self.view.named(qualified) if item.qualified == qualified)
