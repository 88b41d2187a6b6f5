"""Facts of build files: Make, just, Task, CMake, Meson, Gradle, sbt, Bazel."""

import re
from collections.abc import Iterator

from aoci_agent.aoci.facts import common, prose, trees
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.settings import told

_TARGET = re.compile(
    r"^(?P<names>[A-Za-z][\w./ -]{0,80}?)[ \t]*::?(?!=)[ \t]*(?P<needs>[^#=\n]{0,200})(?:##?[ \t]*(?P<doc>[^\n]{3,120}))?$"
    r"(?P<body>(?:\n\t[^\n]*){0,3})", re.MULTILINE,
)  # fmt: skip
_PHONY = re.compile(r"^\.PHONY[ \t]*:[ \t]*([^\n]*)", re.MULTILINE)
_MAIN = (
    "all",
    "build",
    "run",
    "dev",
    "start",
    "test",
    "deploy",
    "release",
    "publish",
    "install",
    "lint",
    "check",
    "docker",
    "generate",
    "migrate",
)
_RECIPE = re.compile(r"^(?P<name>[A-Za-z][\w-]*)(?P<arguments>[^:\n]{0,80}):(?!=)[ \t]*(?P<needs>[^\n]*)(?P<body>(?:\n[ \t]+[^\n]*){0,3})", re.MULTILINE)  # fmt: skip
_ENVIRONMENT = re.compile(r"^(?:export[ \t]+)?([A-Z][A-Z0-9_]{2,})[ \t]*\?=", re.MULTILINE)


def make_facts(source: Source) -> Facts:
    """Makefile: targets with their documentation, and what the main ones run."""
    found = [
        m
        for m in _TARGET.finditer(re.sub(r"\\\n[ \t]*", " ", source.text))
        if "$(" not in m["names"]
    ]
    phony = {name for names in _PHONY.findall(source.text) for name in names.split()}
    targets = [
        (name, m) for m in found for name in m["names"].split() if name in phony or "." not in name
    ]
    targets.sort(key=lambda item: item[0] not in phony if phony else False)
    notes = [note for name, m in targets if (note := _explained(name, m["doc"], m["body"]))]
    includes = re.findall(r"^-?include[ \t]+([^\n$]{1,80})", source.text, re.MULTILINE)
    doc = prose.clean(prose.leading_comment(source.lines, ("#",)))
    return Facts(
        "make",
        doc=doc,
        commands=common.unique((f"make {name}" for name, _ in targets), 30),
        notes=common.unique([*notes[:10], *told("includes", includes)]),
        env=common.unique(_ENVIRONMENT.findall(source.text), 12),
    )


def _explained(name: str, doc: str | None, body: str) -> str:
    if doc:
        return f"{name}: {prose.clean(doc, 80)}"
    lines = [line.strip(" \t@-") for line in body.split("\n")]
    first = next(
        (
            line
            for line in lines
            if line
            and not line.startswith(
                ("#", "echo", "if ", "mkdir", "for ", "hash ", "command ", "which ", "set ")
            )
        ),
        "",
    )
    return f"{name}: {prose.cut(first, 70)}" if first and name.split("-")[0] in _MAIN else ""


def just_facts(source: Source) -> Facts:
    """justfile: recipes with the comment above them, and what they run."""
    lines = source.lines
    notes: list[str] = []
    names: list[str] = []
    for found in _RECIPE.finditer(source.text):
        names.append(found["name"])
        line = source.text.count("\n", 0, found.start()) if len(names) < 60 else 0
        doc = prose.clean(prose.comment_above(lines, line, "#"), 80)
        body = found["body"].strip().split("\n")[0].strip(" \t@-")
        if doc or body:
            notes.append(f"{found['name']}: {doc or prose.cut(body, 60)}")
    return Facts(
        "make",
        commands=common.unique((f"just {name}" for name in names), 30),
        notes=common.unique(notes, 12),
    )


def task_facts(value: trees.Table, doc: str) -> Facts:
    """Taskfile.yml."""
    tasks = trees.table(value.get("tasks"))
    notes = [
        f"{name}: {prose.cut(said, 80)}" for name, task in tasks.items() if (said := _task(task))
    ]
    return Facts(
        "make",
        doc=doc,
        commands=common.unique((f"task {name}" for name in tasks), 30),
        notes=common.unique(notes, 12),
    )


def _task(task: object) -> str:
    said = trees.word(trees.at(task, "desc")) or trees.word(trees.at(task, "cmd"))
    return said or next(iter(trees.words(trees.at(task, "cmds")) or trees.words(task)), "")


_CMAKE = re.compile(
    r"^[ \t]*([A-Za-z_]\w*)[ \t]*\(([^()\"#]{0,400}(?:\"[^\"\n]{0,200}\"[^()\"]{0,200}){0,3})",
    re.MULTILINE,
)


def cmake_facts(source: Source) -> Facts:
    """CMakeLists.txt and .cmake: project, targets, options, packages, sub-folders, functions."""
    calls = [(m[1].lower(), m[2].split()) for m in _CMAKE.finditer(source.text)]

    def of(*names: str, take: int = 1) -> list[str]:
        return [" ".join(words[:take]) for name, words in calls if name in names and words]

    targets = [
        f"{w[0]} ({n[4:]}{' ' + w[1] if w[1:] and w[1].isupper() else ''})"
        for n, w in calls
        if n in ("add_executable", "add_library", "add_custom_target") and w
    ]
    notes = [
        *told("project", of("project", take=4), 2), *told("targets", targets),
        *told("options", of("option", "cmake_dependent_option")), *told("needs", of("find_package", "fetchcontent_declare", "pkg_check_modules"), 10),
        *told("folders", of("add_subdirectory")), *told("defines", of("function", "macro")),
        *told("standard", [" ".join(w[1:2]) for n, w in calls if n == "set" and w and w[0] in ("CMAKE_CXX_STANDARD", "CMAKE_C_STANDARD")]),
        *told("tests", of("add_test", take=2), 6), *told("installs", of("install", take=2), 3),
    ]  # fmt: skip
    doc = prose.clean(prose.leading_comment(source.lines, ("#",)))
    return Facts("build", doc=doc, notes=common.unique(notes))


def meson_facts(source: Source) -> Facts:
    """meson.build and meson_options.txt."""

    def of(*names: str) -> list[str]:
        return re.findall(
            rf"\b(?:{'|'.join(names)})[ \t]*\([ \t\n]*'([^'\n]{{1,60}})'", source.text
        )

    notes = [
        *told("project", of("project")), *told("targets", of("executable", "library", "shared_library", "static_library")),
        *told("options", of("option")), *told("needs", of("dependency"), 10), *told("folders", of("subdir")),
        *told("tests", of("test"), 6),
    ]  # fmt: skip
    return Facts(
        "build",
        doc=prose.clean(prose.leading_comment(source.lines, ("#",))),
        notes=common.unique(notes),
    )


_PLUGIN = re.compile(
    r"\bid[ \t]*\(?[ \t]*[\"']([\w.-]+)[\"']\)?(?:[ \t]+version[ \t]+[\"']([\w.-]+))?|\bapply[ \t]+plugin:[ \t]*[\"']([\w.-]+)|\b(kotlin|alias)\([\"']?([\w.]+)"
)
_NEEDED = re.compile(r"^[ \t]*(implementation|api|compileOnly|runtimeOnly|annotationProcessor|kapt|ksp|testImplementation|classpath|developmentOnly)[ \t(]+(?:platform\()?[\"']?([\w.:\[\]${}-]+|project\([^)\n]*)", re.MULTILINE)  # fmt: skip


def gradle_facts(source: Source) -> Facts:
    """build.gradle, settings.gradle and their Kotlin forms."""
    text = source.text
    plugins = [m[1] or m[3] or f"{m[4]} {m[5]}" for m in _PLUGIN.finditer(text)]
    needs = [_artifact(m[2]) for m in _NEEDED.finditer(text) if not m[1].startswith("test")]
    tested = [_artifact(m[2]) for m in _NEEDED.finditer(text) if m[1].startswith("test")]
    tasks = re.findall(
        r"\btask[ \t]+(\w+)|\btasks\.register(?:<\w+>)?\([\"'](\w+)|\bval (\w+) by tasks", text
    )
    modules = [
        part
        for m in re.finditer(r"^[ \t]*include[ \t(]+([^\n)]{1,400})", text, re.M)
        for part in re.findall(r"[\"']([^\"']+)", m[1])
    ]
    name = re.findall(r"rootProject\.name[ \t]*=[ \t]*[\"']([^\"'\n]+)", text)
    versions = re.findall(
        r"^[ \t]*(group|version|sourceCompatibility|mainClass|applicationId|minSdk\w*|compileSdk\w*|targetSdk\w*|namespace|archivesBaseName)[ \t]*[= ][ \t]*[\"']?([\w.-]+)",
        text,
        re.M,
    )
    versions += [("java", found) for found in re.findall(r"JavaLanguageVersion\.of\((\d+)", text)]
    notes = [
        *told("project", name), *told("modules", modules, 24), *told("plugins", plugins), *told("sets", (f"{k} {v}" for k, v in versions), 6),
        *told("uses", needs, 14), *told("tests use", tested, 5), *told("tasks", (a or b or c for a, b, c in tasks)),
    ]  # fmt: skip
    settings = (("package", name[0]),) if name else ()
    doc = prose.clean(prose.leading_comment(source.lines, ("//", "/*", "*")))
    return Facts("manifest", doc=doc, notes=common.unique(notes), settings=settings)


def _artifact(written: str) -> str:
    if written.startswith("project("):
        return written[8:].strip("\"' ")
    parts = written.split(":")
    return parts[1] if len(parts) > 1 and parts[0] else written


def sbt_facts(source: Source) -> Facts:
    """build.sbt: name, versions, dependencies, projects."""
    text = source.text
    pairs = re.findall(
        r"\b(name|scalaVersion|organization|version)[ \t]*:=[ \t]*\"([^\"\n]+)", text
    )
    needs = re.findall(r"\"[\w.-]+\"[ \t]*%{1,3}[ \t]*\"([\w.-]+)\"", text)
    projects = re.findall(r"\blazy val (\w+)[ \t]*=[ \t]*\(?project", text)
    notes = [
        *told("sets", (f"{k} {v}" for k, v in pairs), 6),
        *told("projects", projects),
        *told("uses", needs, 14),
    ]
    return Facts(
        "manifest", doc=prose.clean(prose.leading_comment(source.lines)), notes=common.unique(notes)
    )


def bazel_facts(source: Source) -> Facts:
    """BUILD and MODULE.bazel: rules with their names."""
    notes = told("rules", _rules(source.text), 16)
    return Facts(
        "build", doc=prose.clean(prose.leading_comment(source.lines, ("#",))), notes=tuple(notes)
    )


def _rules(text: str) -> Iterator[str]:
    for found in re.finditer(
        r"^([a-z]\w*)\([\s]{0,20}(?:name[ \t]*=[ \t]*)?\"([^\"\n]{1,60})\"", text, re.MULTILINE
    ):
        yield f"{found[1]} {found[2]}"
