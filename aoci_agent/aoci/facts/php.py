"""PHP facts: classes and functions, and what Laravel, Symfony and WordPress programs declare."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from aoci_agent.aoci.facts import common, php_frameworks as frameworks, prose
from aoci_agent.aoci.facts.language import Captures, Piece, Source, matches, symbols
from aoci_agent.aoci.facts.model import Facts, Import, Symbol
from aoci_agent.aoci.wordset import wordset

QUERY = """
(namespace_definition name: (namespace_name) @namespace)
(namespace_use_declaration) @use
(class_declaration name: (name) @class (base_clause)? @extends (class_interface_clause)? @implements) @at
(interface_declaration name: (name) @interface (base_clause)? @extends) @at
(trait_declaration name: (name) @class @trait) @at
(enum_declaration name: (name) @enum body: (_) @cases) @at
[(class_declaration name: (name) @owner body: (declaration_list (METHOD) @at))
 (interface_declaration name: (name) @owner body: (declaration_list (METHOD) @at))
 (trait_declaration name: (name) @owner body: (declaration_list (METHOD) @at))
 (enum_declaration name: (name) @owner body: (enum_declaration_list (METHOD) @at))]
(function_definition name: (name) @function) @at
(const_element (name) @const (_) @value)
""".replace("METHOD", "method_declaration (visibility_modifier)? @access name: (name) @method")

_COMMENT = re.compile(
    r"[/#\t ](?:(?:(?<=^/)|(?<=[\s;{(,]/))\*.*?\*/|(?:(?<=^/)|(?<=[;{},)]/))/[^\n]*|(?<=^\#)(?!\[)[^\n]*"
    r"|(?<=^[\t ])[\t ]*(?://|\#(?!\[))[^\n]*|(?<=[;{},)][\t ])[\t ]*//[^\n]*)",
    re.DOTALL | re.MULTILINE,
)
_NAME = re.compile(
    r"[A-Za-z_](?<![\w$\\>'\"].)(?<!::.)(?:(?<=[A-Z])\w*|(?<=[a-z_])\w{2,}+(?=\())", re.DOTALL
)
_QUALIFIED = re.compile(
    r"[\\A-Z](?<![\w$\\].)(?:(?<=[A-Z])|[A-Z])\w*(?:\\{1,2}[A-Z]\w*)+(?![\w\\])", re.DOTALL
)
_HEADER = re.compile(r"^(?:use|namespace) [^;]*;", re.MULTILINE)
_MEMBER = re.compile(r"(?:->|::)([A-Za-z_]\w{2,})\(")
_HEAD = re.compile(
    r"\A<\?php\s*(/\*.*?\*/)\s*(?:declare|namespace|use|require|include|return|$)", re.DOTALL
)
_BANNER = re.compile(r"this file is part of|^\(c\)", re.IGNORECASE)
_REQUIRED = re.compile(
    r"\b(?:require|include)(?:_once)?\b[ (]*(?:(?:__DIR__|dirname\(__FILE__\)|ABSPATH)\s*\.\s*)?[\"']([\w./-]+\.php)[\"']"
)
_THROWN = re.compile(r"throw(?<!\wthrow)\s+new\s+\\?([\w\\]+)")
_VAGUE = wordset("Exception RuntimeException LogicException ErrorException Error")
_DEFINED = re.compile(r"^\s*define\(\s*[\"'](\w+)[\"']\s*,\s*([^)\n]+)\)", re.MULTILINE)
_SIMPLE = re.compile(r"-?\d[\d_.]*(?:\s*\*\s*\d+)*|\"[^\"\n$]{1,40}\"|'[^'\n]{1,40}'|true|false")
_CASE = re.compile(r"\bcase\s+(\w+)")
_KEYWORDS = wordset(
    "array isset empty list unset foreach while for switch match catch elseif return echo function fn print"
    " exit die count compact implode explode sprintf is_array is_null is_string is_callable in_array"
    " array_map array_merge array_filter array_keys array_values array_key_exists str_replace strtolower"
    " trim substr strlen json_encode json_decode call_user_func func_get_args static self parent get_class"
    " TRUE FALSE NULL PHP_EOL and not true false null"
)


def php(source: Source) -> Facts:
    """PHP files; a template that opens no `<?php` is read for the words it shows."""
    if "<?" not in source.text or frameworks.is_template(source.text):
        return frameworks.template(source)
    found = matches(source, "tree_sitter_php", "language_php", QUERY)
    text, lines = source.text, source.lines
    code = _COMMENT.sub("", text)
    body = _HEADER.sub("", code)
    names = Counter(_NAME.findall(body))
    spaces = list(dict.fromkeys(item.text("namespace") for item in found if "namespace" in item))
    aliases = dict(_aliases(found))
    listed = _symbols(found, lines)
    imports = [*_used(aliases, names), *_qualified(body, aliases, spaces[0] if spaces else "")]
    tables, shapes = frameworks.tables(code, listed)
    return Facts(
        "php",
        doc=_doc(text) or frameworks.described(code),
        symbols=listed,
        imports=_merged([*imports, *_paths(code), *frameworks.views(code)]),
        routes=common.unique(frameworks.routes(code, text), 60),
        commands=common.unique(frameworks.commands(code)),
        env=common.unique(sorted({*common.env_keys(code), *frameworks.env(code)})),
        raises=common.unique(_raised(code)),
        tables=common.unique([*common.sql_tables(code), *tables]),
        constants=common.unique(_constants(found, code)),
        events=common.unique(frameworks.events(code)),
        shapes=common.unique([*shapes, *_enums(found)], 24),
        texts=frameworks.texts(text),
        cases=common.unique(frameworks.cases(text, listed), 12),
        members=tuple(sorted(set(_MEMBER.findall(code)))),
        words=_words(names, aliases, listed),
        notes=common.unique(frameworks.notes(code), 8),
        settings=(("namespace", " ".join(spaces)),) if spaces else (),
    )


def _symbols(found: Captures, lines: list[str]) -> tuple[Symbol, ...]:
    for item in found:
        if "extends" in item or "implements" in item:
            first = item.get("extends") or item["implements"]
            last = item.get("implements") or first
            item["bases"] = Piece(first.data, first.start, last.end, first.line)
    listed = symbols(
        _plain(found), lambda name: not name.startswith("_"), lambda n, _: _sentence(lines, n)
    )
    traits = {item.text("trait") for item in found if "trait" in item}
    return tuple(
        symbol._replace(
            kind="trait" if symbol.name in traits else symbol.kind,
            bases=tuple(base.rsplit("\\", 1)[-1] for base in symbol.bases),
        )
        for symbol in listed
    )


def _plain(found: Captures) -> Captures:
    return [item for item in found if "const" not in item]


def _sentence(lines: list[str], line: int) -> str:
    return prose.first_sentence(prose.comment_above(lines, line))


def _doc(text: str) -> str:
    """The comment of the file itself: one that stands before the namespace, not above a class."""
    head = _HEAD.match(text)
    said = prose.clean("\n".join(prose.unmark(head[1].split("\n")))) if head else ""
    return "" if _BANNER.search(said) else said


def _aliases(found: Captures) -> Iterator[tuple[str, tuple[str, str]]]:
    """`use A\\B as C;` -> ("C", ("A", "B")); groups are taken apart."""
    for item in found:
        if "use" not in item:
            continue
        clause = re.sub(r"^use\s+(?:(?:function|const)\s+)?|[;\s]+$", "", item.text("use"))
        prefix, brace, inner = clause.partition("{")
        for part in (inner.rstrip("} ") if brace else clause).split(","):
            words = re.sub(r"^\s*(?:function|const)\s", "", part).split()
            if words:
                whole = (prefix.strip() + words[0] if brace else words[0]).lstrip("\\")
                space, _, name = whole.rpartition("\\")
                yield (words[-1] if len(words) == 3 else name), (space, name)


Use = tuple[str, str, int]  # namespace, name, uses


def _used(aliases: Mapping[str, tuple[str, str]], names: Mapping[str, int]) -> Iterator[Use]:
    for alias, (space, name) in aliases.items():
        yield space, name, max(names.get(alias, 0), 1)


def _qualified(code: str, aliases: Mapping[str, tuple[str, str]], own: str) -> Iterator[Use]:
    """Names written out in full, or after an imported or the file's own namespace."""
    for whole, uses in Counter(_QUALIFIED.findall(code)).items():
        plain = whole.replace("\\\\", "\\").lstrip("\\")
        first, _, rest = plain.partition("\\")
        if not whole.startswith("\\"):
            if first in aliases:
                plain = "\\".join((*filter(None, aliases[first]), rest))
            elif own and "\\\\" not in whole:
                plain = f"{own}\\{plain}"
        space, _, name = plain.rpartition("\\")
        yield space, name, uses


def _paths(code: str) -> Iterator[Use]:
    for path in _REQUIRED.findall(code) if '.php"' in code or ".php'" in code else ():
        yield f"./{path.lstrip('/')}", "*", 1


def _merged(uses: list[Use]) -> tuple[Import, ...]:
    rows: dict[str, dict[str, int]] = {}
    for space, name, count in uses:
        row = rows.setdefault(space, {})
        row[name] = row.get(name, 0) + count
    return tuple(
        Import(space, tuple(sorted(row.items())[:80])) for space, row in sorted(rows.items())
    )


def _words(
    names: Mapping[str, int], aliases: Mapping[str, object], listed: tuple[Symbol, ...]
) -> tuple[tuple[str, int], ...]:
    """Names that may stand for something of the same namespace, or for a global function."""
    own = {symbol.name for symbol in listed}
    return tuple(
        sorted(
            (name, n)
            for name, n in names.items()
            if name not in _KEYWORDS | own and name not in aliases
        )
    )


def _raised(code: str) -> list[str]:
    names = [name.rsplit("\\", 1)[-1] for name in _THROWN.findall(code)]
    return [name for name in names if name not in _VAGUE]


def _constants(found: Captures, code: str) -> list[str]:
    pairs = [(item.text("const"), item.text("value")) for item in found if "const" in item]
    if "define(" in code:
        pairs += [(name, value.strip()) for name, value in _DEFINED.findall(code)]
    return [f"{name}={value}" for name, value in pairs if _SIMPLE.fullmatch(value)]


def _enums(found: Captures) -> list[str]:
    listed = [
        (item.text("enum"), _CASE.findall(item.text("cases"))) for item in found if "enum" in item
    ]
    return [f"{name}:{'¦'.join(values[:14])}" for name, values in listed if values]
