"""Which names of an entry the source bears out. Only what can be told for certain is judged.

Prose, translated words and names of outside packages are not; and a name that stands anywhere in
the file is not absent.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.model import Entry

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
# What only code is spelt like: two humps, an underscore inside, a constant.
_NAME = re.compile(
    r"(?<![\w$./-])(?:[a-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}|[a-z0-9]+(?:_[a-z0-9]+)+"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\w$])"
)
_ROUTE = re.compile(r"(?:[A-Z]+ )?(?P<path>/[\w/:{}<>*.-]+)\Z")
_LITERAL = re.compile(r"[\w.-]+")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$.]*\Z")
# Spelt like a name, and none: products and formats.
_PRODUCTS = frozenset(
    [
        "JavaScript",
        "TypeScript",
        "GitHub",
        "GitLab",
        "MySQL",
        "PostgreSQL",
        "MongoDB",
        "GraphQL",
        "WebSocket",
        "OpenAI",
        "OpenRouter",
        "iPhone",
        "macOS",
        "YouTube",
        "LaTeX",
        "DeepSeek",
        "ChatGPT",
        "OAuth",
        "SQLite",
        "NodeJS",
    ]
)

Text = Callable[[str], str | None]  # path -> content, None where there is none


class Grounds:
    """Everything a name may rest on: the files, what they define, and their text."""

    def __init__(self, files: Iterable[str], world: Mapping[str, Facts], text: Text) -> None:
        self._world = world
        self._text = text
        self._endings: dict[str, str] = {}
        for path in sorted(files):
            for ending in _endings(path):
                self._endings.setdefault(ending.lower(), path)
        self._symbols = {symbol.name for facts in world.values() for symbol in facts.symbols}
        routes = (route for facts in world.values() for route in facts.routes + facts.calls)
        self._routes = {part for route in routes for part in _LITERAL.findall(route)}

    def file(self, item: str) -> str | None:
        """The file a reference names, or one in the directory it names."""
        return self._endings.get(item.strip("/").removeprefix("./").removeprefix("~").lower())

    def absent(self, entry: Entry) -> tuple[str, ...]:
        """What the entry offers and the file does not have."""
        own = self._words(entry.path)
        return tuple(item for item in entry.api if self._is_absent(item, own))

    def lost(self, entry: Entry) -> tuple[str, ...]:
        """References to no file, and to nothing the source speaks of."""
        unsure = [item for item in entry.relations if self.file(item) is None]
        if not unsure:
            return ()
        own = self._words(entry.path)
        facts = self._world.get(entry.path)
        modules = [item.module for item in facts.imports] if facts is not None else []
        return tuple(item for item in unsure if self._is_lost(item, own, modules))

    def unknown(self, entry: Entry) -> tuple[str, ...]:
        """Names in F and S that stand neither in the file nor in the files it refers to."""
        if self._text(entry.path) is None:
            return ()  # facts alone do not hold every name of a file
        near = self._words(entry.path)
        for item in entry.relations:
            cited = self.file(item)
            near.update(_WORD.findall((cited and self._text(cited)) or ""))
        folded = {word.lower() for word in near}
        told = dict.fromkeys(_NAME.findall(f"{entry.function} {entry.synopsis}"))
        return tuple(name for name in told if not self._is_known(name, folded))

    def _words(self, path: str) -> set[str]:
        """Every word of a file, from its text and its facts."""
        facts, text = self._world.get(path), self._text(path) or ""
        words = set(_WORD.findall(text))
        words.update(re.findall(r"[\w-]+(?:\.[\w-]+)*", text))
        if facts is not None:
            listed = (
                *(facts.exports + facts.routes + facts.calls + facts.commands + facts.env),
                *(facts.events + facts.tables + facts.constants + facts.shapes + facts.notes),
            )
            words.update(_WORD.findall(" ".join(listed)))
            words.update(part for name in listed for part in _LITERAL.findall(name))
            words.update(w for symbol in facts.symbols for w in (symbol.name, symbol.owner))
        return words

    def _is_absent(self, item: str, own: set[str]) -> bool:
        """Whether an offered name is nowhere in the file; free text is not judged.

        A route counts as there when any file serves or calls one that ends like it: its front is
        often set where the router is mounted, and handlers list routes a router file declares.
        """
        item = item.strip().removeprefix("ENV:").removeprefix("cmd ")
        route = _ROUTE.fullmatch(item)
        if route is not None:
            literal = [p for p in route["path"].split("/") if p and _LITERAL.fullmatch(p)]
            return bool(literal) and literal[-1] not in own and literal[-1] not in self._routes
        name = item.removesuffix("()")
        if not _IDENTIFIER.fullmatch(name) or not (_NAME.fullmatch(name) or item.endswith("()")):
            return False
        return not all(part in own for part in name.split("."))

    def _is_lost(self, item: str, own: set[str], modules: Iterable[str]) -> bool:
        if item.startswith(("@", "~")) or " " in item or not item.isascii():
            return False
        if item in own or item in self._symbols:
            return False
        if any(item in module for module in modules):
            return False
        is_path = "/" in item or re.search(r"\.\w{1,5}\Z", item) is not None
        return is_path or _NAME.fullmatch(item) is not None

    def _is_known(self, name: str, near: set[str]) -> bool:
        known = name in _PRODUCTS or name in self._symbols or self.file(name) is not None
        return known or name.lower() in near


def _endings(path: str) -> Iterator[str]:
    """Endings of the path and of its directories, the file's also without its extension."""
    parts = path.split("/")
    for end in range(len(parts), 0, -1):
        for start in range(end):
            whole = "/".join(parts[start:end])
            yield whole
            stem, dot, _ = whole.rpartition(".")
            if end == len(parts) and dot and stem:
                yield stem
