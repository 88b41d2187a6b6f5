"""What is known of Go's own types: slices, maps, channels, functions with several results."""

from aoci_agent.views.graph.languages.outside import PlainOutside
from aoci_agent.views.graph.values import NOTHING, Instance, Values


class GoOutside(PlainOutside):
    """Type arguments: slice and chan hold one, map a key and a value, func its result."""

    def each(self, value: Instance) -> Values:
        """A tuple of what `range` gives: index or key, then the item."""
        if value.name == "slice":
            return (Instance("tuple", (NOTHING, *value.arguments)),)
        if value.name in ("map", "chan"):
            return (Instance("tuple", value.arguments),)
        return NOTHING

    def awaited(self, value: Instance) -> Values:
        """What comes out of a channel."""
        return value.arguments[-1] if value.name == "chan" and value.arguments else NOTHING
