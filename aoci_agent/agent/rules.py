r"""Rules of the person: which calls are allowed, ask, or are refused.

    tool              every call of a tool
    bash(git log *)   words of one command; `*` is any text within a word, alone at the end any words
    edit(docs/**)     a path in the repository; without a slash at any depth
    edit(/setup.py)   this one file

Quotes and backslashes make a `*` literal. `edit` stands for every tool that changes files. A rule
without `*` is exact, and only an exact one covers what destroys, writes or reaches out.
"""

import re
import shlex
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from aoci_agent.base.errors import BadUsage, TryAgain
from aoci_agent.tools import globs
from aoci_agent.tools.shell.line import Word

COMMANDS = ("bash", "test")  # tools whose pattern is made of words
FILES = ("edit", "read", "write")
_RULE = re.compile(r"([a-z][a-z0-9_-]*)(?:\((.+)\))?", re.DOTALL)
_PIECE = re.compile(
    r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|\\(.)|(\s+)|(\*)|([^\s'\"\\*]+)|(.)", re.DOTALL
)
_MAGIC = re.compile(r"[*?\[\]{}\\]")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `words` and `path` are regular expressions; without either it covers the whole tool."""

    text: str
    tool: str
    words: tuple[str, ...] = ()
    more: bool = False  # any words may follow
    path: str = ""
    exact: bool = False

    def covers(self, words: Sequence[Word]) -> bool:
        """Whether these words of one command fit; what bash fills in may be anything."""
        if not self.words and not self.more:
            return not self.path
        enough = len(words) >= len(self.words) if self.more else len(words) == len(self.words)
        pairs = zip(self.words, words, strict=False)
        return enough and all(
            word.kind == "open" or re.fullmatch(pattern, word.text, re.DOTALL)
            for pattern, word in pairs
        )

    def covers_path(self, path: str, *, any_case: bool = False) -> bool:
        """Whether this repository path fits; `any_case` for rules that restrict."""
        if not self.path:
            return not self.words and not self.more
        flags = re.DOTALL | (re.IGNORECASE if any_case else 0)
        return re.fullmatch(self.path, path, flags) is not None


def parse_rule(text: str, tools: Collection[str] = ()) -> Rule:
    """Read one rule. Raises BadUsage naming it; `tools` are the names there are, if known."""
    found = _RULE.fullmatch(text.strip())
    if found is None:
        raise _bad(text, "it is neither `tool` nor `tool(pattern)`")
    tool, pattern = found[1], found[2]
    if tools and tool not in tools:
        raise _bad(text, f"there is no tool {tool}; tools are {', '.join(sorted(tools))}")
    if pattern is None:
        return Rule(text.strip(), tool)
    if tool in FILES:
        return _of_path(text.strip(), tool, pattern)
    if tools and tool not in COMMANDS:
        raise _bad(text, f"calls of {tool} have no pattern; write `{tool}`")
    return _of_words(text.strip(), tool, pattern)


def exact_command(tool: str, words: Iterable[str]) -> str:
    """The rule that covers exactly this command."""
    return f"{tool}({shlex.join(words)})"


def exact_path(tool: str, path: str) -> str:
    """The rule that covers exactly this path."""
    escaped = _MAGIC.sub(lambda found: f"\\{found[0]}", path)
    return f"{tool}(/{escaped})"


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules. Of those that fit a call, deny wins over ask, and ask over allow."""

    allow: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()
    deny: tuple[Rule, ...] = ()

    @classmethod
    def parse(
        cls,
        *,
        allow: Iterable[str] = (),
        ask: Iterable[str] = (),
        deny: Iterable[str] = (),
        tools: Collection[str] = (),
    ) -> Self:
        """Read the settings. Raises BadUsage naming the rule that makes no sense."""
        kinds = (allow, ask, deny)
        return cls(*(tuple(parse_rule(text, tools) for text in texts) for texts in kinds))


def _of_words(text: str, tool: str, pattern: str) -> Rule:
    words: list[str] = []
    inside = wild = False
    for piece in _PIECE.finditer(pattern.strip()):
        single, double, escaped, blank, star, plain, rest = piece.groups()
        if rest is not None:
            raise _bad(text, "a quote is not closed")
        if blank is not None:
            inside = False
            continue
        literal = single if single is not None else plain if plain is not None else escaped
        if double is not None:
            literal = re.sub(r"\\(.)", r"\1", double, flags=re.DOTALL)
        wild |= star is not None
        part = ".*" if star is not None else re.escape(literal or "")
        words = [*words[:-1], words[-1] + part] if inside else [*words, part]
        inside = True
    more = bool(words) and words[-1] == ".*" and pattern.rstrip().endswith("*")
    if not words or (more and len(words) == 1):
        raise _bad(text, f"it names no program; for every command write `{tool}`")
    return Rule(text, tool, tuple(words[:-1] if more else words), more, exact=not wild)


def _of_path(text: str, tool: str, pattern: str) -> Rule:
    literal = re.sub(r"\\(.)", r"\1", pattern, flags=re.DOTALL)
    if not _MAGIC.search(re.sub(r"\\.", "", pattern, flags=re.DOTALL)):
        anywhere = "" if "/" in literal else "(?:.*/)?"
        return Rule(text, tool, path=anywhere + re.escape(literal.removeprefix("/")), exact=True)
    try:
        return Rule(text, tool, path=globs.compiled(pattern).pattern)
    except TryAgain as error:
        raise _bad(text, str(error)) from error


def _bad(text: str, why: str) -> BadUsage:
    return BadUsage(f'rule "{text}" in allow, ask or deny: {why}', "see docs/permissions.md")
