"""What one entry may draw on: all files, their links, and how much each name is used."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from aoci_agent.aoci.facts.model import Facts, Symbol
from aoci_agent.aoci.layers import is_code, is_test
from aoci_agent.aoci.names import ShortNames
from aoci_agent.aoci.resolve.links import Links, resolve
from aoci_agent.aoci.wordset import wordset

HUB_SHARE = 0.045
HUB_AT_LEAST = 15
# Names a framework asks for: every page has them, so they say nothing.
FRAMEWORK = wordset(
    "runtime dynamic revalidate metadata viewport maxDuration generateMetadata generateStaticParams"
    " getServerSideProps getStaticProps getStaticPaths"
)


@dataclass(frozen=True)
class Surroundings:
    """What an entry may draw on besides its own facts."""

    world: Mapping[str, Facts]
    links: Links
    names: ShortNames
    hubs: frozenset[str]
    fan_in: Mapping[str, int]
    callers: Mapping[str, int]  # method name -> files that call it
    everywhere: frozenset[str]  # outside packages too common to mention


def surroundings(world: Mapping[str, Facts]) -> Surroundings:
    """Resolve the repository once, for every entry to draw on."""
    links = resolve(world)
    fan_in: Counter[str] = Counter()
    for source, row in links.edges.items():
        if not is_test(source):
            fan_in.update(row.keys())
    sources = sum(1 for path, facts in world.items() if is_code(facts) and not is_test(path))
    threshold = max(HUB_AT_LEAST, sources * HUB_SHARE)
    callers: Counter[str] = Counter()
    for facts in world.values():
        callers.update(facts.members)
    return Surroundings(
        world=world,
        links=links,
        names=ShortNames(world),
        hubs=frozenset(path for path, users in fan_in.items() if users >= threshold),
        fan_in=fan_in,
        callers=callers,
        everywhere=_everywhere(links, sources),
    )


def _everywhere(links: Links, sources: int) -> frozenset[str]:
    """Outside packages so common here that naming them in an entry says nothing."""
    fan_in: Counter[str] = Counter()
    for row in links.outside.values():
        fan_in.update(row.keys())
    return frozenset(name for name, users in fan_in.items() if users > max(12, sources * 0.12))


def used(path: str, name: str, around: Surroundings) -> float:
    """Files that use a symbol; a test counts a fifth."""
    users = around.links.used_by.get((path, name), ())
    tests = sum(1 for user in users if is_test(user))
    return len(users) - 0.8 * tests  # not summed one by one: a set's order must not show


def ranked_symbols(path: str, around: Surroundings) -> list[Symbol]:
    """Public top-level symbols, those used by most other files first."""
    facts = around.world[path]
    exported = set(facts.exports)

    def weight(symbol: Symbol) -> tuple[float, int, int]:
        late = symbol.kind in ("constant", "variable", "type")
        score = used(path, symbol.name, around) + (symbol.name in exported)
        return (-score, int(late), symbol.line)

    public = [
        symbol
        for symbol in facts.symbols
        if not symbol.owner and symbol.public and _is_worth_naming(path, symbol, around)
    ]
    return sorted(public, key=weight)


def _is_worth_naming(path: str, symbol: Symbol, around: Surroundings) -> bool:
    """Constants and a component's own property type count once somebody uses them."""
    if symbol.name in FRAMEWORK:
        return False
    wanted = bool(around.links.used_by.get((path, symbol.name)))
    if symbol.name.endswith("Props"):
        return wanted
    constant = symbol.kind in ("constant", "variable")
    return not constant or wanted or symbol.name in around.world[path].exports
