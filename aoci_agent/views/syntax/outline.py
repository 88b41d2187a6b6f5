"""Bytes of a file -> its definitions with their ranges. Never raises."""

from functools import lru_cache
from typing import NamedTuple

VERSION = 2  # raise whenever definitions come out differently: views made of them are dropped
_KEPT = 32  # files just changed: every view asks for the outline of each
SIGNATURE = 200  # characters of one, in an outline

TYPES = frozenset(("class", "interface", "enum", "type", "extension"))
CALLABLES = frozenset(("function", "method"))
VALUES = frozenset(("constant", "variable", "field"))
SPACES = frozenset(("namespace", "module"))
KINDS = TYPES | CALLABLES | VALUES | SPACES


class Definition(NamedTuple):
    """One definition. Lines count from 1, both ends belong to it; columns count characters from 0.

    `kind` is one of `KINDS`. An `extension` adds to a type that is defined elsewhere (`impl` of
    Rust, `extension` of Swift): its name is the type's, its bases are what it makes the type.
    """

    name: str
    kind: str
    start: int  # with decorators, annotations and the comment directly above
    end: int
    line: int  # of the name
    column: int
    owner: str = ""  # qualified name of what it belongs to, "" at the top level
    bases: tuple[str, ...] = ()  # as written, without type arguments
    type: str = ""  # declared or returned type, as written
    parameters: tuple[tuple[str, str], ...] = ()  # (name, declared type as written)
    signature: str = ""  # one line, as written
    declared: bool = False  # a callable without a body: a prototype, an abstract method

    @property
    def qualified(self) -> str:
        """The name after its owner's: `Class.method`."""
        return f"{self.owner}.{self.name}" if self.owner else self.name


class Outline(NamedTuple):
    """The definitions of a file in source order, the outer before the inner."""

    language: str  # as `aoci.facts.languages` says it, "" for what is none
    definitions: tuple[Definition, ...] = ()
    problem: str = ""  # why there are none, or why some are missing


@lru_cache(maxsize=_KEPT)
def outline_of(path: str, data: bytes) -> Outline:
    """The outline of any bytes; a file in no known language has no definitions.

    Signatures are cut at 200 characters; `whole_outline` has them whole.
    """
    whole = whole_outline(path, data)
    return whole._replace(definitions=tuple(map(_cut, whole.definitions)))


def _cut(item: Definition) -> Definition:
    if len(item.signature) <= SIGNATURE:
        return item
    return item._replace(signature=item.signature[:SIGNATURE])


def whole_outline(path: str, data: bytes) -> Outline:
    """The outline with whole signatures, of heads up to 2000 bytes."""
    from aoci_agent.aoci.facts.parsing import TooSlow
    from aoci_agent.base.secrets import blanked
    from aoci_agent.views.syntax.table import language_named, reader_of
    from aoci_agent.views.syntax.text import Text, bounded, decoded

    text = decoded(data)
    language = language_named(path, text)
    if not language:
        return Outline("")
    try:
        return Outline(language, tuple(reader_of(language)(Text(path, bounded(blanked(text))))))
    except TooSlow:
        return Outline(language, problem="that would take too long to parse")
    except Exception as error:  # noqa: BLE001 - one odd file must not cost the views of a repository
        return Outline(language, problem=f"not understood ({type(error).__name__}: {error})"[:200])
