"""Facts of files without a grammar: documents, configuration, build files, other languages."""

import re
from collections.abc import Callable, Mapping
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
    "requirements.txt": "requirements", "codeowners": "list",
}  # fmt: skip
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
    " function in shift trap read test eval unset true false"
)
_FUNCTIONS = wordset("fn fun func function def sub rpc")


_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\.env"), "dotenv"),
    (re.compile(r"dockerfile|containerfile|.*\.dockerfile\Z"), "docker"),
    (re.compile(r"tsconfig.*\.json\Z|jsconfig\.json\Z"), "tsconfig"),
    (re.compile(r".*nginx"), "server"),
    (re.compile(r"\..*ignore\Z"), "ignore"),
    (re.compile(r"requirements.*\.txt\Z"), "requirements"),
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
    return _READERS.get(kind_of(source.path), _code)(source)


def _document(source: Source) -> Facts:
    headings = [
        heading
        for match in re.finditer(
            r"^(?:#{1,3}\s+(.+)|(\S.*)\n(?:={3,}|-{3,}|~{3,})\s*)$",
            _unfenced(source.text),
            re.MULTILINE,
        )
        if (heading := prose.clean(match[1] or match[2], 60))
    ]
    body = re.sub(
        r"<(?:p|h1|div|center)\b[^>]*>.*?</(?:p|h1|div|center)>", "", source.text, flags=re.DOTALL
    )
    body = re.sub(r"\A---\n.*?\n---\n", "", body, flags=re.DOTALL)
    body = re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL)
    doc = ""
    plain = re.sub(r"^#{1,6} .*$", "\n", _unfenced(body), flags=re.MULTILINE)
    for paragraph in re.split(r"\n\s*\n", plain):
        if not re.match(
            r"\s*(?:#|[=~*+-]{3}|<|\[!|!\[|\.\. |[-*] |\d+\. |\||> *$)", paragraph
        ) and (
            doc := prose.clean(re.sub(r"^\S.*\n[=~-]{3,}\s*$", "", paragraph, flags=re.MULTILINE))
        ):
            break
    title = headings[0] if headings else ""
    told = f"{title}: {doc}" if title and doc and not doc.startswith(title) else doc or title
    sections = (
        (", ".join(["sections", *headings[1:9]]).replace(",", "", 1),) if headings[1:] else ()
    )
    return Facts("document", doc=told, notes=sections, settings=(("overview", doc or title),))


def _unfenced(text: str) -> str:
    return re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.DOTALL | re.MULTILINE)


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
    return Facts("list", notes=(f"ignores {', '.join(items[:8])}",) if items else ())


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
        plain = (
            re.finditer(_SHELL_FUNCTION, source.text)
            if _is_shell(source)
            else re.finditer(_C_FUNCTION, source.text)
        )
        defined = [
            Symbol(m[1], "function", source.text.count("\n", 0, m.start()) + 1) for m in plain
        ][:80]
    commands = _commands(source) if _is_shell(source) else []
    return Facts(
        "text",
        doc=doc,
        notes=(f"runs {', '.join(commands[:10])}",) if commands else (),
        symbols=tuple({item.name: item for item in reversed(defined)}.values())[::-1],
        env=common.env_keys(source.text),
        tables=common.sql_tables(source.text),
        calls=common.called_paths(source.text),
    )


def _commands(source: Source) -> list[str]:
    """Programs a shell script starts, in order."""
    words = re.findall(
        r"^[ \t]*(?:exec |sudo )?([a-z][\w./-]+)(?: +([a-z][\w-]+))?", source.text, re.MULTILINE
    )
    return [
        " ".join(part for part in found if part)
        for found in dict.fromkeys(words)
        if found[0] not in _SHELL_WORDS
    ]


def _is_shell(source: Source) -> bool:
    return source.path.endswith((".sh", ".bash", ".zsh")) or source.text.startswith("#!")


_READERS: Mapping[str, Callable[[Source], Facts]] = {
    "document": _document,
    "licence": _licence,
    "requirements": _listed,
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
