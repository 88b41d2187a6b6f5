"""Bytes of a file -> its facts. Never raises: what cannot be understood is said in the facts."""

import re
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from posixpath import splitext
from typing import cast

from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.languages import language_of, language_of_program
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.normal import semantic_hash, sketch_of, style_of
from aoci_agent.aoci.facts.parsing import TooSlow
from aoci_agent.aoci.facts.plain import kind_of, plain_facts
from aoci_agent.aoci.facts.runaway import tamed
from aoci_agent.aoci.facts.stored import stored
from aoci_agent.base.files import content_id
from aoci_agent.base.secrets import blanked

_GENERATED = re.compile(
    r"code generated .{0,80}do not edit|^\W*@generated\b"
    r"|(?:automatically|auto)[- ]?generated.{0,120}do not (?:edit|modify|change)",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_LFS = b"version https://git-lfs.github.com/spec/"
_DENSE = (".js", ".mjs", ".cjs", ".css", ".json", ".html", ".ts")


def facts_key(path: str, content: str) -> str:
    """What facts are cached under: equal only where `extract` gives the same."""
    stem, suffix = splitext(path.rpartition("/")[2])
    if language_of(path) is None:
        return f"{content}:{kind_of(path)}{suffix}:{style_of(path)}"
    speaking = {"route": path, "__init__": "package"}  # names that mean something to a language
    return f"{content}:{speaking.get(stem, '')}{suffix}"


def extract(path: str, data: bytes) -> Facts:
    """The facts of one file."""
    left_out = why_left_out(path, data)
    lines = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    if left_out:
        return Facts("none", lines, left_out)
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    text = data.decode(encoding, "replace").replace("\r\n", "\n").replace("\r", "\n")
    told, damage = tamed(text)
    shown = blanked(told)  # facts are kept, and told to models
    source = Source(path, shown, shown.encode(), [damage] if damage else [])
    try:
        facts = replace(_read(source), stored=stored(path, shown))
    except Exception as error:  # noqa: BLE001 - one odd file must not cost the whole index
        facts = Facts("text", problem=f"not understood ({type(error).__name__}: {error})"[:200])
    # What was passed over still tells two versions of a file apart.
    sem = semantic_hash(path, told if told is text else content_id(text.encode()))
    problem = "; ".join(filter(None, dict.fromkeys((facts.problem, *source.damage))))
    return replace(facts, lines=lines, sem=sem, sketch=sketch_of(data), problem=problem)


def _read(source: Source) -> Facts:
    try:
        return _reader(source.path, source.text)(source)
    except TooSlow:
        return replace(
            plain_facts(source),
            problem="that would take too long to parse, described from the text alone",
        )


def _reader(path: str, text: str) -> Callable[[Source], Facts]:
    """The reader a file's name asks for, else its first line; both are part of `facts_key`."""
    known = language_of(path)
    if known is None and text.startswith("#!") and kind_of(path) == "code":
        known = language_of_program(text[:200].partition("\n")[0])
    if known is None:
        return plain_facts
    module, _, name = known.reader.partition(":")
    read: object = getattr(import_module(f"aoci_agent.aoci.facts.{module}"), name)
    return cast("Callable[[Source], Facts]", read)


def why_left_out(path: str, data: bytes) -> str:
    """Why a file has no entry and is in no view, by its content; "" for one that has and is."""
    if data.startswith(_LFS):
        return "lfs pointer"
    if b"\0" in data[:8192] and data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return "binary"
    head = data[:600].decode("utf-8", "replace")
    written = (".md", ".txt", ".toml", ".yaml", ".yml")
    schema = "by Diesel CLI" in head  # the only place that says what is stored
    if _GENERATED.search(head) and not schema and not path.endswith(written):
        return "generated"
    longest = max(map(len, data[:200_000].split(b"\n")), default=0)
    if path.endswith(_DENSE) and longest > 5000 and len(data) / (data.count(b"\n") + 1) > 300:
        return "minified"
    return ""
