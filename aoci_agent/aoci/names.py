"""How a file is named in R: the shortest unique ending of its path, without the extension."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath


class ShortNames:
    """Endings of all indexed paths, counted once."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._count: Counter[str] = Counter()
        for path in paths:
            self._count.update(_endings(path))

    def __call__(self, path: str) -> str:
        """The shortest ending no other file has; the whole path where there is none."""
        for ending in _endings(path):
            if self._count[ending] == 1 and "," not in ending:
                return ending
        return path


def _endings(path: str) -> Iterator[str]:
    pure = PurePosixPath(path)
    stem = pure.name[: -len(pure.suffix)] if pure.suffix and pure.stem else pure.name
    parts = [stem, *reversed(pure.parts[:-1])]
    for length in range(1, len(parts) + 1):
        yield "/".join(reversed(parts[:length]))
