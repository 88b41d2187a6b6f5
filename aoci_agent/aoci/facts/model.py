"""The facts of one file: machine-readable, a function of its bytes and language only."""

from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple, cast

VERSION = 5  # raise whenever extraction changes: cached facts of older versions are dropped


class Symbol(NamedTuple):
    """A definition. `kind`: class interface type enum function method constant variable component."""

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


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything generation needs to know about one file."""

    language: str
    lines: int = 0
    left_out: str = ""  # why the content is not worth an entry: generated, minified, binary, lfs
    problem: str = ""  # why facts are missing although the file is indexed
    doc: str = ""  # documentation text of the file itself
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    exports: tuple[
        str, ...
    ] = ()  # names the file declares as its public face (__all__, re-exports)
    routes: tuple[str, ...] = ()  # `GET /path`
    calls: tuple[str, ...] = ()  # `/path` asked of another program
    commands: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    raises: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()  # `NAME=value`
    events: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()  # `Type{field,field}`: records, enums, unions
    texts: tuple[str, ...] = ()  # words a user of the program sees
    members: tuple[str, ...] = ()  # names called as `.name(`
    words: tuple[tuple[str, int], ...] = ()  # identifier counts, where the language needs them
    notes: tuple[str, ...] = ()  # other short grounded facts, ready to print
    settings: tuple[tuple[str, str], ...] = ()  # what a manifest declares: (key, value)


def to_record(facts: Facts) -> dict[str, Any]:
    """A JSON object holding only what differs from the defaults."""
    blank = asdict(Facts(facts.language))
    return {key: value for key, value in asdict(facts).items() if value != blank[key]} | {
        "language": facts.language
    }


def from_record(record: dict[str, Any]) -> Facts:
    """The reverse of `to_record`; raises KeyError, TypeError or ValueError on foreign data."""
    known = {item.name for item in fields(Facts)}
    values = {key: _frozen(value) for key, value in record.items() if key in known}
    values["symbols"] = tuple(Symbol(*item) for item in values.get("symbols", ()))
    values["imports"] = tuple(Import(*item) for item in values.get("imports", ()))
    return Facts(**values)


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_frozen(item) for item in cast("list[Any]", value))
    return value
