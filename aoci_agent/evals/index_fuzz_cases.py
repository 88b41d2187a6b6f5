"""What the index is tried on: damaged copies of real files, and one piece repeated without end."""

import os
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from aoci_agent.aoci.facts.languages import LANGUAGES
from aoci_agent.aoci.roles import SKIPPED_DIRECTORIES
from aoci_agent.aoci.scan import MAX_BYTES


class Case(NamedTuple):
    """One file to read: its path, its bytes, and how they came to be."""

    path: str
    data: bytes
    how: str


_ODD = (
    "\x01", "\x1b[31m", "\x7f", "\u2028", "\u202e", "\ufeff", "\ufffd", "\U0001f4a5", "é", "\t", "\v", "\f", "\\", "`", "$", "#", "%",
)  # fmt: skip
_UNBALANCED = (
    '"', "'", "`", "(", ")", "[", "]", "{", "}", "<", ">", "/*", "*/", "<!--", "-->", '"""', "'''", "{{", "}}", "{%", "<%", "${", "<?php",
    "@", ":", ";", ",", "=>", "#if", "#endif", "---", "```",
)  # fmt: skip
Mutation = Callable[[bytes, random.Random, "list[bytes]"], bytes]


def _place(data: bytes, chance: random.Random) -> tuple[int, int]:
    """A slice: short ones are as likely as long ones."""
    start = chance.randrange(len(data) + 1)
    return start, min(start + int(2 ** chance.uniform(0, 12)), len(data))


def _cut(data: bytes, chance: random.Random, _: list[bytes]) -> bytes:
    start, end = _place(data, chance)
    return data[:start] + data[end:]


def _repeat(data: bytes, chance: random.Random, _: list[bytes]) -> bytes:
    start, end = _place(data, chance)
    times = min(int(2 ** chance.uniform(1, 14)), 600_000 // max(end - start, 1))
    return data[:start] + data[start:end] * times + data[end:]


def _swap(data: bytes, chance: random.Random, _: list[bytes]) -> bytes:
    lines = data.split(b"\n")
    for _turn in range(chance.randrange(1, 40)):
        one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _insert(pieces: Iterable[str]) -> Mutation:
    known = tuple(pieces)

    def insert(data: bytes, chance: random.Random, _: list[bytes]) -> bytes:
        for _turn in range(int(2 ** chance.uniform(0, 9))):
            at = chance.randrange(len(data) + 1)
            data = data[:at] + chance.choice(known).encode() + data[at:]
        return data

    return insert


def _truncate(data: bytes, chance: random.Random, _: list[bytes]) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _join(data: bytes, chance: random.Random, others: list[bytes]) -> bytes:
    other = chance.choice(others)
    return data[: chance.randrange(len(data) + 1)] + other[chance.randrange(len(other) + 1) :]


def _flip(data: bytes, chance: random.Random, _: list[bytes]) -> bytes:
    bytes_ = bytearray(data)
    for _turn in range(int(2 ** chance.uniform(0, 9)) if data else 0):
        bytes_[chance.randrange(len(bytes_))] = chance.randrange(256)
    return bytes(bytes_)


def _line_ends(data: bytes, chance: random.Random, _: list[bytes]) -> bytes:
    return data.replace(b"\n", chance.choice((b"\r\n", b"\r", b"\n\r", b"\n\n\n", b"\0\n")))


def _one_line(data: bytes, chance: random.Random, _: list[bytes]) -> bytes:
    times = chance.randrange(1, 400_000 // (len(data) + 1) + 2)
    return data.replace(b"\n", chance.choice((b" ", b"", b"\t"))) * times


def _wide(data: bytes, chance: random.Random, _: list[bytes]) -> bytes:
    """In another encoding than it says."""
    text = data.decode("utf-8", "replace")
    return text.encode(
        chance.choice(("utf-16", "utf-16-le", "utf-32", "utf-7", "cp037")), "replace"
    )


_MUTATIONS: dict[str, Mutation] = {
    "cut": _cut, "repeat": _repeat, "swap": _swap, "odd characters": _insert(_ODD), "unbalanced": _insert(_UNBALANCED),
    "truncate": _truncate, "join": _join, "flip": _flip, "line ends": _line_ends, "one line": _one_line, "encoding": _wide,
}  # fmt: skip


def mutated(repositories: list[Path], files: int, seed: int) -> Iterator[Case]:
    """Copies of files of these repositories, each damaged in one to three ways.

    As many of each ending as there are, in turn; the same for the same trees and seed.
    """
    chance = random.Random(seed)
    originals = _in_turn(repositories, chance)
    others = [data for _, data in originals[:200]]
    for number in range(files if originals else 0):
        path, data = originals[number % len(originals)]
        names = chance.sample(sorted(_MUTATIONS), chance.choice((1, 1, 2, 3)))
        for name in names:
            data = _MUTATIONS[name](data, chance, others)[:MAX_BYTES]
        yield Case(path, data, ", ".join(names))


def _in_turn(repositories: list[Path], chance: random.Random) -> list[tuple[str, bytes]]:
    by_ending: dict[str, list[tuple[str, bytes]]] = {}
    found = [(root, path) for root in repositories for path in _files(root)]
    chance.shuffle(found)
    for root, path in found:
        kind = by_ending.setdefault(Path(path).suffix or Path(path).name, [])
        if len(kind) < 60 and (root / path).stat().st_size <= 200_000:
            kind.append((path, (root / path).read_bytes()))
    kinds = list(by_ending.values())
    return [kind[turn] for turn in range(60) for kind in kinds if turn < len(kind)]


def _files(root: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - {".git", *SKIPPED_DIRECTORIES})
        for name in sorted(names):
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                yield path.relative_to(root).as_posix()


PIECES = (
    "a", "a ", " ", "\n", "\t", "\\", '"', "'", "`", '"\\', "(", "((", "[", "{", "<", ")", "]", "}", ">", "({[", ";", "; ", ",", ":", "=", "=> ",
    "->", "::", ".", "a.", "a(", "a(b, ", "a: ", "a=", "a = {\n", "#", "# a\n", "//", "// a\n", "/*", "/* a", "/**\n * a\n", "--", "- ", "---\n",
    "<a ", "<a>", "</a>", "<!--", "<script", "<template ", "{{", "{%", "<%", "${", "@", "@A(", "@a\n", "fun <", "fn a<", "def a(", "class A {",
    "class A<", "if (", "else ", "case ", "x = ", "import a\n", "import {a, ", "use a::{", "<?php ", "$a->", "#[a", "#if a\n", "#define a \\\n",
    "'''", '"""', "CREATE TABLE a (", "ALTER TABLE a ADD ", "SELECT a FROM ", "![", "[a](", "```\n", "x() {\n", "location /a {", "export ", "export const a = ",
    "const {a} = ", "let ", "func (", "type A struct {", "public static ", "route('", "app.get('/a', ", "begin\n", "do |a|\n", "lambda: ", "async ",
    "é", "\u2028",
)  # fmt: skip
PLAIN = (
    "a.md", "a.rst", "nginx.conf", ".htaccess", "Caddyfile", "haproxy.cfg", "a.service", "Procfile", "crontab", "Dockerfile", "a.yml",
    "docker-compose.yml", ".gitlab-ci.yml", ".github/workflows/a.yml", ".circleci/a.yml", "templates/a.yaml", "Chart.yaml", "Jenkinsfile",
    "Makefile", "justfile", "CMakeLists.txt", "meson.build", "build.gradle", "build.gradle.kts", "build.sbt", "BUILD", "package.json",
    "tsconfig.json", "pyproject.toml", "setup.cfg", "go.mod", "Cargo.toml", "composer.json", "Gemfile", "Package.swift", "requirements.txt",
    "pom.xml", "a.sln", "a.json", "a.toml", "a.ini", "a.properties", ".env", "a.proto", "a.graphql", "schema.prisma", "a.tf", "a.html", "a.css",
    "a.ipynb", "CHANGELOG.md", "LICENSE", "a.unknown", "a.pem", ".gitignore",
)  # fmt: skip
_CONTEXT = {".php": "<?php\n", ".vue": "<script>\n", ".svelte": "<script lang='ts'>\n"}


def names() -> list[str]:
    """One path for each language and each kind of plain file."""
    return [f"a{language.extensions[0]}" for language in LANGUAGES] + list(PLAIN)


def repeated(size: int, seed: int) -> Iterator[Case]:
    """Each piece over and over in each kind of file: by itself, and with words between that differ."""
    chance = random.Random(seed)
    words = [f"{chance.choice('aXq_')}{chance.randrange(1000)}" for _ in range(5000)]
    for path in names():
        start = _CONTEXT.get(Path(path).suffix, "")
        for piece in PIECES:
            alike = start + piece * (size // len(piece))
            varied = "".join(f"{piece}{words[n % 4999]} " for n in range(size // (len(piece) + 4)))
            yield Case(path, alike.encode(), f"{piece!r} repeated")
            yield Case(path, (start + varied).encode(), f"{piece!r} and a word repeated")
