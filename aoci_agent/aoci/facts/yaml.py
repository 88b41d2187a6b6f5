"""The part of YAML that configuration is written in, read line by line and never refused.

Anchors, tags and templates (`{{ }}`) are passed over; every scalar stays text. Work is linear in the
text: each line is read once, and what is nested deeper than DEEPEST is left out.
"""

import re
from typing import Any

from aoci_agent.aoci.facts.trees import Table, is_list, is_table

DEEPEST = 40
_FLOW_LINES = 400
_KEY = re.compile(
    r"(?:\"([^\"\n]{0,200})\"|'([^'\n]{0,200})'|([^\s\"'#{\[&*!|>%@,-][^:\n]{0,200}|-[^\s:][^:\n]{0,200}|[*&!][^\s:]{0,99}))\s*:(?=\s|\Z)"
)
_PREFIX = re.compile(r"(?:[&!][^\s,\[\]{}]*\s+|[&!][^\s,\[\]{}]*\Z)")
_BLOCK = re.compile(r"[|>][-+0-9]*\s*(?:#.*)?\Z")
_COMMENT = re.compile(r"(?:^|\s)#.*")
_FLOW = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^']|'')*)'|([\[\]{},])|(:)(?=[\s\"'\[{]|\Z)|((?:[^\[\]{},:\"'\s]|:(?=[^\s\"'\[{]))(?:[^\[\]{},:]|:(?=[^\s\"'\[{]))*)|\s+|.")  # fmt: skip


def load_yaml(text: str) -> list[Any]:
    """The documents of a YAML text; an empty one is left out."""
    documents = [
        _Reader(part).read() for part in re.split(r"^(?:---|\.\.\.)(?=\s|\Z)", text, flags=re.M)
    ]
    return [document for document in documents if document]


class _Reader:
    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._at = 0

    def read(self) -> Any:
        indent = self._indent()
        return self._node(indent, 0) if indent >= 0 else None

    def _indent(self) -> int:
        """Move to the next line that says something; its indentation, -1 at the end."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            bare = line.lstrip(" \t")
            if bare and bare[0] not in "#%" and not bare.startswith("{{"):
                return len(line) - len(bare)
            self._at += 1
        return -1

    def _node(self, indent: int, depth: int) -> Any:
        if depth > DEEPEST:
            self._skip(indent)
            return ""
        bare = self._lines[self._at].strip()
        if bare == "-" or bare.startswith("- "):
            return self._sequence(indent, depth)
        if _KEY.match(bare):
            return self._mapping(indent, depth)
        self._at += 1
        return self._value(bare, indent - 1, depth)

    def _skip(self, indent: int) -> None:
        while self._indent() >= indent:
            self._at += 1

    def _sequence(self, indent: int, depth: int) -> list[Any]:
        found: list[Any] = []
        while self._indent() == indent:
            line = self._lines[self._at]
            bare = line.strip()
            if bare != "-" and not bare.startswith("- "):
                break
            rest = bare[1:].lstrip()
            if rest and (rest == "-" or rest.startswith("- ") or _KEY.match(rest)):
                inner = line.index(rest, indent + 1)
                self._lines[self._at] = " " * inner + rest
                found.append(self._node(inner, depth + 1))
            else:
                self._at += 1
                found.append(self._value(rest, indent, depth))
        self._skip(indent + 1)
        return found

    def _mapping(self, indent: int, depth: int) -> Table:
        found: Table = {}
        while (here := self._indent()) >= indent:
            bare = self._lines[self._at].strip()
            key = _KEY.match(bare) if here == indent else None
            self._at += 1
            if key is None:
                if here == indent and bare.startswith("- "):
                    self._at -= 1
                    break
                continue  # a template, a continued scalar, damage
            name = key[1] or key[2] or (key[3] or "").strip()
            value = self._value(bare[key.end() :].strip(), indent, depth, keyed=True)
            found[name] = value
        return found

    def _value(self, text: str, indent: int, depth: int, *, keyed: bool = False) -> Any:
        text = _PREFIX.sub("", text) if text[:1] in ("&", "!") else text
        if text.startswith("#"):
            text = ""
        if not text:
            return self._nested(indent, depth, keyed=keyed)
        if text[0] in "|>" and _BLOCK.match(text):
            return self._block(indent)
        if text[0] in "[{" and not text.startswith("{{"):
            return _flow(self._balanced(text))
        if text[0] in "\"'":
            end = text.find(text[0], 1)
            return text[1:end] if end > 0 else text[1:]
        return _COMMENT.sub("", text).strip() if "#" in text else text

    def _nested(self, indent: int, depth: int, *, keyed: bool) -> Any:
        inner = self._indent()
        if inner > indent:
            return self._node(inner, depth + 1)
        listed = keyed and inner == indent and inner >= 0
        bare = self._lines[self._at].strip() if listed else ""
        return self._sequence(inner, depth + 1) if bare == "-" or bare.startswith("- ") else ""

    def _block(self, indent: int) -> str:
        taken: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            bare = line.lstrip(" ")
            if bare and len(line) - len(bare) <= indent:
                break
            taken.append(line.strip())
            self._at += 1
        return "\n".join(taken)

    def _balanced(self, text: str) -> str:
        """A flow value with the lines it goes on over."""
        open_ = text.count("[") + text.count("{") - text.count("]") - text.count("}")
        taken = [text]
        while open_ > 0 and self._at < len(self._lines) and len(taken) < _FLOW_LINES:
            line = self._lines[self._at].strip()
            open_ += line.count("[") + line.count("{") - line.count("]") - line.count("}")
            taken.append("" if line.startswith("#") else line)
            self._at += 1
        return " ".join(taken)


def _flow(text: str) -> Any:
    """A value in brackets, without recursion: open containers wait on a stack."""
    root: list[Any] = []
    stack: list[Any] = [root]
    key = word = None
    for found in _FLOW.finditer(text):
        mark = found[3]
        if mark in ("[", "{") and len(stack) <= DEEPEST:
            made: Any = [] if mark == "[" else {}
            _put(stack[-1], key, made)
            stack.append(made)
            key = word = None
        elif mark in (",", "]", "}"):
            _put(stack[-1], key, word)
            key = word = None
            if mark != "," and len(stack) > 1:
                stack.pop()
        elif found[4] and word is not None:
            key, word = word, None
        elif found[1] is not None or found[2] is not None or found[5]:
            word = found[1] or found[2] or (found[5] or "").strip()
    _put(stack[-1], key, word)
    return root[0] if root else ""


def _put(into: Any, key: str | None, value: Any) -> None:
    if is_list(into) and value is not None:
        into.append(value if key is None else {key: value})
    elif is_table(into) and key is not None:
        into[key] = "" if value is None else value
    elif is_table(into) and value is not None:
        into[str(value)] = ""
