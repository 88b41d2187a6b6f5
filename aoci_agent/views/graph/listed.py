"""Which keys a change of the set of files may lead elsewhere.

Finders tell what a file must bear to change an answer (clues), so that a file that comes or goes has only
the keys looked up again that ask for something like it. What a file sees (`sees`) hangs on the stars of
all files on the way; it is looked up again, for a language, when any star of that language may lead elsewhere.
"""

from collections.abc import Iterator

from aoci_agent.views.graph.finders import FinderOf, Finders
from aoci_agent.views.graph.languages import language_for, languages
from aoci_agent.views.graph.store import Store
from aoci_agent.views.graph.tables import Key
from aoci_agent.views.model import Delta, Source


class Listed:
    """One change: made before the store follows it, asked after."""

    def __init__(self, store: Store, source: Source, finders: Finders, delta: Delta) -> None:
        self._store = store
        self._finders = finders
        self._came: dict[str, list[str]] = {}
        self._went: dict[str, list[str]] = {}
        self._stars: dict[str, tuple[str, list[str]]] = {}  # of files that stay
        for path in (*delta.touched, *delta.removed):
            language = language_for(path)
            if language is None:
                continue
            known = store.file_id(path) is not None
            if known and path in source.files:
                self._stars[path] = language.name, store.stars(path)
            elif known:
                self._went.setdefault(language.name, []).append(path)
            elif path in source.files:
                self._came.setdefault(language.name, []).append(path)
        names = {path.rpartition("/")[2] for path in (*delta.touched, *delta.removed)}
        self._configured = {
            name
            for name, language in languages().items()
            if not names.isdisjoint(language.settings)
        }
        moved = (self._came.keys() | self._went.keys()) - self._configured
        self._before = finders.of(_paths(store, moved), source)

    def keys(self, after: FinderOf) -> Iterator[tuple[int, Key, str]]:
        """The keys to look up again, with the values known of them; `after` are the finders now."""
        keys = self._store.keys
        starred = {
            name for path, (name, was) in self._stars.items() if self._store.stars(path) != was
        }
        for name in sorted(self._came.keys() | self._went.keys() | self._configured | starred):
            if name in self._configured:
                yield from keys.of_finder(name)
                continue
            came = self._came.get(name, [])
            paths = [*came, *self._went.get(name, [])]
            clues = self._finders.moved(self._before(name), after(name), paths) if paths else ()
            if clues is None:
                yield from keys.of_finder(name)
                continue
            yield from keys.of_clues(name, clues)
            # Nobody kept these in step while the file was not there.
            yield from keys.seen_from(came)
            yield from keys.seen_from(filter(None, map(self._store.space_of, came)))
            if name in starred or self._store.has_star(name, clues):
                yield from keys.of_stars(name)


def _paths(store: Store, names: set[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for _, path, language, _ in store.files() if names else ():
        if language in names:
            found.setdefault(language, []).append(path)
    return found
