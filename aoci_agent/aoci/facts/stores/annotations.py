"""Classes and members with the annotations before them, in TypeScript, Java and Kotlin."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from aoci_agent.aoci.facts.stores.brackets import STRING, closing, parts

_CLASS = re.compile(r"\bclass\s+(?P<name>\w+)(?:<[^>{]*>)?\s*(?P<open>(?=\())?")
# What stands between a class's name, or Kotlin's constructor, and its body.
_HEAD = re.compile(
    r"\s*(?:(?:extends|:)\s*(?P<base>[\w.]+)(?:<[^{]*?>)?(?:\([^()]*\))?)?(?P<rest>[^{;(@=]*)"
)
_OTHER = re.compile(r"\n\s*\n|\b(?:class|fun|object|val|var|interface|enum)\b")
_MARK = re.compile(r"@(?:field:|get:|\w+\.)*(?P<name>\w+)\s*(?=(?P<open>\())?")
_BLOCK = re.compile(rf"{STRING}|\{{")
Marks = Mapping[str, str]  # annotation -> its arguments


class Marked(NamedTuple):
    """A class as far as it matters for what it stores."""

    name: str
    base: str
    marks: Marks
    given: str  # the parameters of Kotlin's constructor
    body: str


def classes(text: str) -> Iterator[Marked]:
    """Each class with the annotations before it."""
    marks: dict[str, str] = {}
    place = 0
    while found := _CLASS.search(text, place):
        mark = _MARK.search(text, place, found.start())
        if mark:
            place, marks[mark["name"]] = _arguments(text, mark)
            continue
        made, place = _class(text, found, marks)
        yield made
        marks = {}


def _class(text: str, found: re.Match[str], marks: Marks) -> tuple[Marked, int]:
    end = found.end()
    given = ""
    if found["open"] is not None:
        close = closing(text, end)
        given, end = " ".join(text[end + 1 : close].split()), close + 1
    head = _HEAD.match(text, end)
    base, body = "", ""
    if head and not _OTHER.search(head["rest"]):
        base, end = head["base"] or "", head.end()
        if text[end : end + 1] == "{":
            close = closing(text, end)
            body, end = text[end + 1 : close], close
    return Marked(found["name"], base, marks, given, body), end


def _arguments(text: str, mark: re.Match[str]) -> tuple[int, str]:
    if not mark["open"]:
        return mark.end(), ""
    end = closing(text, mark.end())
    return end + 1, text[mark.end() + 1 : end]


def annotated(body: str) -> Iterator[tuple[Marks, str]]:
    """Annotations of a member, and the text that follows them."""
    marks: dict[str, str] = {}
    place = 0
    while mark := _MARK.search(body, place):
        if marks and body[place : mark.start()].strip():
            yield marks, body[place : mark.start()]
            marks = {}
        place, marks[mark["name"]] = _arguments(body, mark)
    if marks:
        yield marks, body[place:]


def declared(marked: Marked) -> Iterator[tuple[Marks, str]]:
    """Annotations and declaration of every member of a Java or Kotlin class, blocks left out."""
    if marked.given or re.search(r"\b(?:val|var)\s+\w+\s*:", marked.body):
        pieces = [*parts(marked.given), *marked.body.split("\n")]
    else:
        pieces = _without_blocks(marked.body).split(";")
    for piece in pieces:
        marks: dict[str, str] = {}
        rest = piece.lstrip()
        while mark := _MARK.match(rest):
            end, marks[mark["name"]] = _arguments(rest, mark)
            rest = rest[end:].lstrip()
        yield marks, f"{rest.rstrip()};"


def _without_blocks(body: str) -> str:
    """A class body with each method's block cut to `;`; lists of annotations stay."""
    flat: list[str] = []
    place = 0
    for block in _BLOCK.finditer(body):
        if block[0] == "{" and block.start() >= place:
            end = closing(body, block.start()) + 1
            before = body[place : block.start()]
            listed = re.search(r"@\w+\s*\([^()]*\Z", before) is not None
            flat += [before, body[block.start() : end] if listed else ";"]
            place = end
    return "".join((*flat, body[place:]))
