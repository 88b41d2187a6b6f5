"""Rust paths: the module tree of every crate, the crates of a workspace, re-exports followed."""

import posixpath
from collections.abc import Mapping

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.resolve.links import Links
from aoci_agent.aoci.wordset import wordset

MAX_HOPS = 4
_STANDARD = frozenset(("std", "core", "alloc", "proc_macro", "test"))
_TYPES = wordset("str char bool u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64")
_BASES = ("mod", "lib", "main")


Place = tuple[str, str]  # file, name in it


class RustResolver:
    """Knows which file each module is, which file it belongs to, and where the crates begin."""

    def __init__(self, world: Mapping[str, Facts]) -> None:
        self._world = {path: facts for path, facts in world.items() if facts.language == "rust"}
        self._defined = {path: facts.defined for path, facts in self._world.items()}
        self._passed = {path: _passed_on(facts) for path, facts in self._world.items()}
        self._children: dict[str, dict[str, str]] = {}
        self._parents: dict[str, str] = {}
        for path, facts in sorted(self._world.items()):
            self._place_children(path, facts)
        self._libraries = self._find_libraries(world)
        self._macros = self._find_macros()
        self._asked: dict[str, set[str]] = {}  # file -> files whose paths led through it
        self._asking = ""

    def resolve(self, path: str, facts: Facts, links: Links) -> None:
        self._asking = path
        for item in facts.imports:
            if not item.module:
                self._resolve_macros(path, item.names, links)
                continue
            parts = item.module.split("::")
            base = self._module(path, parts)
            if base is None:
                if parts[0] not in _STANDARD and parts[0] not in _TYPES:
                    links.add_outside(path, parts[0], sum(uses for _, uses in item.names))
                continue
            for name, uses in item.names:
                target, told = self._definer(base, name) or (base, name)
                links.add(path, target, told, uses)
            if item.level == 1 and base != path:
                self._resolve_glob(path, base, facts, links)

    def note(self, path: str, facts: Facts) -> None:
        self._world[path] = facts
        self._defined[path] = facts.defined
        self._passed[path] = _passed_on(facts)

    def reach(self, path: str) -> set[str]:
        """Files whose paths may mean something else after a change of this one."""
        return set(self._asked.get(path, ()))

    def _place_children(self, path: str, facts: Facts) -> None:
        folder, stem = posixpath.split(posixpath.splitext(path)[0])
        inner = posixpath.join(folder, stem)
        bases = [folder] if stem in _BASES else [inner, folder]
        children = self._children.setdefault(path, {})
        for key, file in facts.settings:
            if not key.startswith("mod "):
                continue
            name = key.removeprefix("mod ")
            if file:
                places = [posixpath.normpath(posixpath.join(folder, file))]
            else:
                places = [
                    posixpath.join(b, end)
                    for b in bases
                    for end in (f"{name}.rs", f"{name}/mod.rs")
                ]
            child = next((place for place in places if place in self._world), "")
            if child and child != path:
                children[name] = child
                self._parents.setdefault(child, path)

    def _find_libraries(self, world: Mapping[str, Facts]) -> dict[str, str]:
        """Name of a crate, as code writes it -> the file its library begins with."""
        found: dict[str, str] = {}
        self._own: dict[str, str] = {}  # folder of a manifest -> its library
        for path, facts in sorted(world.items()):
            folder, name = posixpath.split(path)
            if name != "Cargo.toml":
                continue
            settings = dict(facts.settings)
            named = settings.get("package", "") or posixpath.basename(folder)
            places = (settings.get("lib", ""), "src/lib.rs", "lib.rs")
            library = next(
                (p for end in places if end and (p := posixpath.join(folder, end)) in self._world),
                "",
            )
            if library:
                self._own[folder] = library
                found.setdefault(named.replace("-", "_"), library)
        return found

    def _find_macros(self) -> dict[str, list[str]]:
        macros: dict[str, list[str]] = {}
        for path, facts in sorted(self._world.items()):
            for key, _ in facts.settings:
                if key.startswith("macro "):
                    macros.setdefault(key.removeprefix("macro "), []).append(path)
        return macros

    def _resolve_macros(self, path: str, names: tuple[tuple[str, int], ...], links: Links) -> None:
        for name, uses in names:
            found = self._macros.get(name, ())
            near = [file for file in found if self._root(file) == self._root(path)] or found
            if len(near) == 1:
                links.add(path, near[0], name, uses)

    def _resolve_glob(self, path: str, base: str, facts: Facts, links: Links) -> None:
        own = self._defined[path]
        for word, uses in facts.words:
            if word not in own and (found := self._definer(base, word)):
                links.add(path, found[0], found[1], uses)

    def _look(self, path: str) -> str:
        """Note that the file in hand depends on what this one holds."""
        self._asked.setdefault(path, set()).add(self._asking)
        return path

    def _root(self, path: str) -> str:
        for _ in range(32):
            if path not in self._parents:
                break
            path = self._parents[path]
        return path

    def _module(self, path: str, parts: list[str], hops: int = 0) -> str | None:
        """The file that holds a module or type, None when it is not of this repository."""
        first, rest = parts[0], parts[1:]
        place = self._first(path, first, hops)
        while rest and rest[0] == "super" and place is not None:
            place, rest = self._parents.get(place, place), rest[1:]
        for part in rest if place is not None else ():
            assert place is not None
            place = self._step(place, part, hops)
        return self._look(place) if place is not None else None

    def _first(self, path: str, name: str, hops: int) -> str | None:
        root = self._root(path)
        fixed = {"crate": root, "self": path, "super": self._parents.get(path, path)}
        if name in fixed:
            return fixed[name]
        if name in self._children[path]:
            return self._children[path][name]
        if name in self._libraries or name in _STANDARD:
            return self._libraries.get(name)
        found = self._children[root].get(name)  # as paths began before the 2018 edition
        if found is None and (behind := self._behind(path, name, hops)):
            found = behind[0]
        return found

    def _step(self, place: str, part: str, hops: int) -> str:
        """One part further; a type or an inline module is where its file is."""
        found = self._children[place].get(part)
        if found is None and (behind := self._definer(place, part, hops)):
            found = behind[0]
        return found or place

    def _definer(self, path: str, name: str, hops: int = 0) -> Place | None:
        """The file that defines a name, and the name there, through what modules pass on."""
        self._look(path)
        if name == "*" or name in self._defined[path]:
            return path, name
        if name in self._children[path]:
            return self._children[path][name], "*"
        return self._behind(path, name, hops)

    def _behind(self, path: str, name: str, hops: int) -> Place | None:
        if hops >= MAX_HOPS:
            return None
        self._look(path)
        exact, globs = self._passed[path]
        for target in exact.get(name, ()):
            module, _, last = target.rpartition("::")
            base = self._module(path, module.split("::"), hops + 1)
            if base is not None:
                return self._definer(base, last, hops + 1) or (base, last)
        for module in globs:
            base = self._module(path, module.split("::"), hops + 1)
            if base is not None and base != path and (found := self._definer(base, name, hops + 1)):
                return found
        return None


Passed = tuple[dict[str, list[str]], list[str]]


def _passed_on(facts: Facts) -> Passed:
    """What a module shows of others: bound name -> paths, and the modules it shows whole.

    What it merely uses is also seen by its child modules.
    """
    exact: dict[str, list[str]] = {}
    globs: list[str] = []
    for key, target in facts.settings:
        if key == "use *":
            globs.append(target.removesuffix("::*"))
        elif key.startswith("use "):
            exact.setdefault(key.removeprefix("use "), []).append(target)
    for item in facts.imports:
        for name, _ in item.names:
            if item.module and name != "*" and item.level < 2:
                exact.setdefault(name, []).append(f"{item.module}::{name}")
            elif item.module and item.level == 1:
                globs.append(item.module)
    return exact, globs
