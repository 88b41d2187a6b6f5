"""Finders of every language, made anew only when the files they know of are others."""

from collections.abc import Mapping, Sequence

from aoci_agent.views.graph.languages import languages
from aoci_agent.views.graph.model import Finder
from aoci_agent.views.model import Source

_State = tuple[tuple[str, ...], Mapping[str, str]]  # paths; settings by content


class Finders:
    """Keeps one finder a language, for the paths and settings it was made of."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[_State, Finder]] = {}

    def of(self, paths: Mapping[str, Sequence[str]], source: Source) -> dict[str, Finder]:
        """The finders for these paths (by language), with the source's settings."""
        return {name: self._finder(name, tuple(found), source) for name, found in paths.items()}

    def _finder(self, name: str, paths: tuple[str, ...], source: Source) -> Finder:
        language = languages()[name]
        wanted = frozenset(language.settings)
        settings = {
            path: content
            for path, content in (source.files.items() if wanted else ())
            if path.rpartition("/")[2] in wanted
        }
        known = self._made.get(name)
        if known is None or known[0] != (paths, settings):
            read = {path: source.read(path) for path in settings}
            known = (paths, settings), language.finder(paths, read)
            self._made[name] = known
        return known[1]
