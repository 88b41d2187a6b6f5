"""Facts of package manifests: what a package is called, what it needs, what it runs."""

import re
from collections.abc import Iterable

from aoci_agent.aoci.facts import common, prose, trees
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.settings import telling_pairs, told

USED = 14  # dependencies named
_BARE = re.compile(r"[\s<>=!~;\[(@,]")
_RUN = (
    "dev",
    "start",
    "serve",
    "build",
    "test",
    "lint",
    "deploy",
    "release",
    "publish",
    "migrate",
    "prepare",
    "postinstall",
    "prepublishOnly",
)


def settings_of(values: trees.Table) -> tuple[tuple[str, str], ...]:
    """Those with a text, as `Facts.settings`."""
    return tuple((key, value) for key, value in values.items() if isinstance(value, str) and value)


def description(value: object) -> str:
    """A manifest's own words."""
    said = trees.at(value, "description")
    return prose.clean(said) if isinstance(said, str) else ""


def _bare(names: Iterable[object]) -> list[str]:
    return [_BARE.split(str(name).strip(), maxsplit=1)[0] for name in names]


def package_facts(source: Source) -> Facts:
    """package.json: name, entry, scripts with what they run, dependencies."""
    value = trees.table(trees.json_of(source))
    bins = value.get("bin")
    commands = [str(key) for key in trees.table(bins)] or ([str(value.get("name"))] if bins else [])
    scripts = trees.table(value.get("scripts"))
    shown = sorted(
        (name for name in scripts if name.split(":")[0] in _RUN),
        key=lambda n: _RUN.index(n.split(":")[0]),
    )
    engines = [
        f"{name} {said}"
        for name, inner in trees.table(value.get("engines")).items()
        if (said := trees.word(inner))
    ]
    spaces = (
        trees.words(value.get("workspaces"))
        if not trees.is_table(value.get("workspaces"))
        else trees.words(trees.at(value, "workspaces", "packages"))
    )
    notes = [
        *told("workspaces", spaces),
        *told("uses", trees.table(value.get("dependencies")), USED),
        *(f"{name}: {prose.cut(trees.word(scripts[name]), 60)}" for name in shown[:6]),
        *told("node" if "node" in " ".join(engines) else "engines", [e.removeprefix("node ") for e in engines], 3),
        *told("dev", trees.table(value.get("devDependencies")), 8),
        *told("proxy", trees.words(value.get("proxy"))),
    ]  # fmt: skip
    settings: trees.Table = {
        "package": value.get("name"),
        "entry": value.get("main") or value.get("module") or _first_export(value.get("exports")),
        "overview": value.get("description"),
    }
    runs = (f"run {name}" for name in scripts)
    return Facts(
        "package",
        doc=description(value),
        commands=common.unique([*commands, *runs], 40),
        notes=tuple(notes),
        settings=settings_of(settings),
    )


def _first_export(value: object) -> object:
    while trees.is_table(value) and value:
        table = trees.table(value)
        value = table.get(".", table.get("default", next(iter(table.values()))))
    return value


def pyproject_facts(source: Source) -> Facts:
    """pyproject.toml: project, scripts, tools."""
    value = trees.load_toml(source.text)
    if value is None:
        return Facts("ini", problem="not valid TOML")
    poetry = trees.table(trees.at(value, "tool", "poetry"))
    project = trees.table(value.get("project")) or poetry
    needed = project.get("dependencies")
    extras = trees.table(project.get("optional-dependencies")) or trees.table(
        value.get("dependency-groups")
    )
    notes = [
        *told("uses", _bare(trees.items(needed) or trees.table(needed)), USED),
        *told("python", trees.words(project.get("requires-python"))),
        *told("build backend", trees.words(trees.at(value, "build-system", "build-backend"))),
        *told("extras", extras), *told("tool settings", trees.table(value.get("tool"))),
        *told("sets", telling_pairs(trees.leaves(trees.at(value, "tool", "pytest")), 4)),
    ]  # fmt: skip
    settings: trees.Table = {"package": project.get("name"), "overview": project.get("description")}
    commands = [*trees.table(project.get("scripts")), *trees.table(poetry.get("scripts"))]
    return Facts(
        "ini",
        doc=description(project),
        commands=common.unique(map(str, commands)),
        notes=tuple(notes),
        settings=settings_of(settings),
    )


def setup_cfg_facts(source: Source) -> Facts:
    """setup.cfg: name, requirements, entry points, tools."""
    name = re.search(r"^name[ \t]*=[ \t]*(\S+)", source.text, re.MULTILINE)
    said = re.search(r"^description[ \t]*=[ \t]*(\S[^\n]*)", source.text, re.MULTILINE)
    needs = re.search(
        r"^install_requires[ \t]*=[ \t]*((?:\n?[ \t]+[^\n]+)*)", source.text, re.MULTILINE
    )
    scripts = re.search(
        r"^console_scripts[ \t]*=[ \t]*((?:\n?[ \t]+[^\n]+)*)", source.text, re.MULTILINE
    )
    sections = re.findall(r"^\[([^\]\n]+)\]", source.text, re.MULTILINE)
    notes = [
        *told("uses", _bare(needs[1].split("\n")) if needs else (), USED),
        *told("sections", sections),
    ]
    commands = _bare(scripts[1].split("\n")) if scripts else []
    settings = (("package", name[1]),) if name else ()
    return Facts(
        "ini",
        doc=prose.clean(said[1]) if said else "",
        commands=common.unique(commands),
        notes=tuple(notes),
        settings=settings,
    )


def gomod_facts(source: Source) -> Facts:
    """go.mod and go.work: module path, go version, direct requirements, modules of the workspace."""
    module = re.search(r"^module\s+(\S+)", source.text, re.MULTILINE)
    version = re.search(r"^go\s+(\S+)", source.text, re.MULTILINE)
    direct = re.findall(
        r"^[ \t]*(?:require[ \t]+)?([\w.-]+\.\w+/\S+)[ \t]+v\S+[ \t]*$", source.text, re.MULTILINE
    )
    stack = (re.sub(r"/v\d+$", "", name).rsplit("/", 1)[-1] for name in direct)
    folders = re.findall(r"^[ \t]+(\./\S*|\.)[ \t]*$|^use[ \t]+(\./\S*)", source.text, re.MULTILINE)
    replaced = re.findall(
        r"^[ \t]*(?:replace[ \t]+)?(\S+)[ \t]+(?:v\S+[ \t]+)?=>[ \t]*(\S+)",
        source.text,
        re.MULTILINE,
    )
    notes = [
        *told("module", [module[1]] if module else ()), *told("go", [version[1]] if version else ()),
        *told("modules", (a or b for a, b in folders)), *told("uses", stack, USED),
        *told("replaces", (f"{old} by {new}" for old, new in replaced), 4),
    ]  # fmt: skip
    return Facts("gomod", notes=tuple(notes), settings=(("module", module[1]),) if module else ())


def cargo_facts(source: Source) -> Facts:
    """Cargo.toml: package, programs, features, workspace members, dependencies."""
    value = trees.load_toml(source.text)
    if value is None:
        return Facts("manifest", problem="not valid TOML")
    package = trees.table(value.get("package"))
    named = [
        f"{kind} {name}"
        for kind in ("bin", "example", "bench")
        for item in trees.items(value.get(kind))
        if (name := trees.word(trees.at(item, "name")))
    ]
    library = trees.table(value.get("lib"))
    notes = [
        *told("version", [trees.word(package.get("version")), f"edition {e}" if (e := trees.word(package.get("edition"))) else "", f"rust {r}" if (r := trees.word(package.get("rust-version"))) else ""]),
        *told("members", trees.words(trees.at(value, "workspace", "members")), 20),
        *told("builds", named), *told("library", [trees.word(library.get("name")) or trees.word(library.get("path"))] if library else ()),
        *told("uses", trees.table(value.get("dependencies")) or trees.table(trees.at(value, "workspace", "dependencies")), USED),
        *told("features", trees.table(value.get("features"))),
        *told("build script", trees.words(package.get("build"))), *told("dev", trees.table(value.get("dev-dependencies")), 6),
        *told("profiles", trees.table(value.get("profile")), 4),
    ]  # fmt: skip
    settings: trees.Table = {
        "package": package.get("name"), "lib": library.get("path"), "overview": package.get("description"),
    }  # fmt: skip
    return Facts(
        "manifest", doc=description(package), notes=tuple(notes), settings=settings_of(settings)
    )


def composer_facts(source: Source) -> Facts:
    """composer.json: name, autoload, scripts, requirements."""
    value = trees.table(trees.json_of(source))
    settings: trees.Table = {"package": value.get("name"), "overview": value.get("description")}
    for block in ("autoload", "autoload-dev"):
        for prefix, folder in trees.table(trees.at(value, block, "psr-4")).items():
            settings[f"psr-4 {prefix}"] = " ".join(
                trees.words(folder) if not isinstance(folder, str) else [folder or "."]
            )
    required = trees.table(value.get("require"))
    notes = [
        *told("php", trees.words(required.get("php"))), *told("uses", (n for n in required if not n.startswith(("php", "ext-"))), USED),
        *told("namespaces", (f"{key[6:]} in {folder}" for key, folder in settings.items() if key.startswith("psr-4 ")), 8),
        *told("replaces", trees.table(value.get("replace")), 8), *told("dev", trees.table(value.get("require-dev")), 8),
    ]  # fmt: skip
    commands = (f"run {name}" for name in trees.table(value.get("scripts")))
    return Facts(
        "manifest",
        doc=description(value),
        commands=common.unique(commands),
        notes=tuple(notes),
        settings=settings_of(settings),
    )


def gem_facts(source: Source) -> Facts:
    """Gemfile and .gemspec."""
    text = source.text
    gems = re.findall(
        r"^[ \t]*(?:gem|\w+\.add_(?:runtime_|development_)?dependency)[ \t(]+[\"']([^\"'\n]+)",
        text,
        re.MULTILINE,
    )
    name = re.search(r"^[ \t]*\w+\.name[ \t]*=[ \t]*[\"']([^\"'\n]+)", text, re.MULTILINE)
    said = re.search(
        r"^[ \t]*\w+\.(?:summary|description)[ \t]*=[ \t]*[\"']([^\"'\n]+)", text, re.MULTILINE
    )
    ruby = re.findall(
        r"(?:^ruby|required_ruby_version[ \t]*=)[ \t]*[\"']([^\"'\n]+)", text, re.MULTILINE
    )
    groups = re.findall(r"^group[ \t]+([^\n]{1,40}?)[ \t]+do", text, re.MULTILINE)
    notes = [*told("ruby", ruby), *told("uses", gems, USED + 4), *told("groups", groups)]
    return Facts(
        "manifest",
        doc=prose.clean(said[1]) if said else "",
        notes=tuple(notes),
        settings=(("package", name[1]),) if name else (),
    )


def swift_facts(source: Source) -> Facts:
    """Package.swift: products, targets, dependencies."""
    text = source.text
    named = re.findall(
        r"\.(library|executable|plugin|target|executableTarget|testTarget|macro)\([ \t\n]*name:[ \t]*\"([^\"\n]+)",
        text,
    )
    urls = re.findall(
        r"\.package\([^)\n]{0,80}?url:[ \t]*\"[^\"\n]*/([^\"/\n]+?)(?:\.git)?\"", text
    )
    name = re.search(r"Package\([ \t\n]*name:[ \t]*\"([^\"\n]+)", text)
    notes = [
        *told("targets", (f"{n} ({kind})" for kind, n in named), 16),
        *told("uses", urls),
        *told("tools", re.findall(r"swift-tools-version:[ \t]*(\S+)", text)),
    ]
    return Facts(
        "manifest",
        doc=f"package {name[1]}" if name else "",
        notes=tuple(notes),
        settings=(("package", name[1]),) if name else (),
    )


def list_facts(source: Source) -> Facts:
    """Requirements: the names; other lists likewise."""
    names = [_BARE.split(line.strip())[0] for line in source.lines]
    included = re.findall(r"^-[rc][ \t]*(\S+)", source.text, re.MULTILINE)
    items = (name for name in names if name and not name.startswith(("#", "-")))
    return Facts("list", notes=(*told("lists", items, 20), *told("includes", included)))
