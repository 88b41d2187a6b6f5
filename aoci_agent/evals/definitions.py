"""Go-to-definition of the graph against jedi, at random call sites of Python repositories.

    python -m aoci_agent.evals.definitions REPOSITORY... [--sites 200] [--seed 0] [--show]

jedi (not a dependency of aoci-agent; it comes with a language server) is asked `goto` with imports
followed. Only its answers inside the repository count. `agree`: an answer of ours is one of jedi's;
`wrong`: both answer, and no answer is shared; `missed`: only jedi answers; `extra`: only the graph
answers, which jedi's own limits may explain. `partly`: agreeing answers with a place jedi does not name.
"""

import argparse
import ast
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from aoci_agent.base.text import content_id
from aoci_agent.views.graph.view import GraphView

_LEFT_OUT = (".git", ".venv", "venv", "node_modules", "build", "dist")


class Site(NamedTuple):
    """A called name: line from 1, column from 0 in characters."""

    path: str
    line: int
    column: int
    text: str


Places = frozenset[tuple[str, int]]


@dataclass(frozen=True)
class Folder:
    """The Python files below a folder, as a source of views."""

    root: Path
    files: Mapping[str, str]

    @classmethod
    def of(cls, root: Path) -> "Folder":
        """Every `.py` file below, hidden and built ones left out."""
        paths = sorted(root.rglob("*.py"))
        names = [path.relative_to(root).as_posix() for path in paths]
        kept = [name for name in names if not any(part in _LEFT_OUT for part in name.split("/"))]
        return cls(root, {name: content_id((root / name).read_bytes()) for name in kept})

    def read(self, path: str) -> bytes:
        """The bytes of a file."""
        return (self.root / path).read_bytes()


@dataclass
class Tally:
    """What became of the sites of one repository."""

    sites: int = 0
    oracle: int = 0
    agree: int = 0
    partly: list[str] = field(default_factory=list[str])
    wrong: list[str] = field(default_factory=list[str])
    missed: list[str] = field(default_factory=list[str])
    extra: list[str] = field(default_factory=list[str])
    ours_ms: list[float] = field(default_factory=list[float])
    jedi_ms: list[float] = field(default_factory=list[float])

    def add(self, site: Site, ours: Places, theirs: Places) -> None:
        """Judge one site."""
        told = f"{site.path}:{site.line}:{site.column} {site.text}"
        self.sites += 1
        self.oracle += bool(theirs)
        if ours & theirs:
            self.agree += 1
            if ours - theirs:
                self.partly.append(f"{told}: also {sorted(ours - theirs)}, jedi {sorted(theirs)}")
        elif ours and theirs:
            self.wrong.append(f"{told}: {sorted(ours)}, jedi {sorted(theirs)}")
        elif theirs:
            self.missed.append(f"{told}: jedi {sorted(theirs)}")
        elif ours:
            self.extra.append(f"{told}: {sorted(ours)}")


def sites_of(folder: Folder) -> list[Site]:
    """Every called name: `f` of `f()`, `g` of `a.b.g()`."""
    return [site for path in folder.files for site in _sites(path, folder.read(path))]


def _sites(path: str, data: bytes) -> Iterator[Site]:
    try:
        text = data.decode("utf-8")
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    lines = text.split("\n")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            function = node.func
            if isinstance(function, ast.Name):
                line, at, name = function.lineno, function.col_offset, function.id
            else:
                name = function.attr
                line = function.end_lineno or function.lineno
                at = (function.end_col_offset or 0) - len(name.encode())
            column = len(lines[line - 1].encode()[:at].decode("utf-8", "replace"))
            if lines[line - 1][column : column + len(name)] == name:
                yield Site(path, line, column, lines[line - 1].strip()[:100])


def judge(root: Path, count: int, seed: int) -> Tally:
    """Ask both at `count` sites."""
    jedi: Any = import_module("jedi")
    folder = Folder.of(root)
    view = GraphView()
    started = time.process_time()
    view.build(folder)
    spent = time.process_time() - started
    print(f"{root.name}: built in {spent:.2f} s of CPU, {dict(view.counts)}", flush=True)
    sites = sites_of(folder)
    chosen = random.Random(seed).sample(sites, min(count, len(sites)))
    # What is installed here must not stand in for the repository's own modules.
    roots = [str(place) for place in (root / "src", root) if place.is_dir()]
    roots += [path for path in sys.path if path and "-packages" not in path]
    project = jedi.Project(str(root), sys_path=roots)
    tally = Tally()
    for site in sorted(chosen):
        started = time.perf_counter()
        symbols = view.definition(site.path, site.line, site.column)
        tally.ours_ms.append(1000 * (time.perf_counter() - started))
        started = time.perf_counter()
        theirs = _asked(jedi, project, root, site)
        tally.jedi_ms.append(1000 * (time.perf_counter() - started))
        tally.add(site, frozenset((item.path, item.line) for item in symbols), theirs)
    return tally


def _asked(jedi: Any, project: Any, root: Path, site: Site) -> Places:
    script = jedi.Script(path=str(root / site.path), project=project)
    try:
        found = script.goto(site.line, site.column, follow_imports=True)
    except Exception as error:  # noqa: BLE001 - the oracle fails on some sites
        print(f"  jedi: {site.path}:{site.line}: {type(error).__name__}", flush=True)
        return frozenset()
    places: set[tuple[str, int]] = set()
    for item in found:
        path = item.module_path
        if path is not None and path.is_relative_to(root) and item.line:
            places.add((path.relative_to(root).as_posix(), item.line))
    return frozenset(places)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each repository."""
    parser = argparse.ArgumentParser(description="definitions of the graph against jedi")
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--sites", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="print the sites that do not agree")
    given = parser.parse_args(arguments)
    failed = 0
    for repository in given.repositories:
        tally = judge(repository.resolve(), given.sites, given.seed)
        share = len(tally.missed) / tally.oracle if tally.oracle else 0.0
        print(
            f"{repository.name}: {tally.sites} sites, jedi inside {tally.oracle}, agree {tally.agree},"
            f" partly {len(tally.partly)}, wrong {len(tally.wrong)}, missed {len(tally.missed)}"
            f" ({share:.0%}), extra {len(tally.extra)};"
            f" {median(tally.ours_ms):.2f} ms an answer, jedi {median(tally.jedi_ms):.0f} ms",
            flush=True,
        )
        failed += len(tally.wrong)
        for name in ("wrong", "missed", "partly", "extra") if given.show else ():
            for line in getattr(tally, name):
                print(f"  {name}: {line}")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
