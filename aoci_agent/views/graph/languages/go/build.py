"""Whether a Go file is part of a usual build: for Linux on amd64, without tags of its own."""

import re

from aoci_agent.aoci.wordset import wordset

_SYSTEMS = wordset(
    "aix android darwin dragonfly freebsd illumos ios js netbsd openbsd plan9 solaris wasip1 windows linux"
)
_MACHINES = wordset(
    "386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm"
)
_TRUE = wordset("linux amd64 unix gc cgo")
_LINE = re.compile(r"^//go:build (.+)$", re.MULTILINE)
_TOKEN = re.compile(r"\s*(&&|\|\||!|\(|\)|[\w.]+)")


def is_built(path: str, text: str) -> bool:
    """By the name's ending and by the `//go:build` line above the package clause."""
    stem = path.rpartition("/")[2].removesuffix(".go").removesuffix("_test")
    parts = stem.split("_")[1:][-2:]
    for part in parts:
        if part in _SYSTEMS | _MACHINES and part not in _TRUE:
            return False
    line = _LINE.search(text[: max(text.find("\npackage "), 0)])
    return line is None or _holds(_TOKEN.findall(line[1]))


def _holds(tokens: list[str]) -> bool:
    value, _ = _either(tokens, 0)
    return value


def _either(tokens: list[str], at: int) -> tuple[bool, int]:
    value, at = _both(tokens, at)
    while at < len(tokens) and tokens[at] == "||":
        other, at = _both(tokens, at + 1)
        value = value or other
    return value, at


def _both(tokens: list[str], at: int) -> tuple[bool, int]:
    value, at = _one(tokens, at)
    while at < len(tokens) and tokens[at] == "&&":
        other, at = _one(tokens, at + 1)
        value = value and other
    return value, at


def _one(tokens: list[str], at: int) -> tuple[bool, int]:
    if at >= len(tokens):
        return True, at
    if tokens[at] == "!":
        value, at = _one(tokens, at + 1)
        return not value, at
    if tokens[at] == "(":
        value, at = _either(tokens, at + 1)
        return value, at + 1
    return tokens[at] in _TRUE or tokens[at].startswith("go1."), at + 1
