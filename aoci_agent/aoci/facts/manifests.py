"""Facts of configuration, build and deployment files."""

import json
import re
import tomllib
from typing import Any, cast

from aoci_agent.aoci.facts import common, prose
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts

Table = dict[str, Any]


def load_jsonc(text: str) -> Any:
    """The value of a JSON text, comments and trailing commas allowed; None where there is none."""
    kept = re.sub(
        r"(\"(?:[^\"\\\n]|\\.)*\")|//[^\n]*|/\*.*?\*/",
        lambda found: found[1] or "",
        text,
        flags=re.DOTALL,
    )
    kept = re.sub(r"(\"(?:[^\"\\\n]|\\.)*\")|,(?=\s*[}\]])", lambda found: found[1] or "", kept)
    try:
        return json.loads(kept)
    except (ValueError, RecursionError):
        return None


def _table(value: Any) -> Table:
    return cast("Table", value) if isinstance(value, dict) else {}


def _description(value: Table) -> str:
    doc = value.get("description")
    return prose.clean(doc) if isinstance(doc, str) else ""


def _said(*notes: str) -> tuple[str, ...]:
    return tuple(note for note in notes if note)


def _keys(value: Table, limit: int = 12) -> str:
    return ", ".join(str(key) for key in list(value)[:limit])


def json_facts(source: Source) -> Facts:
    """Top-level keys, or the length of a list."""
    loaded = load_jsonc(source.text)
    if isinstance(loaded, list):
        return Facts("json", notes=(f"list of {len(cast('list[Any]', loaded))} items",))
    value = _table(loaded)
    return Facts(
        "json", doc=_description(value), notes=_said(f"keys {_keys(value)}" if value else "")
    )


def package_facts(source: Source) -> Facts:
    """package.json: name, entry, scripts, dependencies."""
    value = _table(load_jsonc(source.text))
    needed = ", ".join(list(_table(value.get("dependencies")))[:14])
    bins = value.get("bin")
    commands = [str(key) for key in _table(bins)] or ([str(value.get("name"))] if bins else [])
    settings = {
        "package": value.get("name"),
        "entry": value.get("main") or value.get("module") or _first_export(value.get("exports")),
        "overview": value.get("description"),
    }
    node = _table(value.get("engines")).get("node", "")
    scripts = (f"run {name}" for name in _table(value.get("scripts")))
    return Facts(
        "package",
        doc=_description(value),
        commands=common.unique([*commands, *scripts]),
        notes=_said(f"uses {needed}" if needed else "", f"node {node}" if node else ""),
        settings=_settings(settings),
    )


def _first_export(value: object) -> object:
    while isinstance(value, dict) and value:
        table = cast("Table", value)
        value = table.get(".", table.get("default", next(iter(table.values()))))
    return cast("object", value)


def _settings(values: Table) -> tuple[tuple[str, str], ...]:
    return tuple((key, value) for key, value in values.items() if isinstance(value, str) and value)


def tsconfig_facts(source: Source) -> Facts:
    """tsconfig.json: what module resolution needs."""
    value = _table(load_jsonc(source.text))
    options = _table(value.get("compilerOptions"))
    settings: Table = {"base_url": options.get("baseUrl"), "extends": value.get("extends")}
    for alias, targets in _table(options.get("paths")).items():
        if isinstance(targets, list):
            settings[f"path {alias}"] = " ".join(str(item) for item in cast("list[Any]", targets))
    shown = [
        f"{key} {options[key]}" for key in ("target", "module", "jsx", "strict") if key in options
    ]
    aliases = ", ".join([key[5:] for key in settings if key.startswith("path ")][:8])
    told = ", ".join(shown) or (f"keys {_keys(value)}" if value else "")
    notes = _said(told, f"aliases {aliases}" if aliases else "")
    return Facts("tsconfig", notes=notes, settings=_settings(settings))


def pyproject_facts(source: Source) -> Facts:
    """pyproject.toml: project, scripts, tools."""
    try:
        value: Table = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError:
        return Facts("ini", problem="not valid TOML")
    project = _table(value.get("project")) or _table(_table(value.get("tool")).get("poetry"))
    needed = project.get("dependencies")
    names = list(cast("list[Any]", needed)) if isinstance(needed, list) else list(_table(needed))
    stack = ", ".join(re.split(r"[\s<>=!~;\[(]", str(name))[0] for name in names[:14])
    tools = _keys(_table(value.get("tool")))
    return Facts(
        "ini",
        doc=_description(project),
        commands=common.unique(str(key) for key in _table(project.get("scripts"))),
        notes=_said(f"uses {stack}" if stack else "", f"tool settings {tools}" if tools else ""),
        settings=_settings({"overview": project.get("description")}),
    )


def gomod_facts(source: Source) -> Facts:
    """go.mod: module path, go version, direct requirements."""
    module = re.search(r"^module\s+(\S+)", source.text, re.MULTILINE)
    version = re.search(r"^go\s+(\S+)", source.text, re.MULTILINE)
    direct = re.findall(
        r"^\s*(?:require\s+)?([\w.-]+\.\w+/\S+)\s+v\S+\s*$", source.text, re.MULTILINE
    )
    stack = ", ".join(re.sub(r"/v\d+$", "", name).rsplit("/", 1)[-1] for name in direct[:14])
    notes = _said(
        f"module {module[1]}" if module else "",
        f"go {version[1]}" if version else "",
        f"uses {stack}" if stack else "",
    )
    return Facts("gomod", notes=notes, settings=(("module", module[1]),) if module else ())


def ini_facts(source: Source) -> Facts:
    """TOML, INI: sections, else keys."""
    doc = _comment(source, ("#", ";"))
    sections = common.unique(re.findall(r"^\s*\[+([^\]\n]+)\]+", source.text, re.MULTILINE), 12)
    keys = common.unique(re.findall(r"^([\w.-]+)\s*[=:]", source.text, re.MULTILINE), 12)
    named = f"sections {', '.join(sections)}" if sections else f"keys {', '.join(keys)}"
    return Facts("ini", doc=doc, notes=(named,) if sections or keys else ())


def yaml_facts(source: Source) -> Facts:
    """YAML: top-level keys, workflow jobs, compose services with images and ports."""
    text = source.text
    name = re.search(
        r"^(?:name|title|description|site_description):\s*[\"']?([^\n\"'#]+)", text, re.MULTILINE
    )
    notes = [
        f"{block} {names}" for block in ("services", "jobs", "on") if (names := _below(text, block))
    ]
    images = common.unique(
        re.findall(r"^\s+image:\s*[\"']?(\S+?)[\"']?\s*$", text, re.MULTILINE), 8
    )
    uses = common.unique(re.findall(r"uses:\s*([\w./-]+)", text), 6)
    keys = common.unique(re.findall(r"^([\w.-]+):", text, re.MULTILINE), 14)
    notes += [f"images {', '.join(images)}"] if images else []
    notes += [f"actions {', '.join(uses)}"] if uses else []
    notes += [f"keys {', '.join(keys)}"] if keys and not notes else []
    env = common.unique(re.findall(r"\$\{([A-Z][A-Z0-9_]{2,})", text))
    doc = _comment(source) or (name[1].strip() if name else "")
    return Facts("yaml", doc=doc, notes=tuple(notes), env=env)


def _below(text: str, block: str) -> str:
    """The keys or plain items of a top-level block."""
    body = re.search(
        rf"^[\"']?{block}[\"']?:\s*\n((?:[ \t]+.*\n|\s*\n|#.*\n)*)", f"{text}\n", re.MULTILINE
    )
    indent = re.search(r"^([ \t]+)\S", body[1], re.MULTILINE) if body else None
    if body is None or indent is None:
        return ""
    names = re.findall(rf"^{indent[1]}(?:- )?([\w.-]+)(?::|\s*$)", body[1], re.MULTILINE)
    return ", ".join(common.unique(names, 12))


def _comment(source: Source, markers: tuple[str, ...] = ("#",)) -> str:
    return prose.clean(prose.leading_comment(source.lines, markers))


def make_facts(source: Source) -> Facts:
    """Makefile: targets."""
    targets = common.unique(
        re.findall(r"^([A-Za-z][\w.-]*)\s*:(?!=)", source.text, re.MULTILINE), 20
    )
    return Facts("make", doc=_comment(source), commands=tuple(f"make {n}" for n in targets))


def docker_facts(source: Source) -> Facts:
    """Dockerfile: base images, ports, start command."""
    images = common.unique(re.findall(r"^FROM\s+(?:--\S+\s+)?(\S+)", source.text, re.MULTILINE), 4)
    ports = common.unique(re.findall(r"^EXPOSE\s+(.+)$", source.text, re.MULTILINE), 4)
    start = re.findall(r"^(?:CMD|ENTRYPOINT)\s+(.+)$", source.text, re.MULTILINE)
    notes = _said(
        f"from {', '.join(images)}" if images else "",
        f"exposes {', '.join(ports)}" if ports else "",
        f"starts {prose.cut(start[-1], 80)}" if start else "",
    )
    env = common.unique(re.findall(r"^(?:ENV|ARG)\s+([A-Z]\w+)", source.text, re.MULTILINE))
    return Facts("docker", doc=_comment(source), notes=notes, env=env)


def dotenv_facts(source: Source) -> Facts:
    """Example environment: names only, never values."""
    names = re.findall(
        r"^\s*(?:export\s+)?#?\s?([A-Z][A-Z0-9_]{2,})\s*=", source.text, re.MULTILINE
    )
    return Facts("dotenv", env=common.unique(names, 40))


def server_facts(source: Source) -> Facts:
    """nginx-like configuration: listeners, locations and where they lead."""
    doc = _comment(source)
    listens = common.unique(re.findall(r"^\s*listen\s+([^;]+);", source.text, re.MULTILINE), 4)
    notes = [f"listens {', '.join(listens)}"] if listens else []
    for found in re.finditer(r"location\s+([^{]+?)\s*\{(.*?)\n\s*\}", source.text, re.DOTALL):
        target = re.search(r"(?:proxy_pass|root|alias|return)\s+([^;]+);", found[2])
        notes.append(f"{found[1]} -> {target[1]}" if target else found[1])
    upstreams = re.findall(r"^\s*upstream\s+(\S+)", source.text, re.MULTILINE)
    notes += [f"upstream {', '.join(upstreams)}"] if upstreams else []
    if not notes:
        return ini_facts(source)
    return Facts("server", doc=doc, notes=common.unique(notes, 16))
