"""A walk over a syntax tree, led by a table: for each type of node the rule that reads it."""

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from aoci_agent.views.graph.draft import Place
from aoci_agent.views.graph.languages.common.names import Names
from aoci_agent.views.graph.languages.walker import Reading, lines_of
from aoci_agent.views.graph.model import UNKNOWN, Defined, Entry
from aoci_agent.views.graph.scopes import Binding, Scope
from aoci_agent.views.graph.spread import DECLARED

if TYPE_CHECKING:
    from tree_sitter import Node

    from aoci_agent.views.syntax.text import Text

DEEPEST = 120  # nodes within nodes that are read; generated code nests deeper
_TAG = re.compile(r"</?\w[^<>]*>")
_SHOWN = 200  # characters of a signature or of a documentation line

Notes = TypeVar("Notes")
# Reads a node that is used in some way (read, call, write, type, base, import); gives its raw term.
Rule = Callable[["Walk", "Node", str], int]


class Idiom(NamedTuple):
    """How a language is read besides its rules."""

    rules: Mapping[str, Rule]
    calls: str = ""  # stands after names of what is called, where fields may have the same names
    bare_calls: bool = False  # whether also after a name without a receiver
    callables: frozenset[str] = frozenset()  # nodes of members that may be overloaded
    receiver: str = "this"
    signs: bytes = b""  # may stand in front of names, but do not belong to them


class Walk(Reading[Names]):
    """One file while it is read by a table."""

    def __init__(self, text: "Text", draft: Names, idiom: Idiom) -> None:
        super().__init__(text, draft)
        self.idiom = idiom
        self.repeated: frozenset[str] = frozenset()  # names several callables of the type have
        self.stars: list[str] = []  # modules seen whole
        self.offers: list[str] = []  # slots looked for from elsewhere that are no definitions
        self.known: set[str] = set()  # slots of variables that have a definition
        self.subject = UNKNOWN  # what the switch around is over
        self.own_type = UNKNOWN  # the type around, where it has a name for itself
        self.expected = UNKNOWN  # what a list in braces makes
        self.item = UNKNOWN  # what a lambda given to a container is given
        self._rules = idiom.rules
        self._unnamed: dict[str, int] = {}
        self._notes: dict[type[object], object] = {}
        self._depth = 0

    def notes(self, kind: type[Notes]) -> Notes:
        """What a language's rules note for each other while they read one file; made when first asked for."""
        return cast("Notes", self._notes.setdefault(kind, kind()))

    # nodes

    def visit(self, node: "Node | None", use: str = "read") -> int:
        """The term of a node; what has no rule is looked through for names."""
        if node is None:
            return UNKNOWN
        rule = self._rules.get(node.type)
        if self._depth > DEEPEST:
            return UNKNOWN
        self._depth += 1
        try:
            if rule is not None:
                return rule(self, node, use)
            for child in node.named_children:
                self.visit(child)
            return UNKNOWN
        finally:
            self._depth -= 1

    def inside(self, node: "Node | None") -> None:
        """Everything in a node, one after the other."""
        if node is not None:
            for child in node.named_children:
                self.visit(child)

    def all_of(self, nodes: "Iterable[Node]", use: str = "read") -> list[int]:
        """The terms of several nodes."""
        return [self.visit(node, use) for node in nodes if "comment" not in node.type]

    def place(self, node: "Node") -> Place:
        """Where a name stands, without signs in front of it."""
        found = super().place(node)
        sign = self.data[found.at : found.at + 1]
        if sign and sign in self.idiom.signs:
            text = self.text_of(node)
            bare = len(text.lstrip(self.idiom.signs.decode()))
            return found._replace(column=found.column + len(text) - bare, length=bare)
        return found

    # terms

    def any_of(self, terms: Sequence[int]) -> int:
        """One term for several."""
        return self.draft.raw.any_of(terms)

    def base_of(self, term: int) -> int:
        """A term without the types it is given."""
        node = self.draft.raw.nodes[term]
        return node[1] if node[0] == "[]" and len(node) > 1 and isinstance(node[1], int) else term

    def named(self, name: str, use: str) -> str:
        """A name as its slot is called, where it is used like this."""
        return name + self.idiom.calls if use == "call" else name

    def name(self, node: "Node", use: str, *, called: bool = True) -> int:
        """A use of a plain name; not `called` where it is a type, whatever is done with it."""
        place, name = self.place(node), self.text_of(node)
        if called and self.idiom.bare_calls:
            name = self.named(name, use)
        if use in ("type", "base") or not called:
            return self.draft.use(place, use, self.draft.read_type(name, place.at))
        return self.draft.use(place, use, self.draft.read(name, place.at))

    def member(self, value: int, named: "Node", use: str) -> int:
        """A use of a member of a value."""
        name = self.named(self.text_of(named), use)
        return self.draft.use(self.place(named), use, self.term(".", value, name))

    # scopes

    def around(self, *kinds: str) -> Scope | None:
        """The innermost scope of these kinds."""
        scope: Scope | None = self.draft.scope
        while scope is not None and scope.kind not in kinds:
            scope = scope.parent
        return scope

    def is_bound(self, name: str) -> bool:
        """Whether a name is known to be a local one here."""
        scope: Scope | None = self.draft.scope
        while scope is not None and name not in scope.names:
            scope = scope.parent
        return scope is not None

    def me(self) -> int:
        """The object whose method is read; UNKNOWN outside of types."""
        scope: Scope | None = self.draft.scope
        while scope is not None:
            if scope in self.draft.receivers:
                return self.draft.receivers[scope]
            scope = scope.parent
        return UNKNOWN

    @contextmanager
    def type_scope(
        self, slot: str, qualified: str, receiver: int, *, open_: bool
    ) -> Generator[Scope]:
        """The inside of a type; `open_` where it may have members that are not in this file."""
        repeated = self.repeated
        with self.draft.scoped("class", slot, qualified) as scope:
            self.draft.receivers[scope] = receiver
            if open_:
                self.draft.open.add(scope)
            yield scope
        self.repeated = repeated

    def unnamed(self) -> str:
        """The slot of a type without a name; those of one scope are numbered."""
        slot = self.draft.slot("<>")
        if not slot.endswith(">"):
            return slot
        count = self._unnamed[slot] = self._unnamed.get(slot, 0) + 1
        return f"{slot}{count}"

    # what is given a name

    def alias(self, name: str, value: int) -> None:
        """A name that stands for something else altogether, in the whole scope."""
        block = self.draft.scope.block
        self.draft.bind(Binding(name, "import", value, 0, block, alias=True))

    def keep(
        self, named: "Node", whole: "Node", kind: str, value: int, *, declared: bool = True
    ) -> None:
        """A variable or constant others can see."""
        slot = self.draft.slot(self.text_of(named))
        self.draft.entries.append(Entry(slot, kind, value, declared=declared))
        self.define(slot, named, kind, whole)

    def variable(
        self, named: "Node", whole: "Node", value: int, *, declared: bool = True, kind: str = ""
    ) -> None:
        """A field, a variable of the file or a local one, by where it stands."""
        holder = self.holder()
        if holder.kind == "function":
            self.bind(named, value, whole.end_byte)
        elif holder.kind == "class":
            self.keep(named, whole, kind or "field", value, declared=declared)
        else:
            self.keep(named, whole, kind or "variable", value, declared=declared)

    def marked(self, named: "Node", slot: str, mark: str) -> None:
        """Lead from a slot to a marked one: of what is only declared, or seen by its file alone."""
        own = self.term("own", slot + mark)
        if mark == DECLARED:
            self.draft.entries.append(Entry(slot, "declared", own))
            self.draft.use(self.place(named), "declares", self.term("own", slot))
        else:
            self.draft.entries.append(Entry(slot, "import", own))

    def define(
        self,
        slot: str,
        named: "Node",
        kind: str,
        whole: "Node",
        body: "Node | None" = None,
        qualified: str = "",
    ) -> None:
        """A definition of the scope here, unless its qualified name is given."""
        line, column, length, _ = self.place(named)
        name = self.text_of(named)[-length:]
        first, last = lines_of(whole)
        end = body.start_byte if body is not None else whole.end_byte
        start = max(whole.start_byte, 0)
        head = self.data[start : min(end, start + 4 * _SHOWN)].decode("utf-8", "replace")
        shown = " ".join(head.split())[:_SHOWN].rstrip(" {;,:=")
        qualified = qualified or self.draft.qualified(name)
        doc = self._doc(whole)
        self.draft.defined.append(
            Defined(slot, name, qualified, kind, first, last, line, column, shown, doc)
        )

    def _doc(self, whole: "Node") -> str:
        """The first line of the comment directly above."""
        first: Node | None = None
        below, above = whole, whole.prev_named_sibling
        while above is not None and "comment" in above.type:
            if above.end_point[0] + 1 < below.start_point[0]:
                break
            first = below = above
            above = above.prev_named_sibling
        if first is None:
            return ""
        end = min(whole.start_byte, first.start_byte + 4 * _SHOWN)
        said = self.data[first.start_byte : end].decode("utf-8", "replace")
        lines = (_TAG.sub("", line).strip(" \t\r/*!#-") for line in said.split("\n"))
        return next((line for line in lines if line), "")[:_SHOWN]


def child_of(node: "Node", *kinds: str) -> "Node | None":
    """The first child of these types."""
    return next((child for child in node.named_children if child.type in kinds), None)
