"""Where `require` leads in Ruby: beside the file, or below any folder that is loaded from."""

import posixpath
from collections.abc import Iterator, Sequence

_ROOTS = ("lib", "test", "spec", "app", "ext")


class RequireFinder:
    """Knows the files by the names they are required under; those beside begin with `./`."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = frozenset(paths)
        self._required: dict[str, list[str]] = {}
        for path in sorted(paths):
            for name in _names(path):
                self._required.setdefault(name, []).append(path)

    def find(self, path: str, module: str) -> str:
        if module.startswith("./"):
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), module))
            return next((p for p in (place, f"{place}.rb") if p in self._paths), "")
        found = self._required.get(module.removesuffix(".rb"), [])
        return max(
            found, key=lambda other: (len(posixpath.commonprefix([path, other])), other), default=""
        )

    def child(self, space: str, name: str) -> str:
        return ""

    def implicit(self, path: str, space: str) -> Sequence[str]:
        return ()

    def given(self, path: str) -> Sequence[str]:
        return ()


def _names(path: str) -> Iterator[str]:
    parts = path.removesuffix(".rb").split("/")
    for number, part in enumerate(parts[:-1]):
        if part in _ROOTS:
            yield "/".join(parts[number + 1 :])
