"""Does a shell command run the project's tests, and can its exit code be believed?"""

import re
import shlex
from dataclasses import dataclass
from pathlib import PurePosixPath

RUNNERS = frozenset(
    {"pytest", "py.test", "tox", "nox", "vitest", "jest", "ava", "mocha", "ctest", "rspec"}
)
MODULES = frozenset({"pytest", "unittest", "tox", "nox"})
NOT_A_RUN = frozenset({"--version", "--help", "-h", "--collect-only", "--co", "--list", "--no-run"})
# program -> what its first plain words must be
VERBS = {
    **dict.fromkeys(("npm", "pnpm"), r"(run )?(t|tst|test)\b"),
    **dict.fromkeys(("yarn", "bun"), r"(run )?test\b"),
    **dict.fromkeys(("go", "deno", "dotnet", "manage.py"), r"test\b"),
    **dict.fromkeys(("gradle", "gradlew", "mvn"), r".*\b(test|check|verify)\b"),
    "cargo": r"(test|nextest)\b",
    "make": r"(.* )?(test|tests|check)\b",
    "just": r"(test|tests|check)\b",
}
_PREFIXES = {
    "uv": "run", "poetry": "run", "pipenv": "run", "hatch": "run", "pdm": "run", "rye": "run",
    "pnpm": "exec", "npm": "exec", "yarn": "exec", "bundle": "exec", "coverage": "run",
}  # fmt: skip
_WRAPPERS = frozenset({"env", "time", "nice", "npx", "bunx", "exec", "command", "xvfb-run", "sudo"})
_TAKE_A_FOLDER = frozenset({"-C", "--prefix", "--dir", "-f", "--manifest-path"})
_PYTHON = re.compile(r"(python|pypy)[\d.]*$")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


@dataclass(frozen=True, slots=True)
class TestRun:
    """`reliable`: the shell's exit code is that of the tests."""

    reliable: bool


def test_run(command: str) -> TestRun | None:
    """What a command line is as a test run; None when it is none, or cannot be told."""
    try:
        segments = _segments(command)
    except ValueError:
        return None
    for at, (words, _) in enumerate(segments):
        if _is_test(words):
            later = [operator for _, operator in segments[at:-1]]
            last = segments[-1][1]
            return TestRun(reliable=all(op == "&&" for op in later) and last in {"", ";", "\n"})
    return None


def _segments(command: str) -> list[tuple[list[str], str]]:
    """Simple commands, each with the operator that follows it."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";|&()\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    segments: list[tuple[list[str], str]] = []
    words: list[str] = []
    for token in lexer:
        if set(token) <= set(";|&()\n"):
            if words:
                segments.append((words, _operator(token)))
            words = []
        else:
            words.append(token)
    return [*segments, (words, "")] if words else segments


def _operator(token: str) -> str:
    stripped = token.strip("\n()")
    return stripped or ("\n" if "\n" in token else ";")


def _is_test(words: list[str]) -> bool:
    words = _unwrapped(words)
    if not words or NOT_A_RUN & set(words):
        return False
    program = PurePosixPath(words[0]).name
    rest = words[1:]
    if _PYTHON.match(program):
        return _python_test(rest)
    if program == "node":
        return "--test" in rest
    verb = VERBS.get(program)
    return program in RUNNERS or bool(verb and re.match(verb, " ".join(_plain_words(rest))))


def _python_test(rest: list[str]) -> bool:
    if "-m" in rest[:3]:
        at = rest.index("-m") + 1
        module = rest[at] if at < len(rest) else ""
        if module == "coverage":
            return _is_test(["coverage", *rest[at + 1 :]])
        return module in MODULES
    return bool(rest) and _is_test(rest) and not rest[0].startswith("-")


def _plain_words(words: list[str]) -> list[str]:
    """Words that are not options, nor the folder an option like -C names."""
    pairs = zip(["", *words], words, strict=False)
    return [word for before, word in pairs if word[:1] != "-" and before not in _TAKE_A_FOLDER]


def _unwrapped(words: list[str]) -> list[str]:
    """Without assignments, `timeout 60`, `uv run`, `npx` and the like before the command."""
    while words:
        program = PurePosixPath(words[0]).name
        if _ASSIGNMENT.match(words[0]) or program in _WRAPPERS:
            words = words[1:]
        elif program == "timeout":
            words = _after_timeout(words[1:])
        elif words[0].startswith("-"):
            words = words[1:]
        elif len(words) > 1 and _PREFIXES.get(program) == words[1]:
            words = words[2:]
            if program == "coverage" and words[:1] == ["-m"]:
                words = ["python", *words]
        else:
            return words
    return words


def _after_timeout(words: list[str]) -> list[str]:
    """Behind the options and the duration."""
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in {"-s", "-k"} else words[1:]
    return words[1:]
