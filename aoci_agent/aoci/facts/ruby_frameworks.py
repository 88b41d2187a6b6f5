"""What Ruby programs declare in plain calls: routes, tables, jobs, tasks, associations, titles of tests."""

import re
from collections.abc import Iterator, Sequence

from aoci_agent.aoci.facts.model import Symbol
from aoci_agent.aoci.facts.php_frameworks import plural_snake

_SINATRA = re.compile(
    r"^[ \t]*(get|post|put|patch|delete|options|head)[ (]+[\"'](/[^\"'\n]*)[\"'][^\n]*?(?:\bdo\b|\{)",
    re.MULTILINE,
)
_LINE = re.compile(
    r"^(?P<indent>[ \t]*)(?P<word>namespace|scope|resources?|get|post|put|patch|delete|match|root|mount|devise_for|member|collection|controller|constraints|authenticated?|concern|task)\b"
    r"[ (]*(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
_NAMES = re.compile(r"\A(?:[:\"'][\w/:.()*-]+[\"']?\s*(?:,\s*(?![a-z_]+:)|(?=\s|\)|\Z)))+")
_TOKEN = re.compile(r"[:\"']([\w/:.()*{}-]+)")
_PATH = re.compile(r"\bpath:\s*[\"']([^\"']*)")
_TO = re.compile(r"(?:\bto:\s*|=>\s*)[\"']([\w/]+)#\w+")
_OPTIONAL = re.compile(r"\(.*?\)")
_ONE = ("index", "create", "new")
_ONLY = re.compile(r"\bonly:\s*(?:\[([^\]]*)\]|%i\[([^\]]*)\]|(:\w+))")
_TASK = re.compile(r"\A:?[\"']?([\w:-]+)")
_THOR = re.compile(r"^\s*desc\s+[\"']([\w:-]+)[^\"'\n]*[\"'],", re.MULTILINE)
_ENV = re.compile(r"ENV\.(?:fetch|key\?)\(?\s*[\"']([A-Z][A-Z0-9_]{2,})")
_CREATED = re.compile(
    r"\bcreate_table[ (]+[:\"'](\w+)[^\n]*?\bdo \|\w+\|\n(.*?)^[ \t]*end\b",
    re.DOTALL | re.MULTILINE,
)
_CHANGED = re.compile(
    r"\b(?:add_column|remove_column|rename_column|change_column|add_index|drop_table|add_reference|add_foreign_key|change_table|rename_table)[ (]+[:\"'](\w+)"
)
_COLUMN = re.compile(
    r"^\s*t\.(?!index|foreign_key|check_constraint|unique_constraint|remove)(\w+)[ (]+[:\"'](\w+)",
    re.MULTILINE,
)
_TABLE = re.compile(r"\btable_name\s*=\s*[\"'](\w+)|\bset_table_name\s+[:\"'](\w+)")
_MODELS = frozenset(("ApplicationRecord", "Base"))
_RELATED = re.compile(
    r"^[ \t]*(has_many|has_one|belongs_to|has_and_belongs_to_many)[ (]+:(\w+)", re.MULTILINE
)
_ENUM = re.compile(r"^[ \t]*enum[ (]+:?(\w+)(?:,|:)\s*[{\[]([^}\]]*)", re.MULTILINE)
_SENT = re.compile(
    r"\b([A-Z][\w:]*)(?:\.(?:set|with)\([^)]*\))?\.(?:perform_(?:later|async|in|at)|deliver_later)\b"
)
_MAILED = re.compile(r"\b([A-Z]\w*Mailer)\.(?:with\([^)]*\)\.)?(\w+)")
_NOTIFIED = re.compile(r"(?:Notifications\.)(instrument|subscribe)[ (]+[\"']([\w.]+)")
_QUEUE = re.compile(r"\bqueue_as[ (]+:?[\"']?(\w+)|sidekiq_options\s[^\n]*queue:\s*:?[\"']?(\w+)")
_EVERY = re.compile(
    r"^\s*every\s+([\w.:]+(?:,\s*at:\s*[\"'][^\"']+[\"'])?)\s*do\s*\n\s*(\w+\s+[^\n]{3,60})",
    re.MULTILINE,
)
_TITLE = re.compile(
    r"^[ \t]*(?:RSpec\.)?(?:describe|context|it|specify|scenario|feature|test|should)[ (]+([\"'])((?:\\.|(?!\1)[^\\\n]){3,80})\1",
    re.MULTILINE,
)


def routes(code: str) -> list[str]:
    """Rails routes with the paths around them, else the routes of a Sinatra program."""
    if (
        ".routes.draw" in code
        or "Routes.draw" in code
        or re.search(r"^\s*resources :\w", code, re.MULTILINE)
    ):
        return list(_drawn(code))
    found = _SINATRA.findall(code)
    return [f"{verb.upper()} {path}" for verb, path in found]


def _drawn(code: str) -> Iterator[str]:
    open_: list[tuple[int, str, str]] = []  # indentation, path of the block, path of one item in it
    for found in _LINE.finditer(code):
        indent, word, rest = len(found["indent"].expandtabs()), found["word"], found["rest"]
        while open_ and open_[-1][0] >= indent:
            open_.pop()
        base = open_[-1][1] if open_ else ""
        names = _TOKEN.findall(m[0]) if (m := _NAMES.match(rest)) else []
        inside = base
        if word in ("resources", "resource"):
            yield from _resources(word, names, rest, base)
            path = _joined(base, _path(rest) or (names[0] if names else ""))
            inside = (
                path if word == "resource" else f"{path}/:{_one(names[0]) if names else 'x'}_id"
            )
            outer = path
        elif word in ("namespace", "scope"):
            # `scope module: :x` changes no path.
            inside = _joined(base, _path(rest) or (names[0] if names else ""))
            outer = inside
        elif word in ("member", "collection"):
            outer = open_[-1][2] if open_ else ""
            inside = f"{outer}/:id" if word == "member" else outer
        else:
            yield from _single(word, names, rest, open_[-1] if open_ else (0, "", ""))
            outer = base
        if re.search(r"\bdo\b(?:\s*\|\w+\|)?\s*$", rest) or word in ("member", "collection"):
            open_.append((indent, inside, outer))


def _resources(word: str, names: Sequence[str], rest: str, base: str) -> Iterator[str]:
    only = _ONLY.search(rest)
    allowed = re.findall(r"\w+", " ".join(filter(None, only.groups()))) if only else []
    for name in names:
        path = _joined(base, _path(rest) or name)
        if not allowed or set(allowed) & set(_ONE):
            yield f"ANY {path}"
        if word == "resources" and (not allowed or set(allowed) - set(_ONE)):
            yield f"ANY {path}/:id"


def _single(
    word: str, names: Sequence[str], rest: str, around: tuple[int, str, str]
) -> Iterator[str]:
    if word == "root":
        yield f"GET {around[1] or '/'}"
    elif word == "mount":
        at = re.search(r"(?:=>|at:)\s*[\"']([^\"']+)", rest)
        yield from [f"ANY {_joined(around[1], at[1])}"] if at else []
    elif word == "devise_for":
        yield from (f"ANY {_joined(around[1], name)}" for name in names[:1])
    elif word in ("get", "post", "put", "patch", "delete", "match"):
        base = (
            around[2]
            if "on: :collection" in rest
            else f"{around[2]}/:id"
            if "on: :member" in rest
            else around[1]
        )
        for name in names if not any("#" in name for name in names) else names[:1]:
            yield f"{'ANY' if word == 'match' else word.upper()} {_joined(base, name)}"


def _path(rest: str) -> str:
    found = _PATH.search(rest)
    return found[1] if found else ""


def _joined(base: str, name: str) -> str:
    inner = _OPTIONAL.sub("", name).strip("/")
    return f"{base}/{inner}" if inner else base or "/"


def _one(name: str) -> str:
    return re.sub(r"ies$", "y", name) if name.endswith("ies") else name.removesuffix("s")


def _camel(name: str) -> str:
    return "::".join(
        "".join(part[:1].upper() + part[1:] for part in piece.split("_"))
        for piece in name.split("/")
    )


def meant(code: str) -> list[str]:
    """Classes that a Rails name stands for: models of associations, controllers of routes."""
    found = [
        _camel(name if how in ("has_one", "belongs_to") else _one(name))
        for how, name in _RELATED.findall(code)
    ]
    if ".routes.draw" in code:
        found += [f"{_camel(name)}Controller" for name in _TO.findall(code)]
        listed = (
            m[0]
            for line in _LINE.finditer(code)
            if line["word"] == "resources" and (m := _NAMES.match(line["rest"]))
        )
        found += [f"{_camel(name)}Controller" for names in listed for name in _TOKEN.findall(names)]
    return found


def commands(code: str) -> list[str]:
    """Rake tasks with their namespaces, and Thor commands."""
    found: list[str] = []
    if re.search(r"^[ \t]*task\b", code, re.MULTILINE):
        open_: list[tuple[int, str]] = []
        for line in _LINE.finditer(code):
            indent, named = len(line["indent"].expandtabs()), _TASK.match(line["rest"])
            while open_ and open_[-1][0] >= indent:
                open_.pop()
            if named and line["word"] == "namespace":
                open_.append((indent, named[1]))
            elif named and line["word"] == "task":
                found.append(
                    f"rake {':'.join((*(name for _, name in open_), named[1].rstrip(':')))}"
                )
    return found + (_THOR.findall(code) if "Thor" in code else [])


def env(code: str) -> list[str]:
    """Keys read with `ENV.fetch`."""
    return _ENV.findall(code)


def tables(code: str, listed: Sequence[Symbol]) -> tuple[list[str], list[str]]:
    """`name access` for tables of models, migrations and schemas; their columns and enums as shapes."""
    created = _CREATED.findall(code) if "create_table" in code else []
    access = [f"{name} ddl" for name, _ in created]
    access += [f"{name} ddl" for name in _CHANGED.findall(code)] if "Migration" in code else []
    shapes: list[str] = []
    for name, body in created:
        columns = [
            f"{column}_id" if kind in ("references", "belongs_to") else column
            for kind, column in _COLUMN.findall(body)
        ]
        if columns:
            shapes.append(f"table {name}{{{','.join(columns[:40])}}}")
    named = [a or b for a, b in _TABLE.findall(code)]
    models = [
        s.name
        for s in listed
        if s.name != "ApplicationRecord"
        and _MODELS & set(s.bases)
        and ("ApplicationRecord" in s.bases or "ActiveRecord::Base" in code)
    ]
    access += [f"{name} w" for name in named or map(plural_snake, models)]
    for name, values in _ENUM.findall(code):
        shapes.append(f"{name}:{'¦'.join(re.findall(r'[a-z_]+', values)[:14])}")
    return access, shapes


def schema(code: str) -> str:
    """What a generated schema is, whose own comment only says how to change it."""
    count = (
        len(re.findall(r"\bcreate_table\b", code)) if "Schema" in code and ".define" in code else 0
    )
    return f"schema of {count} table{'s' if count > 1 else ''}" if count else ""


def events(code: str) -> list[str]:
    """Jobs and mails sent, notifications published and heard, and what runs when."""
    found = [f"publish {name}" for name in _SENT.findall(code)]
    found += [
        f"publish {name}.{mail}"
        for name, mail in _MAILED.findall(code)
        if mail not in ("new", "with", "default", "name")
    ]
    found += [
        f"{'publish' if verb == 'instrument' else 'subscribe'} {name}"
        for verb, name in _NOTIFIED.findall(code)
    ]
    return found + [
        f"runs {what.strip()} every {when}".replace('"', "'") for when, what in _EVERY.findall(code)
    ]


def cases(text: str, listed: Sequence[Symbol]) -> list[str]:
    """Titles of examples, and methods that are tests."""
    titles = [title.replace("\\", "") for _, title in _TITLE.findall(text)]
    return titles + [
        s.name.removeprefix("test_") for s in listed if s.owner and s.name.startswith("test_")
    ]


def notes(code: str) -> list[str]:
    """Associations, and the queue a job waits in."""
    kinds: dict[str, list[str]] = {}
    for kind, name in _RELATED.findall(code):
        kinds.setdefault(kind, []).append(name)
    found = [f"{kind} {', '.join(dict.fromkeys(names))}" for kind, names in kinds.items()]
    return found + [f"queue {a or b}" for a, b in _QUEUE.findall(code)]
