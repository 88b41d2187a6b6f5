"""The facts of one file: machine-readable, a function of its bytes and language only."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple, cast

VERSION = 16  # raise whenever extraction changes: cached facts of older versions are dropped


class Symbol(NamedTuple):
    """A definition. `kind`: class interface type enum function method constant variable."""

    name: str
    kind: str
    line: int  # counts from 1
    public: bool = True
    owner: str = ""  # the type a method belongs to
    doc: str = ""  # first sentence of its own documentation
    bases: tuple[str, ...] = ()


class Import(NamedTuple):
    """One imported module as written. `names` maps an imported symbol to its uses in this file.

    The symbol `*` is the module itself (or everything); uses of `module.symbol` are counted under
    `symbol`.
    """

    module: str
    names: tuple[tuple[str, int], ...] = ()
    level: int = 0  # leading dots of a Python relative import


Texts = tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """Everything generation needs to know about one file."""

    language: str
    lines: int = 0
    left_out: str = ""  # why the content is not worth an entry: generated, minified, binary, lfs
    problem: str = ""  # why facts are missing although the file is indexed
    sem: str = ""  # hash without formatting and comments, see `normal.py`
    sketch: str = ""  # finds the file again after a move
    doc: str = ""  # documentation text of the file itself
    more: Texts = ()  # what its documentation says further on, line by line
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    exports: Texts = ()  # names the file declares as its public face (__all__, re-exports)
    routes: Texts = ()  # `GET /path`
    mounts: tuple[tuple[str, str], ...] = ()  # (path, module) of routers this file puts in place
    calls: Texts = ()  # `/path` asked of another program
    commands: Texts = ()
    env: Texts = ()
    raises: Texts = ()
    tables: Texts = ()  # `name r`, `name w`, `name ddl`
    stored: Texts = ()  # tables defined or changed here, see `stores/record.py`
    constants: Texts = ()  # `NAME=value`
    events: Texts = ()
    flows: Texts = ()  # `function: what it does, step by step`, in source order
    shapes: Texts = ()  # `Type{field,field}`: records, enums, unions
    texts: Texts = ()  # words a user of the program sees
    cases: Texts = ()  # titles of tests
    members: Texts = ()  # names called as `.name(`
    words: tuple[tuple[str, int], ...] = ()  # identifier counts, where the language needs them
    notes: Texts = ()  # other short grounded facts, ready to print
    settings: tuple[tuple[str, str], ...] = ()  # what a manifest declares: (key, value)

    @cached_property
    def defined(self) -> frozenset[str]:
        """Names defined at the top level."""
        return frozenset([symbol.name for symbol in self.symbols if not symbol.owner])


_FIELDS = fields(Facts)


def to_record(facts: Facts) -> dict[str, Any]:
    """A JSON object holding only what differs from the defaults."""
    values = {item.name: getattr(facts, item.name) for item in _FIELDS}
    return {item.name: v for item in _FIELDS if (v := values[item.name]) != item.default}


def from_record(record: dict[str, Any]) -> Facts:
    """The reverse of `to_record`; raises KeyError, TypeError or ValueError on foreign data."""
    values: dict[str, Any] = {}
    for item in _FIELDS:  # what a later version added is passed over
        if item.name in record:
            value = record[item.name]
            listed = isinstance(value, list)
            values[item.name] = tuple(cast("list[Any]", value)) if listed else value
    for name in _PAIRS & values.keys():
        values[name] = _tuples(values[name])
    values["symbols"] = tuple([_symbol(*item) for item in values.get("symbols", ())])
    values["imports"] = tuple([_import(*item) for item in values.get("imports", ())])
    return Facts(**values)


_PAIRS = {"mounts", "words", "settings"}


def _tuples(pairs: Iterable[Iterable[Any]]) -> tuple[Any, ...]:
    return tuple([tuple(pair) for pair in pairs])


def _symbol(*known: Any) -> Symbol:
    return Symbol(*known[:-1], bases=tuple(known[-1]))


def _import(module: str, names: Iterable[Iterable[Any]], level: int) -> Import:
    return Import(module, _tuples(names), level)
