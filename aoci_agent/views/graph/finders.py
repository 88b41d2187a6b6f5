"""Finders of every language, made anew only when the files they know of are others."""

from collections.abc import Callable, Collection, Mapping, Sequence

from aoci_agent.views.graph.languages import languages
from aoci_agent.views.graph.model import ALWAYS, Finder
from aoci_agent.views.graph.tables import Key
from aoci_agent.views.model import Source

FinderOf = Callable[[str], Finder | None]
Clues = Collection[str] | None
_MANY = 200  # files of a language that came or went: everything is looked up again
_State = tuple[tuple[str, ...], Mapping[str, str]]  # paths; settings by content


class Finders:
    """Keeps one finder a language, for the paths and settings it was made of."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[_State, Finder]] = {}
        self._empty: dict[str, Finder] = {}

    def of(self, paths: Mapping[str, Sequence[str]], source: Source) -> FinderOf:
        """Language -> its finder for these paths (by language), with the source's settings.

        One is made when first asked for; None for a language without paths.
        """
        wanted = {name for language in paths for name in languages()[language].settings}
        settings = {
            path: content
            for path, content in (source.files.items() if wanted else ())
            if path.rpartition("/")[2] in wanted
        }
        made: dict[str, Finder | None] = {}

        def finder(name: str) -> Finder | None:
            if name not in made:
                found = paths.get(name)
                made[name] = self._finder(name, tuple(found), settings, source) if found else None
            return made[name]

        return finder

    def clue(self, key: Key) -> str | None:
        """What a file that changes what a key leads to by coming or going bears (see `Finder`)."""
        if not key.language or key.kind in ("sees", "homes"):
            return None
        finder = self._empty.get(key.language)
        if finder is None:
            finder = self._empty[key.language] = languages()[key.language].finder((), {})
        return finder.clue(key.kind, key.where, key.name)

    @staticmethod
    def moved(before: Finder | None, after: Finder | None, paths: Sequence[str]) -> Clues:
        """The clues of keys of a language that may lead elsewhere; None for all of them."""
        if before is None or after is None or len(paths) > _MANY:
            return None
        found = after.moved(before, paths)
        return None if found is None else {*found, ALWAYS}

    def _finder(
        self, name: str, paths: tuple[str, ...], all_settings: Mapping[str, str], source: Source
    ) -> Finder:
        language = languages()[name]
        settings = {
            path: content
            for path, content in all_settings.items()
            if path.rpartition("/")[2] in language.settings
        }
        known = self._made.get(name)
        if known is None or known[0] != (paths, settings):
            read = {path: source.read(path) for path in settings}
            known = (paths, settings), language.finder(paths, read)
            self._made[name] = known
        return known[1]
