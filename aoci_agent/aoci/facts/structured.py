"""YAML and JSON by what is in them: whose configuration it is, else its keys and telling values."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from aoci_agent.aoci.facts import (
    builds,
    common,
    containers,
    infrastructure,
    prose,
    schemas,
    secrets,
    trees,
    workflows,
)
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.settings import messages, prosaic, telling_pairs, told
from aoci_agent.aoci.facts.yaml import load_yaml

_WIDE = 40  # keys from which on a flat table is shown by groups


def yaml_facts(source: Source) -> Facts:
    """The kinds of YAML that have a shape of their own, told by their keys."""
    documents = load_yaml(source.text)
    doc = prose.clean(prose.leading_comment(source.lines, ("#",)))
    first = trees.table(documents[0]) if documents else {}
    found = _known(source, documents, first, doc)
    if found is not None:
        return found
    if infrastructure.is_playbook(documents):
        return infrastructure.ansible_facts(documents, doc)
    return _general("yaml", first or (documents[0] if documents else {}), doc, source.text)


def _known(source: Source, documents: Sequence[Any], first: trees.Table, doc: str) -> Facts | None:
    """Facts of a document whose keys say which program it is for."""
    if "kind" in first and "apiVersion" in first:
        return Facts(
            "kubernetes", doc=doc, notes=_shown(containers.kubernetes_notes(documents), 14)
        )
    if trees.is_table(first.get("services")) and not first.keys() & {"jobs", "parameters", "http"}:
        taken = told("takes", common.substituted(source.text), 20)
        return Facts(
            "compose", doc=doc, notes=_shown([*containers.compose_notes(first), *taken], 40)
        )
    if workflows.is_workflow(first):
        return workflows.workflow_facts(source.text, first, doc)
    if schemas.is_openapi(first):
        return schemas.openapi_facts(first)
    return _built(first, doc)


def _built(first: trees.Table, doc: str) -> Facts | None:
    if trees.is_table(first.get("tasks")) and "version" in first:
        return builds.task_facts(first, doc)
    cloud = first.keys() & {"Resources", "AWSTemplateFormatVersion"}
    if cloud or ("functions" in first and "provider" in first):
        said = prose.clean(trees.word(first.get("Description"))) or doc
        notes = infrastructure.cloudformation_notes(first)
        return Facts("infrastructure", doc=said, notes=tuple(notes))
    return None


def _shown(notes: Sequence[str], limit: int) -> tuple[str, ...]:
    return common.unique(map(secrets.masked, notes), limit)


def pipeline_facts(source: Source) -> Facts:
    """Continuous integration outside GitHub, told by the file's name."""
    return _pipeline("pipeline", source)


def gitlab_facts(source: Source) -> Facts:
    """.gitlab-ci.yml."""
    return _pipeline("gitlab", source)


def _pipeline(kind: str, source: Source) -> Facts:
    documents = load_yaml(source.text)
    doc = prose.clean(prose.leading_comment(source.lines, ("#",)))
    value = trees.table(documents[0]) if documents else {}
    made: Facts = workflows.PIPELINES[kind](source, value, doc)
    return made


def chart_facts(source: Source) -> Facts:
    """Helm's Chart.yaml."""
    documents = load_yaml(source.text)
    value = trees.table(documents[0]) if documents else {}
    said = prose.clean(trees.word(value.get("description")))
    return Facts("manifest", doc=said, notes=tuple(containers.chart_notes(value)))


def template_facts(source: Source) -> Facts:
    """YAML with a template engine's marks: as YAML, with the values it takes."""
    facts = yaml_facts(source)
    taken = common.unique(
        part.split()[0] for part in source.text.split(".Values.")[1:] if part.split()
    )
    values = told("takes", (name.strip("}|),\"'") for name in taken), 10)
    return replace(facts, notes=(*facts.notes, *values))


def json_facts(source: Source) -> Facts:
    """JSON: an interface, a schema, a message catalogue, else keys and telling values."""
    value = trees.json_of(source)
    table = trees.table(value)
    if schemas.is_openapi(table):
        return schemas.openapi_facts(table)
    if schemas.is_json_schema(table):
        return schemas.json_schema_facts(table)
    if table.keys() & {"Resources", "AWSTemplateFormatVersion"} and isinstance(
        table.get("Resources"), dict
    ):
        return Facts("infrastructure", notes=tuple(infrastructure.cloudformation_notes(table)))
    if "kind" in table and "apiVersion" in table:
        return Facts("kubernetes", notes=tuple(containers.kubernetes_notes([table])))
    said = table.get("description")
    return _general("json", value, prose.clean(said) if isinstance(said, str) else "", source.text)


def _general(language: str, value: Any, doc: str, text: str) -> Facts:
    """Top-level keys, then the settings that tell most; catalogues by their groups."""
    if trees.is_list(value):
        return _list(language, trees.items(value), doc)
    table = trees.table(value)
    name = next(
        (
            trees.word(table.get(key))
            for key in ("title", "name", "site_name")
            if trees.word(table.get(key))
        ),
        "",
    )
    pairs = trees.leaves(table, 3000)
    if prosaic(pairs):
        return replace(
            messages(pairs), language=language, doc=doc or (name if len(name) > 12 else "")
        )
    inner = [
        f"{key}{{{'/'.join(trees.words(inner)[:6])}}}"
        if trees.is_table(inner) and len(table) < 8
        else str(key)
        for key, inner in table.items()
    ]
    notes = told("keys", inner if len(inner) < _WIDE else _groups(inner), 14)
    telling = telling_pairs(pairs[:400])
    notes = (
        [*telling, *notes]
        if 0 < len(pairs) < 6 and len(telling) == len(pairs)
        else [*notes, *telling]
    )
    return Facts(
        language,
        doc=doc or prose.clean(name),
        notes=common.unique(map(secrets.masked, notes), 16),
        env=common.substituted(text),
    )


def _groups(keys: Sequence[str]) -> list[str]:
    counts: dict[str, int] = {}
    for key in keys:
        counts[key.split(".")[0]] = counts.get(key.split(".")[0], 0) + 1
    return [
        f"{key} {count}" if count > 1 else key
        for key, count in sorted(counts.items(), key=lambda item: -item[1])
    ]


def _list(language: str, listed: Sequence[Any], doc: str) -> Facts:
    """A list: how long, and what its items are called."""
    fields = list(trees.table(listed[0])) if listed else []
    named = [
        trees.word(trees.at(item, key))
        for item in listed[:200]
        for key in ("name", "id", "title", "key")
        if trees.word(trees.at(item, key))
    ]
    words = [item[:40] for item in listed[:40] if isinstance(item, str)]
    notes = [
        f"list of {len(listed)} items",
        *told("of", named or words, 8),
        *told("fields", map(str, fields), 10),
    ]
    return Facts(language, doc=doc, notes=tuple(notes))
