"""What most languages know of outside types: containers by what they hold. To be built upon."""

from collections.abc import Callable, Sequence

from aoci_agent.views.graph.values import NOTHING, Instance, Outside, Value, Values


class PlainOutside:
    """Declared types are what they say; a call of an outside type makes an instance; no more."""

    iteration: Sequence[str] = ()

    def canonical(self, name: str) -> str:
        """One name for a thing with several homes."""
        return name

    def instances(self, value: Outside, inner: Callable[[Values], Values]) -> Values:
        """Values whose declared type this is."""
        return (Instance(value.name, tuple(inner(item) for item in value.arguments)),)

    def called(
        self, value: Value, given: Sequence[Values], typed: Callable[[Values], Values]
    ) -> Values:
        """What a function value gives, or an instance of an outside type."""
        if isinstance(value, Instance) and value.name == "func" and value.arguments:
            return value.arguments[-1]
        return (Instance(value.name),) if isinstance(value, Outside) else NOTHING

    def member(self, value: Instance, name: str) -> Values:
        """Nothing is known of members."""
        return NOTHING

    def item(self, value: Instance, inside: tuple[Values, ...]) -> Values:
        """The last type argument: the values of a map, the items of a list."""
        return value.arguments[-1] if value.arguments else NOTHING

    def each(self, value: Instance) -> Values:
        """The last type argument."""
        return value.arguments[-1] if value.arguments else NOTHING

    def piece(self, value: Instance, number: int) -> Values:
        """An item of a tuple by its number."""
        if value.name == "tuple" and number < len(value.arguments):
            return value.arguments[number]
        return NOTHING

    def awaited(self, value: Instance) -> Values:
        """The last type argument of what is waited for."""
        return value.arguments[-1] if value.arguments else NOTHING

    def decorated(self, decorator: Value, values: Values) -> Values:
        """Decorators from outside are taken to change nothing."""
        return values

    def provides(self, mark: Value) -> bool:
        """No framework fills in parameters."""
        return False

    def manager(self, decorator: Value) -> str:
        """No decorator makes another type."""
        return ""
