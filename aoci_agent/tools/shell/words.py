"""A word of bash as the program will get it, as far as that is written down."""

import re
from typing import TYPE_CHECKING

from aoci_agent.tools.shell.line import Kind, Word

if TYPE_CHECKING:
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
            return _joined([word_of(child) for child in node.children], text)
        case _:
            return Word(text, "open")


def _bare(text: str) -> Word:
    if _OPEN.search(text):
        return Word(text, "open")
    kind: Kind = "glob" if _MAGIC.search(text) else "plain"
    return Word(_ESCAPED.sub(r"\1", text), kind)


def _joined(words: list[Word], text: str) -> Word:
    kinds = {word.kind for word in words}
    if "open" in kinds:
        return Word(text, "open")
    return Word("".join(word.text for word in words), "glob" if "glob" in kinds else "plain")
