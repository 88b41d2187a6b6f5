"""Text and configuration files -> sections by heading, or paragraphs."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import PurePosixPath

from aoci_agent.views.units.pieces import PARAGRAPH, pieces, trimmed

Section = tuple[int, int, str, str]  # start, end, kind, symbol

_MARKED = re.compile(r"(#{1,6}|={1,6})[ \t]+(\S.*?)[ \t]*#*[ \t]*\r?")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,}|-{4,}\r?$|\.{4,}\r?$)")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}[ \t]*\r?")
_MARKDOWN = frozenset((".md", ".markdown", ".mdx", ".adoc", ".asciidoc"))
_UNDERLINED = frozenset((".rst",))
_LONGEST_TITLE = 200


def sections(path: str, lines: list[str]) -> Iterator[Section]:
    """Everything with text in the file, in order."""
    suffix = PurePosixPath(path).suffix.lower()
    titles: list[tuple[int, str]] = []
    if suffix in _MARKDOWN:
        titles = list(_marked(lines))
    elif suffix in _UNDERLINED:
        titles = list(_underlined(lines))
    if titles:
        yield from _by_title(lines, titles)
    else:
        yield from _paragraphs(lines, 1, len(lines), "paragraph", "")


def _by_title(lines: list[str], titles: list[tuple[int, str]]) -> Iterator[Section]:
    """One section for each title; a title with nothing below it goes to the next."""
    bounds = [*titles, (len(lines) + 1, "")]
    yield from _paragraphs(lines, 1, titles[0][0] - 1, "section", "")
    begin = 0
    for (line, title), (following, _) in pairwise(bounds):
        begin = begin or line
        if (
            following <= len(lines)
            and trimmed(lines, line, following - 1)[1] <= line + 1
            and following - begin < PARAGRAPH
        ):
            continue
        yield from _paragraphs(lines, begin, following - 1, "section", title)
        begin = 0


def _paragraphs(
    lines: list[str], start: int, end: int, kind: str, symbol: str
) -> Iterator[Section]:
    for first, last in pieces(lines, start, end, PARAGRAPH):
        yield first, last, kind, symbol


def _marked(lines: list[str]) -> Iterator[tuple[int, str]]:
    """`# Title` of Markdown and `== Title` of AsciiDoc, outside of fenced code."""
    fence = ""
    for line, text in enumerate(lines, 1):
        if (found := _FENCE.match(text)) is not None:
            mark = found[1].rstrip("\r")
            if not fence:
                fence = mark if mark[0] in "`~" else ""
            elif mark.startswith(fence):
                fence = ""
        elif not fence and (title := _MARKED.fullmatch(text)) is not None:
            yield line, title[2][:_LONGEST_TITLE]


def _underlined(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Titles of reStructuredText: a line with a line of one sign below it."""
    for line, (text, below) in enumerate(pairwise(lines), 1):
        if (
            _UNDERLINE.fullmatch(below)
            and text.strip()
            and not text[0].isspace()
            and len(below.strip()) >= len(text.strip())
            and not _UNDERLINE.fullmatch(text)
        ):
            yield line, text.strip()[:_LONGEST_TITLE]
