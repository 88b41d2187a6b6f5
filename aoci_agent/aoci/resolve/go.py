"""Go imports: module path from go.mod, then the file of the package that defines each symbol."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.resolve.links import Links


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
        self._defined: dict[str, dict[str, str]] = {}
        for path, facts in sorted(world.items()):
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
                    links.add(path, names[name], name, uses)
                elif name == "*" and len(item.names) == 1 and names:
                    links.add(path, min(names.values()), "*", 1)
        self._siblings(path, facts, links)

    def note(self, path: str, facts: Facts) -> None:
        names = self._defined.get(str(PurePosixPath(path).parent), {})
        for name in [name for name, definer in names.items() if definer == path]:
            del names[name]
        self._define(path, facts)

    def _define(self, path: str, facts: Facts) -> None:
        names = self._defined.setdefault(str(PurePosixPath(path).parent), {})
        if not path.endswith("_test.go"):
            for symbol in facts.symbols:
                if not symbol.owner:
                    names[symbol.name] = min(names.get(symbol.name, path), path)

    def _siblings(self, path: str, facts: Facts, links: Links) -> None:
        """Files of one package use each other without an import."""
        names = self._defined.get(str(PurePosixPath(path).parent), {})
        for word, uses in facts.words:
            target = names.get(word)
            if target is not None and target != path and word not in ("init", "main", "new"):
                links.add(path, target, word, uses)

    def _folder(self, module: str) -> str | None:
        for prefix, root in self._modules:
            if module == prefix or module.startswith(f"{prefix}/"):
                inner = module[len(prefix) :].strip("/")
                return (
                    "/".join(part for part in (root if root != "." else "", inner) if part) or "."
                )
        return None


def _short(module: str) -> str:
    parts = [part for part in module.split("/") if not (part[:1] == "v" and part[1:].isdigit())]
    return parts[-1]
