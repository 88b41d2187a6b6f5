"""Facts of settings: INI, TOML, properties, JSON, YAML without a better name, environment files, messages."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast

from aoci_agent.aoci.facts import common, prose, secrets, trees
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts

_TELLING = re.compile(  # of lower-case keys
    r"port|url|uri|host|addr|bind|listen|path|dir\b|root|size|limit|max|min|timeout|ttl|expir|interval|cron"
    r"|schedule|level|enabled|driver|engine|database|schema|region|bucket|topic|queue|image|version|replicas"
    r"|cpu|memory|target|extends|preset|base|entry|output|origin|domain|mode|format|env|profile|threshold|rate"
    r"|width|length|quote|indent|strict|title|model|retries|workers|concurrency|pool|rotate|weekly|daily"
)
_FLAG = re.compile(
    r"true|false|on|off|yes|no|\d+\w{0,3}|[\w.-]+:\d+|https?://\S+|/[\w./-]*", re.IGNORECASE
)
_READ = 20_000  # lines of one file
_SHOWN = 60  # characters of one value


def telling_pairs(pairs: Iterable[tuple[str, str]], limit: int = 14) -> list[str]:
    """`key=value` for values that may be shown, ports, addresses and limits first, else in order."""
    shown = [
        (
            0 if key.lower() == "name" or _TELLING.search(key.lower()) else 1,
            f"{key}={prose.cut(plain, _SHOWN)}",
        )
        for key, value in pairs
        if (plain := secrets.plain_value(key, value))
    ]
    return [text for _, text in sorted(shown, key=lambda item: item[0])][:limit]


def told(word: str, names: Iterable[str], limit: int = 12) -> list[str]:
    """One note `word a, b, c`, or none."""
    listed = common.unique(names, limit)
    return [f"{word} {', '.join(listed)}"] if listed else []


def ini_facts(source: Source) -> Facts:
    """INI: sections, then the settings that tell most."""
    doc = prose.clean(prose.leading_comment(source.lines, ("#", ";")))
    pairs: list[tuple[str, str]] = []
    section = ""
    for line in source.lines[:_READ]:
        bare = line.strip()
        if bare.startswith("["):
            section = bare.strip("[] ")
        elif (found := re.match(r"([\w.*/-]{1,80})\s*[=:]\s*(\S.*)", bare)) and bare[0] not in "#;":
            pairs.append((f"{section}.{found[1]}" if section else found[1], found[2]))
    sections = common.unique(
        re.findall(r"^[ \t]*\[+([^\]\n]{1,80})\]+", source.text, re.MULTILINE), 12
    )
    notes = told("sections", sections) + telling_pairs(pairs)
    if not notes:
        notes = told("keys", (key for key, _ in pairs))
    programs = [
        f"{key[8:-8]}: {value}" for key, value in pairs if re.match(r"program:.*\.command\Z", key)
    ]
    return Facts("ini", doc=doc, notes=common.unique([*programs, *notes], 20))


def toml_facts(source: Source) -> Facts:
    """TOML: tables, then the settings that tell most."""
    value = trees.toml_of(source)
    if value is None:
        return ini_facts(source)
    doc = prose.clean(prose.leading_comment(source.lines, ("#",)))
    sections = told("sections", (key for key, inner in value.items() if trees.is_table(inner)))
    return Facts(
        "ini", doc=doc, notes=common.unique([*sections, *telling_pairs(trees.leaves(value))], 16)
    )


def properties_facts(source: Source) -> Facts:
    """Java properties; a file of messages by its key groups."""
    pairs = re.findall(
        r"^[ \t]*([\w.\[\]-]{1,100})[ \t]*[=:][ \t]*(\S[^\n]*)?", source.text, re.MULTILINE
    )
    if prosaic(pairs):
        return messages(pairs)
    return configured(
        Facts("ini", doc=prose.clean(prose.leading_comment(source.lines, ("#", "!")))), pairs
    )


def configured(facts: Facts, pairs: Sequence[tuple[str, str]]) -> Facts:
    """Facts with settings that tell most, and the environment their values draw on."""
    env = common.unique(
        key for _, value in pairs for key in re.findall(r"\$\{([A-Z][A-Z0-9_]{2,})", value)
    )
    groups = told("keys", (key.rsplit(".", 1)[0] if "." in key else key for key, _ in pairs))
    notes = telling_pairs(pairs, 16) or groups
    return replace(facts, notes=(*facts.notes, *notes), env=facts.env or env)


def prosaic(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether most values are words for people: a catalogue of messages."""
    said = sum(
        1
        for _, value in pairs
        if re.search(r"[^\W\d_]\s[^\W\d_]|[^\W\d_\x00-\x7f]|\A[A-Z][a-z]+\W?\Z", value or "")
    )
    return len(pairs) > 3 and said > 0.6 * len(pairs)


def messages(pairs: Sequence[tuple[str, str]]) -> Facts:
    """A message catalogue: how many, and the groups of keys by size."""
    groups: dict[str, int] = {}
    depth = 2 if len(pairs) > 20 and len({key.split(".")[0] for key, _ in pairs}) < 3 else 1
    for key, _ in pairs:
        group = ".".join(key.split(".")[:depth])
        groups[group] = groups.get(group, 0) + 1
    shown = sorted(groups.items(), key=lambda item: (-item[1], item[0]))[:14]
    listed = ", ".join(f"{name} {count}" if count > 1 else name for name, count in shown)
    return Facts("json", notes=(f"{len(pairs)} messages: {listed}",))


def dotenv_facts(source: Source) -> Facts:
    """Environment files: names; values only of ports, flags, addresses and limits."""
    found = re.findall(
        r"^[ \t]*(?:export[ \t]+)?#?[ \t]?([A-Z][A-Z0-9_]{2,})[ \t]*=[ \t]*([^\n]*)",
        source.text,
        re.MULTILINE,
    )
    plain = [(key, value.split(" #")[0].strip().strip("\"'")) for key, value in found]
    shown = [
        f"{key}={value}"
        for key, value in plain
        if _FLAG.fullmatch(value) and secrets.plain_value(key, value)
    ]
    names = common.unique((key for key, _ in plain), 60)
    doc = prose.clean(prose.leading_comment(source.lines, ("#",)))
    return Facts("dotenv", doc=doc, notes=common.unique(shown, 16), env=names)


def tsconfig_facts(source: Source) -> Facts:
    """tsconfig.json: what module resolution needs."""
    value = trees.table(trees.json_of(source))
    options = trees.table(value.get("compilerOptions"))
    settings: trees.Table = {"base_url": options.get("baseUrl"), "extends": value.get("extends")}
    for alias, targets in trees.table(options.get("paths")).items():
        if trees.is_list(targets):
            settings[f"path {alias}"] = " ".join(trees.words(cast("object", targets)))
    shown = [
        f"{key} {trees.word(options[key])}" for key in _COMPILER if trees.word(options.get(key))
    ]
    aliases = (
        f"{key[5:]} to {target}" for key, target in settings.items() if key.startswith("path ")
    )
    notes = [
        *([", ".join(shown)] if shown else told("keys", value)), *told("aliases", aliases, 8),
        *told("extends", trees.words(value.get("extends"))), *told("includes", trees.words(value.get("include")), 6),
        *told("references", (trees.word(trees.at(item, "path")) for item in trees.items(value.get("references")))),
    ]  # fmt: skip
    kept = tuple((key, said) for key, said in settings.items() if isinstance(said, str) and said)
    return Facts("tsconfig", notes=tuple(notes), settings=kept)


_COMPILER = (
    "target",
    "module",
    "moduleResolution",
    "jsx",
    "strict",
    "outDir",
    "rootDir",
    "baseUrl",
)
