"""What C# programs declare in attributes and calls: routes, tables, messages, settings, jobs."""

import re
from collections.abc import Iterator, Sequence
from typing import Protocol

_TEMPLATE = r"\(\s*(?:template:\s*)?@?\"([^\"]*)\""
_ROUTE = re.compile(rf"\bRoute(?:Attribute)?{_TEMPLATE}")
_HTTP = re.compile(
    rf"\bHttp(Get|Post|Put|Patch|Delete|Head|Options)(?:Attribute)?(?:{_TEMPLATE}|\b)"
)
_ACTION = re.compile(r"\b(?:IActionResult|ActionResult|ViewResult|JsonResult|IResult)\b")
_GROUP = re.compile(r"\b(\w+)\s*=\s*([\w.]+)\.MapGroup\(\s*\"([^\"]*)\"")
_MAPPED = re.compile(
    r"\b([\w.]+)\s*\.(?:MapGroup\(\s*\"(?P<group>[^\"]*)\"\)\s*\.)?Map(Get|Post|Put|Patch|Delete|Hub|GrpcService|HealthChecks|Fallback)(?:<(\w+)>)?\(\s*(?:\"([^\"]*)\")?"
)
_ENDPOINT = re.compile(
    r"^\s*(Get|Post|Put|Patch|Delete)\(\s*\"(/?[\w/{}:.-]+)\"\s*\);", re.MULTILINE
)
_CONSTRAINT = re.compile(r":\w+(?:\([^)]*\))?(?=[}?])|\?(?=\})")
_CALL = re.compile(
    r"\.(?:Get|Post|Put|Patch|Delete)(?:FromJson|AsJson|String|Stream)?Async(?:<[^()]*?>)?\(\s*\$?\"/?((?:api|v\d)/[^\"?]*)"
)
_ENV = re.compile(r"Environment\.GetEnvironmentVariable\(\s*\"(\w+)\"")
_SETTING = re.compile(
    r"(?:[cC]onfig(?:uration)?\w*(?:\[|\.(?:GetSection|GetValue<[^>]*>|GetRequiredSection|GetConnectionString)\()|\.BindConfiguration\(|(?:GetSection|GetConnectionString)\()\s*\"([\w:.-]+)\""
)
_SET = re.compile(r"\bDbSet<(\w+)>\s+(\w+)")
_TABLE = re.compile(r"\[Table\(\s*\"(\w+)\"|\.ToTable\(\s*(?:name:\s*)?\"(\w+)\"")
_CREATED = re.compile(r"\bCreateTable\(\s*name:\s*\"(\w+)\"")
_SENT = re.compile(
    r"\.(?:Send|Publish|SendAsync|PublishAsync|Enqueue)(?:<\w+>)?\(\s*new\s+([A-Z]\w+)"
)
_JOB = re.compile(
    r"\b(?:BackgroundJob\.(?:Enqueue|Schedule)|RecurringJob\.AddOrUpdate)<(\w+)>\((?:[^;]*?(Cron\.\w+(?:\([^)]*\))?|\"[\d*/, -]{9,}\"))?"
)
_HANDLED = re.compile(
    r"\b(?:INotificationHandler|IRequestHandler|IConsumer|IHandleMessages|ICommandHandler|IQueryHandler|IEventHandler|IDomainEventHandler|IStreamRequestHandler)<\s*(\w+)"
)
_HOSTED = re.compile(r":\s*(?:[\w<>, ]+,\s*)?(?:BackgroundService|IHostedService)\b")
_TIMER = re.compile(r"new PeriodicTimer\(\s*([^;]{3,40}?)\)\s*;")


class Member(Protocol):
    """What routes are read off: a class or method with its attributes."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def head(self) -> str: ...
    @property
    def owner(self) -> str: ...
    @property
    def public(self) -> bool: ...


def routes(code: str, members: Sequence[Member]) -> list[str]:
    """Controllers' attributes, else their conventional paths; minimal APIs; endpoint classes."""
    found = list(_controlled(members)) if "Controller" in code or "[Http" in code else []
    groups: dict[str, str] = {}
    for name, parent, path in _GROUP.findall(code):
        groups[name] = _joined(groups.get(parent, ""), path)
    for match in _MAPPED.finditer(code):
        target, group, verb, hub, path = match[1], match["group"], match[3], match[4], match[5]
        if path is None:  # a path that is computed, or none: no address to tell
            found += [f"GRPC {hub}"] if verb == "GrpcService" else []
            continue
        shown = {"Hub": "WS", "HealthChecks": "GET", "Fallback": "ANY"}.get(verb, verb.upper())
        found.append(f"{shown} {_joined(groups.get(target, ''), group or '', path or '')}")
    if "Configure()" in code and "Endpoint" in code:
        found += [f"{verb.upper()} {_joined(path)}" for verb, path in _ENDPOINT.findall(code)]
    return found


def _controlled(members: Sequence[Member]) -> Iterator[str]:
    bases = {m.name: [*_ROUTE.findall(m.head)][:1] for m in members if m.kind == "class"}
    for member in members:
        if member.kind != "method" or not member.public:
            continue
        prefix = bases.get(member.owner, [])
        verbs = _HTTP.findall(member.head)
        own = _ROUTE.findall(member.head)
        conventional = not prefix and not own and not any(path for _, path in verbs)
        if conventional:
            if not member.owner.endswith("Controller") or not (
                verbs or _ACTION.search(member.head)
            ):
                continue
            prefix = ["[controller]/[action]"]
        elif (
            not verbs
            and not own
            and not ("[action]" in "".join(prefix) and _ACTION.search(member.head))
        ):
            continue
        for verb, path in verbs or [("Get" if conventional else "Any", "")]:
            inner = path or next(iter(own), "")
            url = _joined(inner[1:]) if inner[:1] in ("~", "/") else _joined(*prefix, inner)
            named = url.replace("[controller]", member.owner.removesuffix("Controller").lower())
            yield f"{verb.upper()} {named.replace('[action]', member.name.lower())}"


def _joined(*parts: str) -> str:
    whole = "/" + "/".join(part.strip("/") for part in parts if part.strip("/"))
    return _CONSTRAINT.sub("", whole)


def calls(code: str) -> list[str]:
    """Paths asked of another program; what is filled in becomes `*`."""
    return ["/" + re.sub(r"\{[^}]*\}", "*", path).rstrip("/") for path in _CALL.findall(code)]


def env(code: str) -> list[str]:
    """Environment variables read."""
    return sorted(set(_ENV.findall(code)))


def tables(code: str) -> list[str]:
    """`name access` for the sets of a context, mapped entities and migrations."""
    found = [f"{a or b} w" for a, b in _TABLE.findall(code)]
    found += [f"{name} w" for _, name in _SET.findall(code)]
    return found + [f"{name} ddl" for name in _CREATED.findall(code)]


def events(code: str) -> list[str]:
    """Messages sent and handled, and jobs with their times."""
    found = [f"publish {name}" for name in _SENT.findall(code)]
    found += [f"runs {name}{f' at {when}' if when else ''}" for name, when in _JOB.findall(code)]
    return found + [
        f"subscribe {name}"
        for name in _HANDLED.findall(code)
        if len(name) > 2 and not name.startswith("T")
    ]


def notes(code: str) -> list[str]:
    """Whether it runs by itself, how often, and the settings it reads."""
    found = ["background service"] if _HOSTED.search(code) else []
    found += [f"every {what}" for what in _TIMER.findall(code)]
    keys = list(dict.fromkeys(_SETTING.findall(code)))
    return found + ([f"config {', '.join(keys[:6])}"] if keys else [])
