"""Facts of infrastructure as code: Terraform, Ansible, Pulumi and CloudFormation documents."""

import re
from collections.abc import Sequence
from typing import Any

from aoci_agent.aoci.facts import common, prose, trees
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.settings import telling_pairs, told

_HCL = re.compile(r"^(resource|data|module|variable|output|provider|backend|terraform|locals|job|group|task|source|build)\b[ \t]*((?:\"[^\"\n]{1,120}\"[ \t]*){0,2})\{", re.MULTILINE)  # fmt: skip
_MODULE_SOURCE = re.compile(r"^[ \t]+source[ \t]*=[ \t]*\"([^\"\n]+)\"", re.MULTILINE)
_ASSIGNED = re.compile(
    r"^[ \t]*(?!(?:default|value|content|data)\b)([a-z]\w*)[ \t]*=[ \t]*(\"[^\"\n$]{1,60}\"|\d+|true|false)[ \t]*$",
    re.MULTILINE,
)


def terraform_facts(source: Source) -> Facts:
    """Resources, modules with sources, variables with defaults, outputs, providers, the backend."""
    text = re.sub(r"^[ \t]*(?:#|//)[^\n]*", "", source.text, flags=re.MULTILINE)
    blocks = [(m[1], re.findall(r"\"([^\"]+)\"", m[2]), m.end()) for m in _HCL.finditer(text)]
    ends = [*(start for _, _, start in blocks[1:]), len(text)][: len(blocks)]

    def of(kind: str) -> list[str]:
        return [".".join(names) for found, names, _ in blocks if found == kind and names]

    modules = [
        f"{'.'.join(names)}" + (f" ({source_[1]})" if (source_ := _MODULE_SOURCE.search(text, start, end)) else "")
        for (kind, names, start), end in zip(blocks, ends, strict=True) if kind == "module"
    ]  # fmt: skip
    defaults = [
        (".".join(names), given[1].strip('"'))
        for (kind, names, start), end in zip(blocks, ends, strict=True)
        if kind == "variable" and (given := re.compile(r"^[ \t]+default[ \t]*=[ \t]*([^\n{\[]{1,80})", re.M).search(text, start, end))
    ]  # fmt: skip
    backend = re.findall(r"^[ \t]+backend[ \t]+\"(\w+)\"", text, re.MULTILINE)
    telling = telling_pairs([(k, v.strip('"')) for k, v in _ASSIGNED.findall(text)], 8)
    notes = [
        *told("resources", of("resource"), 20), *told("modules", modules), *told("data", of("data"), 8),
        *told("variables", of("variable"), 20), *told("defaults", telling_pairs(defaults, 8)), *told("outputs", of("output"), 16),
        *told("providers", of("provider"), 4), *told("backend", backend), *told("jobs", [*of("job"), *of("group"), *of("task")]),
        *told("sets", telling),
    ]  # fmt: skip
    return Facts(
        "infrastructure",
        doc=prose.clean(prose.leading_comment(source.lines, ("#", "//", "/*", "*"))),
        notes=common.unique(notes),
    )


def is_playbook(documents: Sequence[Any]) -> bool:
    """Whether a YAML list holds Ansible plays or tasks."""
    first = (
        trees.table(trees.items(documents[0])[0]) if documents and trees.items(documents[0]) else {}
    )
    return "hosts" in first or (
        "name" in first
        and any(
            isinstance(v, dict | str) and (k in _MODULES or "." in str(k)) for k, v in first.items()
        )
    )


_MODULES = frozenset(
    ["apt", "yum", "dnf", "package", "pip", "copy", "template", "file", "service", "systemd", "command", "shell", "user", "group", "git", "get_url", "unarchive", "lineinfile", "include_tasks", "import_tasks", "include_role", "import_playbook", "set_fact", "debug", "docker_container", "uri", "block", "stat", "wait_for", "cron", "mysql_db", "postgresql_db", "ec2", "firewalld", "ufw", "hosts"]
)  # fmt: skip


def ansible_facts(documents: Sequence[Any], doc: str) -> Facts:
    """Plays with hosts and roles, or the names of tasks with their modules."""
    notes: list[str] = []
    tasks: list[str] = []
    for each in trees.items(documents[0]):
        play = trees.table(each)
        roles = [
            trees.word(role) or trees.word(trees.at(role, "role"))
            for role in trees.items(play.get("roles"))
        ]
        if "hosts" in play:
            notes.append(
                f"play on {trees.word(play.get('hosts'))}"
                + (f" with roles {', '.join(roles)}" if roles else "")
            )
            notes += told("files", trees.words(play.get("vars_files")))
        listed = [
            task
            for key in ("pre_tasks", "tasks", "handlers", "post_tasks")
            for task in trees.items(play.get(key))
        ]
        tasks += [
            trees.word(trees.at(task, "name"))
            for task in listed or ([] if "hosts" in play else [play])
        ]
    return Facts(
        "infrastructure", doc=doc, notes=common.unique([*notes, *told("tasks", tasks, 14)])
    )


def cloudformation_notes(value: trees.Table) -> list[str]:
    """CloudFormation, SAM and serverless: resources with their types, parameters, functions."""
    resources = [
        f"{name} {trees.word(trees.at(inner, 'Type')).removeprefix('AWS::')}"
        for name, inner in trees.table(value.get("Resources")).items()
    ]
    functions = [
        f"{name} {trees.word(trees.at(inner, 'handler'))}".strip()
        for name, inner in trees.table(value.get("functions")).items()
    ]
    return [
        *told("resources", resources, 16), *told("parameters", trees.table(value.get("Parameters"))), *told("functions", functions, 16),
        *told("outputs", trees.table(value.get("Outputs"))),
    ]  # fmt: skip
