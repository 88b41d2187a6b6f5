"""The languages: one row each, with the module that reads its facts and the one that resolves its imports."""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple


class Language(NamedTuple):
    """One language. `reader` and `resolver` are `module:name` of `aoci.facts` and `aoci.resolve`.

    Both are imported when the first file needs them. Languages that share a resolver see each
    other's files. `comments` names the syntax that `normal.py` leaves out of the semantic hash.
    """

    name: str  # as `Facts.language` says it
    shown: str  # as the header says it; what follows a slash is a dialect
    extensions: tuple[str, ...]
    reader: str
    resolver: str = ""
    comments: str = "slash"  # hash, slash, or any of `normal.STYLES`


LANGUAGES: tuple[Language, ...] = (
    Language("python", "Python", (".py", ".pyi", ".pyw"), "python:python", "python:PythonResolver", "python"),
    Language("typescript", "TypeScript", (".ts", ".mts", ".cts"), "typescript:typescript", "typescript:ScriptResolver"),
    Language("tsx", "TypeScript/React", (".tsx",), "typescript:tsx", "typescript:ScriptResolver"),
    Language(
        "javascript", "JavaScript", (".js", ".jsx", ".mjs", ".cjs"), "typescript:javascript", "typescript:ScriptResolver"
    ),
    Language("go", "Go", (".go",), "go:go", "go:GoResolver"),
    Language("ruby", "Ruby", (".rb", ".rake", ".gemspec", ".ru"), "ruby:ruby", "ruby:RubyResolver", "hash"),
    Language("vue", "Vue", (".vue",), "component:vue", "typescript:ScriptResolver", "markup"),
    Language("svelte", "Svelte", (".svelte",), "component:svelte", "typescript:ScriptResolver", "markup"),
    Language("csharp", "C#", (".cs", ".csx"), "csharp:csharp", "csharp:CSharpResolver"),
    Language("php", "PHP", (".php", ".phtml", ".inc", ".module"), "php:php", "php:PhpResolver", "php"),
    Language("rust", "Rust", (".rs",), "rust:rust", "rust:RustResolver", "rust"),
    Language("swift", "Swift", (".swift",), "swift:swift", "swift:SwiftResolver"),
    Language("c", "C", (".c", ".h"), "c:c", "include:IncludeResolver"),
    Language("cpp", "C++", (".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".ipp", ".tpp", ".inl"), "c:cpp", "include:IncludeResolver"),
    Language("java", "Java", (".java",), "java:java", "jvm:JvmResolver"),
    Language("kotlin", "Kotlin", (".kt", ".kts"), "kotlin:kotlin", "jvm:JvmResolver"),
    Language("scala", "Scala", (".scala", ".sc", ".mill"), "scala:scala", "jvm:JvmResolver"),
    Language("shell", "Shell", (".sh", ".bash", ".zsh", ".ksh", ".bats", ".command"), "shell:shell", "shell:ShellResolver", "hash"),
    Language("sql", "SQL", (".sql", ".ddl", ".psql"), "sql:sql", comments="dash"),
)  # fmt: skip

BY_NAME: Mapping[str, Language] = {language.name: language for language in LANGUAGES}
_BY_EXTENSION = {ending: language for language in LANGUAGES for ending in language.extensions}
# Build files and page templates written in a language: what they are for says more of them.
_BUILD_FILE = re.compile(r"(?:\.gradle\.kts|\.sbt|\.gemspec|(?:\A|/)Package\.swift)\Z")
_PROGRAM = re.compile(r"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-\S+[ \t]+)*)?(?:\S*/)?([a-z]+)")
_PROGRAMS: Mapping[str, str] = {
    **dict.fromkeys(("sh", "bash", "zsh", "dash", "ksh", "ash"), "shell"), "node": "javascript", "deno": "typescript",
    "bun": "typescript", "pypy": "python", "jruby": "ruby",
}  # fmt: skip
# Languages that run in a browser: hooks, components and client state are theirs alone.
BROWSER = frozenset(("typescript", "tsx", "javascript", "vue", "svelte"))


@lru_cache(maxsize=65_536)
def language_of(path: str) -> Language | None:
    """The language a file's name says, None for everything without a row."""
    found = _BY_EXTENSION.get(PurePosixPath(path).suffix)
    return None if found is not None and _BUILD_FILE.search(path) else found


def language_of_program(line: str) -> Language | None:
    """The language of a script by its first line, `#!/usr/bin/env python3`."""
    found = _PROGRAM.match(line)
    return BY_NAME.get(_PROGRAMS.get(found[1], found[1])) if found else None
