"""Which file defines a name of a namespace, for languages whose namespaces spread over folders."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.resolve.nearness import shared_parts


class Namespaces:
    """Top-level names with the namespaces and files that define them.

    `names` says which of a file's names count.
    """

    def __init__(
        self,
        world: Mapping[str, Facts],
        language: str,
        names: Callable[[Facts], Iterable[str]] = lambda facts: facts.defined,
    ) -> None:
        self._named = names
        self._places: dict[str, dict[str, set[str]]] = {}  # name -> namespace -> files
        self._of: dict[str, tuple[tuple[str, ...], frozenset[str]]] = {}
        self._files: dict[str, int] = {}  # namespace -> files in it
        for path, facts in world.items():
            if facts.language == language:
                self.note(path, facts)

    def note(self, path: str, facts: Facts) -> None:
        """Take in what a file defines now, forgetting what it defined before."""
        for space in self._of.get(path, ((), frozenset[str]()))[0]:
            self._files[space] -= 1
            for name in self._of[path][1]:
                self._places[name][space].discard(path)
        spaces, names = spaces_of(facts), frozenset(self._named(facts))
        self._of[path] = (spaces, names)
        for space in spaces:
            self._files[space] = self._files.get(space, 0) + 1
            for name in names:
                self._places.setdefault(name, {}).setdefault(space, set()).add(path)

    def has(self, space: str) -> bool:
        """Whether a file of the repository declares this namespace."""
        return self._files.get(space, 0) > 0

    def find(self, path: str, spaces: Iterable[str], name: str) -> str:
        """The file that defines the name in the first of these namespaces that does, else ""."""
        places = self._places.get(name)
        if places:
            for space in spaces:
                if files := places.get(space):
                    return _best(path, name, files)
        return ""

    def only(self, path: str, name: str) -> str:
        """The one file that defines a name in any namespace, "" where there are several."""
        files = {file for found in self._places.get(name, {}).values() for file in found}
        return next(iter(files)) if len(files) == 1 and path not in files else ""


def spaces_of(facts: Facts) -> tuple[str, ...]:
    """The namespaces a file declares, a dot being the global one; that too where it declares none."""
    named = dict(facts.settings).get("namespace", "").split()
    return tuple(space.strip(".") for space in named) or ("",)


def outward(space: str, mark: str) -> list[str]:
    """A namespace and those around it, the global one last."""
    parts = space.split(mark) if space else []
    return [mark.join(parts[:count]) for count in range(len(parts), -1, -1)]


def _best(path: str, name: str, files: set[str]) -> str:
    """Itself, else the file called like the name, else the nearest."""
    if len(files) == 1 or path in files:
        return path if path in files else next(iter(files))

    def rank(file: str) -> tuple[bool, int, str]:
        shared = len(PurePosixPath(file).parts) - shared_parts(path, file)
        return PurePosixPath(file).name.split(".")[0].lower() != name.lower(), shared, file

    return min(files, key=rank)
