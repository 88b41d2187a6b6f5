"""What the graph knows of one file, in words every language shares.

HOWTO add a language
--------------------
1. `languages/NAME.py`: a class that satisfies `Language`. `read` walks the tree once and tells a
   `draft.Draft` what it sees: scopes and blocks entered, names bound, names and members used. The
   draft resolves local names and returns `FileFacts`. It is a pure function of path and bytes.
   Where there is a grammar, `languages/common` walks: a language is a table of rules, one a type of
   node, most of them made by `common.types`, `callables`, `expressions`; `jvm/java.py` is an example.
2. `Finder` (made by `Language.finder` from the covered paths and the few configuration files
   named by `Language.settings`): which space an import leads to, and what a file must bear to change
   that by coming or going (`clue`, `moved`). Nothing else knows of paths.
3. `Outside`: the little that is known of types that are not of the repository.
4. One row in `languages/__init__.py`, and one in `WORLDS` of tests/views/graph/test_listed.py.

Words
-----
space   A set of names that see each other without an import: a Python or TypeScript module (its path),
        a Go package (its folder), a namespace. Files of a space share its slots.
slot    A name in a space: `Class`, `Class.method`, `function`, `function.local`. One slot may have
        several entries (conditional definitions, property and setter, overloads).
entry   One binding of a slot: its kind, and a term for what it stands for.
term    An expression with every local name replaced by what it stands for, so it can be evaluated
        without the function around it. Terms of a file are a table; an integer is a place in it.
use     A name in the text with the term it is.
part    The uses of one outermost callable or class, or of the rest of the file (""); lines of a part
        count from its own start, so that moving it changes nothing.

Terms (strings are texts, integers are terms)
---------------------------------------------
("?",)                  nothing is known
("name", x)             x as seen from the top of the file
("own", slot)           a definition of this very space
(".", t, x)             member x of t
("()", t, a...)         t called with positional arguments
("[]", t, a...)         t indexed, or a type with arguments
("is", t)               a value whose declared type is t
("new", t)              an instance of class t (where construction is no plain call)
("self", slot)          the receiver inside a method of class slot
("type", slot)          the class of that receiver
("super", slot)         the receiver, looked up behind class slot
("|", t...)             any of these
("import", m, x)        x of module m; x == "" is the module itself
("await", t) ("each", t)   awaited, iterated over
("part", t, "i")        item i of a sequence taken apart
("takes", t, "i")       what parameter i of the callable or class t is declared to take
("lit", x, a...)        an instance of the outside type x with type arguments, as values
("arg", slot, x)        parameter x of a function, where no type is declared
("given", x, slot)      a parameter some framework fills in by its name x; slot is the function's
("none",)               no value
("seen", x)             x as a file sees it that includes others or uses whole namespaces (`stars`)
("global", x)           x in whatever space defines it
("only", x)             x where one space of the repository alone defines it
("first", t...)         the first of these that is anything
("typed", t)            t where only a type can stand
("pick", t, a...)       of the overloads of t the one that fits these arguments
("outside", x, a...)    the type x from outside the repository, with types as arguments
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, Protocol, Self

from aoci_agent.views.graph import values
from aoci_agent.views.graph.values import Instance, Value, Values
from aoci_agent.views.model import Location

Term = tuple[str | int, ...]
Typed = Callable[[Values], Values]
UNKNOWN = 0  # place of ("?",) in every table


class Entry(NamedTuple):
    """One binding of a slot.

    kind: class interface enum type function method property setter constant variable field import
    star module. `value`: of a callable what calling it gives, of a class nothing, else what it holds.
    """

    slot: str
    kind: str
    value: int = UNKNOWN
    bases: tuple[int, ...] = ()
    decorators: tuple[int, ...] = ()
    parameters: tuple[tuple[str, int], ...] = ()  # name, declared type (as a type)
    declared: bool = False  # its type is written down: what else is assigned does not matter


class Defined(NamedTuple):
    """A definition in the text. Lines from 1, columns from 0 in characters; `line` is the name's."""

    slot: str
    name: str
    qualified: str
    kind: str
    start: int
    end: int
    line: int
    column: int
    signature: str = ""
    doc: str = ""


class Use(NamedTuple):
    """A name in the text; `line` counts from 0 at the start of its part."""

    line: int
    column: int
    length: int
    kind: str  # call read write type import base; declares (a name that is defined elsewhere)
    source: str  # qualified name of the innermost definition around it, "" at the top
    term: int
    local: tuple[
        tuple[int, int], ...
    ] = ()  # where a local name is bound: (line in the part, column)


class Part(NamedTuple):
    """A stretch of a file that is resolved as a whole."""

    name: str  # slot of the callable or class; "" is the rest of the file
    start: int
    end: int
    uses: tuple[Use, ...]


class FileFacts(NamedTuple):
    """What one file says. `space` is where its top-level names live."""

    language: str
    space: str
    terms: tuple[Term, ...] = (("?",),)
    entries: tuple[Entry, ...] = ()
    defined: tuple[Defined, ...] = ()
    parts: tuple[Part, ...] = ()
    problem: str = ""
    stars: tuple[str, ...] = ()  # modules all of whose names it sees, the nearest first
    offers: tuple[str, ...] = ()  # slots without a definition that are looked for in other spaces


class Symbol(NamedTuple):
    """A definition of the repository. `location` spans it; `line` is where its name stands."""

    path: str
    name: str
    qualified: str
    kind: str
    location: Location
    line: int
    signature: str = ""
    doc: str = ""
    space: str = ""
    slot: str = ""  # with the space: what references lead to; "" for a local name

    @property
    def column(self) -> int:
        """Of the name, from 0 in characters."""
        return self.location.column


class Reference(NamedTuple):
    """A use of a symbol. `location` is the name's own place (one line)."""

    location: Location
    source: str
    kind: str


ALWAYS = ""  # as a clue: a question any file may change


class Finder(Protocol):
    """Where imports lead, for one state of the set of files."""

    def find(self, path: str, module: str, /) -> str:
        """The space a module text names, seen from a file; "" for what is not of the repository."""
        ...

    def child(self, space: str, name: str, /) -> str:
        """The space inside a space (submodule of a package); "" where there is none."""
        ...

    def implicit(self, path: str, space: str, /) -> Sequence[str]:
        """Further spaces whose names a file sees without an import, nearest first."""
        ...

    def given(self, path: str, /) -> Sequence[str]:
        """Spaces searched for what a framework provides by name (fixtures), nearest first."""
        ...

    def clue(self, kind: str, where: str, name: str, /) -> str | None:
        """What a file that changes an answer by coming or going must bear.

        Of the texts alone, whatever files there are. `kind` is find, child, implicit or given, with
        its arguments. None: no single file changes it; ALWAYS: any might.
        """
        ...

    def moved(self, before: Self, paths: Collection[str], /) -> Collection[str] | None:
        """The clues of the questions `before` may have answered otherwise; None for all questions.

        Both know the same settings; `paths` came or went between the two.
        """
        ...


class Outside(Protocol):
    """What a language knows of types outside the repository. An empty answer is "not known"."""

    @property
    def iteration(self) -> Sequence[str]:
        """Methods of a type of the repository that iterating calls, best first."""
        ...

    def canonical(self, name: str, /) -> str:
        """One name for a thing with several homes."""
        ...

    def instances(self, value: values.Outside, inner: Typed, /) -> Values:
        """Values whose declared type this is; `inner` does the same for types within."""
        ...

    def called(self, value: Value, given: Sequence[Values], typed: Typed, /) -> Values:
        """What calling an outside thing gives; `typed` turns types into instances.

        Arguments (those by position) are worked out when they are looked at.
        """
        ...

    def member(self, value: Instance, name: str, /) -> Values:
        """A member of an instance of an outside type."""
        ...

    def item(self, value: Instance, inside: tuple[Values, ...], /) -> Values:
        """`value[inside]`."""
        ...

    def each(self, value: Instance, /) -> Values:
        """What iterating gives."""
        ...

    def piece(self, value: Instance, number: int, /) -> Values:
        """Item `number` of what is taken apart."""
        ...

    def awaited(self, value: Instance, /) -> Values:
        """What waiting gives."""
        ...

    def decorated(self, decorator: Value, values: Values, /) -> Values:
        """What an outside decorator makes of a function."""
        ...

    def provides(self, mark: Value, /) -> bool:
        """Whether a decorator makes what a function gives known by its name."""
        ...

    def manager(self, decorator: Value, /) -> str:
        """The outside type a decorator makes of a function that gives one item, or ""."""
        ...


class Language(Protocol):
    """One language of the graph."""

    @property
    def name(self) -> str: ...

    @property
    def outside(self) -> Outside: ...

    @property
    def settings(self) -> Sequence[str]:
        """Names of configuration files the finder reads: go.mod, tsconfig.json."""
        ...

    def read(self, path: str, data: bytes, /) -> FileFacts:
        """The facts of one file; never raises on any text."""
        ...

    def finder(self, paths: Sequence[str], settings: Mapping[str, bytes], /) -> Finder:
        """Made anew whenever the set of files changes."""
        ...
