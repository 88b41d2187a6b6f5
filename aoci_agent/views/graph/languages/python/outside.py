"""What is known of Python's own types: containers, typing forms, decorators that change nothing."""

from collections.abc import Callable, Sequence

from aoci_agent.aoci.wordset import wordset
from aoci_agent.views.graph.values import (
    NOTHING,
    Instance,
    Outside,
    Value,
    Values,
    merged,
    replaced,
    variables_of,
)

_HOMES = (
    "typing.",
    "typing_extensions.",
    "collections.abc.",
    "builtins.",
    "collections.",
    "contextlib.",
)
_SAME = {
    "List": "list",
    "Dict": "dict",
    "Set": "set",
    "FrozenSet": "frozenset",
    "Tuple": "tuple",
    "Type": "type",
    "DefaultDict": "defaultdict",
    "Deque": "deque",
    "asyncio.Future": "Future",
    "asyncio.Task": "Task",
    "MutableMapping": "Mapping",
}
_ITEMS = wordset(
    "list set frozenset deque Sequence MutableSequence Iterable Iterator Generator Collection Container Set"
    " MutableSet AbstractSet AsyncIterable AsyncIterator AsyncGenerator KeysView ValuesView Reversible"
)
_MAPPINGS = wordset("dict defaultdict OrderedDict Mapping ChainMap")
_WAITED = wordset("Coroutine Awaitable Future Task")
_INNER = wordset("Annotated Final ClassVar Required NotRequired ReadOnly")
_UNKNOWN = wordset("Any Literal NoReturn Never None object")
_MANAGERS = wordset(
    "AbstractContextManager ContextManager AbstractAsyncContextManager AsyncContextManager"
)
_COPIES = wordset("list set frozenset tuple sorted reversed iter deque")
_PICKS = wordset("next anext min max")
_FUNCTIONS = _COPIES | _PICKS | wordset("enumerate zip getattr")
_CONTAINERS = _ITEMS | _MAPPINGS | _MANAGERS | _WAITED
_SAME_FUNCTION = wordset(
    "functools.lru_cache functools.cache functools.wraps functools.singledispatch functools.total_ordering"
    " typing.no_type_check no_type_check runtime_checkable final override overload deprecated"
    " warnings.deprecated abc.abstractmethod"
)
_MAKERS = {"contextmanager": "ContextManager", "asynccontextmanager": "AsyncContextManager"}


class PythonOutside:
    """Answers for values that are not of the repository."""

    iteration: Sequence[str] = ("__iter__", "__next__", "__aiter__", "__anext__")

    def canonical(self, name: str) -> str:
        """One name for a thing with several homes: `typing.List` and `list`."""
        for home in _HOMES:
            if name.startswith(home):
                name = name.removeprefix(home)
                break
        return _SAME.get(name, name)

    def instances(self, value: Outside, inner: Callable[[Values], Values]) -> Values:
        """Values whose declared type this is; `inner` does the same for types within."""
        name, given = value
        if name in ("Optional", "Union"):
            return merged(inner(item) for item in given)
        if name in _INNER:
            return inner(given[0]) if given else NOTHING
        if name == "type":
            return merged(given)
        if name in _UNKNOWN:
            return NOTHING
        if name == "Callable" and len(given) == 2:  # what it takes stays as it is written
            return (Instance(name, (given[0], inner(given[1]))),)
        return (Instance(name, tuple(inner(item) for item in given)),)

    def called(
        self, value: Value, given: Sequence[Values], typed: Callable[[Values], Values]
    ) -> Values:
        """What calling it gives; `typed` turns types into instances."""
        if isinstance(value, Instance) and value.name == "Callable" and value.arguments:
            return value.arguments[-1]
        if not isinstance(value, Outside):
            return NOTHING
        name, first = value.name, given[0] if given else NOTHING
        owner, _, method = name.rpartition(".")
        if owner in _CONTAINERS:
            return self._method(Instance(owner, value.arguments), method)
        if name == "cast":
            return typed(first)
        if name in _FUNCTIONS:
            return self._function(name, given)
        return (Instance(name, value.arguments),)

    def _function(self, name: str, given: Sequence[Values]) -> Values:
        """What a function of the language gives, with what is in the containers it is given."""
        held = [merged(self.each(v) for v in item if isinstance(v, Instance)) for item in given]
        first = held[0] if held else NOTHING
        if name in _COPIES:
            return (Instance("list" if name == "sorted" else name, (first,)),)
        if name in _PICKS:
            return first
        if name == "enumerate":
            return (Instance("Iterator", ((Instance("tuple", (NOTHING, first)),),)),)
        if name == "zip":
            return (Instance("Iterator", ((Instance("tuple", tuple(held)),),)),)
        return NOTHING

    def member(self, value: Instance, name: str) -> Values:
        """`value.name`; of containers what a call of it gives is known."""
        return (Outside(f"{value.name}.{name}", value.arguments),)

    def _method(self, value: Instance, name: str) -> Values:
        """What a method of a container gives."""
        held = value.arguments
        first, last = (held[0], held[-1]) if held else (NOTHING, NOTHING)
        if name == "copy":
            return (value,)
        if name == "__aenter__":
            return (Instance("Coroutine", (first,)),)
        if value.name not in _MAPPINGS:
            return (
                first
                if name in ("pop", "popleft", "__next__", "__getitem__", "__enter__")
                else NOTHING
            )
        if name in ("get", "pop", "setdefault", "__getitem__"):
            return last
        each = {"keys": first, "values": last, "items": (Instance("tuple", held),)}
        return (Instance("Iterator", (each[name],)),) if name in each else NOTHING

    def item(self, value: Instance, inside: tuple[Values, ...]) -> Values:
        """`value[inside]`."""
        if inside and Instance("slice") in inside[0]:
            return (value,)
        if value.name in _MAPPINGS:
            return value.arguments[-1] if len(value.arguments) == 2 else NOTHING
        if value.name == "tuple":
            return value.arguments[0] if len(set(value.arguments)) == 1 else NOTHING
        return self.each(value)

    def each(self, value: Instance) -> Values:
        """What iterating over it gives."""
        if value.name == "tuple":
            return merged(value.arguments)
        if value.name in _ITEMS | _MAPPINGS and value.arguments:
            return value.arguments[0]
        return NOTHING

    def piece(self, value: Instance, number: int) -> Values:
        """Item `number` of what is taken apart."""
        if value.name == "tuple":
            if number < len(value.arguments):
                return value.arguments[number]
            return value.arguments[0] if len(value.arguments) == 1 else NOTHING
        return self.each(value)

    def awaited(self, value: Instance) -> Values:
        """What waiting for it gives."""
        if value.name in _WAITED and value.arguments:
            return value.arguments[-1]
        return NOTHING

    def decorated(self, decorator: Value, values: Values) -> Values:
        """What an outside decorator makes of a function. One that is not known may change anything."""
        name = decorator.name if isinstance(decorator, Outside | Instance) else ""
        if name == "Callable" and isinstance(decorator, Instance) and decorator.arguments:
            own = set(variables_of(decorator.arguments[0]))
            return replaced(decorator.arguments[-1], lambda v: values if v in own else None)
        if name in _SAME_FUNCTION or name.startswith(("pytest.", "unittest.mock.", "mock.")):
            return values
        return NOTHING

    def provides(self, mark: Value) -> bool:
        """Whether a decorator makes what a function gives known by its name."""
        name = mark.name if isinstance(mark, Outside | Instance) else ""
        return name.startswith("pytest") and name.endswith("fixture")

    def manager(self, decorator: Value) -> str:
        """The type a decorator makes of a function that gives one item; "" for other decorators."""
        return _MAKERS.get(decorator.name, "") if isinstance(decorator, Outside) else ""
