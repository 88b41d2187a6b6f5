"""Facts of files without a grammar: which reader a file's name asks for, and the fallback for the rest."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import PurePosixPath
from typing import cast

from aoci_agent.aoci.facts import common, prose, secrets
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.lines import in_lines
from aoci_agent.aoci.facts.model import Facts, Symbol
from aoci_agent.aoci.wordset import wordset

Reader = Callable[[Source], Facts]

# Kind -> the function that reads it, `module:name` of `aoci.facts`, imported when first needed.
_READERS: Mapping[str, str] = {
    "document": "documents:document_facts", "changelog": "documents:changelog_facts", "licence": "documents:licence_facts",
    "notebook": "documents:notebook_facts", "key": "documents:key_facts", "ignore": "documents:ignore_facts",
    "html": "markup:html_facts", "style": "markup:style_facts", "xml": "xml:xml_facts", "solution": "xml:solution_facts",
    "json": "structured:json_facts", "yaml": "structured:yaml_facts", "gitlab": "structured:gitlab_facts",
    "pipeline": "structured:pipeline_facts", "chart": "structured:chart_facts", "templated": "structured:template_facts",
    "ini": "settings:ini_facts", "toml": "settings:toml_facts", "properties": "settings:properties_facts",
    "dotenv": "settings:dotenv_facts", "tsconfig": "settings:tsconfig_facts",
    "package": "packages:package_facts", "pyproject": "packages:pyproject_facts", "setupcfg": "packages:setup_cfg_facts",
    "gomod": "packages:gomod_facts", "cargo": "packages:cargo_facts", "composer": "packages:composer_facts",
    "gem": "packages:gem_facts", "swiftpackage": "packages:swift_facts", "list": "packages:list_facts",
    "make": "builds:make_facts", "just": "builds:just_facts", "cmake": "builds:cmake_facts", "meson": "builds:meson_facts",
    "gradle": "builds:gradle_facts", "sbt": "builds:sbt_facts", "bazel": "builds:bazel_facts",
    "docker": "containers:docker_facts", "jenkins": "workflows:jenkins_facts", "terraform": "infrastructure:terraform_facts",
    "server": "servers:server_facts", "apache": "servers:htaccess_facts", "caddy": "servers:caddy_facts",
    "unit": "servers:unit_facts", "procfile": "servers:procfile_facts", "crontab": "servers:crontab_facts",
    "graphql": "schemas:graphql_facts", "proto": "schemas:proto_facts", "prisma": "schemas:prisma_facts", "sql": "sql:sql",
    "shell": "shell:shell",
}  # fmt: skip
_ENDINGS: Mapping[str, str] = {
    ending: kind
    for kind, endings in {
        "document": ".md .mdx .markdown .rst .adoc .asciidoc .txt .org .textile",
        "notebook": ".ipynb", "json": ".json .jsonc .json5 .webmanifest .arb .avsc", "yaml": ".yaml .yml",
        "toml": ".toml", "ini": ".ini .cfg .inf .desktop", "properties": ".properties", "dotenv": ".env",
        "html": ".html .htm .xhtml .ejs .hbs .handlebars .mustache .njk .jinja .jinja2 .twig .erb .liquid .gohtml .jsp .cshtml"
        " .razor .ftl .pug .jade .haml .slim .eex .heex",
        "style": ".css .scss .sass .less .styl .pcss", "xml": ".xml .csproj .fsproj .vbproj .props .targets .nuspec .plist .xsd .wsdl"
        " .xaml .resx .storyboard .config .vcxproj", "solution": ".sln", "server": ".conf .cnf .nginx .vhost",
        "terraform": ".tf .tfvars .hcl .nomad", "graphql": ".graphql .gql .graphqls", "proto": ".proto", "prisma": ".prisma",
        "cmake": ".cmake", "gradle": ".gradle", "sbt": ".sbt", "bazel": ".bazel .bzl", "make": ".mk .mak", "gem": ".gemspec",
        "unit": ".service .timer .socket", "key": ".pem .crt .cer .key .pub .csr .asc", "shell": ".sh .bash .zsh .ksh .bats .command",
        "sql": ".sql .ddl .psql",
    }.items()
    for ending in endings.split()
}  # fmt: skip
_NAMES: Mapping[str, str] = {
    name: kind
    for kind, names in {
        "gomod": "go.mod go.work", "package": "package.json", "pyproject": "pyproject.toml", "setupcfg": "setup.cfg",
        "cargo": "cargo.toml", "composer": "composer.json", "gem": "gemfile", "swiftpackage": "package.swift",
        "make": "makefile gnumakefile bsdmakefile", "just": "justfile .justfile", "cmake": "cmakelists.txt",
        "meson": "meson.build meson_options.txt meson.options", "gradle": "build.gradle.kts settings.gradle.kts",
        "bazel": "build workspace module.bazel build.bazel", "jenkins": "jenkinsfile", "apache": ".htaccess httpd.conf apache2.conf",
        "caddy": "caddyfile", "procfile": "procfile", "crontab": "crontab", "chart": "chart.yaml", "server": "nginx.conf haproxy.cfg conf my.ini",
        "gitlab": ".gitlab-ci.yml .gitlab-ci.yaml", "licence": "license licence copying notice unlicense patents",
        "pipeline": ".travis.yml azure-pipelines.yml appveyor.yml .appveyor.yml .drone.yml bitbucket-pipelines.yml .cirrus.yml"
        " buildspec.yml cloudbuild.yaml .woodpecker.yml", "list": "codeowners pipfile", "document": "readme install todo authors contributors",
        "changelog": "changelog changes history news releases", "ini": ".editorconfig .flake8 .pylintrc .coveragerc .gitconfig .npmrc .yarnrc tox.ini",
        "json": ".prettierrc .eslintrc .babelrc .swcrc .stylelintrc .lintstagedrc .releaserc .nycrc .mocharc composer.lock",
        "shell": ".bashrc .zshrc .profile .envrc gradlew mvnw",
    }.items()
    for name in names.split()
}  # fmt: skip
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\.env(?:\.|\Z)|.*\.env\.\w+\Z|env\.(?:example|sample|template)\Z"), "dotenv"),
    (
        re.compile(
            r"\.?(?:dockerfile|containerfile)(?:[._-]|\Z)|.*[.-](?:dockerfile|containerfile)\Z"
        ),
        "docker",
    ),
    (re.compile(r"(?:licen[cs]e|copying|unlicense)(?:[-_.]|\Z)"), "licence"),
    (re.compile(r"[tj]sconfig.*\.json\Z"), "tsconfig"),
    (re.compile(r"\..*ignore\Z"), "ignore"),
    (re.compile(r"(?:requirements|constraints)[\w.-]*\.(?:txt|in)\Z"), "list"),
    (re.compile(r"docker-compose[\w.-]*\.ya?ml"), "yaml"),
)
# Files that hold a secret and nothing else; what is in them is never read.
_SECRET_FILE = re.compile(
    r"(?:\A|[._-])(?:passwords?|passwd|secrets?|tokens?|credentials?|htpasswd|pgpass|id_(?:rsa|dsa|ecdsa|ed25519)|api-?_?keys?)"
    r"(?:\.txt|\.pwd)?\Z|\A\.netrc\Z"
)
# Folders whose YAML is another thing than its name says.
_FOLDERS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?:^|/)\.circleci/[^/]+\.ya?ml\Z|(?:^|/)\.buildkite/.*\.ya?ml\Z"), "pipeline"),
    (re.compile(r"(?:^|/)templates/.*\.(?:yaml|yml|tpl)\Z"), "templated"),
    (
        re.compile(r"(?:^|/)(?:nginx|sites-available|sites-enabled|conf\.d)/[^/.]+\Z|nginx[^/]*\Z"),
        "server",
    ),
)
# Kinds that a parser reads, whose text must stay as it is.
_PARSED = wordset(
    "json notebook package composer tsconfig toml pyproject cargo xml yaml gitlab pipeline chart"
)
# Endings of patterns that become another file: what stands before them says the kind.
_PATTERN_OF = wordset(
    "template tmpl tpl j2 jinja example sample dist in default reference ref simple erb gotmpl"
)
_COPY = re.compile(
    r"\A(?P<name>.+?\.\w{1,10})(?:[._-](?P<what>(?:bak|backup|old|orig|broken|before|bugfix|fix|error|new|stable|optimized|copy|save"
    r"|original|saved|prev|rej|tmp|v\d+|add|final|force|remove|restore|safe|always|callback|simplify|20\d{6})\d*(?:[._-].*)?)|~)\Z",
    re.IGNORECASE,
)  # fmt: skip
# Files whose name says what they are to everyone, and whose content says no more.
_CUSTOMARY: Mapping[str, str] = {
    ".editorconfig": "editor settings", ".gitattributes": "git attributes", ".npmrc": "npm settings",
    ".nvmrc": "node version", ".node-version": "node version", ".python-version": "python version", ".ruby-version": "ruby version",
    ".tool-versions": "versions of tools", ".prettierrc": "code format", ".netrc": "logins by host",
    "funding.yml": "funding links", "cname": "host name of the site", ".clang-format": "C/C++ code format",
    "py.typed": "marks the package as typed", "codeowners": "owners by path", "rustfmt.toml": "Rust code format",
    "pull_request_template.md": "pull request form", "robots.txt": "rules for crawlers", ".mailmap": "names of authors",
    "rust-toolchain": "Rust version", "gradlew": "Gradle wrapper", "gradlew.bat": "Gradle wrapper", "mvnw": "Maven wrapper",
    "mvnw.cmd": "Maven wrapper", ".yarnrc.yml": "yarn settings", ".gitmodules": "git submodules",
}  # fmt: skip
_TOLD: Mapping[str, str] = {
    "dependabot.yml": "dependency updates",
    ".pre-commit-config.yaml": "checks before a commit",
}


def kind_of(path: str) -> str:
    """The kind of a file without a grammar, by its path alone. What `plain_facts` does follows from it."""
    pure = PurePosixPath(path.lower())
    if _SECRET_FILE.search(pure.name):
        return "key"
    if pure.name in _CUSTOMARY or pure.name in _TOLD:
        return f"usual {pure.name}"
    copied = None if pure.suffix in _ENDINGS else _COPY.match(PurePosixPath(path).name)
    if copied:
        return f"copy {copied['name']} {copied['what'] or ''}"
    named = _by_name(pure)
    wanted = {"yaml": ("pipeline", "templated"), "code": ("templated", "server")}.get(named, ())
    return next((k for pattern, k in _FOLDERS if k in wanted and pattern.search(str(pure))), named)


def _by_name(pure: PurePosixPath) -> str:
    for pattern, kind in _PATTERNS:
        if pattern.match(pure.name):
            return kind
    bare = pure.name.split(".")[0] if pure.suffix in ("", ".md", ".txt", ".rst") else pure.name
    kind = _NAMES.get(pure.name) or _NAMES.get(bare) or _ENDINGS.get(pure.suffix)
    if kind is None and pure.suffix[1:] in _PATTERN_OF:
        kind = _by_name(PurePosixPath(pure.stem))
        return (
            "html"
            if kind == "code" and pure.suffix in (".j2", ".jinja", ".erb", ".tmpl", ".gotmpl")
            else kind
        )
    return kind or "code"


def plain_facts(source: Source) -> Facts:
    """Facts by kind; every kind falls back to the leading comment. No secret gets into what is told."""
    kind, _, about = kind_of(source.path).partition(" ")
    if kind == "copy":
        name, _, what = about.partition(" ")
        return Facts("copy", doc=f"copy of {name}, {what}" if what else f"copy of {name}")
    usual = ""
    if kind == "usual":
        usual = _CUSTOMARY.get(about) or _TOLD[about]
        kind = _by_name(PurePosixPath(about))
    facts = _reader(kind)(source if kind in _PARSED else in_lines(source))
    if about in _CUSTOMARY:
        return Facts(facts.language, doc=usual)
    doc, notes = secrets.masked(usual or facts.doc), tuple(map(secrets.masked, facts.notes))
    settings = tuple((key, secrets.masked(value)) for key, value in facts.settings)
    return replace(facts, doc=doc, notes=notes, settings=settings)


def _reader(kind: str) -> Reader:
    module, _, name = _READERS.get(kind, "").partition(":")
    if not module:
        return _code
    read: object = getattr(import_module(f"aoci_agent.aoci.facts.{module}"), name)
    return cast("Reader", read)


_DEFINITION = re.compile(
    r"^[ \t]{0,4}(?:(?:pub(?:\([\w:]+\))?|public|private|protected|internal|static|final|abstract|export"
    r"|open|override|async|unsafe|const|virtual|inline|sealed|data|partial)[ \t]+){0,6}"
    r"(?P<kind>class|interface|trait|struct|enum|record|object|protocol|module|namespace|message|service"
    r"|fn|fun|func|function|def|sub|type|model|rpc|resource|proc)[ \t]+[\"']?(?P<name>[A-Za-z_][\w.$-]*)",
    re.MULTILINE,
)
_ASSIGNED = re.compile(
    r"^([A-Za-z_]\w*)[ \t]*(?:=|:=|<-)[ \t]*(?:func|function|rule|fn|lambda)\b", re.MULTILINE
)
_CASE = re.compile(
    r"^[ \t]*(?:test|tcltest::test|context|describe|it)[ \t]+[{\"]([^{}\"\n]{3,100})[}\"]",
    re.MULTILINE,
)
_FUNCTIONS = wordset("fn fun func function def sub rpc proc")
_MOST = 80


def _code(source: Source) -> Facts:
    """Any other text: the comment at its top, what its lines define, what they read and ask."""
    markers = ("//", "/*", "*", "#", "--", ";", "%", "<!--")
    defined: dict[str, Symbol] = {}
    line, start = 0, 0
    for found in _DEFINITION.finditer(source.text):
        line += source.text.count("\n", start, found.start())
        start = found.start()
        kind = "function" if found["kind"] in _FUNCTIONS else "class"
        defined.setdefault(found["name"], Symbol(found["name"], kind, line + 1))
        if len(defined) >= _MOST:
            break
    for name in _ASSIGNED.findall(source.text)[:_MOST]:
        defined.setdefault(name, Symbol(name, "function", 1))
    doc = prose.clean(prose.leading_comment(source.lines, markers))
    cases = common.unique(_CASE.findall(source.text), 12)
    notes = () if doc or defined or cases else _beginning(source)
    return Facts(
        "text",
        doc=doc,
        notes=notes,
        cases=cases,
        symbols=tuple(defined.values()),
        env=common.env_keys(source.text),
        tables=common.sql_tables(source.text),
        calls=common.called_paths(source.text),
    )


def _beginning(source: Source) -> tuple[str, ...]:
    """How a text begins that says nothing else, where that is more than one word."""
    first = next((line.strip() for line in source.lines[:40] if len(line.strip()) > 3), "")
    said = prose.clean(first, 60)
    return (f"begins {said}",) if len(re.findall(r"[^\W\d_]{2,}", said)) > 1 else ()
