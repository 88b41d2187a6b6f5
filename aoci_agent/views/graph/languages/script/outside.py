"""What is known of types of JavaScript: arrays, promises, and types made of others."""

from collections.abc import Callable, Sequence

from aoci_agent.aoci.wordset import wordset
from aoci_agent.views.graph.languages.outside import PlainOutside
from aoci_agent.views.graph.values import NOTHING, Instance, Outside, Value, Values, merged

_ARRAYS = wordset(
    "Array ReadonlyArray Set ReadonlySet Iterable Iterator IterableIterator AsyncIterable"
)
_MAPS = wordset("Map ReadonlyMap WeakMap Record")
_SAME_TYPE = wordset(
    "Partial Readonly Required Omit Pick NonNullable Awaited DeepPartial Exclude Extract"
)
_COMPONENTS = wordset("FC FunctionComponent VFC ComponentType")
_WRAPPERS = wordset("memo useCallback observer cache")
_HOOKS = wordset("useState useRef useMemo")
_UNKNOWN = wordset("any unknown never void undefined null object")
_SAME = wordset(
    "filter slice concat reverse sort splice fill copyWithin toSorted toReversed values"
)
_ITEM = wordset("find pop shift at findLast")


class ScriptOutside(PlainOutside):
    """Arrays hold one type, maps a key and a value, promises what they come to."""

    def instances(self, value: Outside, inner: Callable[[Values], Values]) -> Values:
        """Values of a type; what is made of another type is as good as that."""
        name, given = value
        if name in _UNKNOWN:
            return NOTHING
        if name == "typeof":
            return given[0] if given else NOTHING
        if name in _SAME_TYPE and given:
            return inner(given[0])
        if name.rpartition(".")[2] in _COMPONENTS and given:
            return (Instance("func", (inner(given[0]), NOTHING)),)
        return (Instance(name, tuple(inner(item) for item in given)),)

    def called(
        self, value: Value, given: Sequence[Values], typed: Callable[[Values], Values]
    ) -> Values:
        """What methods of arrays, maps and promises give."""
        if isinstance(value, Outside):
            owner, _, name = value.name.rpartition(".")
            if name in _WRAPPERS:
                return given[0] if given else NOTHING
            if name in _HOOKS:
                return self._hook(
                    name, typed(value.arguments[0]) if value.arguments else NOTHING, given
                )
            if owner:
                return self._method(Instance(owner, value.arguments), name, given)
        return super().called(value, given, typed)

    def _hook(self, name: str, declared: Values, given: Sequence[Values]) -> Values:
        """State, references and remembered values of React."""
        if name == "useMemo":
            return declared or _results(given)
        held = declared or (given[0] if given else NOTHING)
        return (Instance("tuple" if name == "useState" else "Reference", (held, NOTHING)),)

    def member(self, value: Instance, name: str) -> Values:
        """A method by its type's name."""
        if value.name == "Reference" and name == "current":
            return value.arguments[0]
        return (Outside(f"{value.name}.{name}", value.arguments),)

    def _method(self, value: Instance, name: str, given: Sequence[Values]) -> Values:
        if value.name in _MAPS:
            return value.arguments[-1] if name == "get" and value.arguments else NOTHING
        if value.name == "Promise":
            return self._chained(value, name, given)
        if name in _SAME:
            return (value,)
        if name in _ITEM:
            return self.each(value)
        if name in ("map", "flatMap"):
            return (Instance("Array", (_results(given),)),)
        return NOTHING

    def _chained(self, value: Instance, name: str, given: Sequence[Values]) -> Values:
        if name != "then":
            return (value,)
        results = _results(given)
        held = merged(self.awaited(v) if isinstance(v, Instance) else (v,) for v in results)
        return (Instance("Promise", (held,)),)

    def each(self, value: Instance) -> Values:
        """An item of an array, a pair of a map."""
        if value.name in _MAPS:
            return (Instance("tuple", value.arguments),)
        if value.name == "tuple":
            return merged(value.arguments)
        return value.arguments[0] if value.name in _ARRAYS and value.arguments else NOTHING

    def item(self, value: Instance, inside: tuple[Values, ...]) -> Values:
        """`value[i]`."""
        return super().item(value, inside) if value.name in _ARRAYS | _MAPS else NOTHING

    def piece(self, value: Instance, number: int) -> Values:
        """Item `number` of a tuple or an array."""
        return self.each(value) if value.name in _ARRAYS else super().piece(value, number)

    def awaited(self, value: Instance) -> Values:
        """What a promise comes to; what is no promise is itself."""
        if value.name in ("Promise", "PromiseLike"):
            return value.arguments[0] if value.arguments else NOTHING
        return (value,)


def _results(given: Sequence[Values]) -> Values:
    """What the function handed over gives."""
    functions = [v for v in (given[0] if given else NOTHING) if isinstance(v, Instance)]
    return merged(v.arguments[-1] for v in functions if v.name == "func" and v.arguments)
