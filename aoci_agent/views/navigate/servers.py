"""The language servers: one row each, in the order they are tried for a language."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from aoci_agent.base.process import find_program
from aoci_agent.views.navigate.compile_commands import prepare as prepare_clangd

Files = Callable[[], Sequence[str]]  # the paths of the repository, where a server needs the list


class Row(NamedTuple):
    """One server. It is taken from what the user installed, never from a repository.

    `languages` maps a file's ending to the language id of the protocol. `told` holds the settings a
    server is given at its start: nothing is downloaded, nothing of the repository is run.
    """

    name: str
    group: str  # what it serves: python, c, script, go ...
    command: str
    languages: Mapping[str, str]
    arguments: tuple[str, ...] = ()
    told: Mapping[str, Any] = {}
    licence: str = ""
    install: str = ""  # how to get it
    note: str = ""
    version: tuple[str, ...] = ("--version",)
    counts_itself: bool = False  # it names a definition among its references, though asked not to


_PYTHON = {".py": "python", ".pyi": "python", ".pyw": "python"}
_C = {".c": "c", ".h": "c", **dict.fromkeys((".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"), "cpp")}
_SCRIPT = {
    **dict.fromkeys((".ts", ".mts", ".cts"), "typescript"),
    **dict.fromkeys((".js", ".mjs", ".cjs"), "javascript"),
    ".tsx": "typescriptreact",
    ".jsx": "javascriptreact",
}
_EXTRA = "pip install 'aoci-agent[live]'"
_UNTRIED = "not tried with this program"

# basedpyright is not among them: it starts the Python of a `.venv` in the repository.
SERVERS: tuple[Row, ...] = (
    Row(
        "ty", "python", "ty", _PYTHON, ("server",), licence="MIT", install=_EXTRA,
        told={"diagnosticMode": "off"},
    ),
    Row(
        "jedi", "python", "jedi-language-server", _PYTHON, licence="MIT", install=_EXTRA, counts_itself=True,
        told={
            "diagnostics": {"enable": False},
            "jediSettings": {"autoImportModules": []},
            # Its own Python, so that it does not start one that it finds elsewhere.
            "workspace": {"environmentPath": sys.executable},
        },
    ),
    Row(
        "clangd", "c", "clangd", _C,
        ("--log=error", "--enable-config=0", "--clang-tidy=0", "--header-insertion=never", "-j=2", "--limit-references=1000"),
        licence="Apache-2.0 with LLVM exception", install="pip install 'aoci-agent[live-c]'",
    ),
    Row(
        "typescript-language-server", "script", "typescript-language-server", _SCRIPT, ("--stdio",),
        told={"disableAutomaticTypingAcquisition": True, "maxTsServerMemory": 1024},
        licence="Apache-2.0", install="npm install -g typescript-language-server typescript@5",
        note="typescript 7 has no tsserver.js, which it needs",
    ),
    Row(
        "gopls", "go", "gopls", {".go": "go"}, licence="BSD-3-Clause", version=("version",),
        install="go install golang.org/x/tools/gopls@latest",
    ),
    Row(
        "rust-analyzer", "rust", "rust-analyzer", {".rs": "rust"}, licence="MIT or Apache-2.0",
        install="rustup component add rust-analyzer", note="rustup's stand-in of that name is none",
        told={
            "checkOnSave": False,
            "procMacro": {"enable": False},
            "cargo": {"buildScripts": {"enable": False}, "extraArgs": ["--offline", "--locked"]},
        },
    ),
    Row(
        "jdtls", "java", "jdtls", {".java": "java"}, licence="EPL-2.0", note=_UNTRIED, version=(),
        told={"settings": {"java": {"import": {"generatesMetadataFilesAtProjectRoot": False}}}},
    ),
    Row("kotlin-language-server", "kotlin", "kotlin-language-server", {".kt": "kotlin", ".kts": "kotlin"}, licence="MIT", note=_UNTRIED, version=()),
    Row("csharp-ls", "csharp", "csharp-ls", {".cs": "csharp"}, licence="MIT", note=_UNTRIED),
    Row("phpactor", "php", "phpactor", {".php": "php"}, ("language-server",), licence="MIT", note=_UNTRIED),
    Row("ruby-lsp", "ruby", "ruby-lsp", {".rb": "ruby"}, licence="MIT", note=_UNTRIED),
    Row("sourcekit-lsp", "swift", "sourcekit-lsp", {".swift": "swift"}, licence="Apache-2.0", note=_UNTRIED, version=()),
    Row("bash-language-server", "shell", "bash-language-server", {".sh": "shellscript", ".bash": "shellscript"}, ("start",), licence="MIT", note=_UNTRIED),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start one server: everything the process that hosts it must know."""

    name: str
    argv: tuple[str, ...]
    languages: Mapping[str, str]
    told: Mapping[str, Any] = field(default_factory=dict[str, Any])
    counts_itself: bool = False


def group_of(path: str, rows: Sequence[Row] = SERVERS) -> str:
    """The group of servers a file belongs to, "" for none."""
    ending = PurePosixPath(path).suffix.lower()
    return next((row.group for row in rows if ending in row.languages), "")


def found(row: Row, root: Path | None) -> str | None:
    """The program of a row outside the repository, None where it is not installed."""
    return find_program(row.command, root)


def launch_of(row: Row, program: str, root: Path, scratch: Path, files: Files) -> Launch | str:
    """How to start an installed server, or why it cannot be used as it is installed.

    `scratch` is a folder outside the repository for what the server must be given as files.
    """
    argv, told = (program, *row.arguments), dict(row.told)
    if row.name == "clangd":
        folder = prepare_clangd(root, scratch / "clangd", files())
        argv = (*argv, f"--compile-commands-dir={folder}")
    elif row.name == "typescript-language-server":
        library = tsserver(Path(program))
        if library is None:
            return "no typescript with a tsserver.js beside it (npm install -g typescript@5)"
        told["tsserver"] = {"path": str(library)}
    elif row.name == "jdtls":
        argv = (*argv, "-data", str(scratch / "jdtls"))
    return Launch(row.name, argv, row.languages, told, row.counts_itself)


def tsserver(program: Path) -> Path | None:
    """The compiler installed beside the server; without it the server would take the repository's."""
    real = program.resolve()
    for parent in real.parents:
        if parent.name == "node_modules":
            library = parent / "typescript" / "lib" / "tsserver.js"
            return library if library.is_file() else None
    return None
