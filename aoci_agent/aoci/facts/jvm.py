"""What Java, Kotlin and Scala share: declarations with their owners, documentation, imports, words in use."""

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from aoci_agent.aoci.facts import prose
from aoci_agent.aoci.facts.language import Captures, Piece, Source
from aoci_agent.aoci.facts.model import Import, Symbol
from aoci_agent.aoci.wordset import wordset

TYPES = frozenset(("class", "interface", "enum", "type"))
# Every type of a kind has them; accessors are told by the fields of a record.
DUTIES = frozenset(("equals", "hashCode", "toString", "clone", "finalize", "canEqual", "compareTo"))
_ROUND = r"\((?:[^()\"]|\"(?:[^\"\\]|\\.)*\"|\((?:[^()\"]|\"(?:[^\"\\]|\\.)*\"|\([^()]*\))*\))*\)"
_MARK = re.compile(rf"@(?:\w+:)?(?:\w+\.)*(\w+)\s*({_ROUND})?")
_ACCESS = re.compile(r"\b(public|protected|private|internal)\b")
_CREATED = re.compile(
    r"^[ \t]*(?:Created (?:by|on)|@?author|@?date|@?since)\b.*$", re.MULTILINE | re.IGNORECASE
)
_INLINE = re.compile(r"\{@(\w+)\s*([^{}]*)\}")
_LINK = re.compile(
    r"\[\[([^\]]*)\]\]|\[([^\[\]\n]+)\]\[[^\]\n]*\]|\[(`?[\w.]+(?:\(\))?`?)\](?![(:])"
)
_PARAGRAPH = re.compile(r"<(?:p|pre|ul|ol|h\d|table|blockquote)\b[^>]*>|\n\s*\n", re.IGNORECASE)
_NESTED = {"<": r"<[^<>]*>", "(": r"\([^()]*\)", "[": r"\[[^\[\]]*\]", "{": r"\{[^{}]*\}"}
_CODE_ONLY = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"\"\".*?\"\"\"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.[^'\n]*)'",
    re.DOTALL,
)
_RAISED = re.compile(r"throw\s+(?:new\s+)?(?:\w+\.)*([A-Z]\w*)\s*[(<\[]")
_PLAIN = wordset(
    "IllegalArgumentException IllegalStateException NullPointerException UnsupportedOperationException"
    " RuntimeException Exception Error AssertionError IndexOutOfBoundsException NoSuchElementException"
    " IOException NotImplementedError Throwable ArrayIndexOutOfBoundsException ClassCastException"
)
SIMPLE = re.compile(
    r"-?\d[\w.]*(?:\s*[*+-]\s*\d[\w.]*)*|\"[^\"\n$]{1,40}\"|true|false|[A-Z]\w+\.of\w+\(\d+\)"
)
_HEADER = 1500  # bytes after a name within which its parameters and supertypes stand


@dataclass(eq=False)
class Declared:
    """One declaration: what stands before its name (`head`), after it (`tail`), and what it is in."""

    kind: str
    name: str
    line: int  # from 0, of its first annotation or modifier
    head: str
    inside: "Declared | None"
    local: bool  # in the body of a function or a value
    data: bytes | str
    after: int
    end: int
    start: int
    value: str = ""

    @cached_property
    def marks(self) -> Mapping[str, str]:
        """Annotations by simple name, with their arguments in brackets."""
        return dict(_MARK.findall(self.head)) if "@" in self.head else {}

    @cached_property
    def bare_head(self) -> str:
        """Modifiers without annotations."""
        return _MARK.sub(" ", self.head) if "@" in self.head else self.head

    @cached_property
    def tail(self) -> str:
        """Some text after the name."""
        text = self.data[self.after : min(self.end, self.after + _HEADER)]
        return text if isinstance(text, str) else text.decode("utf-8", "replace")

    @property
    def access(self) -> str:
        """public, protected, private, internal, or nothing."""
        found = _ACCESS.search(self.bare_head)
        return found[1] if found else ""

    @property
    def owner(self) -> str:
        """The name of the type it belongs to."""
        return self.inside.name if self.inside else ""

    def parameters(self) -> str:
        """The text between the brackets after the name and its type parameters."""
        text = flat(self.tail, "<[")
        found = re.match(r"[\s\w@.]*?\(", text)
        if not found:
            return ""
        depth = 0
        for at in range(found.end() - 1, len(text)):
            depth += (text[at] == "(") - (text[at] == ")")
            if not depth:
                return text[found.end() : at]
        return text[found.end() :]


def flat(text: str, brackets: str = "<([{") -> str:
    """The text without what stands in these brackets, four levels deep; arrows are no brackets."""
    text = text.replace("->", "  ").replace("=>", "  ")
    pattern = _nested(brackets)
    for _ in range(4):
        text, count = pattern.subn(" ", text)
        if not count:
            break
    return text


@cache
def _nested(brackets: str) -> re.Pattern[str]:
    return re.compile("|".join(_NESTED[bracket] for bracket in brackets))


def declared(found: Captures, source: Source, kinds: Sequence[str]) -> list[Declared]:
    """Captures `@<kind>` (a name) with `@at` (its whole declaration), as a tree in source order.

    `scope` is a body without a name of its own: a companion object, whose members are its type's.
    """
    pieces: list[tuple[Piece, str, Piece, str]] = []
    for captured in found:
        kind = next((kind for kind in kinds if kind in captured), "")
        if kind and "at" in captured:
            pieces.append((captured["at"], kind, captured[kind], captured.text("value")))
    pieces.sort(key=lambda item: (item[0].start, -item[0].end, item[2].start))
    result: list[Declared] = []
    opened: list[Declared] = []
    for at, kind, name, value in pieces:
        while opened and opened[-1].end <= at.start:
            opened.pop()
        above = opened[-1] if opened else None
        if above is not None and above.after == name.end:
            continue  # a second match of the same declaration
        inside = above.inside if above is not None and above.kind == "scope" else above
        local = above is not None and (above.local or above.kind not in (*TYPES, "scope"))
        head = source.data[at.start : name.start].decode("utf-8", "replace")
        item = Declared(
            *(kind, name.text.strip("`"), at.line, head, inside, local),
            *(source.data, name.end, at.end, at.start, value),
        )
        result.append(item)
        opened.append(item)
    return [item for item in result if not item.local]


def symbols(
    items: Iterable[Declared],
    lines: list[str],
    is_public: Callable[[Declared], bool],
    bases: Callable[[Declared], tuple[str, ...]],
) -> tuple[Symbol, ...]:
    """Symbols of the declarations, each name of an owner once, the documented one of several."""
    seen: dict[tuple[str, str], Symbol] = {}
    for item in items:
        key = (item.owner, item.name)
        if not _NAMED.fullmatch(item.name):
            continue  # an operator, or a sentence
        known = seen.get(key)
        if known is not None and known.doc:
            continue
        public = is_public(item)
        doc = documented(item, lines) if public or item.kind in TYPES else ""
        above = tuple(b for b in bases(item) if b not in _DULL) if item.kind in TYPES else ()
        if known is None or doc:
            seen[key] = Symbol(item.name, item.kind, item.line + 1, public, item.owner, doc, above)
    return tuple(sorted(seen.values(), key=lambda item: (item.line, item.owner, item.name)))


_CODE = re.compile(r"[(){};=]")
_NAMED = re.compile(r"[\w$-]*\w[\w$-]*")
_DULL = frozenset(("Serializable", "Cloneable", "Product", "AnyRef", "AnyVal", "Object"))
_SUMMARIES = ("Operation", "ApiOperation", "Schema", "Api", "Tag", "ApiModel")
_SUMMARY = re.compile(
    r"(?:summary|value|description|tags|name)\s*=\s*\W*\"([^\"]+)|\(\s*\"([^\"]+)"
)


def documented(item: Declared, lines: list[str]) -> str:
    """First sentence of the comment above, else what an annotation for readers says."""
    said = sentence(_comment(lines, item.line))
    if said or not item.marks:
        return said
    for name in _SUMMARIES:
        if (found := _SUMMARY.search(item.marks.get(name, ""))) is not None:
            return prose.cut(found[1] or found[2], 160)
    return ""


def _comment(lines: list[str], line: int) -> str:
    """The comment above a line; remarks between documentation and its subject are passed over."""
    end = line
    while end > 0 and lines[end - 1].lstrip().startswith("//"):
        end -= 1
    if end > 0 and lines[end - 1].rstrip().endswith("*/"):
        return prose.comment_above(lines, end)
    remark = prose.comment_above(lines, line)
    return "" if _CODE.search(remark) else remark


def sentence(comment: str) -> str:
    """First sentence of a documentation comment, without markup; "" for a licence."""
    if not comment or "icense" in comment[:600]:
        return ""
    comment = _CREATED.sub("", comment).lstrip()
    first = next((part for part in _PARAGRAPH.split(comment) if part.strip()), "")
    said = html.unescape(prose.first_sentence(plain(first)))
    return said if " " in said or not said.isascii() else ""


def plain(comment: str) -> str:
    """Documentation text without the markup of Javadoc, KDoc and Scaladoc."""
    if "{@" in comment:
        comment = _INLINE.sub(_told, comment)
    if "[" in comment:
        comment = _LINK.sub(lambda m: _label(m[1]) if m[1] else m[2] or m[3], comment)
    if "{{{" in comment:
        comment = comment.replace("{{{", "").replace("}}}", "")
    return comment


def _told(found: re.Match[str]) -> str:
    if found[1] in ("link", "linkplain"):
        return _label(found[2])
    return found[2] if found[1] in ("code", "literal", "value", "summary") else ""


def _label(target: str) -> str:
    """`a.b.C#d(int) words` -> words, `a.b.C#d(int)` -> C.d."""
    name, _, label = re.sub(r"\([^)]*\)", "", target.strip()).partition(" ")
    return label.strip() or re.sub(
        r"^(?:[a-z]\w*\.)+(?=[A-Z])", "", name.replace("#", ".").strip(".!$")
    )


def head_of(code: str) -> str:
    """The part of a file in which its package and its imports stand."""
    return code[: code.rfind("\nimport ") + 400]


def without_comments(text: str) -> str:
    """The text without comments and strings."""
    return _CODE_ONLY.sub(" ", text)


_EVERYWHERE = wordset(
    "String Object Override Integer Long Boolean Double Class Exception SuppressWarnings Deprecated Int Unit"
    " Any Throwable System Math Iterable Some None Nothing IllegalArgumentException RuntimeException"
)
_CHAIN = re.compile(r"[\w.]+")
_CALLED = re.compile(r"\b[a-z]+(?:[A-Z]\w{3,}|\w{8,})(?=\s?(?:[({]|<[A-Z]))")


def words(code: str, *, functions: bool) -> Counter[str]:
    """Capitalised names not taken from another, with `functions` also called names.

    Of the latter only long ones: a call of `write` is mostly one of a method nobody here knows.
    """
    counts: Counter[str] = Counter()
    for chain, uses in Counter(_CHAIN.findall(code)).items():
        if chain[0].isupper() and len(name := chain.partition(".")[0]) > 1:
            counts[name] += uses
    if functions:
        counts.update(_CALLED.findall(code))
    return counts


def imports(
    taken: Iterable[tuple[str, str, str]],
    code: str,
    counts: Mapping[str, int],
    *,
    unused: bool = True,
) -> tuple[Import, ...]:
    """Imports from (module, name, name in this file) with the uses of each; `*` is everything.

    Without `unused`, a type that only comments mention is left out.
    """
    modules: dict[str, dict[str, int]] = {}
    for module, name, alias in taken:
        uses = counts.get(alias, 0)
        if not uses and name != "*" and not alias[:1].isupper():
            uses = len(re.findall(rf"\b{re.escape(alias)}\b", code)) - 1
        if uses or unused or len(alias) == 1:
            modules.setdefault(module, {})[name] = max(uses, 1)
    return tuple(
        Import(module, tuple(sorted(names.items())[:400]))
        for module, names in sorted(modules.items())
    )


def foreign_words(
    counts: Mapping[str, int], known: Iterable[str], taken: Iterable[Import]
) -> tuple[tuple[str, int], ...]:
    """Words that may name something of another file of the package: neither defined here nor imported."""
    explained = {*known, *_EVERYWHERE, *(name for item in taken for name, _ in item.names)}
    return tuple(sorted((word, n) for word, n in counts.items() if word not in explained))


def raises(text: str) -> Iterator[str]:
    """What is thrown: errors of the project's own, else the two that say whose fault it is."""
    if "throw" not in text:
        return
    names = dict.fromkeys(_RAISED.findall(text))
    own = [name for name in names if name not in _PLAIN]
    yield from own or [
        name for name in names if name in ("IllegalArgumentException", "IllegalStateException")
    ]
