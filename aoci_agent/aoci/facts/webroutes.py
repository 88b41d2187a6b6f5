"""Routes of JavaScript servers: Express and its kin, NestJS, Next.js; what guards and mounts them."""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from aoci_agent.aoci.facts import common
from aoci_agent.aoci.facts.flows import Span

_SERVER = re.compile(
    r"\b([A-Za-z_]\w*)\s*(?::[^=\n]{1,60})?=\s*(?:await\s+)?(?:new\s+)?"
    r"(?:express(?:\.Router)?|Router|Fastify|fastify|Hono|OpenAPIHono|Koa|KoaRouter|createRouter|restify\.createServer)\s*(?:<[^>\n]*>)?\("
)
_ROUTE = re.compile(
    r"\b([A-Za-z_]\w*)\s*\.(get|post|put|patch|delete|all|ws)\(\s*[\"'`](/[^\"'`\n]*)[\"'`]\s*,(?P<rest>[^;]{0,400})"
)
_INLINE_LINES = 3
_PROJECT = (".", "@/", "~/")
_USUAL = frozenset(("app", "router", "server", "fastify"))
_USE = re.compile(
    r"\b([A-Za-z_]\w*)\.(?:use|register|route)\(\s*(?:[\"'`](?P<path>/[^\"'`\n]*)[\"'`]\s*,)?(?P<rest>[^;\n]{1,300})"
)
_SERVES = re.compile(
    r"(?:app|router|server|fastify|Router|Hono|Fastify|Koa)\s*(?:\.(?:get|post|put|patch|delete|all|use|register|route|ws))?\("
)
_NAMED = re.compile(
    r"require\(\s*[\"'](?P<module>[^\"']+)[\"']\s*\)|(?P<name>[A-Za-z_$][\w$.]*)(?P<call>\([^()\n]{0,60}\))?"
)
_INLINE = re.compile(r"async\b|function\b|\(?[\s,\w{}:]*+\)?\s*+(?::\s*+\w++\s*+)?=>")
_HTTP = re.compile(
    r"export\s+(?:async\s+)?(?:function|const)\s+(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b(?:\s*=\s*([A-Za-z_]\w*)\()?"
)
_CONTROLLER = re.compile(r"@Controller\(\s*(?:\{\s*path:\s*)?(?:[\"'`]([^\"'`\n]*)[\"'`])?")
_MAPPING = re.compile(r"@(Get|Post|Put|Patch|Delete|All|Sse)\(\s*(?:[\"'`]([^\"'`\n]*)[\"'`])?")
_NEST_GUARD = re.compile(
    r"@(?:UseGuards|UseInterceptors|UsePipes|UseFilters|Roles|Permissions)\(([^)\n]{1,80})\)"
)


class Server:
    """One file's routes, each with the names that stand before its handler."""

    def __init__(self, code: str, path: str) -> None:
        self._code = code
        self._servers = (
            _USUAL | {m[1] for m in _SERVER.finditer(code)}
            if _is_server(code)
            else frozenset[str]()
        )
        self._guarded: list[tuple[str, list[str]]] = []
        found = _ROUTE.finditer(code) if self._servers else ()
        self._found = [match for match in found if match[1] in self._servers]
        self.routes = [*self._declared(), *_nest(code), *_next(code, path)]
        self.wrappers = {verb: wrapper for verb, wrapper in _HTTP.findall(code) if wrapper}

    def _declared(self) -> list[str]:
        routes: list[str] = []
        for found in self._found:
            routes.append(f"{found[2].upper()} {found[3]}")
            self._guarded.append((routes[-1], _before_handler(found["rest"])))
        return routes

    def spans(self) -> list[Span]:
        """The lines of handlers written where their route is declared, named by the route."""
        found = self._found
        lines = [self._code.count("\n", 0, match.start()) for match in found]
        ends = [*(line - 1 for line in lines[1:]), self._code.count("\n")][: len(lines)]
        return [
            Span(f"{match[2].upper()} {match[3]}", line, end)
            for match, line, end in zip(found, lines, ends, strict=True)
            if end - line >= _INLINE_LINES and _names(match["rest"])[-1:] in (["=>"], [])
        ]

    def notes(self, bound: Mapping[str, str]) -> list[str]:
        """What runs before the routes, in order, and which routes a guard stands before.

        Routers of the project's own files are left out: their entries say where they stand.
        """
        order = [name for path, name in self._used() if not path and name]
        notes = [f"middleware in order {', '.join(dict.fromkeys(order))}"] if order else []
        routers = {name for name, module in bound.items() if module.startswith(_PROJECT)}
        mounted = [
            f"{path} {name}"
            for path, name in self._used()
            if path and name and name not in routers and not name.startswith(_PROJECT)
        ]
        notes += [f"mounts {', '.join(dict.fromkeys(mounted))}"] if mounted else []
        notes += _guards(self._guarded)
        nest = common.unique(" ".join(m.split()) for m in _NEST_GUARD.findall(self._code))
        notes += [f"guards {', '.join(nest)}"] if nest else []
        wrappers = dict.fromkeys(self.wrappers.values())
        return notes + [f"wrapped by {name}" for name in wrappers]

    def mounts(self, bound: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """(path, module) of the routers put in place here; `bound` is name -> module."""
        pairs = [
            (path.rstrip("/"), name if name.startswith(_PROJECT) else bound.get(name, ""))
            for path, name in self._used()
        ]
        return tuple(dict.fromkeys(pair for pair in pairs if pair[1].startswith(_PROJECT)))

    def _used(self) -> list[tuple[str, str]]:
        """Every `use`: the path, and the last name or module that stands after it."""
        used: list[tuple[str, str]] = []
        for found in _USE.finditer(self._code) if self._servers else ():
            if found[1] in self._servers:
                names = [name for name in _names(found["rest"]) if name != "=>"]
                if found["path"]:
                    used.append((found["path"], names[-1] if names else ""))
                else:
                    used += [("", name) for name in names]
        return used


def _is_server(code: str) -> bool:
    return _SERVES.search(code) is not None


def _arguments(text: str) -> list[str]:
    """The arguments at the beginning of a text, up to the parenthesis that closes the call."""
    depth, item = 0, ""
    items: list[str] = []
    for character in text:
        if character in ")]}":
            depth -= 1
            if depth < 0:
                break
        elif character in "([{":
            depth += 1
        if character == "," and not depth:
            items.append(item.strip())
            item = ""
        else:
            item += character
    return [part for part in (*items, item.strip()) if part]


def _name(argument: str) -> str:
    """The name an argument is known by, "" for literals; an inline function is `=>`."""
    if _INLINE.match(argument):
        return "=>"
    found = _NAMED.match(argument)
    if found is None:
        return ""
    if found["module"]:
        return found["module"]
    call = found["call"] or ""
    return found["name"] + (call if len(call) > 2 and "{" not in call else "")


def _names(text: str) -> list[str]:
    inner = (part.strip("[] ") for part in _arguments(text))
    return [name for part in inner if (name := _name(part))]


def _before_handler(rest: str) -> list[str]:
    return [name for name in _names(rest)[:-1] if name != "=>"]


def _guards(guarded: Sequence[tuple[str, list[str]]]) -> list[str]:
    """`guard name: every route`, or the routes it stands before."""
    groups: dict[str, list[str]] = {}
    for route, names in guarded:
        for name in dict.fromkeys(names):
            groups.setdefault(name, []).append(route)
    every = list(dict.fromkeys(route for route, _ in guarded))
    return [f"guard {name}: {_said(routes, every)}" for name, routes in list(groups.items())[:8]]


def _said(routes: Sequence[str], every: Sequence[str]) -> str:
    """The routes, or those left when they are fewer."""
    rest = [route for route in every if route not in routes]
    if not rest:
        return "every route"
    return f"all but {', '.join(rest)}" if len(rest) < len(routes) else ", ".join(routes)


def _nest(code: str) -> list[str]:
    if "@Controller" not in code:
        return []
    places = [(m.start(), (m[1] or "").strip("/")) for m in _CONTROLLER.finditer(code)]
    routes: list[str] = []
    for found in _MAPPING.finditer(code):
        prefix = next((path for at, path in reversed(places) if at < found.start()), "")
        whole = "/".join(part for part in (prefix, (found[2] or "").strip("/")) if part)
        verb = {"Sse": "GET", "All": "ANY"}.get(found[1], found[1].upper())
        routes.append(f"{verb} /{whole}")
    return routes


def _next(code: str, path: str) -> list[str]:
    pure = PurePosixPath(path)
    if pure.stem != "route" or "app" not in pure.parts:
        return []
    parts = pure.parts[pure.parts.index("app") + 1 : -1]
    url = "/" + "/".join(part for part in parts if not part.startswith(("(", "@")))
    return [f"{verb} {url}" for verb, _ in _HTTP.findall(code)]
