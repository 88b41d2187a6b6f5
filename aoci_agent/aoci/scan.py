"""Which files the index covers: every text file that says something of its own."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from aoci_agent.aoci.wordset import wordset
from aoci_agent.base.errors import NotPossible
from aoci_agent.base.files import Workspace

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from aoci_agent.base.git import Repository

MAX_BYTES = 1_000_000
MAX_WALKED = 200_000

SKIPPED_DIRECTORIES = wordset(
    ".git .hg .svn .aoci-agent .aoci node_modules bower_components .venv venv __pycache__ .tox .nox"
    " .mypy_cache .ruff_cache .pytest_cache .next .nuxt .svelte-kit .gradle .idea .terraform"
)
_VENDORED = wordset("vendor third_party third-party node_modules bower_components Pods")
_LOCKS = wordset(
    "package-lock.json npm-shrinkwrap.json pnpm-lock.yaml poetry.lock uv.lock pipfile.lock go.sum"
    " go.work.sum bun.lockb composer.lock gemfile.lock cargo.lock flake.lock deno.lock"
)
_PICTURES = wordset(
    ".png .jpg .jpeg .gif .bmp .ico .icns .webp .svg .avif .tiff .psd .ai .sketch .fig .drawio"
)
_BINARY = wordset(
    ".woff .woff2 .ttf .otf .eot .mp3 .mp4 .mov .avi .webm .wav .ogg .flac .pdf .zip .gz .tgz .bz2 .xz"
    " .7z .rar .tar .jar .war .class .pyc .pyo .so .dylib .dll .exe .o .a .lib .bin .dat .wasm .node .db"
    " .sqlite .sqlite3 .parquet .feather .npy .npz .pkl .pickle .onnx .pt .gguf .safetensors .mo .docx"
    " .xlsx .pptx .keystore .p12 .pfx .jks .der .lockb .pyd .dmg .apk .ipa .deb .rpm .whl"
)
_FOLDED = wordset(
    ".snap .csv .tsv .jsonl .ndjson .po .pot .log .out .golden .cassette .diff .patch"
)
_DATA = wordset(".json .yaml .yml .txt .xml .html .md .toml .ini .cfg .conf .sql .har")
_DATA_DIRECTORIES = wordset("cassettes fixtures testdata __snapshots__ snapshots golden")
_MINIFIED = re.compile(r"(?:[.-]min\.(?:js|mjs|css|html)|\.bundle\.js|\.chunk\.(?:js|css)|\.map)\Z")
_GENERATED = re.compile(
    r"(?:_pb2(?:_grpc)?\.pyi?|\.pb\.go|\.pb\.gw\.go|\.g\.dart|\.generated\.\w+)\Z"
)
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Role(StrEnum):
    """What becomes of a file."""

    INDEX = "index"
    FOLD = "fold"  # counted per directory in the header, no entry
    EXCLUDE = "exclude"


@dataclass
class Listing:
    """The files of a workspace by role; paths relative to it, forward slashes, sorted."""

    indexed: list[str] = field(default_factory=list[str])
    folded: list[str] = field(default_factory=list[str])
    left_out: dict[str, int] = field(default_factory=dict[str, int])  # reason -> files
    findings: list[str] = field(default_factory=list[str])


def role_of(path: str) -> tuple[Role, str]:
    """The role a path alone decides, and the reason when it is not indexed."""
    lower = PurePosixPath(path.lower())
    folders = set(PurePosixPath(path).parts[:-1])
    reasons = (
        ("vendored", bool(folders & _VENDORED)),
        ("agent state", bool(set(PurePosixPath(path).parts) & SKIPPED_DIRECTORIES)),
        ("lock file", lower.name in _LOCKS or lower.suffix == ".lock"),
        ("picture", lower.suffix in _PICTURES),
        ("binary", lower.suffix in _BINARY),
        ("placeholder", lower.name in (".gitkeep", ".keep", ".npmignore")),
        ("minified", _is_minified(lower)),
        ("generated", _GENERATED.search(lower.name) is not None),
    )
    for reason, applies in reasons:
        if applies:
            return Role.EXCLUDE, reason
    sample = bool(folders & _DATA_DIRECTORIES) and lower.suffix in _DATA
    if sample or lower.suffix in _FOLDED:
        return Role.FOLD, "data"
    return Role.INDEX, ""


def _is_minified(lower: PurePosixPath) -> bool:
    packed = "min" in lower.parts[:-1] and lower.suffix in (".js", ".css")
    return packed or _MINIFIED.search(lower.name) is not None


def listing(workspace: Workspace, repository: "Repository | None") -> Listing:
    """Every file of the workspace by role: git's view where there is one, else a bounded walk."""
    result = Listing()
    for path in _paths(workspace, repository, result):
        if _UNPRINTABLE.search(path):
            shown = path.encode("utf-8", "backslashreplace").decode()
            result.findings.append(f"{shown!r}: a name that cannot stand on one line, left out")
            continue
        role, reason = role_of(path)
        if role is Role.INDEX:
            result.indexed.append(path)
        elif role is Role.FOLD:
            result.folded.append(path)
        elif reason != "agent state":  # its files come and go with the index itself
            result.left_out[reason] = result.left_out.get(reason, 0) + 1
    result.indexed.sort()
    result.folded.sort()
    return result


def _paths(workspace: Workspace, repository: "Repository | None", result: Listing) -> Iterator[str]:
    if repository is not None:
        try:
            paths = repository.files(workspace.root)
            for gitlink in repository.submodules():
                result.findings.append(f"{gitlink} is a submodule: not indexed")
            return iter(paths)
        except NotPossible as error:  # a damaged repository still has files
            result.findings.append(f"git cannot list the files ({error}): listed without it")
    return _walk(workspace.root, result)


def _walk(root: Path, result: Listing) -> Iterator[str]:
    """Regular files below the root, links not followed, ignored ones skipped."""
    ignored = _Ignore(root)
    visited: set[tuple[int, int]] = set()
    pending = [""]
    seen = 0
    while pending:
        directory = pending.pop()
        ignored.enter(directory)
        try:
            with os.scandir(root / directory) as listed:
                found = sorted(listed, key=lambda item: item.name)
        except OSError as error:
            result.findings.append(f"{directory or '.'}: cannot be listed ({error.strerror})")
            continue
        for item in found:
            path = f"{directory}/{item.name}" if directory else item.name
            if item.is_dir(follow_symlinks=False):
                status = item.stat(follow_symlinks=False)
                new = (status.st_dev, status.st_ino) not in visited
                visited.add((status.st_dev, status.st_ino))
                if new and item.name not in SKIPPED_DIRECTORIES and not ignored(f"{path}/"):
                    pending.append(path)
            elif item.is_file(follow_symlinks=False) and not ignored(path):
                seen += 1
                yield path
        if seen > MAX_WALKED:
            result.findings.append(f"more than {MAX_WALKED} files: the rest is not indexed")
            return


class _Ignore:
    """`.gitignore` files, each for its own folder."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._specs: list[tuple[str, GitIgnoreSpec]] = []

    def enter(self, directory: str) -> None:
        try:
            lines = (self._root / directory / ".gitignore").read_text("utf-8", "replace")
        except OSError:
            return
        from pathspec import GitIgnoreSpec

        prefix = f"{directory}/" if directory else ""
        self._specs.append((prefix, GitIgnoreSpec.from_lines(lines.splitlines())))

    def __call__(self, path: str) -> bool:
        return any(
            path.startswith(prefix) and spec.match_file(path[len(prefix) :])
            for prefix, spec in self._specs
        )
