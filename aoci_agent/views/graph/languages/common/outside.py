"""What a language knows of types outside the repository: containers, and what their methods give."""

from collections.abc import Iterable, Mapping, Sequence

from aoci_agent.views.graph.languages.outside import PlainOutside
from aoci_agent.views.graph.model import Typed
from aoci_agent.views.graph.values import NOTHING, Instance, Outside, Value, Values, merged

_UNWRAPPED = frozenset(("Option", "Result", "OnceCell", "OnceLock"))


class Containers(PlainOutside):
    """A language's `Outside`, by tables. Names of types are the last part of their full name.

    `items`: types of which the first argument is what is in them. `maps`: those with keys and values.
    `through`: types that are as good as what is in them. `gives`: methods by what they give: `item` (of
    maps the value), `some` (the item, if there is one), `key`, `self`, `all` and `keys` (something that
    has these in it), `numbered` (pairs of a number and an item). `holds`: the same for fields.
    """

    def __init__(
        self,
        *,
        items: frozenset[str] = frozenset(),
        maps: frozenset[str] = frozenset(),
        through: frozenset[str] = frozenset(),
        gives: Mapping[str, Iterable[str]] | None = None,
        holds: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        self._items = items | {"Array"}
        self._maps = maps
        self._through = through
        self._gives = _by_name(gives or {})
        self._holds = _by_name(holds or {})

    def canonical(self, name: str) -> str:
        return name.rpartition(".")[2]

    def instances(self, value: Outside, inner: Typed) -> Values:
        if value.name in self._through:
            return inner(value.arguments[0]) if value.arguments else NOTHING
        if value.name in ("Object", "object", "Any", "mixed", "auto", "var"):
            return NOTHING
        return (Instance(value.name, tuple(inner(item) for item in value.arguments)),)

    def called(self, value: Value, given: Sequence[Values], typed: Typed) -> Values:
        if isinstance(value, Instance):
            if value.name.startswith("."):
                return self._given(value)
            return (value,) if value.name == "TypeVar" else NOTHING
        return (Instance(value.name, value.arguments),) if isinstance(value, Outside) else NOTHING

    def member(self, value: Instance, name: str) -> Values:
        """A method of a container is an instance named after it, with a point in front."""
        name = name.removesuffix("()")
        if value.name not in self._items | self._maps:
            return NOTHING
        if name in self._holds:
            return self._give(value, self._holds[name])
        return (Instance(f".{name}", ((value,),)),) if name in self._gives else NOTHING

    def _given(self, method: Instance) -> Values:
        wanted = self._gives[method.name[1:]]
        held = (value for value in method.arguments[0] if isinstance(value, Instance))
        return merged(self._give(value, wanted) for value in held)

    def _give(self, value: Instance, wanted: str) -> Values:
        held = value.arguments
        inside = held[-1:] if value.name in self._maps else held[:1]
        given: dict[str, Values] = {
            "self": (value,),
            "all": (Instance("Array", held[-1:]),),
            "keys": (Instance("Array", held[:1]),),
            "numbered": (Instance("Array", ((Instance("tuple", (NOTHING, *held[:1])),),)),),
            "key": merged(held[:1]),
            "item": merged(inside),
            "some": merged(inside) if value.name in _UNWRAPPED else (Instance("Option", inside),),
        }
        return given[wanted]

    def item(self, value: Instance, inside: tuple[Values, ...]) -> Values:
        if value.name in self._maps:
            return value.arguments[-1] if len(value.arguments) == 2 else NOTHING
        return self.each(value)

    def each(self, value: Instance) -> Values:
        if value.name in self._items and value.arguments:
            return value.arguments[0]
        return NOTHING

    def piece(self, value: Instance, number: int) -> Values:
        if value.name in ("tuple", "Result") and number < len(value.arguments):
            return value.arguments[number]
        return NOTHING

    def awaited(self, value: Instance) -> Values:
        return self.each(value)


def _by_name(kinds: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {name: kind for kind, names in kinds.items() for name in names}
