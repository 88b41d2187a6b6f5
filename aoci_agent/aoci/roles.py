"""What becomes of a file, by its path alone: an entry, a place in a count, or nothing."""

import re
from collections.abc import Collection, Iterable
from enum import StrEnum
from functools import lru_cache
from posixpath import splitext

from aoci_agent.aoci.wordset import wordset

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


# Folders in which C and C++ projects keep what they did not write, when it says so itself.
_OTHERS = re.compile(
    r"(?P<folder>(?:[^/]+/)?(?:deps|external|externals|extern|3rdparty|thirdparty)/[^/]+)"
    r"/(?:LICEN[CS]E|COPYING|COPYRIGHT|README)[^/]*\Z",
    re.IGNORECASE,
)


class Role(StrEnum):
    """What becomes of a file."""

    INDEX = "index"
    FOLD = "fold"  # counted per directory in the header, no entry
    EXCLUDE = "exclude"


def projects_of_others(paths: Iterable[str]) -> frozenset[str]:
    """Folders such as `deps/lua` that hold a project with a licence or introduction of its own."""
    return frozenset(
        found["folder"] for path in paths if (found := _OTHERS.match(path)) is not None
    )


def is_below(path: str, folders: Collection[str]) -> bool:
    """Whether a file lies in one of these folders."""
    return bool(folders) and any(path.startswith(f"{folder}/") for folder in folders)


@lru_cache(maxsize=65_536)
def role_of(path: str) -> tuple[Role, str]:
    """The role a path alone decides, and the reason when it is not indexed."""
    parts = path.split("/")
    folders = set(parts[:-1])
    name = parts[-1].lower()
    suffix = splitext(name)[1]
    reasons = (
        ("vendored", bool(folders & _VENDORED)),
        ("agent state", bool(SKIPPED_DIRECTORIES.intersection(parts))),
        ("lock file", name in _LOCKS or suffix == ".lock"),
        ("picture", suffix in _PICTURES),
        ("binary", suffix in _BINARY),
        ("placeholder", name in (".gitkeep", ".keep", ".npmignore")),
        ("minified", _is_minified(path.lower(), suffix)),
        ("generated", _GENERATED.search(name) is not None),
    )
    for reason, applies in reasons:
        if applies:
            return Role.EXCLUDE, reason
    sample = bool(folders & _DATA_DIRECTORIES) and suffix in _DATA
    if sample or suffix in _FOLDED:
        return Role.FOLD, "data"
    return Role.INDEX, ""


def _is_minified(lower: str, suffix: str) -> bool:
    packed = suffix in (".js", ".css") and "min" in lower.split("/")[:-1]
    return packed or _MINIFIED.search(lower) is not None
