"""What bare names of Ruby stand for: constants by nesting, local variables, methods of the receiver."""

from aoci_agent.views.graph.draft import Read, Seen
from aoci_agent.views.graph.languages.common.names import Names
from aoci_agent.views.graph.model import UNKNOWN
from aoci_agent.views.graph.scopes import Scope, reaching


class RubyNames(Names):
    """`receiver()` of a name that may be a method was noted when it was read."""

    def __init__(
        self, language: str, space: str, lines: int, free: str, free_type: str = ""
    ) -> None:
        super().__init__(language, space, lines, free, free_type)
        self.calls: dict[tuple[str, int], tuple[int, str]] = {}  # name, place -> receiver, slot

    def _found(self, read: Read) -> Seen:
        if read.name[:1].isupper():
            return self._constant(read)
        scope = read.scope
        while scope.parent is not None and scope.kind != "class":
            if bindings := scope.names.get(read.name):
                return self._bound(reaching(bindings, read.block, read.at) or bindings, None)
            scope = scope.parent
        return self._method(read)

    def _method(self, read: Read) -> Seen:
        receiver, slot = self.calls.get((read.name, read.at), (UNKNOWN, ""))
        if not slot:
            return Seen(UNKNOWN)
        own = self._terms.add(".", self._close(receiver), slot) if receiver != UNKNOWN else UNKNOWN
        return Seen(self._first([own, self._terms.add("seen", slot.removeprefix("self."))]))

    def _constant(self, read: Read) -> Seen:
        terms: list[int] = []
        scope: Scope | None = read.scope
        while scope is not None:
            if scope.kind == "class":
                terms.append(self._terms.add("global", f"{scope.slot}.{read.name}"))
                if len(terms) == 1 and scope in self.open:
                    receiver = self._close(self.receivers[scope])
                    terms.append(self._terms.add(".", receiver, read.name))
            scope = scope.parent
        return Seen(self._first([*terms, self._terms.add("global", read.name)]))
