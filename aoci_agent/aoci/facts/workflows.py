"""Facts of continuous integration: GitHub, GitLab, CircleCI, Travis, Azure and Jenkins pipelines."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from aoci_agent.aoci.facts import common, prose, trees
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.settings import told

# Commands that say what a pipeline is for, the more telling first.
_COMMANDS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:npm|pnpm|yarn|cargo|poetry|uv|hatch|flit|twine|gem|mvn|gradlew?|dotnet)\b[^\n|&;]{0,40}?\b(?:publish|deploy|upload|push|release)\b[^\n|&;]{0,40}"
        r"|(?:docker|podman|crane|helm)(?: buildx)?[ \w]{0,12} (?:push|build|imagetools)\b[^\n|&;]{0,50}|(?:kubectl|helm|terraform|pulumi|ansible-playbook|serverless|fly|flyctl|vercel|netlify|wrangler|firebase|eb|cdk|gcloud|az|aws|heroku|rsync|scp|ssh)[ \t][^\n|&;]{1,60}"
        r"|gh (?:release|pr)[ \w-]{1,40}|git (?:push|tag)[^\n|&;]{0,40}|goreleaser[^\n|&;]{0,30}|semantic-release|changeset[^\n|&;]{0,20}|curl[^\n|&;]{0,20}?-X ?(?:POST|PUT)[^\n|&;]{0,40}",
        r"(?:pytest|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|cargo (?:test|nextest)|go (?:test|vet)|(?:npm|pnpm|yarn|bun)(?: run)? [\w:-]*(?:test|lint|build|check)[\w:-]*|(?:\./)?(?:mvnw?|gradlew?)[ \t][^\n|&;]{1,40}|make [\w-]+|cargo \w+|ruff|mypy|golangci-lint|dotnet \w+|composer \w+|(?<![\w/.])(?:\./|scripts?/|bin/|tools/|ci/)[\w/.-]+|(?:bash|sh|python3?|node) [\w/.-]+\.\w+)(?:[ \t][^\n|&;]{0,30})?",
    )
)  # fmt: skip
_PLAIN = re.compile(
    r"\Aactions/(?:checkout|cache|(?:upload|download)-artifact|setup-\w+)\Z|setup-(?:buildx|qemu)"
)
_SECRET = re.compile(r"secrets\.([A-Za-z_]\w+)")


def is_workflow(value: trees.Table) -> bool:
    """Whether a YAML table is a GitHub workflow or action."""
    return bool(value.keys() & {"on", "true"} and "jobs" in value) or (
        "runs" in value and trees.is_table(value.get("runs"))
    )


def workflow_facts(text: str, value: trees.Table, doc: str) -> Facts:
    """GitHub: triggers, jobs, what the steps are for, secrets."""
    name = trees.word(value.get("name"))
    jobs = trees.table(value.get("jobs")) or {"action": value.get("runs")}
    keys = [k for part in (value, *jobs.values()) for k in trees.table(trees.at(part, "env"))]
    shown = [_job(key, trees.table(job)) for key, job in jobs.items()]
    parts = (
        told("jobs", shown) if "jobs" in value else told("inputs", trees.table(value.get("inputs")))
    )
    notes = [
        *told("on", _triggers(value.get("on", value.get("true")))),
        *_purposes(jobs),
        *parts,
        *told("secrets", [key for key in _SECRET.findall(text) if key != "GITHUB_TOKEN"], 8),
        *told("env", map(str, keys), 8),
    ]
    said = doc or prose.clean(trees.word(value.get("description")))
    known = said.lower() == name.lower()
    return Facts(
        "workflow", doc=": ".join(filter(None, (name, "" if known else said))), notes=tuple(notes)
    )


def _job(key: str, job: trees.Table) -> str:
    matrix = trees.table(trees.at(job, "strategy", "matrix"))
    axes = [
        f"{axis} {'/'.join(values[:6])}"
        for axis, inner in matrix.items()
        if (values := trees.words(inner)) and axis not in ("include", "exclude")
    ]
    needs = trees.words(job.get("needs"))
    reused = trees.word(job.get("uses"))
    more = [*axes, f"after {'+'.join(needs)}" if needs else "", f"uses {reused}" if reused else ""]
    said = "; ".join(part for part in more if part)
    return f"{key} ({said})" if said else key


def _triggers(value: object) -> Iterator[str]:
    if not trees.is_table(value):
        yield from trees.words(value)
        return
    for event, about in trees.table(value).items():
        if event == "schedule":
            yield from (f"cron {trees.word(trees.at(item, 'cron'))}" for item in trees.items(about))
            continue
        kept = ("branches", "tags", "paths", "types", "workflows", "branches-ignore", "tags-ignore")
        more = [
            f"{key} {'/'.join(names[:4])}"
            for key in kept
            if (names := trees.words(trees.at(about, key)))
        ]
        inputs = list(trees.table(trees.at(about, "inputs")))
        more += [f"inputs {'/'.join(inputs[:5])}"] if inputs else []
        yield f"{event} ({'; '.join(more)})" if more else str(event)


def _purposes(jobs: trees.Table) -> Iterator[str]:
    steps = [step for job in jobs.values() for step in trees.items(trees.at(job, "steps"))]
    used = [trees.word(trees.at(step, "uses")).split("@")[0] for step in steps]
    yield from told("uses", [name for name in used if name and not _PLAIN.search(name)], 8)
    yield from _commands("\n".join(trees.word(trees.at(step, "run")) for step in steps))


def _commands(text: str, limit: int = 8) -> list[str]:
    """Lines of scripts that publish, deploy or test."""
    text = re.sub(r"\\\n\s*", " ", text)
    found = (
        " ".join(m[0].split())
        for pattern in _COMMANDS
        for line in text.split("\n")
        if (m := pattern.search(line[:400]))
    )
    return told("runs", (prose.cut(command, 70) for command in found), limit)


_GITLAB = frozenset(("stages", "variables", "include", "default", "image", "workflow", "before_script", "after_script", "services", "cache", "pages"))  # fmt: skip


def gitlab_facts(source: Source, value: trees.Table, doc: str) -> Facts:
    """GitLab: stages, jobs with their stage and rules, images, what they run."""
    jobs = {
        key: trees.table(job)
        for key, job in value.items()
        if key not in _GITLAB and trees.is_table(job)
    }
    shown = [
        f"{key} ({stage})" if (stage := trees.word(job.get("stage"))) else key
        for key, job in jobs.items()
        if not key.startswith(".")
    ]
    images = [
        trees.word(job.get("image")) or trees.word(trees.at(job, "image", "name"))
        for job in (value, *jobs.values())
    ]
    notes = [
        *told("stages", trees.words(value.get("stages"))), *told("jobs", shown), *told("images", images, 4),
        *_commands(source.text),
        *told("includes", [word for item in trees.items(value.get("include")) for _, word in trees.leaves(item, 2)] + trees.words(value.get("include"))),
    ]  # fmt: skip
    return Facts(
        "workflow",
        doc=doc,
        notes=tuple(notes),
        env=common.unique(map(str, trees.table(value.get("variables")))),
    )


def pipeline_facts(source: Source, value: trees.Table, doc: str) -> Facts:
    """CircleCI, Travis, Azure, Drone, Buildkite and their like."""
    names: list[str] = []
    for block in ("jobs", "stages", "steps", "pipeline", "pipelines"):
        inner = value.get(block)
        names += trees.words(inner) or [_named(item) for item in trees.items(inner)]
    images = re.findall(r"^[ \t-]*image:[ \t]*[\"']?(\S+?)[\"']?[ \t]*$", source.text, re.MULTILINE)
    versions = [
        f"{key} {'/'.join(trees.words(value.get(key))[:6])}"
        for key in ("language", "python", "node_js", "go", "rust", "jdk", "os")
        if value.get(key)
    ]
    triggers = [
        f"{key} {', '.join(word for _, word in trees.leaves(value.get(key), 4))}"
        for key in ("trigger", "schedules", "branches")
        if value.get(key)
    ]
    notes = [
        *told("jobs", names),
        *versions,
        *triggers,
        *told("images", images, 4),
        *_commands(source.text),
    ]
    return Facts("workflow", doc=doc, notes=tuple(notes))


def _named(item: Any) -> str:
    return next(
        (
            said
            for key in ("job", "stage", "name", "label", "displayName")
            if (said := trees.word(trees.at(item, key)))
        ),
        "",
    )


PIPELINES: Mapping[str, Any] = {"gitlab": gitlab_facts, "pipeline": pipeline_facts}


def jenkins_facts(source: Source) -> Facts:
    """Jenkinsfile: agent, stages, triggers, what it runs."""
    text = source.text
    stages = re.findall(r"\bstage[ \t]*\([ \t]*[\"']([^\"'\n]{1,60})", text)
    agents = re.findall(r"\b(?:image|label)[ \t]+[\"']([^\"'\n]{1,60})", text)
    cron = re.findall(r"\b(?:cron|pollSCM)[ \t]*\([ \t]*[\"']([^\"'\n]{1,40})", text)
    notes = [
        *told("stages", stages),
        *told("agents", agents, 3),
        *told("cron", cron),
        *_commands(text),
    ]
    doc = prose.clean(prose.leading_comment(source.lines, ("//", "/*", "*")))
    env = re.findall(r"^[ \t]+([A-Z][A-Z0-9_]{2,})[ \t]*=", text, re.MULTILINE)
    return Facts("workflow", doc=doc, notes=tuple(notes), env=common.unique(env))
