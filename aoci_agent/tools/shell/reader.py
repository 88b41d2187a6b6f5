"""Reading a command line for bash into its parts, and saying when that is not certain.

Two readers must agree: a grammar of bash, of which a closed list of forms is understood, and
`shlex`. What either does not understand is never guessed: the line is not complete.
"""

import re
import shlex
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from aoci_agent.aoci.facts.parsing import TooSlow, parse
from aoci_agent.base.terminal import clean
from aoci_agent.tools.shell.line import CommandLine, Part, Redirection, Word
from aoci_agent.tools.shell.words import PUNCTUATION, word_of

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_PARTS = 50
MOST_CHARACTERS = 10_000
# Programs that run other text, or change what later words mean: nothing that follows is certain.
STATE = frozenset({
    ".", "alias", "bind", "builtin", "command", "compgen", "complete", "coproc", "declare", "enable",
    "eval", "exec", "exit", "export", "hash", "let", "local", "mapfile", "popd", "pushd", "read",
    "readarray", "readonly", "return", "set", "shopt", "source", "time", "trap", "typeset", "ulimit",
    "umask", "unalias", "unset", "wait", "caller", "dirs", "disown", "fg", "bg", "jobs", "suspend",
})  # fmt: skip
# Forms whose parts run as they stand, one after the other.
_PLAIN = frozenset(
    {"program", "list", "pipeline", "subshell", "compound_statement", "negated_command"}
)
_JOINS = frozenset({"&&", "||", ";", "|", "|&"})
_BRACKETS = re.compile(r"\[ [\w./=!-]+(?: [\w./=!-]+)* \]")
_NAMES = {
    "ERROR": "a part that cannot be read",
    "comment": "a comment",
    "heredoc_redirect": "a here-document",
    "herestring_redirect": "a here-string",
    "function_definition": "a function",
    "for_statement": "a loop",
    "c_style_for_statement": "a loop",
    "while_statement": "a loop",
    "if_statement": "a condition",
    "case_statement": "a condition",
    "process_substitution": "a process substitution",
    "command_substitution": "a command substitution",
    "variable_assignment": "an assignment",
    "test_command": "a test",
}


def read_line(text: str) -> CommandLine:
    """The parts of a command line, as far as they can be told. Never raises."""
    if doubt := _raw_doubt(text):
        return CommandLine((), complete=False, why=doubt)
    try:
        root = parse(text.encode(), "tree_sitter_bash", "language").root_node
    except TooSlow:
        return CommandLine((), complete=False, why="it takes too long to read")
    reading = _Reading()
    reading.statement(root)
    doubts = [*reading.doubts, *_unclear(reading.parts)]
    if root.has_error:
        doubts.insert(0, "it cannot be read as bash")
    if len(reading.parts) > MOST_PARTS:
        doubts.append(f"it has more than {MOST_PARTS} commands")
    if not reading.parts:
        doubts.append("it has no command")
    if not doubts and _compared(reading.words) != _other_words(text):
        doubts.append("its words can be read in two ways")
    return CommandLine(tuple(reading.parts), not doubts, doubts[0] if doubts else "")


def _raw_doubt(text: str) -> str:
    """What makes a text unreadable before any grammar is asked."""
    if len(text) > MOST_CHARACTERS:
        return f"it is longer than {MOST_CHARACTERS:,} characters"
    if "\r" in text or "\0" in text:
        return "it has a carriage return or a NUL"
    if clean(text) != text or any(c.isspace() and c not in " \t\n" for c in text):
        return "it has characters that cannot be seen"
    return ""


def _unclear(parts: list[Part]) -> Iterator[str]:
    for part in parts:
        if part.words and part.words[0].kind != "plain":
            yield "the name of a program is filled in by bash"
        elif part.program in STATE:
            yield f"{part.program} changes what other words mean"


def _compared(words: Iterable[str]) -> list[str]:
    """Without what may be a word as well as a sign (`\\;`)."""
    return sorted(word for word in words if not set(word) <= PUNCTUATION)


def _other_words(text: str) -> list[str]:
    """The words of a line as `shlex` sees them; [""] where it cannot."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t", True, ""
    try:
        return _compared(lexer)
    except ValueError:
        return [""]


class _Reading:
    """What was met on the way through a tree."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.doubts: list[str] = []
        self.words: list[str] = []  # of all parts, redirections and descriptors too
        self._joined = ""

    def statement(
        self, node: "Node", redirections: tuple[Redirection, ...] = (), *, inside: bool = False
    ) -> None:
        """Take every simple command at or below a node, in order."""
        kind = node.type
        if kind == "command":
            self._command(node, redirections, inside=inside)
        elif kind == "test_command" and _BRACKETS.fullmatch(_text(node)):
            words = [Word(word) for word in _text(node).split(" ")]
            self._add(Part(tuple(words), _text(node), (), redirections, self._joined, inside))
        elif kind == "redirected_statement":
            self._redirected(node, redirections, inside=inside)
        elif node.is_named:
            if kind not in _PLAIN:
                self.doubts.append(f"it has {_NAMES.get(kind, kind.replace('_', ' '))}")
            # In a chain they belong to its last command, in a group to all.
            chain = kind in ("list", "pipeline", "program")
            for child in node.children:
                mine = () if chain and child != node.children[-1] else redirections
                self.statement(child, mine, inside=inside or kind not in _PLAIN)
        elif kind in _JOINS:
            self._joined = kind
        elif kind == "&":
            self.doubts.append("a part runs in the background")

    def _redirected(
        self, node: "Node", redirections: tuple[Redirection, ...], *, inside: bool
    ) -> None:
        own = [self._redirection(child) for child in node.children if _is_redirect(child)]
        known = (*redirections, *(one for one in own if one))
        bodies = [child for child in node.children if not _is_redirect(child)]
        if not bodies:
            self.doubts.append("it has a redirection without a command")
        for child in bodies:
            self.statement(child, known, inside=inside)

    def _command(
        self, node: "Node", redirections: tuple[Redirection, ...], *, inside: bool
    ) -> None:
        words: list[Word] = []
        assignments: list[str] = []
        own = list(redirections)
        for child in node.children:
            if _is_redirect(child):
                own += filter(None, [self._redirection(child)])
            elif child.type == "variable_assignment":
                assignments.append(_text(child))
                self._substitutions(child)
            else:
                inner = child.children[0] if child.type == "command_name" else child
                words.append(self._word(inner))
        self.words += [*(word.text for word in words), *assignments]
        joined, self._joined = self._joined, ";"
        self.parts.append(
            Part(tuple(words), _text(node), tuple(assignments), tuple(own), joined, inside)
        )

    def _add(self, part: Part) -> None:
        self.parts.append(part)
        self.words += part.argv
        self._joined = ";"

    def _redirection(self, node: "Node") -> Redirection | None:
        """A redirection to or from a file; any other is a doubt."""
        target = node.child_by_field_name("destination")
        if node.type != "file_redirect" or target is None:
            self.doubts.append(f"it has {_NAMES.get(node.type, 'a redirection to nothing')}")
            self._substitutions(node)
            return None
        descriptor = node.child_by_field_name("descriptor")
        word = self._word(target)
        signs = [child for child in node.children if not child.is_named]
        number = _text(descriptor) if descriptor else ""
        self.words += filter(None, [number, word.text])
        return Redirection(number + "".join(map(_text, signs)), word)

    def _word(self, node: "Node") -> Word:
        word = word_of(node)
        if word.kind == "open":
            self._substitutions(node)
        return word

    def _substitutions(self, node: "Node") -> None:
        """The commands inside a word; what else bash fills in is a doubt unless it is a variable."""
        if node.type in ("command_substitution", "process_substitution"):
            self.statement(node, inside=True)
        elif node.type in ("expansion", "arithmetic_expansion", "ansi_c_string", "ERROR"):
            self.doubts.append(f"it has {_text(node)[:40]}")
        for child in node.children:
            if node.type not in ("command_substitution", "process_substitution"):
                self._substitutions(child)


def _is_redirect(node: "Node") -> bool:
    return node.type.endswith("_redirect")


def _text(node: "Node") -> str:
    return (node.text or b"").decode()
