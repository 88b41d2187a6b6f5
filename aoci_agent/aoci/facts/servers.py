"""Facts of servers' and services' own configuration: nginx, Apache, Caddy, HAProxy, systemd, and the like."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from aoci_agent.aoci.facts import common, prose
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.facts.settings import telling_pairs, told

_TOKEN = re.compile(
    r"#[^\n]*|([{};])|((?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)|\$\{\w*\}?|\\.|[^\s{};\"'\\$]|\$)+)"
)
_TARGETS = (
    "proxy_pass", "fastcgi_pass", "uwsgi_pass", "grpc_pass", "alias", "root", "return", "try_files",
    "rewrite",
)  # fmt: skip
_EXTRAS = (
    "client_max_body_size", "limit_req", "auth_basic", "proxy_cache", "expires",
)  # fmt: skip
_GLOBAL = (
    "worker_processes", "worker_connections", "keepalive_timeout", "gzip", "proxy_cache_path",
    "access_log",
)  # fmt: skip
_BLOCKS = 5000  # of one file
_UNIT_KEYS = (
    "ExecStart", "OnCalendar", "ListenStream", "User", "WorkingDirectory", "EnvironmentFile",
    "Environment", "Restart", "After", "Requires", "WantedBy", "MemoryMax", "LimitNOFILE",
)  # fmt: skip


@dataclass
class _Block:
    """One block of an nginx file: its header words, its directives, the blocks inside."""

    words: list[str] = field(default_factory=list[str])
    directives: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    inner: list["_Block"] = field(default_factory=list["_Block"])

    def get(self, name: str) -> str:
        return self.directives.get(name, [""])[0]

    def all_inner(self) -> Iterator["_Block"]:
        pending = list(reversed(self.inner))
        while pending:
            block = pending.pop()
            yield block
            pending.extend(reversed(block.inner))

    @property
    def kind(self) -> str:
        return self.words[0] if self.words else ""


def _parsed(text: str) -> _Block:
    root = _Block()
    stack, words, blocks = [root], list[str](), 0
    for found in _TOKEN.finditer(text):
        mark = found[1]
        if found[2]:
            words.append(found[2])
        elif mark == ";" and words:
            stack[-1].directives.setdefault(words[0], []).append(" ".join(words[1:]))
        elif mark == "{" and blocks < _BLOCKS:
            blocks += 1
            block = _Block(words)
            stack[-1].inner.append(block)
            stack.append(block)
        elif mark == "}" and len(stack) > 1:
            stack.pop()
        if mark:
            words = []
    return root


def server_facts(source: Source) -> Facts:
    """nginx-like configuration; other server files by the look of their lines."""
    root = _parsed(source.text)
    blocks = [root, *root.all_inner()]
    known = any(b.kind in ("server", "location", "upstream", "http", "events") for b in blocks)
    if not known:
        return _other(source)
    doc = prose.clean(prose.leading_comment(source.lines, ("#",)))
    notes = [
        *_listeners(blocks), *_limits(blocks), *_locations(blocks), *_upstreams(blocks), *_rest(blocks),
    ]  # fmt: skip
    env = common.substituted(source.text)
    return Facts("server", doc=doc, notes=common.unique(notes, 30), env=env)


def _listeners(blocks: Sequence[_Block]) -> Iterator[str]:
    listens = common.unique((v for b in blocks for v in b.directives.get("listen", ())), 6)
    names = common.unique((v for b in blocks for v in b.directives.get("server_name", ())), 4)
    named = [name for name in names if name not in ("_", "localhost")]
    if listens:
        yield f"listens {', '.join(listens)}" + (f" for {', '.join(named)}" if named else "")
    elif named:
        yield f"serves {', '.join(named)}"


def _limits(blocks: Sequence[_Block]) -> Iterator[str]:
    for block in blocks:
        if block.kind != "location" and (size := block.get("client_max_body_size")):
            yield f"client_max_body_size {size}"
        for zone in block.directives.get("limit_req_zone", ()):
            found = re.search(r"zone=([\w-]+)\S* rate=(\S+)", zone)
            if found:
                yield f"rate limit {found[1]} {found[2]}"


def _locations(blocks: Sequence[_Block]) -> list[str]:
    """Locations with where they lead; those passed on to another program first."""
    ranked: list[tuple[int, str]] = []
    for block in blocks:
        if block.kind == "server" and (target := block.get("return")):
            ranked.append((2, f"{block.get('listen') or '*'} -> {target}"))
        if block.kind != "location":
            continue
        path = " ".join(block.words[1:])
        aim = next((name for name in _TARGETS if name in block.directives), "")
        passed = aim.endswith("_pass")
        said = "" if passed or aim == "return" else f"{aim} "
        extras = [f"{name} {block.get(name)}" for name in _EXTRAS if block.get(name)]
        extras += ["unbuffered"] if block.get("proxy_buffering") == "off" else []
        extras += (
            ["websocket"]
            if "Upgrade" in " ".join(block.directives.get("proxy_set_header", ()))
            else []
        )
        more = f" ({', '.join(extras)})" if extras and (passed or not aim) else ""
        target = f" -> {said}{block.get(aim)}" if aim else ""
        rank = (0 if path[:1] == "/" else 1) if passed else 3 if aim else 4
        ranked.append((rank, f"{path}{target}{more}"))
    return [text for _, text in sorted(ranked, key=lambda item: item[0])]


def _upstreams(blocks: Sequence[_Block]) -> Iterator[str]:
    for block in blocks:
        if block.kind == "upstream":
            yield f"upstream {' '.join(block.words[1:])}: {', '.join(block.directives.get('server', ())[:4])}"


def _rest(blocks: Sequence[_Block]) -> Iterator[str]:
    waits = (
        f"{' '.join(block.words[1:])} {wait}"
        for block in blocks
        if block.kind == "location" and (wait := block.get("proxy_read_timeout"))
    )
    yield from told("proxy_read_timeout", waits, 4)
    for name in ("ssl_certificate", "ssl_protocols", *_GLOBAL, "include"):
        values = common.unique((v for b in blocks for v in b.directives.get(name, ())), 3)
        if values:
            yield f"{name} {', '.join(values)}"
    headers = common.unique(
        (v.split()[0] for b in blocks for v in b.directives.get("add_header", ()) if v), 5
    )
    if headers:
        yield f"headers {', '.join(headers)}"


_LINES: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("haproxy", re.compile(r"^[ \t]*(frontend|backend|listen|bind|server|use_backend|default_backend|timeout client|timeout server)[ \t]+(\S[^\n]{0,100})", re.M), r"(?m)^(?:frontend|backend)\s"),
    ("apache", re.compile(r"^[ \t]*<?(VirtualHost|Listen|ServerName|DocumentRoot|ProxyPass|RewriteRule|Redirect|ErrorDocument|LimitRequestBody|php_value|FallbackResource|DirectoryIndex|Header set|Deny|Require|AuthType|Options)[ \t]+([^\s>][^\n>]{0,100})", re.M), r"(?m)^[ \t]*<?(?:VirtualHost|RewriteEngine|RewriteRule|DocumentRoot|IfModule|Files|Redirect|DirectoryIndex|Options|Order|php_value|Header)\b"),
)  # fmt: skip


def _other(source: Source) -> Facts:
    """HAProxy, Apache, else settings as `key value` lines."""
    doc = prose.clean(prose.leading_comment(source.lines, ("#", ";")))
    for _, pattern, sign in _LINES:
        if re.search(sign, source.text):
            found = (f"{m[1]} {m[2].strip()}" for m in pattern.finditer(source.text))
            return Facts("server", doc=doc, notes=common.unique(found, 16))
    pairs = re.findall(
        r"^[ \t]*([A-Za-z][\w.-]*)[ \t]*[=: \t][ \t]*([^\s{#][^\n]{0,100}?)[ \t]*;?$",
        source.text,
        re.M,
    )
    blocks = re.findall(
        r"^[ \t]*(?:\[{1,3}([^\]\[\n]{1,80})\]|([\w./*-]{1,80})[ \t]*\{)", source.text, re.M
    )
    sections = common.unique((named or opened for named, opened in blocks), 10)
    notes = [f"sections {', '.join(sections)}"] if sections else []
    return Facts("server", doc=doc, notes=common.unique([*notes, *telling_pairs(pairs)], 16))


def htaccess_facts(source: Source) -> Facts:
    """Apache's files per folder and virtual host."""
    return _other(source)


def caddy_facts(source: Source) -> Facts:
    """Caddyfile: sites, and where their paths lead."""
    sites = re.findall(r"^([^\s{}#(][^{}\n]{0,80}?)[ \t]*\{[ \t]*$", source.text, re.MULTILINE)
    lines = re.findall(
        r"^[ \t]+((?:reverse_proxy|root|redir|respond|handle\w*|file_server|php_fastcgi|rewrite|request_body|max_size|basicauth|tls|encode)\b[^\n{]{0,90})",
        source.text, re.MULTILINE,
    )  # fmt: skip
    notes = [f"sites {', '.join(common.unique(sites, 6))}"] if sites else []
    notes += [
        " ".join(line.split()) for line in lines if line.strip() not in ("handle", "file_server")
    ]
    doc = prose.clean(prose.leading_comment(source.lines, ("#",)))
    return Facts(
        "server",
        doc=doc,
        notes=common.unique(notes, 16),
        env=common.unique(re.findall(r"\{\$([A-Z]\w+)", source.text)),
    )


def unit_facts(source: Source) -> Facts:
    """systemd units: what runs, when, as whom."""
    pairs = re.findall(r"^([A-Z]\w+)=([^\n]*\S)", source.text, re.MULTILINE)
    said = next((value for key, value in pairs if key == "Description"), "")
    notes: list[str] = []
    env: list[str] = []
    for wanted in _UNIT_KEYS:
        values = [value for key, value in pairs if key == wanted]
        if wanted == "Environment":
            env = [name for value in values for name in re.findall(r"([A-Z][A-Z0-9_]{2,})=", value)]
        elif values:
            notes.append(f"{wanted} {', '.join(values[:3])}")
    return Facts(
        "server", doc=prose.clean(said), notes=common.unique(notes), env=common.unique(env)
    )


def procfile_facts(source: Source) -> Facts:
    """Procfile: processes with their commands."""
    found = re.findall(r"^([\w-]+):[ \t]*(\S[^\n]{0,120})", source.text, re.MULTILINE)
    return Facts("server", notes=common.unique(f"{name}: {command}" for name, command in found))


def crontab_facts(source: Source) -> Facts:
    """crontab: commands with their times."""
    found = re.findall(
        r"^((?:[\d*/,-]+[ \t]+){4}[\w*/,-]+|@\w+)[ \t]+(\S[^\n]{0,100})", source.text, re.M
    )
    return Facts("server", notes=common.unique(f"runs at {time}: {what}" for time, what in found))
