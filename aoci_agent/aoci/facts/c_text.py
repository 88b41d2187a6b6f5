"""What is read out of C and C++ by its text alone: comments, includes, tables of commands, tests."""

import re
from collections.abc import Iterator

from aoci_agent.aoci.facts import prose
from aoci_agent.aoci.wordset import wordset

_PIECES = re.compile(
    r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|//[^\n]*|/\*.*?\*/|R\"(\w*)\(.*?\)\1\"", re.DOTALL
)
_CPP = re.compile(
    r"^\s*(?:class\s+\w[^;]*?[{:]|namespace\b|template\s*<|(?:public|private|protected)\s*:|using\s+\w)"
    r"|\bstd::|\bconstexpr\b|\bnullptr\b|\boperator\s*[=<>+*-]|^\s*\#\s*include\s*<(?:string|vector|memory|map|utility|atomic|functional|cstd\w+)>",
    re.MULTILINE,
)
_INCLUDE = re.compile(
    r"^[ \t]*#[ \t]*(?:include|import)[ \t]*([<\"])([^>\"\n]+)[>\"]", re.MULTILINE
)
# Macros that stand where the grammar expects a type, or that only decorate a declaration.
_LEADING = re.compile(
    r"^[A-Z][A-Z0-9_]{3,}(?=[ \t]+(?:[a-z_][\w:<>,]*[ \t*&]+)+[A-Za-z_]\w*[ \t]*\()"
    r"|^[A-Z][A-Z0-9_]*(?:BEGIN|END|OPEN|CLOSE)[A-Z0-9_]*(?:\(\))?[ \t]*$",
    re.MULTILINE,
)
_DECORATION = re.compile(
    r"(?<=\bclass )[A-Z][A-Z0-9_]{2,}(?=\s+\w+[\s:{])|(?<=\bstruct )[A-Z][A-Z0-9_]{2,}(?=\s+\w+[\s:{])"
    r"|(?<=\) )[A-Z][A-Z0-9_]{2,}\([^()\n]*\)(?=\s*(?:[{;]|override|const\b|$))"
    r"|\b[A-Z][A-Z0-9_]{2,}\([^()\n]*\)(?=;$)|^[A-Z][A-Z0-9]*_[A-Z0-9_]+[ \t]*$"
    r"|,\s*[A-Z][A-Z0-9_]{3,}\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)(?=>)"
    r"|(?<=[ \t])[A-Z][A-Z0-9]*_[A-Z0-9_]+(?=[ \t]+[a-z_][\w:<>,*& \t]*[ \t*&]\w+\()",
    re.MULTILINE,
)
_CONDITION = re.compile(
    r"^[ \t]*#[ \t]*(?:el(?:se|if)\b(?:(?!^[ \t]*#[ \t]*(?:if|endif)).)*?(?=^[ \t]*#[ \t]*endif)|(?:if|endif)[^\n]*)",
    re.MULTILINE | re.DOTALL,
)
LICENCE = re.compile(
    r"copyright|licen[cs]e|redistribut|warrant|permi(?:t|ssion)|all rights reserved|\bas is\b|liab(?:le|ility)"
    r"|terms of|neither the name|contributors may|found in the (?:license|authors)|source file is part of|see https?:|BSD3|spdx|\A\W*(?:written|authors?|created|maintained)\b",
    re.IGNORECASE,
)
_TITLE = 45  # characters below which a paragraph is a title
_OWN_NAME = re.compile(
    r"\A\s*[\w./-]+\.(?:c|h|cc|cpp|cxx|hpp|hh|swift)\b\s*(?:[-:\u2013\u2014]+\s*)?", re.IGNORECASE
)
_BANNER = re.compile(
    r"^/[*/][ \t]*[-=*#/]{8,}[ \t]*\n[ \t]*[*/]*[ \t]*(\w[^\n]{2,60}?)[ \t]*\n(?:[ \t]*[*/]+[ \t]*\n)?[ \t]*[*/]*[ \t]*[-=*#/]{8,}"
    r"|^/[*/][ \t]*[-=*#]{3,}[ \t]+(\w[^\n]{2,50}?)[ \t]+[-=*#]{3,}",
    re.MULTILINE,
)
_ROW = re.compile(r"\{\s*\"([a-z][\w-]{1,30})\"\s*,\s*&?(\w+)\s*[,}]")
_HANDLER = re.compile(r"cmd|command|handler|main\Z|\Ado_", re.IGNORECASE)
_OPTION = re.compile(
    r"\{\s*\"([a-z][\w-]{1,30})\"\s*,\s*(?:no_argument|required_argument|optional_argument)"
)
MEMBER = re.compile(r"(?:\.|->|::)([A-Za-z_]\w{2,})\(")
WORD = re.compile(r"[A-Za-z_]\w{2,}")
KEYWORDS = wordset(
    "auto break case char const continue default double else enum extern float for goto inline int long"
    " register return short signed sizeof static struct switch typedef union unsigned void volatile while"
    " define undef ifdef ifndef endif elif include pragma defined error bool true false NULL nullptr class"
    " public private protected namespace template typename virtual override final using this new delete"
    " std operator friend explicit constexpr noexcept static_cast reinterpret_cast const_cast string vector"
)
_TEST = re.compile(
    r"^\s*(?:TYPED_)?TEST(?:_F|_P|_I)?\(\s*(\w+)\s*,\s*(\w+)\s*\)|^\s*(?:TEST_CASE|SCENARIO|TEST)\(\s*\"([^\"\n]+)\""
    r"|^\s*BOOST_(?:AUTO|FIXTURE)_TEST_CASE\(\s*(\w+)|\btest_cond\(\s*\"([^\"\n]+)\"|^\s*(?:static\s+)?(?:void|int)\s+(test_?\w+)\s*\(",
    re.MULTILINE,
)
_ROUTE = re.compile(
    r"\bCROW_ROUTE\(\s*\w+\s*,\s*\"([^\"]+)\"|\.(Get|Post|Put|Patch|Delete|Options)\(\s*R?\"\(?(/[^\"]*?)\)?\"\s*,"
    r"|\bADD_METHOD_TO\([^,]+,\s*\"([^\"]+)\"\s*,\s*(?:drogon::)?(\w+)"
)
_FIELD = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?::\s*\w+\s*)?(?:=[^=]*)?\Z")
_THROWN = re.compile(r"\bthrow\s+(?:\w+::)*(\w*[A-Z]\w*|\w+_error)\s*[({]")


def without_comments(text: str) -> str:
    """The code with every comment replaced by blanks and strings kept, at the same lines."""
    return _PIECES.sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    piece = found[0]
    return "\n" * piece.count("\n") or " " if piece.startswith("/") else piece


def without_strings(code: str) -> str:
    """The code with its strings emptied, for counting words."""
    return _PIECES.sub('""', code)


def undecorated(text: str, *, classes: bool) -> str:
    """The text as long as before, with blanks for decorating macros; `classes` for C++."""
    bare = _LEADING.sub(_spaces, text)
    return _DECORATION.sub(_spaces, bare) if classes else bare


def _spaces(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def unconditional(text: str) -> str:
    """The text as long as before, without conditions: of each the first branch stays."""
    return _CONDITION.sub(_spaces, text)


def parts(text: str) -> Iterator[str]:
    """Titles of the banners that divide a long file."""
    if "-----" in text or "=====" in text or "*****" in text:
        for found in _BANNER.finditer(text):
            title = prose.clean((found[1] or found[2]).rstrip(" */"))
            if (
                title
                and not LICENCE.search(title)
                and not _OWN_NAME.match(title)
                and len(title) <= _TITLE
            ):
                yield title.rstrip(".")


def is_cpp(code: str) -> bool:
    """Whether a header holds what C has not; an `extern "C"` alone does not make it C++."""
    return _CPP.search(code) is not None


def includes(code: str) -> list[tuple[str, bool]]:
    """(path as written, between angle brackets), in order."""
    return [(path.strip(), mark == "<") for mark, path in _INCLUDE.findall(code)]


def file_doc(lines: list[str]) -> str:
    """The first paragraph of the leading comments that is neither a licence nor a file name.

    A mere title is followed by the next paragraph of its comment.
    """
    for block in _blocks(lines):
        paragraphs = re.split(r"\n[\s*=-]*\n", "\n".join(prose.unmark(block)))
        said = [
            prose.clean(_OWN_NAME.sub("", p, count=1)) for p in paragraphs if not LICENCE.search(p)
        ]
        said = [paragraph for paragraph in said if _says_something(paragraph)]
        if said and len(said[0]) < _TITLE and said[1:]:
            return prose.cut(f"{said[0].rstrip('. ')}. {said[1]}", prose.LONGEST)
        if said:
            return said[0]
    return ""


def _says_something(paragraph: str) -> bool:
    """A single word, a heading in capitals or a date does not."""
    if not paragraph.isascii():
        return True
    return " " in paragraph.strip() and re.search(r"[a-z]{2}", paragraph) is not None


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """The comments before the first line of code, each apart."""
    block: list[str] = []
    inside = False
    for line in lines[:120]:
        stripped = line.strip()
        if inside or stripped.startswith(("//", "/*")):
            if block and stripped.startswith("/*") and not inside:
                yield block
                block = []
            block.append(
                stripped.removeprefix("/*").lstrip("*!") if stripped.startswith("/*") else stripped
            )
            inside = (inside or stripped.startswith("/*")) and "*/" not in stripped
            continue
        if block:
            yield block
            block = []
        if stripped and not re.match(r"#\s*(?:ifndef|define|pragma|if\b)", stripped):
            return
    if block:
        yield block


def fields(body: str) -> Iterator[str]:
    """Names of the fields of a struct; functions and nested types are passed over."""
    bare = without_comments(body[1:6000])
    for _ in range(2):
        bare = re.sub(r"\{[^{}]*\}", "", bare)
    for statement in bare.split(";"):
        pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", statement)
        if pointer:
            yield pointer[1]
        elif "(" not in statement and (named := _FIELD.search(statement.rstrip())):
            yield named[1]


def enumerators(body: str) -> list[str]:
    """Names of the values of an enum."""
    bare = re.sub(r"\([^()]*\)", "", without_comments(body[1:6000].rstrip("}")))
    return [
        found[1]
        for part in bare.split(",")
        if (found := re.match(r"[\s\S]*?\b([A-Za-z_]\w*)\s*(?:=|\Z)", part.strip()))
    ]


def commands(code: str) -> Iterator[str]:
    """Names in a table of commands: rows of a name and a function that handles it."""
    rows = _ROW.findall(code)
    handled = [name for name, handler in rows if _HANDLER.search(handler)]
    if len(handled) > 2:
        yield from handled


def options(code: str) -> Iterator[str]:
    """Long options of a getopt table."""
    return (f"--{name}" for name in _OPTION.findall(code))


def tests(code: str) -> Iterator[str]:
    """Titles of test cases: GoogleTest, Catch2, Boost, and functions called so."""
    if "TEST" not in code and "test_" not in code and "SCENARIO" not in code:
        return
    for found in _TEST.finditer(code):
        yield f"{found[1]}.{found[2]}" if found[1] else next(filter(None, found.groups()), "")


def routes(code: str) -> Iterator[str]:
    """Routes of Crow, cpp-httplib and Drogon."""
    if "CROW_ROUTE" not in code and "httplib" not in code and "ADD_METHOD_TO" not in code:
        return
    for found in _ROUTE.finditer(code):
        if found[1]:
            yield f"ANY {found[1]}"
        elif found[2]:
            yield f"{found[2].upper()} {found[3]}"
        else:
            yield f"{found[5].upper()} {found[4]}"


def thrown(code: str) -> list[str]:
    """Types of exceptions thrown."""
    return _THROWN.findall(code) if "throw" in code else []
