"""Source text -> syntax tree, within bounds of time and memory on any text."""

import re
import time
import zlib
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar, Node, Tree

PARSE_SECONDS = 3.0  # of CPU
_CHUNK = 4096  # bytes handed over at once: a parser that tries several ways asks for each anew
# The binding never frees what it was handed (0.26.1). Good text is asked for once or twice.
_TIMES, _SPARE = 50, 2_000_000
# A query takes the square of the children of a node that is an error; 50,000 of them a second.
_MOST_ERRORS = 50_000**2
_VISITED = 20_000  # damaged nodes looked at
# Where an expression of thousands of terms meets an error, a parser takes the square of them, in memory
# too (8 GB for 40 KB of `=> a` as Java), and does not ask whether to go on. Such text has one shape.
_WINDOW = 8192
_ONE_SHAPE = 400  # bytes that a window of one shape is compressed to at most
_PROBE_SECONDS = 0.15  # a window of good text takes 0.002
_WORD = re.compile(rb"\w+")
# The end of the file is such an error; before a statement it is none.
_AFTER = {"tree_sitter_python": b"\n\npass\n", "tree_sitter_java": b"\n;\n"}


class TooSlow(Exception):
    """Parser or query would not finish in time; the file still gets an entry, from its text alone."""


@cache
def grammar(module: str, function: str) -> "Grammar":
    """The grammar a package's function gives."""
    from tree_sitter import Language as Grammar

    capsule: object = getattr(import_module(module), function)()
    return Grammar(capsule)


def parse(data: bytes, module: str, function: str) -> "Tree":
    """The tree of a text. Raises TooSlow where it, or a query of it, would take too long."""
    left = 2 * _PROBE_SECONDS
    for start in range(0, len(data) - _WINDOW, 2 * _WINDOW):
        window = data[start : start + _WINDOW]
        if len(zlib.compress(_WORD.sub(b"a", window), 1)) < _ONE_SHAPE:
            began = time.thread_time()
            _parse(window, module, function, PARSE_SECONDS)
            spent = time.thread_time() - began
            left -= max(spent - _PROBE_SECONDS / 10, 0)
            if spent > _PROBE_SECONDS or left < 0:
                raise TooSlow
    tree = _parse(data + _AFTER.get(module, b""), module, function, PARSE_SECONDS)
    if tree.root_node.has_error:
        _refuse_wide_errors(tree.root_node)
    return tree


def _parse(data: bytes, module: str, function: str, seconds: float) -> "Tree":
    from tree_sitter import Parser

    # A busy machine must not change an index, hence CPU time.
    deadline = time.thread_time() + seconds
    left = _TIMES * len(data) + _SPARE

    def read(offset: int, _: object) -> bytes:  # the tree asks again, when a query compares texts
        nonlocal left
        chunk = data[offset : offset + _CHUNK]
        left -= len(chunk)
        return chunk

    def late(*_: object) -> bool:
        return left < 0 or time.thread_time() > deadline

    try:
        return Parser(grammar(module, function)).parse(read, progress_callback=late)
    except ValueError as error:  # what a cancelled parse raises
        raise TooSlow from error


def _refuse_wide_errors(root: "Node") -> None:
    pending, cost = [root], 0
    for _ in range(_VISITED):
        if not pending:
            return
        node = pending.pop()
        if node.is_error:
            cost += node.child_count**2
            if cost > _MOST_ERRORS:
                raise TooSlow
        pending += [child for child in node.children if child.has_error]
