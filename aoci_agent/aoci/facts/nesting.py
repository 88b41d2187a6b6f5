"""Definitions within definitions, read off where their pieces begin and end."""

from collections.abc import Iterable, Iterator

from aoci_agent.aoci.facts.language import Captured


def nested(
    found: Iterable[Captured], holders: frozenset[str]
) -> Iterator[tuple[Captured, tuple[Captured, ...]]]:
    """Each match that captured `@at`, with those around it that captured one of `holders`."""
    around: list[Captured] = []
    listed = (item for item in found if "at" in item)
    for item in sorted(listed, key=lambda item: (item["at"].start, -item["at"].end)):
        while around and around[-1]["at"].end <= item["at"].start:
            around.pop()
        yield item, tuple(around)
        if holders & item.keys():
            around.append(item)
