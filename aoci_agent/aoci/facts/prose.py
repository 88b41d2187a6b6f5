"""Documentation text: what a comment really says, without licences, pragmas and decoration."""

import re
from collections.abc import Iterable

LONGEST = 300
_LINE = 1000  # characters of one line that are looked at: patterns must not meet endless ones
_NOISE = re.compile(  # of lower-case text: a search that minds no case takes far longer
    r"""copyright|licen[cs]ed?\b|spdx-|all\ rights\ reserved|permission\ is\ hereby|redistribution|required\ by\ applicable\ law|warranties\ or\ conditions|express\ or\ implied
    |use\ (?:client|strict|server)|eslint|prettier|tslint|jshint|istanbul|v8\ ignore|webpack
    |@ts-|noqa|type:\s*ignore|pylint|flake8|mypy:|pyright|ruff:|isort:|fmt:|coverage:|pragma
    |-\*-|coding[:=]|vim?:|nolint|go:build|go:generate|\+build|@jsx|<reference|sourcemapping
    |ignore\ (?:all|any|previous|prior|the\ above)\b.{0,40}instruction|system\ prompt|you\ are\ now\b
    |do\ not\ edit|generated\ (?:at|on|via|by|with|from)\b|auto[- ]?generated|@generated|todo|fixme|xxx\b|hack\b""",
    re.VERBOSE,
)
_SHAPED = re.compile(
    r"""\s*[-\w./@\[\]()]+\.\w{1,5}\s*$|\s*[\w.]+\s=\s|\s*assert\ \S+\ ==|\([\w-]+\)=$|\s*https?://\S+\s*$|\s*(?:file(?:name)?|path|author|date|created|version)\s*[::]
    |!|(?-i:\s*(?:import|from|const|let|var|return|if|for|def|class|func|export)\b.*[;({:=]\s*$)""",
    re.IGNORECASE | re.VERBOSE,
)
_MARK = re.compile(r"^\s*(?:/\*+!?|\*+/|\*(?!\*)|//+!?|#+!?|--|<!--|%+|;+)\s?|\s*(?:\*+/|-->)\s*$")
_TAGGED = re.compile(r"^\s*(?:@\w+|:\w+[^:]*:|\.\. \w+::|Args:|Returns:|Raises:|Parameters\b|>>>)")
_RULE = re.compile(r"^[\s=\-_*#~+.─━═]*$")
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'`(])|(?<=[。!?])|\n\s*\n")
_LINKED = re.compile(
    r"https?://[^\s)\]>]+|!?\[([^\]]*)\]\([^)]*\)|<[^>\n]{1,200}>|:\w+:`~?([^`<]*)[^`]*`|`{1,3}|\*\*"
)
# What a removed address leaves behind.
_DANGLING = re.compile(
    r"(?:^|\s+)(?:an? |the |this )?(?:example )?(?:from|see|at|via|ref|refer to|to|on|by|in)\W*$",
    re.IGNORECASE,
)


def unmark(lines: Iterable[str]) -> list[str]:
    """Comment lines without their markers, each right-stripped; a shebang is none."""
    return [
        _unmarked(_MARK.sub("", line[:_LINE].rstrip())).rstrip()
        for line in lines
        if not line.startswith("#!")
    ]


def _unmarked(line: str) -> str:
    """The line without a second marker; most have none, which a look tells."""
    marked = line.lstrip()[:1] in "/*#-<%;" or "*/" in line or "-->" in line
    return _MARK.sub("", line) if marked else line


def clean(text: str, limit: int = LONGEST) -> str:
    """The first paragraph that says something, as one line of at most `limit` characters."""
    kept: list[str] = []
    for whole in text.split("\n"):
        line = whole[:_LINE]
        if _TAGGED.match(line):
            break
        if _RULE.match(line):
            if kept:
                break
            continue
        if says_nothing(line):
            if kept:
                break
            continue
        kept.append(re.sub(r"^[\s=*#~>-]{2,}|^>\s*|[=*#~-]{3,}\s*$", "", line).strip())
    joined = " ".join(" ".join(kept).split())
    said = _without_links(joined).rstrip(" :\uff1a")
    return cut(said, limit) if re.search(r"[^\W\d_]{2}", said) else ""


def _without_links(text: str) -> str:
    """Text with what links are called instead of where they lead."""
    said = _LINKED.sub(lambda found: found[1] or found[2] or "", text)
    if said != text:
        said = _DANGLING.sub("", said)
    return " ".join(said.split())


def says_nothing(text: str) -> bool:
    """Whether a line is a licence, a pragma, code, or an order to whoever reads it."""
    return _NOISE.search(text.lower()) is not None or _SHAPED.match(text) is not None


_BULLET = re.compile(r"^\s*(?:[-*•·]|\d{1,2}[.)、]|[a-z]\))\s*")
_VERSION = re.compile(
    r"^(?:[vV]\d+(?:\.\d+)*|版本)?\s*(?:变更|新增|修复|更新)?\s*(?:[(\uff08][^)\uff09]{0,40}[)\uff09])?\s*[:\uff1a\-]*\s*"
)
_LEADS = re.compile(r".{0,24}[:\uff1a]\Z")
_CODE = re.compile(r"[;{]\Z|=>|^\w+\(|^[│├└┌]|^[A-Z]+ /|^</?\w")


def further(text: str, told: str, limit: int = 14) -> tuple[str, ...]:
    """What a comment says beyond `told`, point by point: lists as they are, without their headings."""
    points: list[str] = []
    for line in text.split("\n"):
        bare = _BULLET.sub("", line.strip())
        if (
            not bare
            or _RULE.match(bare)
            or _TAGGED.match(line)
            or says_nothing(line)
            or _CODE.search(bare)
        ):
            continue
        said = _without_links(" ".join(_VERSION.sub("", bare).split())).strip("#=*-~ ")
        if _LEADS.fullmatch(said) or said[:40] in told or not re.search(r"[^\W\d_]{2}", said):
            continue
        if bare == line.strip() and line[:1].isspace() and line[:4].isspace() and points:
            points[-1] = cut(f"{points[-1]} {said}", 160)
        else:
            points.append(cut(said, 120))
    return tuple(dict.fromkeys(points))[:limit]


def first_sentence(text: str, limit: int = 160) -> str:
    """The first sentence of cleaned documentation text."""
    return cut(sentence_of(clean(text)), limit).rstrip(".。 ")


def sentence_of(cleaned: str) -> str:
    """The first sentence of a paragraph."""
    return _END.split(cleaned, maxsplit=1)[0].strip()


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, cut at a word, with an ellipsis when something was left out."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    return f"{head.rsplit(' ', 1)[0] if ' ' in head[limit // 2 :] else head}…"


def comment_above(lines: list[str], line: int, marker: str = "//") -> str:
    """The comment that ends directly above `line` (from 0): `//` lines or one `/* */` block."""
    end = line - 1
    if end < 0:
        return ""
    above = lines[end].strip()
    start = end
    if above.endswith("*/"):
        while start > 0 and not lines[start].lstrip().startswith("/*"):
            start -= 1
    elif above.startswith(marker):
        while start > 0 and lines[start - 1].strip().startswith(marker):
            start -= 1
    else:
        return ""
    return "\n".join(unmark(lines[start : end + 1]))


def leading_comment(lines: list[str], markers: tuple[str, ...] = ("//", "/*", "*")) -> str:
    """The first comment blocks of a file, up to its first line of code."""
    taken: list[str] = []
    inside = False
    for line in lines[:80]:
        stripped = line.strip()
        if inside or stripped.startswith(markers) or not stripped:
            inside = (inside or stripped.startswith("/*")) and "*/" not in stripped
            taken.append(line)
        elif not re.match(r"['\"]use \w+['\"];?$", stripped):
            break
    return "\n".join(unmark(taken))
