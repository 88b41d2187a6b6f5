"""TypeScript and JavaScript imports: relative, tsconfig aliases, packages of a monorepo."""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.resolve.links import Links

EXTENSIONS = (
    *(".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts"),
    *(".vue", ".svelte", ".json"),
)
_SCRIPTS = frozenset(("typescript", "tsx", "javascript", "vue", "svelte"))
_WRITTEN_AS = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
MAX_HOPS = 5
_ALIASES = {"@": ("src", "resources/js", "."), "~": ("src", "app", "."), "$lib": ("src/lib",)}


@dataclass(frozen=True)
class _Config:
    folder: str
    base: str
    aliases: tuple[tuple[str, tuple[str, ...]], ...]


class ScriptResolver:
    """Knows every file, every tsconfig and every package of the repository."""

    def __init__(self, world: Mapping[str, Facts]) -> None:
        self._world = world
        self._configs = self._find_configs()
        self._packages = {
            name: (str(PurePosixPath(path).parent), dict(facts.settings).get("entry", ""))
            for path, facts in sorted(world.items())
            if facts.language == "package" and (name := dict(facts.settings).get("package"))
        }
        self._defined = {
            path: facts.defined for path, facts in world.items() if facts.language in _SCRIPTS
        }
        self._known: dict[tuple[str, str], tuple[str, bool]] = {}
        self._taken: dict[str, list[tuple[str, frozenset[str]]]] = {}
        self._definers: dict[tuple[str, str], str] = {}
        self._whole = {
            path: whole
            for path, facts in world.items()
            if facts.language in _SCRIPTS and (whole := dict(facts.settings).get("default"))
        }

    def resolve(self, path: str, facts: Facts, links: Links) -> None:
        for item in facts.imports:
            target, local = self._target(path, item.module)
            if not target:
                if not local:
                    links.add_outside(
                        path, _package(item.module), sum(n for _, n in item.names) or 1
                    )
                elif PurePosixPath(item.module).suffix in ("", *EXTENSIONS):
                    links.missing.setdefault(path, []).append(item.module)
                continue
            for name, uses in item.names:
                definer = self._definer_of(target, name)
                shown = self._whole.get(definer, name) if name == "default" else name
                links.add(path, definer, shown, uses)

    def note(self, path: str, facts: Facts) -> None:
        self._defined[path] = facts.defined
        self._taken.pop(path, None)
        self._definers.clear()

    def target(self, path: str, module: str) -> tuple[str, bool]:
        """The file a module named in `path` is, "" for none, and whether the name is a local one."""
        return self._target(path, module)

    def mounted(self, path: str, facts: Facts) -> list[tuple[str, str]]:
        """(prefix, file) of the routers a file puts in place."""
        found = ((prefix, self._target(path, module)[0]) for prefix, module in facts.mounts)
        return [(prefix, target) for prefix, target in found if target and target != path]

    def _find_configs(self) -> list[_Config]:
        configs: list[_Config] = []
        for path, facts in self._world.items():
            settings = dict(facts.settings)
            if facts.language != "tsconfig":
                continue
            aliases = tuple(
                (key.removeprefix("path "), tuple(value.split()))
                for key, value in sorted(settings.items())
                if key.startswith("path ")
            )
            base = settings.get("base_url", "")
            if aliases or base:
                configs.append(_Config(str(PurePosixPath(path).parent), base, aliases))
        return sorted(
            configs, key=lambda config: (-len(config.folder), config.folder, config.aliases)
        )

    def _target(self, path: str, module: str) -> tuple[str, bool]:
        """The file meant, and whether the name is one of the repository's at all."""
        key = (path.rpartition("/")[0], module.split("?")[0])
        if key not in self._known:
            self._known[key] = self._find(*key)
        return self._known[key]

    def _find(self, folder: str, module: str) -> tuple[str, bool]:
        if module.startswith("."):
            return self._file(posixpath.normpath(posixpath.join(folder, module))), True
        for config in self._configs:
            if config.folder != "." and not f"{folder}/".startswith(f"{config.folder}/"):
                continue
            for place in _places(config, module):
                if found := self._file(place):
                    return found, True
        return self._conventional(folder, module) or self._packaged(module), module.startswith(
            ("@/", "~/")
        )

    def _conventional(self, folder: str, module: str) -> str:
        """What `@/`, `~/` and `$lib/` mean where a bundler, not a tsconfig, says so: the sources above."""
        alias, slash, inner = module.partition("/")
        if alias not in _ALIASES or not slash:
            return ""
        above = [str(place) for place in (PurePosixPath(folder, "x")).parents]
        places = (_join(base, f"{root}/{inner}") for base in above for root in _ALIASES[alias])
        return next((found for place in places if (found := self._file(place))), "")

    def _packaged(self, module: str) -> str:
        name = _package(module)
        if name not in self._packages:
            return ""
        folder, entry = self._packages[name]
        inner = module[len(name) :].strip("/")
        tries = [inner, f"src/{inner}"] if inner else [entry, "src/index", "index"]
        return next(
            (found for item in tries if item and (found := self._file(_join(folder, item)))), ""
        )

    def _file(self, place: str) -> str:
        place = place.removeprefix("./")
        stem, suffix = posixpath.splitext(place)
        candidates = [place, *(place + extension for extension in EXTENSIONS)]
        candidates += [stem + other for other in _WRITTEN_AS.get(suffix, ())]
        candidates += [f"{place}/index{extension}" for extension in EXTENSIONS[:6]]
        return next((candidate for candidate in candidates if candidate in self._world), "")

    def _imports(self, path: str) -> list[tuple[str, frozenset[str]]]:
        """Modules and the names taken from them, in the order of the facts."""
        if path not in self._taken:
            self._taken[path] = [
                (item.module, frozenset(name for name, _ in item.names))
                for item in self._world[path].imports
            ]
        return self._taken[path]

    def _definer_of(self, path: str, name: str) -> str:
        key = path, name
        if key not in self._definers:
            self._definers[key] = self._definer(path, name)
        return self._definers[key]

    def _definer(self, path: str, name: str, hops: int = 0) -> str:
        """The file that defines `name`, looking through `export ... from`."""
        if name in ("*", "default") or name in self._defined.get(path, ()) or hops >= MAX_HOPS:
            return path
        for module, names in self._imports(path):
            if name in names or "*" in names:
                target, _ = self._target(path, module)
                if target and target != path:
                    found = self._definer(target, name, hops + 1)
                    if name in names or name in self._defined.get(found, ()):
                        return found
            if "default" in names and name in self._world[path].exports:
                target, _ = self._target(path, module)  # `export { default as Name } from`
                if target and name in (self._whole.get(target), PurePosixPath(target).stem):
                    return target
        return path


def _places(config: _Config, module: str) -> list[str]:
    base = _join(config.folder, config.base or ".")
    places: list[str] = []
    for alias, targets in config.aliases:
        head, star, tail = alias.partition("*")
        if star and module.startswith(head) and module.endswith(tail):
            middle = module[len(head) : len(module) - len(tail)]
            places += [_join(base, target.replace("*", middle, 1)) for target in targets]
        elif module == alias:
            places += [_join(base, target) for target in targets]
    if config.base:
        places.append(_join(base, module))
    return places


def _join(folder: str, inner: str) -> str:
    joined = posixpath.normpath(posixpath.join(folder, inner))
    return joined.removeprefix("./")


def _package(module: str) -> str:
    parts = module.removeprefix("node:").split("/")
    return "/".join(parts[:2]) if module.startswith("@") else parts[0]
