"""Facts of containers and clusters: Dockerfiles, compose files, Kubernetes manifests, Helm charts."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from aoci_agent.aoci.facts import common, prose, trees
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.settings import telling_pairs, told

_INSTRUCTION = re.compile(r"^[ \t]*([A-Za-z]+)[ \t]+(\S[^\n]*)", re.MULTILINE)
_BUILD = re.compile(
    r"\b((?:npm|pnpm|yarn|bun|corepack) (?:ci|install|add|run [\w:-]+|build\w*)|go (?:build|install|mod download)"
    r"|cargo (?:build|install)|(?:\./)?(?:mvnw?|gradlew?) [\w -]{1,40}|pip3? install|poetry install|uv (?:sync|pip)"
    r"|make(?: [\w-]+)?|cmake|composer install|bundle install|dotnet (?:publish|build|restore)|apk add|apt-get install)"
)  # fmt: skip
Pair = tuple[str, str]


def docker_facts(source: Source) -> Facts:
    """Dockerfile: stages and base images, ports, start command, what it copies and builds."""
    text = re.sub(r"\\[ \t]*\n(?:[ \t]*#[^\n]*\n)*", " ", source.text)
    steps = [(m[1].upper(), " ".join(m[2].split())) for m in _INSTRUCTION.finditer(text)]
    lines = [
        line for line in source.lines[:80] if not re.match(r"#[ \t]*(?:syntax|escape|check)=", line)
    ]
    doc = prose.clean(prose.leading_comment(lines, ("#",)))
    env = [name for key, value in steps for name in _declared(key, value)]
    return Facts(
        "docker", doc=doc, notes=common.unique(_docker_notes(steps), 14), env=common.unique(env)
    )


def _declared(key: str, value: str) -> list[str]:
    if key == "ARG":
        return [value.split("=")[0]]
    if key != "ENV":
        return []
    return re.findall(r"(?:^| )([A-Za-z_]\w*)=", value) or [value.split(" ")[0]]


def _docker_notes(steps: Sequence[Pair]) -> Iterator[str]:
    def of(*names: str) -> list[str]:
        return [value for key, value in steps if key in names]

    bases = [re.sub(r"^(?:--\S+ )+", "", value) for value in of("FROM")]
    stages = {base.split(" ")[-1] for base in bases if " " in base}
    shown = [re.sub(r"(?i) as ", " as ", base) for base in bases]
    yield from told("from", [base for base in shown if base not in stages], 5)
    yield from told("exposes", of("EXPOSE"), 4)
    start = [value for key in ("ENTRYPOINT", "CMD") for value in of(key)[-1:]]
    yield from told("starts", [_argv(value) for value in start])
    yield from told(
        "builds with", [found[1] for value in of("RUN") for found in _BUILD.finditer(value)], 6
    )
    inner = [(re.search(r"--from=(\S+)", value), value.split(" ")[-2:]) for value in of("COPY")]
    yield from told(
        "copies", [f"{' to '.join(ends)} from {found[1]}" for found, ends in inner if found], 3
    )
    copied = [re.sub(r"--\S+ ", "", value) for value in of("COPY", "ADD") if "--from" not in value]
    yield from told(
        "copies", [" to ".join(value.rsplit(" ", 1)) for value in copied if value[0] not in ".["], 4
    )
    pairs = [m.groups() for v in of("ENV", "ARG") for m in re.finditer(r"(\w+)=(\S+)", v)]
    yield from told("sets", telling_pairs([(key, value) for key, value in pairs], 5))
    yield from told(
        "health", [re.sub(r"--\S+ |CMD ", "", value)[:80] for value in of("HEALTHCHECK")[:1]]
    )
    for name in ("WORKDIR", "VOLUME", "USER"):
        yield from told(name.lower(), of(name)[-1:])


def _argv(value: str) -> str:
    """`["a", "b"]` as `a b`."""
    parts = re.findall(r"\"((?:[^\"\\]|\\.)*)\"", value) if value.startswith("[") else []
    return prose.cut(" ".join(parts) or value, 90)


def compose_notes(value: trees.Table) -> list[str]:
    """Services with image or build, ports, and what they need."""
    services = trees.table(value.get("services"))
    notes = told("services", services, 16)
    own = sorted(services.items(), key=lambda item: "build" not in trees.table(item[1]))
    for name, service in own:
        parts = _service(trees.table(service))
        notes += [f"{name}: {', '.join(parts)}"] if parts else []
    notes += told(
        "env files", [f for s in services.values() for f in _env_files(trees.at(s, "env_file"))]
    )
    mounts = [
        v for s in services.values() for v in trees.words(trees.at(s, "volumes")) if v[:1] in "./~$"
    ]
    notes += told("binds", mounts, 6)
    notes += told("volumes", trees.table(value.get("volumes")), 6)
    return notes + told("networks", trees.table(value.get("networks")), 4)


def _env_files(value: object) -> list[str]:
    return trees.words(value) + [trees.word(trees.at(item, "path")) for item in trees.items(value)]


def _service(service: trees.Table) -> list[str]:
    build = service.get("build")
    context = trees.word(build) or trees.word(trees.at(build, "context"))
    dockerfile = trees.word(trees.at(build, "dockerfile"))
    built = f"build {context}" + (f" ({dockerfile})" if dockerfile else "") if build else ""
    ports = [_port(port) for port in trees.items(service.get("ports"))]
    needs = trees.words(service.get("depends_on"))
    command = trees.word(service.get("command")) or " ".join(trees.words(service.get("command")))
    profiles = trees.words(service.get("profiles"))
    parts = [
        built or trees.word(service.get("image")),
        " ".join(filter(None, ports)),
        f"needs {'/'.join(needs)}" if needs else "",
        f"profile {'/'.join(profiles)}" if profiles else "",
        f"runs {prose.cut(' '.join(command.split()), 60)}" if command else "",
    ]
    return [part for part in parts if part]


def _port(port: object) -> str:
    if trees.is_table(port):
        return f"{trees.word(trees.at(port, 'published'))}:{trees.word(trees.at(port, 'target'))}"
    return trees.word(port)


def kubernetes_notes(documents: Sequence[Any]) -> list[str]:
    """One note for each object: kind, name, and what its kind is about."""
    notes: list[str] = []
    for document in documents:
        parts = (
            trees.items(trees.at(document, "items")) if trees.at(document, "kind") == "List" else []
        )
        for each in parts or [document]:
            kind = trees.word(trees.at(each, "kind"))
            name = trees.word(trees.at(each, "metadata", "name"))
            named = f"{kind} {name}" if name and "{{" not in name else kind
            about = common.unique(_KINDS.get(kind, _workload)(trees.table(each)), 8)
            notes += [f"{named}: {', '.join(about)}" if about else named] if kind else []
    return notes


def _workload(each: trees.Table) -> Iterator[str]:
    spec = trees.table(each.get("spec"))
    for key in ("schedule", "replicas", "storageClassName"):
        if said := trees.word(spec.get(key)):
            yield f"{key} {said}"
    for inner in trees.tables_in(spec):
        for container in trees.items(inner.get("containers")):
            yield trees.word(trees.at(container, "image"))
            for port in trees.items(trees.at(container, "ports")):
                yield f":{trees.word(trees.at(port, 'containerPort'))}"
        for key in ("configMapRef", "secretRef", "configMapKeyRef", "secretKeyRef", "configMap"):
            if named := trees.word(trees.at(inner, key, "name")):
                yield f"{'secret' if 'secret' in key else 'config'} {named}"
        if claim := trees.word(trees.at(inner, "persistentVolumeClaim", "claimName")):
            yield f"claim {claim}"


def _service_of(each: trees.Table) -> Iterator[str]:
    yield trees.word(trees.at(each, "spec", "type"))
    for port in trees.items(trees.at(each, "spec", "ports")):
        inner, node = (
            trees.word(trees.at(port, "targetPort")),
            trees.word(trees.at(port, "nodePort")),
        )
        yield "->".join(filter(None, (node, trees.word(trees.at(port, "port")), inner)))
    if selector := trees.leaves(trees.at(each, "spec", "selector"), 2):
        yield f"selects {' '.join(f'{key}={value}' for key, value in selector)}"


def _ingress(each: trees.Table) -> Iterator[str]:
    for rule in trees.items(trees.at(each, "spec", "rules")):
        host = trees.word(trees.at(rule, "host"))
        for path in trees.items(trees.at(rule, "http", "paths")):
            service = trees.at(path, "backend", "service")
            name = trees.word(trees.at(service, "name")) or trees.word(
                trees.at(path, "backend", "serviceName")
            )
            port = next((value for _, value in trees.leaves(trees.at(service, "port"), 1)), "")
            port = port or trees.word(trees.at(path, "backend", "servicePort"))
            yield f"{host}{trees.word(trees.at(path, 'path'))} -> {name}:{port}"
    for key, value in trees.leaves(trees.at(each, "metadata", "annotations"), 6):
        yield f"{key.rsplit('/', 1)[-1]} {value[:40]}"


def _data(each: trees.Table) -> Iterator[str]:
    data = trees.table(each.get("data")) or trees.table(each.get("stringData"))
    yield f"keys {'/'.join(map(str, list(data)[:12]))}" if data else ""
    if each.get("kind") == "ConfigMap":
        yield from telling_pairs([(k, v) for k, v in trees.leaves(data) if "\n" not in v], 6)


def _scaler(each: trees.Table) -> Iterator[str]:
    spec = trees.table(each.get("spec"))
    yield f"{trees.word(spec.get('minReplicas'))}-{trees.word(spec.get('maxReplicas'))} replicas"
    yield trees.word(trees.at(spec, "scaleTargetRef", "name"))


def _claim(each: trees.Table) -> Iterator[str]:
    yield from (
        value for _, value in trees.leaves(trees.at(each, "spec", "resources", "requests"), 2)
    )
    yield from (value for _, value in trees.leaves(trees.at(each, "spec", "capacity"), 2))
    yield from trees.words(trees.at(each, "spec", "accessModes"))


_KINDS: Mapping[str, Callable[[trees.Table], Iterator[str]]] = {
    "Service": _service_of, "Ingress": _ingress, "ConfigMap": _data, "Secret": _data,
    "HorizontalPodAutoscaler": _scaler, "PersistentVolumeClaim": _claim, "PersistentVolume": _claim,
}  # fmt: skip


def chart_notes(value: trees.Table) -> list[str]:
    """Helm's Chart.yaml."""
    head = [
        f"{key} {said}"
        for key in ("name", "version", "appVersion", "type")
        if (said := trees.word(value.get(key)))
    ]
    needs = [
        f"{trees.word(trees.at(item, 'name'))} {trees.word(trees.at(item, 'version'))}".strip()
        for item in trees.items(value.get("dependencies"))
    ]
    return [f"chart {', '.join(head)}", *told("needs", needs)]
