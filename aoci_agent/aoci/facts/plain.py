"""Facts of files without a grammar: documents, configuration, build files, other languages."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from aoci_agent.aoci.facts import common, manifests, prose
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts, Symbol
from aoci_agent.aoci.wordset import wordset

_KINDS: Mapping[str, str] = {
    ".md": "document", ".mdx": "document", ".rst": "document", ".adoc": "document", ".txt": "document",
    ".json": "json", ".jsonc": "json", ".json5": "json", ".yaml": "yaml", ".yml": "yaml",
    ".toml": "ini", ".ini": "ini", ".cfg": "ini", ".properties": "ini", ".editorconfig": "ini",
    ".sql": "sql", ".html": "html", ".htm": "html", ".css": "style", ".scss": "style", ".less": "style",
    ".conf": "server", ".nginx": "server", ".tf": "code", ".prisma": "code", ".graphql": "code",
    ".proto": "code",
}  # fmt: skip
_NAMES: Mapping[str, str] = {
    "go.mod": "gomod", "package.json": "package", "pyproject.toml": "pyproject",
    "makefile": "make", "gnumakefile": "make", "justfile": "make", "nginx.conf": "server",
    "readme": "document", "license": "licence", "copying": "licence", "notice": "licence",
    "requirements.txt": "list", "codeowners": "list",
    "changelog": "changelog", "changes": "changelog", "history": "changelog", "news": "changelog",
}  # fmt: skip
# Files whose name says what they are to everyone, and whose content says no more.
_CUSTOMARY: Mapping[str, str] = {
    ".editorconfig": "editor settings", ".gitattributes": "git attributes", ".npmrc": "npm settings",
    ".nvmrc": "node version", ".python-version": "python version", ".prettierrc": "code format",
    ".pre-commit-config.yaml": "checks before a commit", ".netrc": "logins by host",
    "funding.yml": "funding links", "dependabot.yml": "dependency updates", "cname": "host name of the site",
    "py.typed": "marks the package as typed", "codeowners": "owners by path",
    "pull_request_template.md": "pull request form", "robots.txt": "rules for crawlers",
}  # fmt: skip
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
# What is no running text: code blocks, layout blocks, comments.
_MARKUP = re.compile(
    r"^(```|~~~).*?^\1|<(p|h1|div|center)\b[^>]*>.*?</\2>|<!--.*?-->", re.DOTALL | re.MULTILINE
)
_HEADING = re.compile(r"^(?:#{1,3}\s+(.+)|(\S.*)\n(?:={3,}|-{3,}|~{3,})\s*)$", re.MULTILINE)
# Paragraphs that are no sentences: lists, tables, quotes, badges, directives, lone links, lead-ins.
_ASIDE = re.compile(
    r"\W*[\w ]{2,20}:\W*\S*\Z|[=~*+-]{3}|<|\{|\[!|!\[|\.\. |[-*$] |\d+\. |\||> *$|(?:\[[^\]]*\]\([^)]*\)\W*)+\Z|\Z"
    r"|[\s\S]*[:\uff1a]\Z"
)
_DEFINITION = re.compile(
    r"^\s{0,4}(?:(?:pub(?:\([\w:]+\))?|public|private|protected|internal|static|final|abstract|export"
    r"|open|override|async|unsafe|const|virtual|inline|sealed|data|partial)\s+)*"
    r"(?P<kind>class|interface|trait|struct|enum|record|object|protocol|module|namespace|message|service"
    r"|fn|fun|func|function|def|sub|type|model|rpc|resource)\s+[\"']?(?P<name>[A-Za-z_][\w.$-]*)",
    re.MULTILINE,
)
_SHELL_FUNCTION = re.compile(r"^\s*(?:function\s+)?([A-Za-z_][\w-]*)\s*\(\)\s*\{", re.MULTILINE)
_C_FUNCTION = re.compile(
    r"^[A-Za-z_][\w\s*&:<>,]*?\b([A-Za-z_]\w*)\s*\([^;{}]*\)\s*(?:const\s*)?\{", re.MULTILINE
)
_SHELL_WORDS = wordset(
    "if then else elif fi for do done while case esac echo set export exit cd local return source printf"
    " function in shift trap read test eval unset true false readonly break continue"
)
_FUNCTIONS = wordset("fn fun func function def sub rpc")


_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\.env"), "dotenv"),
    (re.compile(r"dockerfile|containerfile|.*\.dockerfile\Z"), "docker"),
    (re.compile(r"tsconfig.*\.json\Z|jsconfig\.json\Z"), "tsconfig"),
    (re.compile(r".*nginx"), "server"),
    (re.compile(r"\..*ignore\Z"), "ignore"),
    (re.compile(r"requirements.*\.txt\Z"), "list"),
)


def kind_of(path: str) -> str:
    """The kind of a file without a grammar, by its name."""
    pure = PurePosixPath(path.lower())
    for pattern, kind in _PATTERNS:
        if pattern.match(pure.name):
            return kind
    bare = pure.name.split(".")[0] if pure.suffix in ("", ".md", ".txt", ".rst") else pure.name
    return _NAMES.get(pure.name) or _NAMES.get(bare) or _KINDS.get(pure.suffix, "code")


def plain_facts(source: Source) -> Facts:
    """Facts by kind; every kind falls back to the leading comment."""
    facts = _READERS.get(kind_of(source.path), _code)(source)
    usual = _CUSTOMARY.get(PurePosixPath(source.path).name.lower())
    return replace(facts, doc=usual, notes=()) if usual else facts


def _document(source: Source) -> Facts:
    """Title, first paragraph that says something, and the names of the sections."""
    front = _FRONT.match(source.text)
    text = _MARKUP.sub("", source.text[front.end() :] if front else source.text)
    headings = [
        (match.start(), heading)
        for match in _HEADING.finditer(text)
        if (heading := prose.clean(match[1] or match[2], 60))
    ]
    start, doc = next(_paragraphs(text), (len(text), ""))
    said = (
        re.search(r"^(?:description|about):\s*[\"']?(.{12,}?)[\"']?$", front[0], re.M)
        if front
        else None
    )
    doc = prose.clean(said[1]) if said else doc
    title = headings[0][1] if headings and (headings[0][0] < start or not doc) else ""
    told = f"{title}: {doc}" if title and doc and not doc.startswith(title) else doc or title
    sections = [name for _, name in headings if name != title and not re.match(r"\W*v?\d", name)]
    notes = (f"sections {', '.join(sections[:8])}",) if sections else ()
    return Facts("document", doc=told, notes=notes, settings=(("overview", doc or title),))


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Start and cleaned text of the paragraphs that are sentences."""
    for found in re.finditer(r"(?:.+\n?)+", text):
        lines = re.sub(r"^(?:#{1,6} .*|\S.*\n(?:=|-|~){3,}\s*)$", "", found[0], flags=re.M).strip()
        if not _ASIDE.match(lines) and (doc := prose.clean(lines)):
            yield found.start(), doc


def _changelog(source: Source) -> Facts:
    latest = re.search(r"^\W*(?:version )?v?(\d+\.\d[\w.]*)", source.text, re.I | re.M)
    notes = (f"latest {latest[1]}",) if latest else ()
    return Facts("document", doc="changelog", notes=notes)


def _sql(source: Source) -> Facts:
    doc = prose.clean(prose.leading_comment(source.lines, ("--", "/*", "*")))
    return Facts("sql", doc=doc, tables=common.sql_tables(source.text, whole=True))


def _style(source: Source) -> Facts:
    doc = prose.clean(prose.leading_comment(source.lines, ("/*", "*", "//")))
    variables = sorted(set(re.findall(r"^\s*(--[\w-]+)\s*:", source.text, re.MULTILINE)))
    notes = [f"CSS variables {', '.join(variables[:8])}"] if variables else []
    classes = list(dict.fromkeys(re.findall(r"^\s*\.([A-Za-z][\w-]+)", source.text, re.MULTILINE)))
    notes += [f"classes {', '.join(classes[:8])}"] if classes else []
    return Facts("style", doc=doc, notes=tuple(notes))


def _html(source: Source) -> Facts:
    title = re.search(r"<title[^>]*>([^<]{1,120})</title>", source.text, re.IGNORECASE)
    scripts = re.findall(r"<script[^>]+src=[\"']([^\"']+)", source.text)
    notes = (f"loads {', '.join(scripts[:4])}",) if scripts else ()
    return Facts("html", doc=prose.clean(title[1]) if title else "", notes=notes)


def _licence(source: Source) -> Facts:
    found = re.search(
        r"(MIT|Apache|BSD|ISC|Mozilla Public|GNU (?:Affero |Lesser )?General Public|Unlicense)",
        source.text,
    )
    return Facts("document", doc=f"{found[1]} licence" if found else "licence")


def _listed(source: Source) -> Facts:
    names = [re.split(r"[\s;<>=~!\[]", line.strip())[0] for line in source.lines]
    items = common.unique(name for name in names if name and not name.startswith(("#", "-")))
    return Facts("list", notes=(f"lists {', '.join(items[:12])}",) if items else ())


def _ignore(source: Source) -> Facts:
    items = [line.strip() for line in source.lines if line.strip() and not line.startswith("#")]
    return Facts("list", notes=(f"ignores {', '.join(items[:5])}",) if items else ())


def _code(source: Source) -> Facts:
    doc = prose.clean(
        prose.leading_comment(source.lines, ("//", "/*", "*", "#", "--", ";", "%", "<!--"))
    )
    defined = [
        Symbol(
            found["name"],
            "function" if found["kind"] in _FUNCTIONS else "class",
            source.text.count("\n", 0, found.start()) + 1,
        )
        for found in list(_DEFINITION.finditer(source.text))[:80]
    ]
    if not defined:
        plain = (_SHELL_FUNCTION if _is_shell(source) else _C_FUNCTION).finditer(source.text)
        defined = [
            Symbol(m[1], "function", source.text.count("\n", 0, m.start()) + 1) for m in plain
        ][:80]
    commands = _commands(source, defined) if _is_shell(source) else []
    return Facts(
        "text",
        doc=doc,
        notes=(f"runs {', '.join(commands[:10])}",) if commands else (),
        symbols=tuple({item.name: item for item in reversed(defined)}.values())[::-1],
        env=common.env_keys(source.text),
        tables=common.sql_tables(source.text),
        calls=common.called_paths(source.text),
    )


def _commands(source: Source, defined: Sequence[Symbol]) -> list[str]:
    """Programs a shell script starts, in order."""
    text = re.sub(r"\$\{?\w+\}?/?(?=[a-z])", "", source.text)
    words = re.findall(
        r"^[ \t]*(?:exec |sudo )?([a-z][\w./-]+)(?![\w=])(?: +((?:-m )?[a-z][\w-]+))?", text, re.M
    )
    known = _SHELL_WORDS.union(symbol.name for symbol in defined)
    return [
        " ".join(filter(None, found)) for found in dict.fromkeys(words) if found[0] not in known
    ]


def _is_shell(source: Source) -> bool:
    return source.path.endswith((".sh", ".bash", ".zsh")) or source.text.startswith("#!")


_READERS: Mapping[str, Callable[[Source], Facts]] = {
    "document": _document,
    "changelog": _changelog,
    "licence": _licence,
    "list": _listed,
    "ignore": _ignore,
    "sql": _sql,
    "style": _style,
    "html": _html,
    "code": _code,
    "json": manifests.json_facts,
    "yaml": manifests.yaml_facts,
    "ini": manifests.ini_facts,
    "package": manifests.package_facts,
    "tsconfig": manifests.tsconfig_facts,
    "pyproject": manifests.pyproject_facts,
    "gomod": manifests.gomod_facts,
    "make": manifests.make_facts,
    "docker": manifests.docker_facts,
    "dotenv": manifests.dotenv_facts,
    "server": manifests.server_facts,
}
