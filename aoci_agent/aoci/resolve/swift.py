"""Swift: the files of a module see each other, other modules are imported whole."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.resolve.links import Links

_STANDARD = frozenset(
    ("Swift", "Foundation", "FoundationEssentials", "Darwin", "Glibc", "Musl", "WinSDK", "CRT", "XCTest", "Testing",
     "ObjectiveC", "PackageDescription", "os", "_Concurrency", "_StringProcessing", "RegexBuilder", "ucrt")
)  # fmt: skip
_ROOTS = ("Sources", "Source", "Tests", "Plugins", "Examples")


class SwiftResolver:
    """Knows which module each file belongs to and what every module defines."""

    def __init__(self, world: Mapping[str, Facts]) -> None:
        files = {path: facts for path, facts in world.items() if facts.language == "swift"}
        self._modules: dict[str, list[str]] = {}  # name -> folders
        for folder in sorted({_folder(path) for path in files}):
            self._modules.setdefault(folder.rpartition("/")[2], []).append(folder)
        self._files: dict[str, dict[str, set[str]]] = {}  # folder -> name -> files
        self._defined: dict[str, frozenset[str]] = {}
        for path, facts in files.items():
            self._take(path, facts)

    def resolve(self, path: str, facts: Facts, links: Links) -> None:
        own = _folder(path)
        seen = [own]
        for item in facts.imports:
            folders = [folder for folder in self._modules.get(item.module, ()) if folder != own]
            seen += folders
            if (
                not folders
                and item.module not in _STANDARD
                and item.module != own.rpartition("/")[2]
            ):
                links.add_outside(path, item.module, 1)
        for word, uses in facts.words:
            if word in self._defined[path]:
                continue
            files = next(
                (files for folder in seen if (files := self._files.get(folder, {}).get(word))), None
            )
            if files:
                links.add(path, _nearest(path, files), word, uses)

    def note(self, path: str, facts: Facts) -> None:
        for name in self._defined[path]:
            self._files[_folder(path)][name].discard(path)
        self._take(path, facts)

    def _take(self, path: str, facts: Facts) -> None:
        names = frozenset(s.name for s in facts.symbols if s.public and not s.owner)
        self._defined[path] = names
        places = self._files.setdefault(_folder(path), {})
        for name in names:
            places.setdefault(name, set()).add(path)


def _folder(path: str) -> str:
    """The folder of a file's module: below `Sources` or `Tests`, else the first one."""
    parts = PurePosixPath(path).parts[:-1]
    for at in range(len(parts) - 1, -1, -1):
        if parts[at] in _ROOTS:
            return "/".join(parts[: at + 2])
    return parts[0] if parts else ""


def _nearest(path: str, files: set[str]) -> str:
    def far(file: str) -> tuple[int, str]:
        pairs = zip(path.split("/"), file.split("/"), strict=False)
        return -sum(a == b for a, b in pairs), file

    return min(files, key=far)
