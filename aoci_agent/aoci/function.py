"""F: the file's own words, else a plain statement of what it holds. Never a guess at its purpose."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from aoci_agent.aoci.facts.model import Facts, Symbol
from aoci_agent.aoci.facts.prose import sentence_of
from aoci_agent.aoci.surroundings import LATE, Subject, passes_on, told_by

_SUMMARIES = 6  # of what the routes of a file are for


def function_of(subject: Subject) -> str:
    """The file's own documentation, else its main symbol's, else what it defines; "" for neither."""
    facts = subject.facts
    page = next_route(subject.path)
    if facts.doc:
        told = sentence_of(facts.doc) if facts.language == "document" else facts.doc
        return f"page {page}: {told}" if page else told
    if not facts.lines:
        return "empty file"
    if subject.layer == "T":
        return _tests(facts)
    main = _main_symbol(subject)
    if main is not None and main.doc and not page and not facts.routes:
        return main.doc if _is_file_name(main.name, subject.path) else told_by(main)
    return _derived(subject, page)


def _tests(facts: Facts) -> str:
    named = [s.name for s in facts.symbols if s.kind in ("function", "class")]
    tests = [re.sub(r"\A(?:test_|Test)", "", n) for n in named if n.lower().startswith("test")]
    cases = list(facts.cases) or tests
    if not cases:
        return f"test support: {', '.join(named[:6])}" if named else ""
    return f"tests {', '.join(cases[:6])}" + (f" +{len(cases) - 6}" if len(cases) > 6 else "")


def _main_symbol(subject: Subject) -> Symbol | None:
    """The symbol a file is there for: the first, unless that is a mere constant beside others."""
    active = (s for s in subject.ranked if s.kind not in LATE or subject.facts.language == "tsx")
    return next(active, subject.ranked[0] if subject.ranked else None)


def _derived(subject: Subject, page: str) -> str:
    """What the file holds, said without guessing what it is for."""
    facts, ranked = subject.facts, subject.ranked
    seen = f" showing {', '.join(facts.texts[:5])}" if facts.texts else ""
    if facts.routes:
        said = [symbol.doc for symbol in facts.symbols if symbol.owner and symbol.doc]
        told = f": {'; '.join(list(dict.fromkeys(said))[:_SUMMARIES])}" if said else ""
        return f"routes {_shared_prefix(facts.routes)}{told}"
    if page:
        return f"page {page}{seen}"
    if passes_on(facts):
        return "re-exports"
    main = _main_symbol(subject)
    return (_main(main, ranked, subject) if main is not None else _internal(facts)) + seen


def _internal(facts: Facts) -> str:
    """What a file holds that shows nothing: members of a type declared elsewhere, or its own parts."""
    if body := next((note for note in facts.notes if note.startswith("implements ")), ""):
        return body
    inner = [s for s in facts.symbols if not s.owner and s.kind not in LATE]
    inner = [s for s in inner if not re.match(r"init\Z|new[A-Z]", s.name)] or inner[:1]
    if not inner or facts.exports:
        return ""
    return f"internal {_kind(inner[0], facts)} {', '.join(s.name for s in inner[:3])}"


def _main(main: Symbol, ranked: Sequence[Symbol], subject: Subject) -> str:
    """The main symbol and its kind; several of one kind together."""
    kinds = {_kind(symbol, subject.facts) for symbol in ranked}
    kind = _kind(main, subject.facts)
    if len(ranked) > 2 and len(kinds) == 1 and kind not in ("class", "struct"):
        return f"{len(ranked)} {kind}s"
    alike = [s.name for s in ranked if s.kind == main.kind == "class" and kind == "class"]
    if len(alike) > 1:
        return f"classes {', '.join(alike[:4])}"
    bases = f"({', '.join(main.bases)})" if main.bases else ""
    return kind + bases if _is_file_name(main.name, subject.path) else f"{kind} {main.name}{bases}"


def _is_file_name(name: str, path: str) -> bool:
    """Whether a symbol is called like its file, so that repeating it says nothing."""
    stem = re.sub(r"\W|_", "", path.rpartition("/")[2].split(".")[0])
    return name.replace("_", "").lower() == stem.lower()


def _kind(symbol: Symbol, facts: Facts) -> str:
    if facts.language in ("go", "rust") and symbol.kind == "class":
        return "struct"
    if facts.language == "rust" and symbol.kind == "interface":
        return "trait"
    if re.match(r"use[A-Z]", symbol.name):
        return "hook"
    drawn = facts.language in ("tsx", "javascript") and symbol.kind in ("function", "constant")
    shown = symbol.name[:1].isupper() and not symbol.name.isupper()
    return "component" if drawn and shown else symbol.kind


def next_route(path: str) -> str:
    """The URL a Next.js app-router page answers, from its path."""
    if not path.endswith((".tsx", ".jsx", ".js")):
        return ""
    pure = PurePosixPath(path)
    if pure.stem not in ("page", "layout") or "app" not in pure.parts:
        return ""
    parts = pure.parts[pure.parts.index("app") + 1 : -1]
    return "/" + "/".join(part for part in parts if not part.startswith(("(", "@")))


def _shared_prefix(routes: Sequence[str]) -> str:
    paths = [route.split(" ", 1)[-1].strip("/").split("/") for route in routes]
    shared: list[str] = []
    for parts in zip(*paths, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return "/" + "/".join(shared)
