"""What PHP frameworks declare in plain calls and attributes: routes, tables, events, commands, views."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from aoci_agent.aoci.facts import common, markup, prose
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts, Import, Symbol
from aoci_agent.aoci.wordset import wordset

_ROUTER = r"(?:Route::|\$(?:router|route|routes|app|group|api|r)->)"
_CHAIN = rf"{_ROUTER}(?P<chain>(?:\w+\((?:[^()]|\([^()]*\))*\)\s*->\s*)*)"
_ROUTE = re.compile(
    rf"{_CHAIN}(?P<verb>get|post|put|patch|delete|options|any|map|view|redirect|livewire|match|resource|apiResource|singleton)"
    r"\(\s*(?P<methods>\[[^\]]*\]\s*,\s*)?[\"'](?P<path>[^\"'\n]*)[\"']\s*,"
)
_GROUP = re.compile(
    rf"{_CHAIN}group\(\s*(?P<options>\[(?:[^\[\]]|\[[^\]]*\])*\]|[\"'][^\"']*[\"'])?[^{{;]*?\{{"
)
_PREFIX = re.compile(
    r"\bprefix\(\s*[\"']([^\"']*)|[\"']prefix[\"']\s*=>\s*[\"']([^\"']*)|\A[\"'](/[^\"']*)"
)
_BRACE = re.compile(r"[{}]")
_ATTRIBUTE = re.compile(
    r"(?:#\[|@)(?:\w+\\)?Route\(\s*(?:path\s*[:=]\s*)?(?:[\"']([^\"']*)[\"'])?((?:[^()\[\]{}\"']|\"[^\"]{0,200}\"|'[^']{0,200}'|[\[({](?:[^\])}\"']|\"[^\"]{0,200}\"|'[^']{0,200}'){0,300}[\])}]){0,600})\)"
)
_ATTRIBUTE_METHODS = re.compile(r"methods\s*[:=]\s*[\[{(]?([^\])}]*)")
_DECLARED = re.compile(r"\b(class|function)\s+\w")
_VERB = re.compile(r"[\"'](\w+)[\"']")
_COMMAND = re.compile(
    r"\$signature\s*=\s*[\"']([\w:.-]+)|AsCommand\(\s*(?:name:\s*)?[\"']([\w:.-]+)|Artisan::command\(\s*[\"']([\w:.-]+)"
    r"|\$defaultName\s*=\s*[\"']([\w:.-]+)|\bconfigure\(\)[^}]{0,200}?->setName\(\s*[\"']([\w:.-]+)"
)
_DESCRIBED = re.compile(
    r"(?:\$description\s*=|AsCommand\([^)]*?\bdescription:|->setDescription\()\s*([\"'])((?:\\.|(?!\1)[^\\\n]){6,200})\1"
)
_NAMED_COMMAND = re.compile(r"protected \$name\s*=\s*[\"']([\w:.-]+)[\"']")
_ENV = re.compile(r"\benv\(\s*[\"']([A-Z][A-Z0-9_]{2,})|Env::get\(\s*[\"']([A-Z][A-Z0-9_]{2,})")
_CONFIG = re.compile(
    r"(?:\bconfig\(\s*|Config::get\(\s*|\[[\"']config[\"']\]->get\(\s*)\[?[\"']([a-z][\w-]*\.[\w.-]+)"
)
_CREATED = re.compile(
    r"(?:Schema::(?:connection\([^)]*\)->)?|->schema\(\)->)(create|table)\(\s*[\"'](\w+)[\"'][^{;]*\{"
)
_DROPPED = re.compile(r"Schema::(?:drop|dropIfExists)\(\s*[\"'](\w+)[\"']")
_COLUMN = re.compile(
    r"\$\w+->(?!index|unique|primary|drop|foreign\(|rename|references|on|comment)(\w+)\(\s*[\"'](\w+)[\"']"
)
_SHORT_COLUMN = re.compile(r"\$\w+->(id|timestamps|softDeletes|rememberToken)\(\s*\)")
_QUERIED = re.compile(r"(?:\bDB::|->)table\(\s*[\"'](\w+)[\"']")
_TABLE = re.compile(
    r"protected\s+(?:\?string\s+|string\s+)?\$table\s*=\s*[\"']([\w.]+)[\"']|Table\(\s*name\s*[:=]\s*[\"']`?(\w+)"
)
_FILLABLE = re.compile(r"\$fillable\s*=\s*\[([^\]]*)\]")
_RELATED = re.compile(
    r"\b(hasMany|hasOne|belongsTo|belongsToMany|morphMany|morphTo|hasManyThrough)\(\s*([A-Z]\w*)::class"
)
_MODELS = frozenset(("Model", "Authenticatable", "Pivot"))
_PUBLISHED = re.compile(
    r"\bevent\(\s*new\s+\\?([\w\\]+)|\b([A-Z]\w+)::(?:dispatch|dispatchSync|dispatchIf|broadcast)\((?!\s*new\b)"
    r"|\b(?:dispatch|dispatchSync|dispatch_sync|broadcast)\(\s*new\s+\\?([\w\\]+)|\bdo_action\(\s*[\"']([\w./-]+)[\"']"
)
_HEARD = re.compile(
    r"Event::listen\(\s*[\"']?\\?([\w\\.*]+)|\badd_action\(\s*[\"']([\w./-]+)[\"']|AsEventListener\(\s*(?:event:\s*)?([\w\\]+)"
)
_LISTEN = re.compile(r"\$listen\s*=\s*\[(.*?)\n\s*\];", re.DOTALL)
_SUBSCRIBED = re.compile(r"getSubscribedEvents\(\)[^{]*\{(.*?)\n    \}", re.DOTALL)
_KEY = re.compile(
    r"^[ \t]*+(?:return \[\s*+)?(?:\\?([\w\\]+)::(?:class|[A-Z_]+)|[\"']([\w.\\]+)[\"'])\s*=>",
    re.MULTILINE,
)
_HANDLED = re.compile(r"function (?:handle|__invoke)\(\s*([A-Z]\w+) \$(?:event|message)\b")
_NOT_EVENTS = wordset("Bus Event Queue self static parent Route")
_SCHEDULED = re.compile(
    r"(?:\$schedule->|Schedule::)(?:command|job|call|exec)\(\s*+(?:new\s++)?[\"']?\\?([\w:\\ -]++)[^;]*?->(\w+)\(([^)]*)\)"
)
_TITLES = ("it(", "test(", "describe(")
_TITLE = re.compile(r"^[ \t]*(?:it|test|describe)\(\s*([\"'])(.{3,80}?)\1\s*,", re.MULTILINE)
_MARKED = re.compile(r"(?:@test\b|#\[Test\])[^{]*?function\s+(\w+)", re.DOTALL)
_VIEW = re.compile(
    r"(?:\bview\(\s*|View::make\(\s*|@(?:extends|include(?:If)?|component|each)\(\s*|->markdown\(\s*|Inertia::render\(\s*)[\"']([\w./:-]+)[\"']"
)
_COMPONENT = re.compile(r"<x-([\w.-]+)|<livewire:([\w.-]+)")
_RENDERS = ("view(", "View::make(", "@extends(", "@include", "@component(", "@each(", "->markdown(", "Inertia::render(")  # fmt: skip
_PUBLISHES = ("event(", "::dispatch", "::broadcast", "dispatch(", "dispatchSync(", "dispatch_sync(", "broadcast(", "do_action(")  # fmt: skip
_HEARS = ("Event::listen(", "add_action(", "AsEventListener(")
_CONFIGURED = ("config(", "Config::get(", "]->get(")
_TITLED = re.compile(r"@section\(\s*[\"']title[\"']\s*,\s*[\"']([^\"']+)|<title>\s*([^<{]+)")
_SHOWN = re.compile(
    r">\s*([^<>{}@$;=()\n]{2,48}?)\s*</|\b(?:placeholder|title|label|alt)=[\"']([^\"'<>{}$]{2,40})[\"']"
    r"|(?:__|trans|@lang)\(\s*[\"']([\w .-]{3,48})[\"']"
)
_PROPS = re.compile(r"@props\(\[(.*?)\]\)", re.DOTALL)
_PROPERTY = re.compile(r"(?:^|,)\s*[\"'](\w+)[\"']")
_CODE = re.compile(r"@\w+\(|\{[{!]|[-=]>|<")  # what a template computes is no word of it
_SCRIPT = re.compile(r"<(script|style)\b.*?</\1>|<\?(?:php|=).*?(?:\?>|\Z)", re.DOTALL)


def routes(code: str, text: str) -> list[str]:
    """Laravel, Lumen and Slim router calls with the prefixes of their groups; Symfony attributes."""
    found: list[str] = []
    if "Route::" in code or "->get(" in code or "->post(" in code:
        found += _called(code)
    return found + (_attributed(text) if "Route(" in text else [])


def _called(code: str) -> Iterator[str]:
    groups = [
        (m.end(), _closing(code, m.end()), _prefix(m["chain"]) or _prefix(m["options"]))
        for m in _GROUP.finditer(code)
    ]
    for found in _ROUTE.finditer(code):
        path, verb = found["path"], found["verb"]
        direct = code.startswith("Route::", found.start())
        if not direct and not path.startswith("/") and not groups:
            continue  # `$app->get('x', ...)` is a container or an array anywhere else
        above = [prefix for start, end, prefix in groups if start <= found.start() < end]
        url = "/" + "/".join(
            part.strip("/") for part in (*above, _prefix(found["chain"]), path) if part.strip("/")
        )
        if verb in ("resource", "apiResource", "singleton"):
            item = re.sub(r"ies$", "y", url.rsplit("/", 1)[-1]).removesuffix("s").replace("-", "_")
            yield from (f"ANY {url}", f"ANY {url}/{{{item}}}")
            continue
        for method in _VERB.findall(found["methods"] or "") or [_shown(verb)]:
            yield f"{method.upper()} {url}"


def _shown(verb: str) -> str:
    return {"view": "GET", "livewire": "GET", "redirect": "ANY", "match": "ANY", "map": "ANY"}.get(
        verb, verb
    )


def _prefix(text: str | None) -> str:
    found = _PREFIX.search(text or "")
    return next(filter(None, found.groups()), "") if found else ""


def _closing(code: str, start: int) -> int:
    """Where the block ends whose brace was opened directly before `start`."""
    depth = 1
    for brace in _BRACE.finditer(code, start):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.start()
    return len(code)


def _attributed(text: str) -> list[str]:
    prefix = ""
    found: list[str] = []
    for match in _ATTRIBUTE.finditer(text):
        declared = _DECLARED.search(text, match.end(), match.end() + 2000)
        if declared is not None and declared[1] == "class":
            prefix = match[1] or ""
            continue
        methods = _ATTRIBUTE_METHODS.search(match[2])
        verbs = re.findall(r"[A-Z]{3,}", methods[1]) if methods else []
        found += [f"{verb} {_joined(prefix, match[1] or '')}" for verb in verbs or ["ANY"]]
    return found or ([f"ANY {prefix}"] if prefix else [])


def _joined(prefix: str, path: str) -> str:
    return "/" + "/".join(part.strip("/") for part in (prefix, path) if part.strip("/"))


def commands(code: str) -> list[str]:
    """Artisan and Symfony console commands."""
    if "ommand" not in code and "$signature" not in code:
        return []
    named = ["".join(found) for found in _COMMAND.findall(code)]
    return named + (_NAMED_COMMAND.findall(code) if "Command" in code else [])


def described(code: str) -> str:
    """What a console command says of itself."""
    found = _DESCRIBED.search(code) if "ommand" in code else None
    return prose.clean(found[2].replace("\\", "")) if found else ""


def env(code: str) -> list[str]:
    """Keys read with Laravel's `env()`."""
    return (
        ["".join(found) for found in _ENV.findall(code)]
        if "env(" in code or "Env::" in code
        else []
    )


def tables(code: str, listed: Iterable[Symbol]) -> tuple[list[str], list[str]]:
    """`name access` for tables of models, queries and migrations; and their columns as shapes."""
    access = [f"{a or b} w" for a, b in _TABLE.findall(code)] if "able" in code else []
    models = [s.name for s in listed if s.kind == "class" and _MODELS & set(s.bases)]
    access += [f"{plural_snake(name)} w" for name in models if not access]
    access += [f"{name} r" for name in _QUERIED.findall(code)] if "table(" in code else []
    shapes = [
        f"{name}{{{','.join(_strings(fields[1]))}}}"
        for name in models[:1]
        for fields in [_FILLABLE.search(code)]
        if fields
    ]
    for found in _CREATED.finditer(code) if "Schema" in code or "schema" in code else ():
        body = code[found.end() : _closing(code, found.end())]
        access.append(f"{found[2]} ddl")
        columns = [name for _, name in _COLUMN.findall(body)]
        columns = [*(["id"] if "->id()" in body else []), *columns, *_short(body)]
        if columns:
            shapes.append(f"table {found[2]}{{{','.join(dict.fromkeys(columns[:40]))}}}")
    access += (
        [] if access else [f"{name} ddl" for name in _DROPPED.findall(code) if "Migration" in code]
    )
    return access, shapes


def _short(body: str) -> list[str]:
    return [name for name in _SHORT_COLUMN.findall(body) if name != "id"]


def _strings(text: str) -> list[str]:
    return _VERB.findall(text)[:24]


def plural_snake(name: str) -> str:
    """The table a framework expects for a model: `BlogCategory` -> `blog_categories`."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    if re.search(r"(?:s|x|z|ch|sh)$", snake):
        return f"{snake}es"
    return re.sub(r"(?<=[^aeiou])y$", "ie", snake) + "s" if snake != "person" else "people"


def events(code: str) -> list[str]:
    """Events and jobs sent, heard, and scheduled."""
    found = [
        f"publish {_last(name)}"
        for names in _found(_PUBLISHED, code, _PUBLISHES)
        if (name := "".join(names)) not in _NOT_EVENTS
    ]
    heard = ["".join(names) for names in _found(_HEARD, code, _HEARS)] + _HANDLED.findall(code)
    for block in (*_LISTEN.findall(code), *_SUBSCRIBED.findall(code)):
        heard += [a or b for a, b in _KEY.findall(block)]
    found += [f"subscribe {_last(name)}" for name in heard if name not in ("function", "fn")]
    for what, when, how in _found(_SCHEDULED, code, ("schedule->", "Schedule::")):
        found.append(
            f"runs {_last(what).strip()} {when}{f' {how}' if how else ''}".replace("'", "")
        )
    return found


def _last(name: str) -> str:
    return name.rsplit("\\", 1)[-1]


def cases(text: str, listed: Iterable[Symbol]) -> list[str]:
    """Pest titles and PHPUnit methods, these without their mark."""
    titles = [title.replace("\\", "") for _, title in _found(_TITLE, text, _TITLES)]
    methods = [s.name for s in listed if s.owner and re.match(r"test[A-Z_]", s.name)]
    return [
        *titles,
        *(re.sub(r"\Atest_?", "", name) for name in methods),
        *_found(_MARKED, text, ("@test", "#[Test]")),
    ]


def notes(code: str) -> list[str]:
    """How it is run, what it is related to, and the settings it reads."""
    found = ["queued"] if re.search(r"implements[^{]*\bShouldQueue\b", code) else []
    related = _RELATED.findall(code) if "Model" in code or "Eloquent" in code else []
    kinds = {kind: [name for k, name in related if k == kind] for kind, _ in related}
    found += [f"{kind} {', '.join(dict.fromkeys(names))}" for kind, names in kinds.items()]
    keys = list(dict.fromkeys(_found(_CONFIG, code, _CONFIGURED)))
    found += [f"config {', '.join(keys[:6])}"] if keys else []
    shown = list(dict.fromkeys(name for _, name, _ in views(code)))
    return found + ([f"views {', '.join(shown[:6])}"] if shown else [])


def _found(pattern: re.Pattern[str], text: str, words: Iterable[str]) -> list[Any]:
    """What a pattern finds, asked only where one of the words it needs occurs at all."""
    return pattern.findall(text) if any(word in text for word in words) else []


def views(code: str) -> Iterator[tuple[str, str, int]]:
    """Templates a file renders, as uses of names of `view:`."""
    return (("view:", name, 1) for name in _found(_VIEW, code, _RENDERS))


def is_template(text: str) -> bool:
    """Whether a file is a page with code in it rather than code."""
    return text.lstrip()[:1] == "<" and not text.lstrip().startswith("<?")


def texts(text: str) -> tuple[str, ...]:
    """Words on the page, where a file writes any markup."""
    if "?>" not in text or "</" not in text:
        return ()
    return _shown_words(text)


def _shown_words(text: str) -> tuple[str, ...]:
    bare = _SCRIPT.sub("", text)
    found = (" ".join((m[1] or m[2] or m[3]).split()) for m in _SHOWN.finditer(bare))
    return common.unique(
        (item for item in found if re.search(r"[^\W\d_]{2}", item) and not item.startswith("@")), 12
    )


def template(source: Source) -> Facts:
    """A Blade template or a plain page: what any page tells, and the templates it is made of."""
    text = source.text
    title = _TITLED.search(text)
    named = [(title[1] or title[2]).strip()] if title else []
    parts = {f"components.{a or b}" for a, b in _COMPONENT.findall(text)}
    names = tuple((name, 1) for name in sorted({*_VIEW.findall(text), *parts}))
    told = markup.html_facts(source)
    declared = _PROPS.search(text)
    props = _PROPERTY.findall(declared[1]) if declared else []
    return replace(
        told,
        language="php",
        doc="" if _CODE.search(told.doc) else told.doc,
        imports=(Import("view:", names),) if names else (),
        texts=common.unique([*named, *_shown_words(text)], 12),
        notes=common.unique(
            [*([f"props {', '.join(props[:10])}"] if props else []), *told.notes], 8
        ),
    )
