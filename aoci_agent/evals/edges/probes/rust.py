"""Where Rust paths lead, read a second time after the Reference ("Paths", "Use declarations", "Modules").

It is no compiler: bodies are read as words, macros are not expanded, and every `cfg` counts as true.
Run by `oracles.py`; shares no code with the index.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from aoci_agent.evals.edges.probes.rust_text import CLOSING, Use, after, leaves, tokens_of

SHARED = re.compile(
    r"#\[macro_use[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)"
)
EXPORTED = re.compile(r"#\[macro_export[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*macro_rules!\s*(\w+)")
PLACED = re.compile(
    r"#\[path\s*=\s*\"([^\"]+)\"\s*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)"
)
NAMED = {"struct", "enum", "union", "trait", "type", "const", "static", "fn"}
ENDLESS = {"const", "static", "type"}  # end at a semicolon, whatever braces come before
BEFORE = {"unsafe", "async", "default", "auto", "safe"}
STANDARD = {"std", "core", "alloc", "proc_macro", "test"}
TARGETS = ("src/bin/*.rs", "src/bin/*/main.rs", *(f"{name}/*.rs" for name in ("tests", "examples", "benches")))  # fmt: skip
FOLDED = ("tests/*/main.rs", "examples/*/main.rs", "benches/*/main.rs", "src/main.rs", "build.rs")
DEEP = 24


@dataclass
class Module:
    """One module of one crate, a file or a part of one."""

    crate: "Crate"
    file: Path
    parent: "Module | None" = None
    children: dict[str, "Module"] = field(default_factory=dict[str, "Module"])
    items: set[str] = field(default_factory=set[str])
    uses: list[Use] = field(default_factory=list[Use])
    code: list[str] = field(default_factory=list[str])
    sharing: set[str] = field(default_factory=set[str])  # children whose macros are seen here


@dataclass
class Crate:
    """What is compiled as one: a root module and the names of the crates it may use."""

    libraries: dict[str, "Crate"]  # as its code names them
    outside: set[str]
    modules: list[Module] = field(default_factory=list[Module])
    macros: dict[str, set[Path]] = field(default_factory=dict[str, set[Path]])
    exported: dict[str, Path] = field(default_factory=dict[str, Path])


Found = Module | Path | str | None  # a module, the file of an item, "" for elsewhere, not known


class Reader:
    """Reads the items of one file into its module, and the files of its child modules after it."""

    def __init__(self, crate: Crate) -> None:
        self.crate = crate

    def file(self, path: Path, parent: Module | None, folder: Path) -> Module:
        """`folder` is where child modules without a path of their own are."""
        module = Module(self.crate, path, parent)
        self.crate.modules.append(module)
        text = path.read_text(encoding="utf-8", errors="replace")
        placed = {name: path.parent / file for file, name in PLACED.findall(text)}
        module.sharing = set(SHARED.findall(text))
        self.crate.exported.update(dict.fromkeys(EXPORTED.findall(text), path))
        self.items(tokens_of(text), module, folder, placed)
        return module

    def items(
        self, tokens: list[str], module: Module, folder: Path, placed: dict[str, Path]
    ) -> None:
        at = 0
        while at < len(tokens):
            word = tokens[at]
            following = tokens[at + 1] if at + 1 < len(tokens) else ""
            if word == "#":
                at = after(tokens, at + 1 + (following == "!"))
            elif word == "pub":
                at = after(tokens, at + 1) if following == "(" else at + 1
            elif word in BEFORE or (word in ("const", "extern") and following in ("fn", "unsafe")):
                at += 1
            elif word == "mod" and at + 2 < len(tokens):
                at = self.child(tokens, at, module, folder, placed)
            elif word == "macro_rules" and at + 2 < len(tokens):
                self.crate.macros.setdefault(tokens[at + 2], set()).add(module.file)
                at = after(tokens, at + 3)
            elif word in ("use", "extern") and (word == "use" or following == "crate"):
                at = imported(tokens, at, module)
            else:
                at = self.item(tokens, at, module)

    def child(
        self, tokens: list[str], at: int, module: Module, folder: Path, placed: dict[str, Path]
    ) -> int:
        name = tokens[at + 1]
        if tokens[at + 2] == "{":
            end = after(tokens, at + 2)
            inner = Module(self.crate, module.file, module)
            self.crate.modules.append(inner)
            module.children[name] = inner
            self.items(tokens[at + 3 : end - 1], inner, folder / name, {})
            return end
        tries = [placed[name]] if name in placed else [folder / f"{name}.rs", folder / name / "mod.rs"]  # fmt: skip
        found = next((path for path in tries if path.is_file()), None)
        if found is not None:
            own = found.parent if name in placed or found.name == "mod.rs" else folder / name
            module.children[name] = self.file(found, module, own)
        return at + 3

    def item(self, tokens: list[str], at: int, module: Module) -> int:
        word = tokens[at]
        end = at
        while end < len(tokens) and tokens[end] != ";":
            if tokens[end] in CLOSING:
                block = tokens[end] == "{"
                end = after(tokens, end)
                if block and word not in ENDLESS:
                    end -= 1
                    break
            else:
                end += 1
        if word in NAMED and at + 1 < len(tokens):
            module.items.add(tokens[at + 1 + (tokens[at + 1] == "mut")])
        self.body(tokens[at : end + 1], module)
        return end + 1

    def body(self, tokens: list[str], module: Module) -> None:
        """Words of an item; a `use` inside of it counts as one of its module."""
        at = 0
        while at < len(tokens):
            if tokens[at] == "use" and at + 1 < len(tokens) and tokens[at + 1] not in ("<", ">"):
                at = imported(tokens, at, module)
            else:
                module.code.append(tokens[at])
                at += 1


def imported(tokens: list[str], at: int, module: Module) -> int:
    end = tokens.index(";", at) if ";" in tokens[at:] else len(tokens)
    tree = [token for token in tokens[at + 1 : end] if token != "crate" or tokens[at] == "use"]
    module.uses += leaves((), tree)
    return end + 1


def lookup(module: Module, name: str, seen: frozenset[tuple[int, str]] = frozenset()) -> Found:
    """What a name means inside of a module: its items, then what it uses, then what globs bring."""
    key = (id(module), name)
    if key in seen or len(seen) > DEEP:
        return None
    seen |= {key}
    if name in module.children:
        return module.children[name]
    if name in module.items:
        return module.file
    unsure = False
    for use in module.uses:
        if use.name == name:
            found = resolve(module, use.path, seen)
            if found is not None:
                return found
            unsure = True
    for use in module.uses:
        if use.name == "*" and not unsure:
            base = resolve(module, use.path[:-1], seen)
            found = lookup(base, name, seen) if isinstance(base, Module) else None
            if found:
                return found
    return None


def resolve(
    module: Module, path: tuple[str, ...], seen: frozenset[tuple[int, str]] = frozenset()
) -> Found:
    """A path as written in a module; a type is the end of it, whatever comes behind."""
    here: Found = first(module, path[0], seen)
    for name in path[1:]:
        if not isinstance(here, Module):
            break
        inner = here.parent if name == "super" else lookup(here, name, seen)
        here = here.file if inner == "" else inner  # passed on from another package: told here
    return here


def first(module: Module, name: str, seen: frozenset[tuple[int, str]]) -> Found:
    if name in ("crate", "$crate"):
        return module.crate.modules[0]
    if name == "self":
        return module
    if name == "super":
        return module.parent
    found = lookup(module, name, seen)
    if found is not None:
        return found
    if name in module.crate.libraries:
        return module.crate.libraries[name].modules[0]
    return "" if name in STANDARD | module.crate.outside else None


def references(module: Module) -> Iterator[tuple[str, Found]]:
    for child in module.children.values():
        yield ("*", child)
    for use in module.uses:
        path = use.path[:-1] if use.name == "*" else use.path
        found = resolve(module, path) if path else None
        yield (use.path[-1], found)
        if use.name == "*" and isinstance(found, Module):
            globbed = set(re.findall(r"\w+", " ".join(module.code)))
            for name in sorted(globbed - module.items):
                inner = lookup(found, name)
                if inner:
                    yield (name, inner)
    code = module.code
    at = 0
    while at < len(code):
        path = [code[at]]
        while at + 2 < len(code) and code[at + 1] == "::" and (code[at + 2][0].isalpha() or code[at + 2][0] == "_"):  # fmt: skip
            path.append(code[at + 2])
            at += 2
        at += 1
        if len(path) > 1:
            yield from written(module, tuple(path))
        elif at < len(code) and code[at] == "!" and path[0] in module.crate.macros:
            yield (path[0], macro(module, path[0]))


def macro(module: Module, name: str) -> Found:
    """A macro is known below the module that has it; where else, depends on the order of the text."""
    files = module.crate.macros[name]
    above: Module | None = module
    while above is not None:
        shared = (above.children[name] for name in above.sharing & above.children.keys())
        if near := [place.file for place in (above, *shared) if place.file in files]:
            return near[0]
        above = above.parent
    return module.crate.exported.get(name)


def written(module: Module, path: tuple[str, ...]) -> Iterator[tuple[str, Found]]:
    """The last part and the first type on the way both name what is found."""
    found = resolve(module, path)
    told = next((part for part in path if part[:1].isupper()), path[-1])
    for name in dict.fromkeys((told, path[-1])):
        yield (name, found)


def crates(root: Path) -> list[Crate]:
    """All targets of all packages; each library is known to the packages that depend on it."""
    packages: list[tuple[Path, dict[str, Any]]] = []
    for manifest in sorted(root.rglob("Cargo.toml")):
        if "target" not in manifest.parts:
            data = tomllib.loads(manifest.read_text(encoding="utf-8"))
            packages += [(manifest.parent, data)] if "package" in data else []
    libraries: dict[str, tuple[Crate, Path]] = {}
    for folder, data in packages:
        place = folder / data.get("lib", {}).get("path", "src/lib.rs")
        if place.is_file():
            libraries[data["package"]["name"]] = (Crate({}, set()), place)
    found: list[Crate] = []
    for folder, data in packages:
        own = data["package"]["name"]
        inner, outside = dependencies(data, libraries)
        if own in libraries:
            library, place = libraries[own]
            library.libraries, library.outside = inner, outside
            read(library, place)
            found.append(library)
            named = data.get("lib", {}).get("name", own).replace("-", "_")
            inner = {**inner, named: library}
        roots = {folder / item["path"] for key in ("bin", "test", "example", "bench") for item in data.get(key, []) if "path" in item}  # fmt: skip
        roots |= {path for pattern in (*TARGETS, *FOLDED) for path in folder.glob(pattern)}
        for place in sorted(path for path in roots if path.is_file()):
            found.append(read(Crate(inner, outside), place))
    return found


def read(crate: Crate, place: Path) -> Crate:
    Reader(crate).file(place, None, place.parent)
    return crate


def dependencies(
    data: dict[str, Any], libraries: dict[str, tuple[Crate, Path]]
) -> tuple[dict[str, Crate], set[str]]:
    inner: dict[str, Crate] = {}
    outside: set[str] = set()
    for table in (data, *data.get("target", {}).values()):
        for key in ("dependencies", "dev-dependencies", "build-dependencies"):
            for name, wanted in table.get(key, {}).items():
                package = (
                    cast("Any", wanted).get("package", name) if isinstance(wanted, dict) else name
                )
                bound = name.replace("-", "_")
                if str(package) in libraries:
                    inner[bound] = libraries[package][0]
                else:
                    outside.add(bound)
    return inner, outside


def main() -> None:
    request: dict[str, Any] = json.load(sys.stdin)
    root = Path(request["root"])
    known: dict[str, set[tuple[str, str | None]]] = {}
    sys.setrecursionlimit(10_000)
    for crate in crates(root):
        for module in crate.modules:
            rows = known.setdefault(shown(root, module.file), set())
            for name, found in references(module):
                place = found.file if isinstance(found, Module) else found
                target = shown(root, place) if isinstance(place, Path) else place
                rows.add((name, target))
                if isinstance(found, Module):
                    rows.add(("*", target))
    for source in request["sources"]:
        if source in known:
            print(json.dumps({"source": source, "references": sorted(known[source], key=str)}))


def shown(root: Path, path: Path) -> str:
    return Path(path).resolve().relative_to(root.resolve()).as_posix()


if __name__ == "__main__":
    main()
