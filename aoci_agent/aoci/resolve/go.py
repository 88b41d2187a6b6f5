"""Go imports: module path from go.mod, then the file of the package that defines each symbol."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.resolve.links import Links

_PLATFORM = re.compile(r"_(?:windows|linux|darwin|unix|\w+bsd|js|wasm|plan9|solaris|aix|android|ios|appengine|amd64|arm64)(?:_test)?\.go\Z")  # fmt: skip


class GoResolver:
    """Knows every package directory and which of its files defines what."""

    def __init__(self, world: Mapping[str, Facts]) -> None:
        self._modules = sorted(
            (
                (dict(facts.settings)["module"], str(PurePosixPath(path).parent))
                for path, facts in world.items()
                if facts.language == "gomod" and dict(facts.settings).get("module")
            ),
            key=lambda pair: (-len(pair[0]), pair),
        )
        # folder -> name -> files, of the package itself and of its tests
        self._defined: dict[str, dict[str, list[str]]] = {}
        self._tested: dict[str, dict[str, list[str]]] = {}
        for path, facts in world.items():
            if facts.language == "go":
                self._define(path, facts)

    def resolve(self, path: str, facts: Facts, links: Links) -> None:
        for item in facts.imports:
            folder = self._folder(item.module)
            if folder is None:
                if "." in item.module.split("/")[0]:
                    links.add_outside(path, _short(item.module), sum(n for _, n in item.names))
                continue
            names = self._defined.get(folder, {})
            for name, uses in item.names:
                if name in names:
                    links.add(path, _chosen(path, names[name]), name, uses)
                elif name == "*" and len(item.names) == 1 and names:
                    links.add(path, min(min(files) for files in names.values()), "*", 1)
        self._siblings(path, facts, links)

    def note(self, path: str, facts: Facts) -> None:
        names = self._names(path)
        for name in [name for name, files in names.items() if path in files]:
            names[name].remove(path)
            if not names[name]:
                del names[name]
        self._define(path, facts)

    def _names(self, path: str) -> dict[str, list[str]]:
        defined = self._tested if path.endswith("_test.go") else self._defined
        return defined.setdefault(_folder_of(path), {})

    def _define(self, path: str, facts: Facts) -> None:
        names = self._names(path)
        for name in facts.defined:
            names[name] = sorted((*names.get(name, ()), path))

    def _siblings(self, path: str, facts: Facts, links: Links) -> None:
        """Files of one package use each other without an import."""
        folder = _folder_of(path)
        names = self._defined.get(folder, {})
        helpers = self._tested.get(folder, {}) if path.endswith("_test.go") else {}
        for word, uses in facts.words:
            files = names.get(word) or helpers.get(word)
            if files is not None and path not in files and word not in ("init", "main", "new"):
                links.add(path, _chosen(path, files), word, uses)

    def _folder(self, module: str) -> str | None:
        for prefix, root in self._modules:
            if module == prefix or module.startswith(f"{prefix}/"):
                inner = module[len(prefix) :].strip("/")
                return (
                    "/".join(part for part in (root if root != "." else "", inner) if part) or "."
                )
        return None


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0] or "."


def _chosen(source: str, files: list[str]) -> str:
    """Of the files that define a name for different builds, the one for this build or for most."""
    if len(files) == 1:
        return files[0]
    build = _PLATFORM.search(source)
    wanted = build[0] if build else ""
    package = _folder_of(source if source in files else files[0]).rpartition("/")[2]

    def distance(file: str) -> tuple[bool, bool, str]:
        other = _PLATFORM.search(file)
        return ((other[0] if other else "") != wanted, PurePosixPath(file).stem != package, file)

    return min(files, key=distance)


def _short(module: str) -> str:
    parts = [part for part in module.split("/") if not (part[:1] == "v" and part[1:].isdigit())]
    return parts[-1]
