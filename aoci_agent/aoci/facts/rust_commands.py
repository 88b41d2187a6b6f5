"""Command lines of Rust programs: clap by its derive macros and by its builder."""

import re
from collections.abc import Iterator

_SUBCOMMAND = re.compile(
    r"#\[derive\([^)]*\b(?:Subcommand|FromArgMatches)\b[^)]*\)\](?P<rest>.*?)^\}",
    re.DOTALL | re.MULTILINE,
)
_NAME = re.compile(r"#\[(?:command|clap|structopt|argh)\([^\n]*?\bname\s*=\s*\"([\w-]+)\"")
_BUILT = re.compile(
    r"\b(?:App::new|SubCommand::with_name|(?<!process::)Command::new)\(\s*\"([\w-]+)\"\s*\)"
    r"\s*\.(?:about|arg|args|args_override_self|version|subcommand|author|alias|long_about|after_help|group|hide|display)\w*\("
)
_VARIANT = re.compile(
    r"(?P<attributes>(?:^[ \t]*+(?:#\[[^\n]*\]|///[^\n]*+)(?:[ \t]*+\n)++)*+)^    (?P<name>[A-Z]\w*)\s*[,({]",
    re.MULTILINE,
)
_OPTION = re.compile(
    r"#\[(?:arg|clap|structopt|argh)\((?P<inner>[^\]]*?\blong\b(?:\s*=\s*\"(?P<long>[\w-]+)\")?)"
)
_FIELD = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:r#)?([a-z]\w*)\s*:(?!:)", re.MULTILINE)
_ABOUT = re.compile(
    r"#\[(?:command|clap|structopt)\((?:[^\]\"]|\"[^\"]*\")*?\babout\s*=\s*\"([^\"]+)\""
)
_LONG = re.compile(r"\.long\(\s*\"([\w-]+)\"")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def commands(text: str) -> Iterator[str]:
    """Names of a program and its subcommands."""
    if (
        "clap" not in text
        and "structopt" not in text
        and "argh" not in text
        and "Subcommand" not in text
    ):
        return
    yield from _BUILT.findall(text)
    for enum in _SUBCOMMAND.finditer(text):
        for variant in _VARIANT.finditer(enum["rest"]):
            named = _NAME.search(variant["attributes"])
            yield named[1] if named else _HUMP.sub("-", variant["name"]).lower()


def flags(text: str) -> Iterator[str]:
    """Long options, with their dashes."""
    if "long" not in text:
        return
    for option in _OPTION.finditer(text):
        field = _FIELD.search(text, option.end())
        name = option["long"] or (field[1].replace("_", "-") if field else "")
        if name:
            yield f"--{name}"
    if "clap" in text or "Arg::" in text:
        yield from (f"--{name}" for name in _LONG.findall(text))


def about(text: str) -> str:
    """What the program says it is for."""
    found = _ABOUT.search(text)
    return found[1] if found else ""
