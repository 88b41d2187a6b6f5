"""Facts that look alike in every language and explain how a program behaves, ready to print."""

import re
from collections.abc import Callable, Iterable, Iterator

from aoci_agent.aoci.facts import common
from aoci_agent.aoci.wordset import wordset

_HOST = re.compile(r"""https?://([a-zA-Z0-9][\w-]*(?:\.[a-zA-Z][\w-]*)+)(?=[/:"'`\s?]|$)""")
_NO_HOSTS = re.compile(
    r"(?:^|\.)(?:w3\.org|example\.\w+|schema\.org|localhost|swagger\.io|apache\.org|xmlsoap\.org"
    r"|openxmlformats\.org|json-schema\.org|reactjs\.org|nextjs\.org|your[\w-]*\.\w+)\Z|^www\.github"
)
_HEADER = re.compile(
    r"""(?:GetHeader|\.header|headers\.get|Header\.(?:Get|Set)|setHeader|headers\.set|SetHeader)\(\s*["']([A-Za-z][\w-]+)["']
    |headers\[\s*["']([\w-]+)["']\s*\]""",
    re.VERBOSE,
)
_COMMON_HEADERS = wordset(
    "content-type accept connection cache-control content-length host user-agent"
)
_COOKIE = re.compile(
    r"""(?:\bcookies?\b(?:\(\)|Store)?\.(?:get|set|delete)|\.[sS]et_?[cC]ookie|\.Cookie|\.cookie|clearCookie)\(\s*["']([\w.-]{2,40})["']
    |(?:req|request)\.cookies(?:\.|\[["'])(?!get|set|delete|has)(\w+)""",
    re.VERBOSE,
)
_CRON = re.compile(
    r"""(?:\.(?:schedule|AddFunc|AddJob|Schedule)|@Cron|CronJob)\(\s*["'`]([-\d*/,\s?@a-zA-Z]{5,40})["'`]
    |\bcrontab\(([^)]{3,60})\)|\bCron(?:Expression)?\.(EVERY_\w+)""",
    re.VERBOSE,
)
_TIMER = re.compile(
    r"\bset(?P<kind>Interval|Timeout)\((?:[^;{}]{1,120}|.{1,1500}?^\s*\}),\s*(?P<time>[A-Z_\d][\w.\s*]{1,40}?)\s*\)",
    re.MULTILINE | re.DOTALL,
)
_WAIT = re.compile(
    r"[.(](?:(?:(?<=\btime\.)|(?<=\basyncio\.))(?P<kind>NewTicker|Tick|After|AfterFunc|NewTimer|Sleep|sleep)"
    r"\(\s*(?P<time>[\w.]+(?:\s*\*\s*[\w.]+)?)\s*[,)]|(?<=\bmake\()chan [^,()\n]{1,40},\s*(?P<room>\w+)\))"
)
_SSE = re.compile(
    r"""(?:SSEvent|[sS]endEvent|[sS]endSSE\w*|[wW]riteSSE\w*|[sS]seWrite|writeEvent)\(\s*(?:\w+\s*,\s*)?["'](\w[\w.-]*)["']
    |["'`]event:\s*([\w-]+)\\n""",
    re.VERBOSE,
)
_SOCKET = re.compile(
    r"\b(?:socket|io|ws|wss|emitter|bus|eventBus|mitt)\w*\.(on|emit)\(\s*[\"']([\w:.-]{3,40})[\"']"
)
_CHANNEL = re.compile(
    r"""(?:ipcMain|ipcRenderer|webContents)\.(?:handle|on|once|invoke|send)\(\s*["']([\w:./-]+)["']
    |(?:BroadcastChannel|CustomEvent)(?:<[^>\n]*>)?\(\s*["']([\w:./-]+)["']""",
    re.VERBOSE,
)
_COMMON_SOCKET = wordset("error close message open connect disconnect data end")
_ALGORITHM = re.compile(
    r"""["'`](aes-\d{3}-\w{3}|sha\d{1,3}|md5|RS256|HS\d{3}|ES256|bcrypt|argon2\w*|scrypt|pbkdf2)["'`]
    |\b(?:aes\.New\w+|cipher\.New\w+|sha\d{1,3}\.(?:New|Sum\w*)|md5\.\w+|bcrypt\.\w+|hmac\.New|scrypt\w*|pbkdf2\w*|argon2\w*
    |hashlib\.\w+|SigningMethod\w+|createHmac|timingSafeEqual|createCipheriv)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_FLAG = re.compile(
    r"""(?:isFeatureEnabled|isEnabled|getFeatureFlag|useFeatureFlag\w*|featureEnabled|feature_enabled)\(\s*["']([\w.-]+)["']"""
)
_CODE = re.compile(
    r"""(?:c(?<!\wc)ode|e(?<!\we)rrorCode|e(?<!\we)rror_code|e(?<!\we)rrCode|r(?<!\wr)eason)["']?\s*[:=]\s*(?:[\w.?]{1,30}\s*(?:\|\||\?\?)\s*)?["']([A-Z][A-Z\d_]{3,40})["']"""
)
_KIND = re.compile(
    r"""ype(?<=[tT]ype)["']?\s*[:=]{1,3}\s*["']([a-z]+(?:_[a-z]+)+)["']|T(?<!\wT)ype:\s*"([a-z]\w{2,30})"
    |E(?<!\wE)vent:\s*"([a-z]\w{2,30})"|K(?<!\wK)ind:\s*"([a-z]\w{2,30})"|S(?<!\wS)tatus:\s*"([a-z]\w{2,30})"
    |,\s*["']([a-z]{3,}(?:_[a-z]{2,})+)["']\s*\)""",
    re.VERBOSE,
)
_REGISTER = re.compile(
    r"""([rR](?<![\w"'].)egister\w*)\(\s*(?:["']([\w.:-]{2,40})["']\s*,\s*[A-Za-z_]|&?([A-Za-z_]\w*)(?:\[\w+\]|\{\})*\s*[,)])"""
)
_NUMBER = r"-?\d[\d_.]*(?:\s*\*\s*[\d_]+){0,4}|(?:\d+\s*\*\s*)?time\.\w+(?:\s*\*\s*\d+)?|[\"']\d+\s?(?:ms|s|m|h|d|kb|mb|gb)[\"']"
_BOUND = re.compile(rf"[:=]\s*({_NUMBER})(?=\s*[,;)\n}}\]])")
_BOUNDED = re.compile(r"""([A-Za-z_]\w{1,40})["']?\s*:?\Z""")
_LIMITED = re.compile(
    r"""timeout|interval|expir|ttl|max_?age|retr(?:y|ies)|attempts|limit|max[A-Z_]|delay|windowMs|concurrency|batch_?size
    |duration|quota|capacity|credits\Z|days\Z|minutes|seconds|heartbeat|poll|similarity|grace|cooldown|lifetime|size\Z
    |dimensions?\Z|chunk|top_?k\Z|temperature|rounds|threshold|debounce|backoff|staleTime|gcTime""",
    re.VERBOSE | re.IGNORECASE,
)
_MAX = 14
_SHORT_WAIT = 3  # digits of a wait too short to tell of


def signals(code: str) -> list[str]:
    """Hosts asked, headers and cookies, schedules, events sent to browsers, algorithms, flags."""
    found = [
        _listed("runs at", _when(code, "cron Cron Schedule AddFunc", _times)),
        _listed("timers", _when(code, "setInterval setTimeout time. asyncio. make(chan", _timers)),
        _listed(
            "sse events",
            _when(
                code, "SSE endEvent( writeEvent( seWrite( 'event: \"event: `event:", _SSE.finditer
            ),
        ),
        _listed(
            "socket",
            _when(code, "ocket. ocket?. io.on io.emit ws.on mitter. us.on us.emit mitt", _socket),
        ),
        _listed(
            "channels",
            _when(code, "ipc webContents. BroadcastChannel CustomEvent", _CHANNEL.finditer),
        ),
        _listed("cookies", _when(code, "ookie", _COOKIE.finditer)),
        _listed(
            "headers",
            _when(code, "Header( .header( headers.get( headers.set( Header. headers[", _headers),
        ),
        _listed(
            "algorithms",
            _when(
                code,
                "aes- aes. sha1 sha2 sha5 md5 crypt SigningMethod mac. Hmac HS2 HS5 RS256 ES256 argon cipher. hashlib TimingSafe",
                _ALGORITHM.finditer,
            ),
        ),
        _listed("codes", _when(code, "code Code reason", _CODE.finditer)),
        _listed("kinds", _when(code, "_", _KIND.finditer)),
        _listed("registers", _when(code, "egister", _registered)),
        _listed("flags", _when(code, "nabled( eatureFlag", _FLAG.finditer)),
        _listed("hosts", _when(code, "://", _hosts)),
    ]
    return [note for note in found if note]


def limits(code: str) -> list[str]:
    """`timeout=30000`: numbers given to names that say what they bound."""
    pairs: dict[str, None] = {}
    for found in _BOUND.finditer(code):
        name = _BOUNDED.search(code, max(found.start() - 44, 0), found.start())
        if name and _LIMITED.search(name[1]):
            pairs[f"{name[1]}={' '.join(found[1].split())}"] = None
    return [pair for pair in pairs if not pair.endswith(("=0", "=1", "=-1"))][:10]


def _when(
    code: str, words: str, find: Callable[[str], Iterable[re.Match[str] | str]]
) -> Iterator[str]:
    """What `find` finds, asked only where one of the words occurs at all."""
    if any(word in code for word in words.split()):
        for item in find(code):
            yield item if isinstance(item, str) else next((g for g in item.groups() if g), item[0])


def _listed(word: str, items: Iterable[str]) -> str:
    kept = common.unique(items, _MAX)
    return f"{word} {', '.join(kept)}" if kept else ""


def _times(code: str) -> Iterator[str]:
    for found in _CRON.finditer(code):
        said = " ".join((found[1] or found[2] or found[3]).split())
        if found[2] or found[3] or re.search(r"[*@]", said):
            yield f"`{said}`" if found[1] else said


def _timers(code: str) -> Iterator[str]:
    for found in _TIMER.finditer(code) if "Interval(" in code or "Timeout(" in code else ():
        time = " ".join(found["time"].split())
        if found["kind"] == "Interval":
            yield f"every {time}"
        elif len(time) > _SHORT_WAIT:
            yield f"after {time}"
    for found in _WAIT.finditer(code):
        if found["room"]:
            yield f"channel of {found['room']}"
        elif re.search(r"\d|[A-Z]\w*[a-z]", found["time"]):
            yield f"{'every' if 'Tick' in found['kind'] else 'after'} {found['time']}"


def _socket(code: str) -> Iterator[str]:
    for found in _SOCKET.finditer(code) if ".on(" in code or ".emit(" in code else ():
        if found[2] not in _COMMON_SOCKET:
            yield f"{found[1]} {found[2]}"


def _registered(code: str) -> Iterator[str]:
    for found in _REGISTER.finditer(code):
        if found[2]:
            yield found[2]
        elif (
            found[3] not in ("type", "name", "func", "func_", "self", "cls", "ctx", "key")
            and found[1] != "register"
        ):
            yield f"{found[1]}({found[3]})"


def _headers(code: str) -> Iterator[str]:
    names = (found[1] or found[2] for found in _HEADER.finditer(code))
    return (name for name in names if name.lower() not in _COMMON_HEADERS)


def _hosts(code: str) -> Iterator[str]:
    names = (found[1] for found in _HOST.finditer(code))
    return (name for name in names if not _NO_HOSTS.search(name))
