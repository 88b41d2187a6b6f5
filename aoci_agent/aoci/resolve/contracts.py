"""Requests -> the file that answers them: references no import shows, often across languages."""

import re
from collections.abc import Mapping

from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.resolve.links import Links

_VARIABLE = re.compile(r"\{[^}]*\}|\[[^\]]*\]|:\w+|<[^>]*>|\*")


def join_contracts(world: Mapping[str, Facts], links: Links) -> None:
    """Add an edge from every file that requests a path to the files that serve it."""
    served: dict[str, set[tuple[str, str]]] = {}
    for path, facts in world.items():
        for route in facts.routes:
            verb, _, url = route.partition(" ")
            served.setdefault(_shape(url), set()).add((verb, path))
    for path, facts in sorted(world.items()):
        for call in facts.calls:
            verb, _, url = call.rpartition(" ")
            for serving, target in sorted(served.get(_shape(url), ())):
                if target != path and (not verb or serving in (verb, "ANY")):
                    links.add(path, target, [("*", 1)])


def _shape(url: str) -> str:
    """A path with every variable alike, without the prefixes proxies add."""
    shape = _VARIABLE.sub("*", url.split("?")[0]).strip("/")
    return shape.removeprefix("api/")
