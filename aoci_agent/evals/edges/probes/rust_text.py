"""The text of Rust files as tokens, and the trees of their `use` declarations."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

BLANK = re.compile(
    r"//[^\n]*|/\*|\b[bc]?r(#*)\".*?\"\1|\b[bc]?\"(?:\\.|[^\"\\])*\"|\"(?:\\.|[^\"\\])*\"|b?'(?:\\[^']+|[^'\\])'",
    re.DOTALL,
)
COMMENT = re.compile(r"/\*|\*/")
TOKEN = re.compile(r"(?:r#)?[A-Za-z_]\w*|::|'\w+|\d\w*|\S")
CLOSING = {"{": "}", "(": ")", "[": "]"}


@dataclass
class Use:
    """`use path as name`; the name `*` takes in everything."""

    path: tuple[str, ...]
    name: str


def tokens_of(text: str) -> list[str]:
    """Without comments, which nest, and with nothing in strings."""
    kept: list[str] = []
    at = 0
    while found := BLANK.search(text, at):
        kept.append(text[at : found.start()] + " ")
        at = found.end()
        if found[0] == "/*":
            depth = 1
            while depth and (mark := COMMENT.search(text, at)):
                depth += 1 if mark[0] == "/*" else -1
                at = mark.end()
    return TOKEN.findall("".join([*kept, text[at:]]))


def after(tokens: list[str], at: int) -> int:
    """The place behind the group that begins here."""
    depth = 0
    while at < len(tokens):
        depth += (tokens[at] in "{([") - (tokens[at] in "})]")
        at += 1
        if not depth:
            break
    return at


def leaves(prefix: tuple[str, ...], tree: list[str]) -> Iterator[Use]:
    path = prefix
    at = 0
    while at < len(tree):
        if tree[at] == "{":
            for part in filter(None, parts(tree[at + 1 : after(tree, at) - 1])):
                yield from leaves(path, part)
            return
        if tree[at] == "as":
            yield Use(path, tree[at + 1] if at + 1 < len(tree) else "_")
            return
        if tree[at] == "self" and path:
            pass  # the module the braces are for, under its own name
        elif tree[at] != "::":
            path = (*path, tree[at])
        at += 1
    if path:
        yield Use(path, path[-1])


def parts(tokens: list[str]) -> Iterator[list[str]]:
    depth, part = 0, list[str]()
    for token in tokens:
        depth += (token == "{") - (token == "}")
        if token == "," and not depth:
            yield part
            part = []
        else:
            part.append(token)
    yield part
