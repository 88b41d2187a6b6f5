"""What a Rust file names of other modules: `use` trees, and paths written out in the code."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from aoci_agent.aoci.facts.model import Import
from aoci_agent.aoci.wordset import wordset

_USE = re.compile(
    r"^[ \t]*(?P<vis>pub(?:\([^)]*\))?[ \t]+)?"
    r"(?:use\s+(?P<tree>[^;]+)|extern\s+crate\s+(?P<crate>\w+(?:\s+as\s+\w+)?));",
    re.MULTILINE,
)
_MODULE = re.compile(
    r"(?P<attributes>(?:^[ \t]*\#!?\[[^\n]*\]\s*)*)^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?mod\s+(?P<name>\w+)\s*(?P<end>[;{])",
    re.MULTILINE,
)
_FILE = re.compile(r"\bpath\s*=\s*\"([^\"\n]+)\"")
_PATH = re.compile(r"(?<![\w:.])([A-Za-z_]\w*)((?:::[A-Za-z_]\w*)+)")
_MACRO = re.compile(r"(?<![\w:])([a-z_]\w*)!\s*[({\[]")
_KEYWORDS = frozenset(("crate", "self", "super"))
_PRELUDE = frozenset(("Self", "std", "core", "alloc", "rustfmt", "clippy"))
_USUAL_MACROS = wordset(
    "assert assert_eq assert_ne cfg compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne"
    " env eprint eprintln file format format_args include include_bytes include_str line matches"
    " module_path option_env panic print println stringify thread_local todo try unimplemented"
    " unreachable vec write writeln"
)
MAX_NAMES = 80


class Use(NamedTuple):
    """`use module::name as bound`; the name `*` is everything, or the module itself."""

    module: str
    name: str
    bound: str
    public: bool


class Inline(NamedTuple):
    """The span of `mod name { }`, in characters."""

    name: str
    start: int
    end: int


def inline_modules(code: str) -> list[Inline]:
    """Modules written out in the file; `code` is without comments."""
    return [
        Inline(found["name"], found.end(), _closing(code, found.end()))
        for found in _MODULE.finditer(code)
        if found["end"] == "{"
    ]


def _closing(code: str, start: int) -> int:
    """The brace that ends a block at the left margin of its line, as rustfmt puts it."""
    line_end = code.find("\n", start)
    if code.count("}", start, line_end) > code.count("{", start, line_end):
        return line_end
    line = code.rfind("\n", 0, start) + 1
    margin = re.match(r"[ \t]*", code[line:])
    end = code.find(f"\n{margin[0] if margin else ''}}}", start)
    return end if end >= 0 else len(code)


def declared_modules(code: str) -> list[tuple[str, str]]:
    """`mod name;` with the file a `#[path]` names, "" without one."""
    found: list[tuple[str, str]] = []
    for match in _MODULE.finditer(code):
        if match["end"] == ";":
            file = _FILE.search(match["attributes"])
            found.append((match["name"], file[1] if file else ""))
    return found


def uses(code: str, inner: list[Inline]) -> list[Use]:
    """Every `use` of the file, those of inline modules told from the file's point of view."""
    found: list[Use] = []
    for match in _USE.finditer(code):
        tree = match["tree"] or match["crate"]
        depth = _depth(match.start(), inner)
        for path, bound in _leaves("", " ".join(tree.split())):
            module, _, name = _outwards(path, depth).rpartition("::")
            whole = name in ("self", "*", "")
            if not module and not whole and name not in _KEYWORDS:
                module, whole = name, True  # `use regex;`
            if module[:1].islower():
                shown = bool(match["vis"]) and not depth
                found.append(Use(module, "*" if whole else name, bound, shown))
    return found


def _depth(at: int, inner: list[Inline]) -> int:
    return sum(module.start <= at < module.end for module in inner)


def _outwards(path: str, depth: int) -> str:
    """A path as the file itself would write it: each inline module takes one `super` off."""
    path = path.removeprefix("::")
    inside = False
    while depth and path.startswith("super::"):
        path, depth, inside = path.removeprefix("super::"), depth - 1, True
    return f"self::{path}" if inside and not path.startswith("super::") else path


def _leaves(prefix: str, tree: str) -> Iterator[tuple[str, str]]:
    """(`a::b::c`, bound name) for each leaf of a use tree; an underscore binds nothing."""
    head, brace, inner = tree.partition("{")
    if brace:
        for part in _parts(inner.rpartition("}")[0]):
            yield from _leaves(prefix + head.strip(), part)
        return
    path, _, alias = head.strip().partition(" as ")
    path = prefix + path.strip()
    last = path.rsplit("::", 1)[-1]
    if last == "self":
        last = path.rsplit("::", 2)[-2] if path.count("::") > 1 else path.split("::")[0]
    if last:
        yield path, alias.strip() or last


def _parts(inner: str) -> Iterator[str]:
    """The parts between commas that no inner brace holds."""
    depth, start = 0, 0
    for at, letter in enumerate(inner):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and not depth:
            yield inner[start:at].strip()
            start = at + 1
    yield inner[start:].strip()


def without_uses(code: str) -> str:
    """The code with blanks where its `use` lines are, so that places stay what they were."""
    return _USE.sub(lambda found: " " * len(found[0]), code)


def imports(
    body: str, found: list[Use], inner: list[Inline], words: Mapping[str, int]
) -> tuple[Import, ...]:
    """Modules with the names used of them; `body` is the code without its `use` lines.

    Level 1 marks a glob whose names the resolver has to look for among the words; the module ""
    holds macros, which are known by their name alone.
    """
    rows: dict[tuple[str, int], Counter[str]] = {}
    bound = {
        use.bound: use.module if use.name == "*" else f"{use.module}::{use.name}" for use in found
    }
    paths = [(match[1], match[2], match.start()) for match in _PATH.finditer(body)]
    heads = Counter(head for head, _, _ in paths if not head[0].isupper())
    for use in found:
        starred = use.name == use.bound == "*"
        row = rows.setdefault((use.module, int(starred)), Counter())
        row[use.name] += (
            1 if use.name == "*" else max(words.get(use.bound, 0) - heads[use.bound], 1)
        )
    own = {module.name for module in inner}
    for head, rest, at in paths:
        if head in _PRELUDE or head in own or head[0].isupper():
            continue  # a type was imported, and its uses were counted as words
        if head not in bound and head not in _KEYWORDS and len(head) < 2:
            continue
        path = _outwards(bound.get(head, head) + rest, _depth(at, inner) if head == "super" else 0)
        module, name = _named(path.split("::"))
        if module and module.split("::")[0] not in _PRELUDE:
            rows.setdefault((module, 0), Counter())[name] += 1
    called = Counter(n for n in _MACRO.findall(body) if n not in bound and n not in _USUAL_MACROS)
    if called:
        rows["", 0] = called
    return tuple(
        Import(module, tuple(sorted(row.items())[:MAX_NAMES]), level)
        for (module, level), row in sorted(rows.items())
    )


def _named(parts: list[str]) -> tuple[str, str]:
    """(module, name): the name is the first type on the way, or else the last part."""
    kept = next((at for at, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
    return "::".join(parts[:kept]), parts[kept]
