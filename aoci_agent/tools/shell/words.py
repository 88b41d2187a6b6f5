"""A word of bash as the program will get it, as far as that is written down."""

import re
from typing import TYPE_CHECKING

from aoci_agent.tools.shell.line import Word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

PUNCTUATION = frozenset("();<>|&\n")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED_IN_QUOTES = re.compile(r"\\([$`\"\\])")
_MAGIC = re.compile(r"(?<!\\)(?:\\\\)*[*?\[]")
_OPEN = re.compile(r"[{}$`\n]|\\\n|(?<!\\)(?:\\\\)*[+@!]\(")


def word_of(node: "Node") -> Word:
    """The word of a node: its quotes resolved where all of it is literal."""
    text = (node.text or b"").decode()
    match node.type:
        case "word" | "number":
            return _bare(text)
        case "raw_string":
            return Word(text[1:-1])
        case "string":
            literal = all(child.type in ("string_content", '"') for child in node.children)
            if not literal or "\\\n" in text:
                return Word(text, "open")
            return Word(_ESCAPED_IN_QUOTES.sub(r"\1", text[1:-1]))
        case "concatenation":
            return _joined(node.children, text)
        case _:
            return Word(text, "open")


def _bare(text: str) -> Word:
    if _OPEN.search(text):
        return Word(text, "open")
    if not _MAGIC.search(text):
        return Word(_ESCAPED.sub(r"\1", text))
    return Word(text, "open" if "\\" in text else "glob")


def _joined(nodes: "Sequence[Node]", text: str) -> Word:
    words = [word_of(node) for node in nodes]
    kinds = {word.kind for word in words}
    # A quoted sign is none of the pattern's, which a text without quotes cannot say.
    if "open" in kinds or ("glob" in kinds and any(map(_quotes_a_sign, nodes))):
        return Word(text, "open")
    return Word("".join(word.text for word in words), "glob" if "glob" in kinds else "plain")


def _quotes_a_sign(node: "Node") -> bool:
    signs = r"[*?\[\]\\!^]" if node.type in ("string", "raw_string") else r"\\"
    return re.search(signs, (node.text or b"").decode()) is not None
