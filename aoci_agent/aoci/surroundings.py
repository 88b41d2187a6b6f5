"""What one entry may draw on: all files, their links, and how much each name is used."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from posixpath import splitext

from aoci_agent.aoci.facts.model import Facts, Symbol
from aoci_agent.aoci.layers import is_code, is_test
from aoci_agent.aoci.resolve.links import Linker, needs_all
from aoci_agent.aoci.wordset import wordset

HUB_SHARE = 0.045
HUB_AT_LEAST = 15
_USUAL_SHARE = 0.06
_USUAL_AT_LEAST = 12
# Names a framework asks for: every page has them, so they say nothing.
FRAMEWORK = wordset(
    "runtime dynamic revalidate metadata viewport maxDuration generateMetadata generateStaticParams"
    " getServerSideProps getStaticProps getStaticPaths"
)
LATE = ("constant", "variable", "type")  # named after what does something, use being equal
_FRONTS = ("__init__", "index", "mod", "main", "lib")  # what a package shows of its inner files


class ShortNames:
    """How files are named in R: the shortest unique ending of a path, without the extension."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._count = Counter(ending for path in paths for ending in _endings(path))

    def __call__(self, path: str) -> str:
        """The shortest ending no other file has; the whole path where there is none."""
        endings = (e for e in _endings(path) if self._count[e] == 1 and "," not in e)
        return next(endings, path)


def _endings(path: str) -> Iterator[str]:
    """Longer and longer endings; each with the extension too, for files that differ in it alone."""
    folder, _, name = path.rpartition("/")
    stem, dot, _ = name.rpartition(".")
    bare = [stem, name] if stem and dot else [name]
    yield from bare
    before = ""
    for part in reversed(folder.split("/") if folder else ()):
        before = f"{part}/{before}"
        yield from (f"{before}{ending}" for ending in bare)


def passes_on(facts: Facts) -> bool:
    """Whether a file shows more names of other files than it has of its own."""
    return len(set(facts.exports) - facts.defined) > sum(
        s.public for s in facts.symbols if not s.owner
    )


def _calls_of(flows: Iterable[str]) -> set[str]:
    """The plain calls among the steps of one file."""
    steps = (step for flow in flows for step in flow.partition(": ")[2].split(", "))
    return {step for step in steps if " " not in step and not step.isdigit()}


class Surroundings:
    """All files with their links, resolved once and then kept in step with `update`."""

    def __init__(self, world: Mapping[str, Facts]) -> None:
        self.world = dict(world)
        self.callers: Counter[str] = Counter()  # method name -> files that call it
        self.owners: Counter[str] = Counter()  # method name -> types that define it
        for facts in self.world.values():
            self._count(facts, 1)
        self._start()

    def update(self, changed: Mapping[str, Facts | None]) -> None:
        """Take in new facts of files, None for one that is gone; costs what the change reaches."""
        known = {path for path in changed if path in self.world}
        before = {path: self.world[path] for path in known}
        for path, facts in changed.items():
            if path in known:
                self._count(self.world.pop(path), -1)
            if facts is not None:
                self._count(facts, 1)
                self.world[path] = facts
        now = {path: self.world[path] for path in changed if path in self.world}
        if known != now.keys() or any(needs_all(before[path], now[path]) for path in known):
            self._start()
        else:
            self._linker.relink(before)
            self._derive()

    def used(self, path: str, name: str) -> float:
        """Files that use a symbol; a test counts a fifth."""
        users = self.links.used_by.get((path, name), ())
        tests = sum(1 for user in users if is_test(user))
        return len(users) - 0.8 * tests  # not summed one by one: a set's order must not show

    def _start(self) -> None:
        self.world = dict(sorted(self.world.items()))
        self._linker = Linker(self.world)
        self.links = self._linker.links
        self.names = ShortNames(self.world)
        self._derive()

    def _derive(self) -> None:
        edges = self.links.edges
        self.fan_in: Counter[str] = Counter()
        for source, row in edges.items():
            if not is_test(source):
                self.fan_in.update(row.keys())
        code = (path for path, facts in self.world.items() if is_code(facts))
        sources = sum(1 for path in code if not is_test(path))
        threshold = max(HUB_AT_LEAST, sources * HUB_SHARE)
        self.hubs = frozenset(path for path, users in self.fan_in.items() if users >= threshold)
        packages = Counter(name for row in self.links.outside.values() for name in row)
        common = max(12, sources * 0.12)  # packages used so widely that naming them says nothing
        self.everywhere = frozenset(name for name, users in packages.items() if users > common)
        self.usual = self._usual_steps()
        self.shown: dict[str, set[str]] = {}  # file -> names a package shows of it
        for source, row in edges.items():
            stem = splitext(source.rpartition("/")[2])[0]
            if stem in _FRONTS and passes_on(self.world[source]):
                for target in row:
                    self.shown.setdefault(target, set()).update(self.world[source].exports)

    def _usual_steps(self) -> frozenset[str]:
        """Calls made all over the repository: a step of everything tells nothing of one thing."""
        files = [facts.flows for facts in self.world.values() if facts.flows]
        made = Counter(step for flows in files for step in _calls_of(flows))
        most = max(_USUAL_AT_LEAST, len(files) * _USUAL_SHARE)
        return frozenset(step for step, count in made.items() if count > most)

    def _count(self, facts: Facts, sign: int) -> None:
        for counts, names in (
            (self.callers, facts.members),
            (self.owners, [symbol.name for symbol in facts.symbols if symbol.owner]),
        ):
            for name in names:
                counts[name] += sign


@dataclass(frozen=True)
class Subject:
    """One file among the others, with its layer and importance."""

    path: str
    around: Surroundings
    layer: str
    level: int

    @property
    def facts(self) -> Facts:
        """The file's own facts."""
        return self.around.world[self.path]

    @cached_property
    def outside(self) -> Mapping[str, int]:
        """Packages from outside the repository, with their uses."""
        return self.around.links.outside.get(self.path, {})

    @cached_property
    def ranked(self) -> list[Symbol]:
        """Public top-level symbols: what a package shows first, then by the files that use them."""
        shown = self.around.shown.get(self.path, frozenset[str]())

        def weight(symbol: Symbol) -> tuple[float, int, int]:
            late = 0 if symbol.kind == "class" else 2 if symbol.kind in LATE else 1
            score = self.used(symbol.name) + (symbol.name in self.facts.exports)
            return (-score - 100 * (symbol.name in shown), late, symbol.line)

        listed = (symbol for symbol in self.facts.symbols if not symbol.owner and symbol.public)
        return sorted(filter(self._is_worth_naming, listed), key=weight)

    def used(self, name: str) -> float:
        """How much a symbol of this file is used elsewhere."""
        return self.around.used(self.path, name)

    def _is_worth_naming(self, symbol: Symbol) -> bool:
        """Constants and a component's own property type count once somebody uses them."""
        if symbol.name in FRAMEWORK or symbol.name.startswith("__"):
            return False
        wanted = bool(self.around.links.used_by.get((self.path, symbol.name)))
        if symbol.name.endswith("Props"):
            return wanted
        constant = symbol.kind in ("constant", "variable")
        return not constant or wanted or symbol.name in self.facts.exports


def told_by(symbol: Symbol) -> str:
    """A symbol's documentation, after its name unless it begins with it."""
    rest = symbol.doc.removeprefix(symbol.name)
    begins = rest != symbol.doc and not rest[:1].isalnum()
    return symbol.doc if begins else f"{symbol.name}: {symbol.doc}"
