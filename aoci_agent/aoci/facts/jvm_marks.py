"""What annotations and calls of JVM frameworks say: routes, events, schedules, configuration keys, tables."""

import re
from collections.abc import Iterable, Iterator, Mapping

from aoci_agent.aoci.facts import common
from aoci_agent.aoci.facts.jvm import TYPES, Declared

_VERBS: Mapping[str, str] = {
    name: verb.upper()
    for verb in ("Get", "Post", "Put", "Patch", "Delete", "Head", "Options")
    for name in (f"{verb}Mapping", verb, verb.upper(), f"{verb}Exchange", verb.lower())
} | {
    "RequestMapping": "ANY",
    "HttpExchange": "ANY",
    "MessageMapping": "WS",
    "SubscribeMapping": "WS",
    "websocket": "WS",
}
_PREFIXES = ("RequestMapping", "Path", "Controller", "HttpExchange", "JsonController")
_OTHER = re.compile(
    r"\b(?!value\b|path\b|uri\b|uris\b)\w+\s*=\s*(?:\{[^{}]*\}|\[[^\]]*\]|\"[^\"]*\"|[\w.]+)"
)
_METHOD = re.compile(r"RequestMethod\.([A-Z]+)|\bmethod\s*=\s*\W*([A-Z]+)\b")
_TEXT = re.compile(r"\"((?:[^\"\\]|\\.)*)\"")
_NAME = re.compile(r"(?<![\w\"/.])(?:[A-Z]\w*\.)?([A-Z][A-Z0-9_]+)\b")
_MAPPING = re.compile(r"@(?:HttpExchange|RequestMapping|Client|RequestLine)\(")
_PATH = '"/'
_CALLED_ROUTE = re.compile(
    r"\b(?:app|router|server|routes?|config|it)\s*\.\s*(get|post|put|patch|delete|head|options|ws)\(\s*\"(/[^\"]*)\""
)
_FUNCTIONAL = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE)\(\s*\"(/[^\"]*)\"")
_LISTENERS = ("KafkaListener", "RabbitListener", "JmsListener", "SqsListener", "PulsarListener",
              "StreamListener", "RocketMQMessageListener", "Topic", "Incoming", "NatsListener")  # fmt: skip
_OBSERVERS = frozenset(("EventListener", "TransactionalEventListener", "Subscribe", "Observes"))
_LISTENED = re.compile(
    r"\b(?:topics?|topicPattern|queues?|destination|queueNames|value)\s*=\s*|\A\(\s*(?=[\"{\[A-Z])"
)
_SENT = re.compile(
    r"(?:[tT]emplate|[bB]ridge)\s*\.\s*(?:send|convertAndSend|sendDefault)\(\s*(?:\"([^\"]+)\"|(?:\w+\.)*([A-Z][A-Z0-9_]{2,})\b)"
    r"|new ProducerRecord(?:<[^>]*>)?\(\s*\"([^\"]+)\"|\bpublishEvent\(\s*(?:this,\s*)?(?:new\s+)?([A-Z]\w+)"
)
_EVERY = re.compile(r"(fixedRate|fixedDelay|every)(?:String)?\s*=\s*\"?([\w.${}]+)")
_CRON = re.compile(r"\bcron\s*=\s*\"([^\"]+)\"|\bcronSchedule\(\s*\"([^\"]+)\"")
# Where configuration is read: a hint that is quick to find, and what follows it.
_KEYS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("Value(", re.compile(r"Value\(\s*(?:value\s*=\s*)?\"[^\"]*?\\?\$\{\s*([\w.-]+)")),
    ("@ConfigProperty(", re.compile(r"@ConfigProperty\([^)]*?\bname\s*=\s*\"([\w.-]+)\"")),
    (
        "@ConditionalOnProperty(",
        re.compile(r"@ConditionalOnProperty\([^)]*?\bname\s*=\s*\"([\w.-]+)\""),
    ),
    ("System.getProperty(", re.compile(r"System\.getProperty\(\s*\"([\w.-]+)\"")),
    ("Boolean.getBoolean(", re.compile(r"Boolean\.getBoolean\(\s*\"([\w.-]+)\"")),
    ("Integer.getInteger(", re.compile(r"Integer\.getInteger\(\s*\"([\w.-]+)\"")),
    (
        "onfig.",
        re.compile(r"onfig\.(?:get\w*|property\w*)(?:\[\w+\])?\(\s*\"([\w-]+(?:\.[\w-]+)+)\""),
    ),
    (
        "nvironment.",
        re.compile(r"nvironment\.(?:get\w*|property\w*)\(\s*\"([\w-]+(?:\.[\w-]+)+)\""),
    ),
)
_PREFIX = re.compile(r"@ConfigurationProperties\(\s*(?:(?:prefix|value)\s*=\s*)?\"([\w.-]+)\"")
_TABLES = (
    "Table",
    "TableName",
    "Document",
    "MappedEntity",
    "Entity",
    "CollectionTable",
    "JoinTable",
)
_TABLE_NAME = re.compile(r"\b(?:name|tableName|collection|value)\s*=\s*\"(\w+)\"|\(\s*\"(\w+)\"")
_COMMAND = re.compile(r"\bname\s*=\s*\"([\w:-]+)\"|\bcommandNames\s*=\s*\W*\"([\w:-]+)\"")


def routes(
    items: Iterable[Declared], text: str, constants: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """`GET /path` answered here, and those asked of another program (Feign, Retrofit, HTTP interfaces)."""
    served: list[str] = []
    asked: list[str] = []
    for item in items:
        if item.kind in TYPES:
            for name in ("ServerEndpoint", "WebSocketEndpoint"):
                served += [f"WS {path}" for path in paths(item.marks.get(name, ""), constants)]
        elif item.marks:
            found, client = _routes_of(item, constants)
            (asked if client else served).extend(found)
    if _PATH in text:
        served += [f"{verb.upper()} {path}" for verb, path in _CALLED_ROUTE.findall(text)]
    if "RouterFunction" in text or "router {" in text:
        served += [f"{verb} {path}" for verb, path in _FUNCTIONAL.findall(text)]
    return served, asked


def _routes_of(item: Declared, constants: Mapping[str, str]) -> tuple[list[str], bool]:
    """The routes of one method, and whether they are another program's."""
    name = next((name for name in item.marks if name in _VERBS), "")
    if not name:
        return [], False
    arguments = item.marks[name]
    above: Mapping[str, str] = item.inside.marks if item.inside else {}
    own = paths(arguments, constants) or paths(item.marks.get("Path", ""), constants) or [""]
    prefixes = [path for mark in _PREFIXES for path in paths(above.get(mark, ""), constants)] or [
        ""
    ]
    retrofit = name.isupper() and bool(arguments) and "Path" not in above
    plain = (
        name in ("Get", "Post", "Put", "Patch", "Delete", "Head", "Options")
        and "Controller" not in above
    )
    client = (
        retrofit
        or "Exchange" in name
        or bool(above.keys() & {"FeignClient", "HttpExchange", "Client", "RegisterRestClient"})
    )
    if (plain and not client) or (name.islower() and not arguments):
        return [], False
    if "FeignClient" in above and (
        found := re.search(r"\bpath\s*=\s*\"([^\"]*)\"", above["FeignClient"])
    ):
        prefixes = [found[1]]
    methods = (
        [a or b for a, b in _METHOD.findall(arguments)] if _VERBS[name] == "ANY" else [_VERBS[name]]
    )
    return [
        f"{verb} {_joined(prefix, path)}"
        for prefix in prefixes
        for path in own
        for verb in methods or ["ANY"]
    ], client


def called(text: str) -> tuple[str, ...]:
    """Paths requested in calls; a mapping is what this file answers."""
    return common.called_paths(_MAPPING.sub("@(", text)) if _PATH in text or "`/" in text else ()


def _joined(prefix: str, path: str) -> str:
    parts = [part.strip("/") for part in (prefix, path) if part.strip("/")]
    return "/" + "/".join(parts)


def paths(arguments: str, constants: Mapping[str, str]) -> list[str]:
    """The paths an annotation names; constants of the same file are known, others stay as `{NAME}`."""
    if not arguments:
        return []
    kept = _OTHER.sub("", arguments)
    kept = _NAME.sub(lambda m: constants.get(m[1]) or f'"{{{m[1]}}}"', kept)
    return _TEXT.findall(re.sub(r"\"\s*\+\s*\"", "", kept))


def events(items: Iterable[Declared], text: str) -> list[str]:
    """`subscribe x` and `publish x`."""
    found: list[str] = []
    for item in items:
        if not item.marks:
            continue
        for name in _LISTENERS:
            if name in item.marks:
                found += [f"subscribe {topic}" for topic in _topics(item.marks[name])]
        if item.marks.keys() & _OBSERVERS:
            found += [
                f"subscribe {kind}" for kind in re.findall(r"\b([A-Z]\w+)", item.parameters())[:1]
            ]
    if "end(" in text or "publishEvent" in text or "ProducerRecord" in text or "Send(" in text:
        found += [f"publish {a or b or c or d}" for a, b, c, d in _SENT.findall(text)]
    return [*found, *common.events(text)]


def _topics(arguments: str) -> list[str]:
    start = _LISTENED.search(arguments)
    if not start:
        return []
    rest = re.split(r",\s*\w+\s*=", arguments[start.end() :])[0]
    texts = _TEXT.findall(rest)
    return texts or re.findall(r"(?:\w+\.)*([A-Z]\w+)", rest)[:3]


def schedules(text: str) -> Iterator[str]:
    """When something runs by the clock."""
    if "cron" in text:
        for found in _CRON.finditer(text):
            yield f"runs at {found[1] or found[2]}"
    if "@Scheduled" in text:
        for found in re.finditer(r"@Scheduled\(([^)]*)\)", text):
            if every := _EVERY.search(found[1]):
                unit = " ms" if every[2].isdigit() and "timeUnit" not in found[1] else ""
                yield f"runs every {every[2]}{unit}"
    if "@XxlJob" in text:
        yield from (
            f"job {name}" for name in re.findall(r"@XxlJob\(\s*(?:value\s*=\s*)?\"([^\"]+)\"", text)
        )


def settings_read(text: str) -> list[str]:
    """`config a.b, c.d`: the keys of configuration the code reads."""
    keys = [f"{key}.*" for key in _PREFIX.findall(text)] if "@ConfigurationProp" in text else []
    for hint, pattern in _KEYS:
        if hint in text:
            keys += pattern.findall(text)
    return [f"config {', '.join(common.unique(keys, 8))}"] if keys else []


def tables(types: Iterable[Declared]) -> Iterator[str]:
    """Tables that types are mapped to by annotation."""
    for item in types:
        for name in _TABLES:
            if found := _TABLE_NAME.search(item.marks.get(name, "")):
                yield f"{found[1] or found[2]} ddl"
                break


def commands(items: Iterable[Declared]) -> Iterator[str]:
    """Subcommands declared with picocli, JCommander or Spring Shell."""
    for item in items:
        for name in ("Command", "Parameters", "ShellMethod"):
            arguments = item.marks.get(name, "") if item.marks else ""
            if found := _COMMAND.search(arguments):
                yield found[1] or found[2]
            elif name == "ShellMethod" and (
                key := re.search(r"\bkey\s*=\s*\W*\"([^\"]+)\"", arguments)
            ):
                yield key[1]


_NESTING = re.compile(
    r"(?P<text>\"\"\".*?\"\"\"|\"(?:[^\"\\\n]|\\.)*\")|(?P<open>\{)|(?P<close>\})"
    r"|(?<![\w.])(?P<call>route|path|pathPrefix|get|post|put|patch|delete|head|options|webSocket|sse)\b"
    r"(?:<\w+>)?\s*(?:\((?P<args>(?:[^(){}\"]|\"[^\"\n]*\")*)\))?\s*(?=\{)",
    re.DOTALL,
)
_GROUPS = ("route", "path", "pathPrefix")


def nested_routes(text: str) -> Iterator[str]:
    """Routes of blocks within blocks: `route("/a") { get("/b") { } }`."""
    prefixes = [""]
    pending = ""
    for found in _NESTING.finditer(text):
        if found["open"]:
            prefixes.append(pending or prefixes[-1])
            pending = ""
        elif found["close"]:
            if len(prefixes) > 1:
                prefixes.pop()
        elif found["call"]:
            inner = "/".join(_TEXT.findall(found["args"] or ""))
            path = _joined(prefixes[-1], inner)
            if found["call"] in _GROUPS:
                pending = path
            elif inner or len(prefixes) > 1:
                verb = "WS" if found["call"] == "webSocket" else found["call"].upper()
                yield f"{verb} {path}"
