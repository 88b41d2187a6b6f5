"""What a term can turn out to be. Values are hashable, so answers can be compared and kept."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

MOST = 8  # values of one term; more of them are as good as none


class Space(NamedTuple):
    """A module, package or namespace of the repository."""

    space: str


class Class(NamedTuple):
    """A type of the repository itself; `arguments` are types."""

    space: str
    slot: str
    arguments: "tuple[Values, ...]" = ()


class Object(NamedTuple):
    """An instance of a type of the repository."""

    space: str
    slot: str
    arguments: "tuple[Values, ...]" = ()


class Me(NamedTuple):
    """The receiver as its own methods see it: an instance of the class or of one below it."""

    space: str
    slot: str


class MyClass(NamedTuple):
    """The class of that receiver."""

    space: str
    slot: str


class Super(NamedTuple):
    """The receiver, with members looked up behind the class."""

    space: str
    slot: str


class Function(NamedTuple):
    """A function or method of the repository, bound where there is a receiver."""

    space: str
    slot: str
    receiver: "Value | None" = None
    arguments: "tuple[Values, ...]" = ()  # of the class it was found in
    manager: str = ""  # a decorator makes this outside type of what it gives one by one


class Outside(NamedTuple):
    """Something that is not of the repository, by its dotted name; `arguments` are types."""

    name: str
    arguments: "tuple[Values, ...]" = ()


class Instance(NamedTuple):
    """An instance of an outside type; `arguments` are values."""

    name: str
    arguments: "tuple[Values, ...]" = ()


class Variable(NamedTuple):
    """A type variable, or a parameter of unknown type; stands for what a call puts in."""

    space: str
    slot: str
    name: str = ""


Value = Space | Class | Object | Me | MyClass | Super | Function | Outside | Instance | Variable
Values = tuple[Value, ...]
NOTHING: Values = ()


def merged(several: Iterable[Values]) -> Values:
    """All of them once, in order; nothing where they are too many."""
    found = tuple(dict.fromkeys(value for values in several for value in values))
    return found if len(found) <= MOST else NOTHING


def replaced(values: Values, change: "Callable[[Value], Values | None]", depth: int = 0) -> Values:
    """Every value for which `change` gives something replaced by that, within arguments too."""
    return merged(_replaced(value, change, depth) for value in values)


def _replaced(value: Value, change: "Callable[[Value], Values | None]", depth: int) -> Values:
    instead = change(value)
    if instead is not None:
        return instead
    if isinstance(value, Class | Object | Outside | Instance) and value.arguments and depth < 4:
        inner = tuple(replaced(item, change, depth + 1) for item in value.arguments)
        return (value._replace(arguments=inner),)
    return (value,)


def variables_of(values: Values) -> Iterator[Variable]:
    """Variables in values, within arguments too."""
    for value in values:
        if isinstance(value, Variable):
            yield value
        elif isinstance(value, Class | Object | Outside | Instance):
            for item in value.arguments:
                yield from variables_of(item)


def symbols_of(values: Values) -> Iterator[Variable]:
    """Type variables in types, in order, within arguments too."""
    for value in values:
        if isinstance(value, Variable):
            yield value
        elif isinstance(value, Class | Outside):
            for item in value.arguments:
                yield from symbols_of(item)


def one_of(table: Mapping[Variable, Values], value: Value) -> Values | None:
    """What a variable was found to stand for."""
    return table.get(value) if isinstance(value, Variable) else None
