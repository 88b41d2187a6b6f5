"""One step of a function: what a call, an error or a statement says to a reader who sees only names."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from aoci_agent.aoci.facts import common, prose
from aoci_agent.aoci.wordset import wordset

_MESSAGE = 30  # characters of what an error says
_MESSAGE_WIDE = 14  # and of one whose every character is about a token


class Names(NamedTuple):
    """What the calls of a file may begin with."""

    own: frozenset[str]  # functions and methods of the file itself
    local: frozenset[str]  # bound to other files of the project
    outside: frozenset[str]  # bound to packages
    dull: frozenset[str] = frozenset()  # bound, but saying nothing: a standard library
    types: frozenset[str] = frozenset()  # types of the file that have methods


_CHAIN = r"[\w$]*+(?:\??\.[A-Za-z_$][\w$]*+)*+"
# The first letter stands alone, so that the search passes quickly over what begins no word.
_WORK = re.compile(
    rf"""(?P<first>[A-Za-z_$])(?<![\w$].)(?:
    (?:(?P<raise>(?:(?<=t)hrow(?:\s+new)?|(?<=r)aise)\s+)(?P<raised>[A-Za-z_$]{_CHAIN})
    |(?:(?P<chained>(?<=\)\..))|(?<!\..))(?P<rest>{_CHAIN}))
    (?:<[\w.\[\], |]{{1,40}}>)?\(\s*
    (?P<arg>&?(?:schema\.)?[A-Za-z_][\w.]*(?=\s*[,){{])|f?["'`][^"'`\n]{{1,80}}["'`]|\d{{3}}\b)?
    (?:,\s*(?P<second>[A-Za-z_][\w.]*(?=\s*[,){{])|["'][^"'\n]{{1,60}}["']))?
    |(?<=r)eturn\s+[^\n]{{0,40}}?\b(?P<error>Err[A-Z]\w+)\b)""",
    re.VERBOSE | re.DOTALL,
)
_DULL_ROOTS = wordset(
    "console log logger glog logging slog warnings fmt errors strings strconv sort math Math JSON Object Array"
    " Promise String Number Date Boolean Set Map WeakMap RegExp Symbol Error parseInt parseFloat isNaN require"
    " import super if for while switch catch return function await typeof with print len str int float dict list"
    " set tuple range enumerate zip isinstance getattr setattr hasattr super make append copy delete panic string"
    " int64 uint uint64 t React window document e event err error zap time filepath path i18n dayjs moment"
    " fx util utils helper helpers process module exports describe it test expect Reflect Buffer URLSearchParams URL Intl utf8 bytes cn clsx"
    " message toast notification Modal navigate setTimeout clearTimeout clearInterval encodeURIComponent"
    " decodeURIComponent useState useEffect useCallback useMemo useRef useTranslations useTranslation translate"
)
_DULL_CALLS = wordset(
    "map filter forEach push pop join split slice splice trim includes toString toLowerCase toUpperCase replace"
    " find findIndex some every reduce sort keys values entries indexOf startsWith endsWith then catch finally"
    " concat length charAt charCodeAt match test exec call apply bind has add clear size preventDefault"
    " stopPropagation toFixed padStart toISOString getTime parse stringify isArray assign freeze from log info warn"
    " error debug Info Warn Error Debug Errorf Printf Sprintf With WithErr WithContext WithField WithError String"
    " format append extend strip lower upper items setdefault isoformat encode decode len Len Err Unwrap Is As"
    " Context Done next json send status set get_logger getLogger Module Next exception warning critical"
    " Background Sprint Time Now Unix Format Add Sub Before After Since IsZero Itoa Contains HasPrefix Join Split"
    " setState dispatchEvent focus blur click scrollTo querySelector getElementById t removeprefix flat flatMap"
    " success ok validation validationError Unlock RUnlock Close Expr Wait Done rstrip lstrip splitlines update_forward_refs setTimeout getItem setItem removeItem reject resolve"
    " query execute simpleQuery raw prepare run Query QueryRow Exec Scan fetchall fetchone"
    " Bind ShouldBind ShouldBindJSON ShouldBindQuery Success safeParse optional min max nullable describe"
)
_OPTION = re.compile(
    r"(?:Query|query)?With[A-Z]\w*|set[A-Z]\w*|use(?:State|Effect|Ref|Memo|Callback)"
)
_VERBS = wordset("get post put patch delete request fetch head")
# Names of array methods and the like that mean more on what the project itself defines.
_TELLING = wordset(
    "find get set delete has add clear send run query from process next match replace"
)
_LOOKUPS = wordset("get set delete has")  # of maps, headers and the like
_SERVICE = re.compile(
    r"(?:repo|repository|service|svc|store|client|api|db|cache|redis|queue|mq|pub|bus|model|dao|manager|engine"
    r"|provider|adapter|session|rag|llm|oss|storage|bucket|limiter|mailer|conn|pool|tx)\w*\Z",
    re.IGNORECASE,
)
_PUBLISH = wordset(
    "publish Publish emit dispatch send_task apply_async enqueue Enqueue sendToQueue lpush rpush xadd"
)
_LISTEN = wordset("subscribe Subscribe addListener add_listener consume Consume psubscribe")
_CACHE = re.compile(r"(?:redis|cache|Redis|Cache|rdb|kv)\w*\Z")
_TRANSACTION = wordset(
    "transaction Transaction $transaction BeginTx Begin beginTransaction atomic begin_nested startTransaction"
)
_LOCK = wordset("Lock RLock acquire setnx SetNX withLock")
_ANSWER = wordset(
    "status sendStatus WriteHeader AbortWithStatus AbortWithStatusJSON abort HttpResponse"
)
_REFUSAL = re.compile(
    r"(?:un|Un)authorized|[fF]orbidden|[nN]ot_?[fF]ound|[bB]ad_?[rR]equest|[cC]onflict|[tT]oo_?[mM]any_?[rR]equests"
    r"|[iI]nternal(?:Server)?_?[eE]rror|redirect|Redirect"
)
_ORM_WRITE = wordset(
    "Model insert update delete upsert bulk_create Create Save insertInto updateTable"
)
_QUOTES = wordset("\" ' `")
_SAID = re.compile(r"\A[\"'`][^\"'`]{2,60}[\"'`]\Z")
_HOLE = re.compile(r"\$\{[^}]*\}|%[sdv]|\{\w*\}")


def steps_of(code: str, names: Names) -> list[tuple[int, str]]:
    """Every step of a text without comments, with its position, in order."""
    steps = [
        (found.start(), step) for found in _WORK.finditer(code) if (step := _step(found, names))
    ]
    steps += common.sql_steps(code)
    return sorted(steps)


def _step(found: re.Match[str], names: Names) -> str:
    if found["error"]:
        return found["error"]
    chain = found["raised"] or found["first"] + found["rest"]
    parts = chain.replace("?.", ".").split(".")
    if found["chained"] is not None:
        parts.insert(0, "")  # called on what another call gave
    argument = found["arg"] or ""
    if found["raise"]:
        return _failure(parts[-1], argument)
    if parts in (["errors", "New"], ["fmt", "Errorf"]):
        return _failure("", argument)
    special = _special(parts, argument, found["second"] or "") if len(parts) > 1 else ""
    return special or _requested(parts, argument, names) or _plain(parts, names)


def _requested(parts: Sequence[str], argument: str, names: Names) -> str:
    """A call with a path as its first argument: `GET /users`."""
    last = parts[-1]
    if not _is_path(argument) or parts[0] in names.dull:
        return ""
    if last in _VERBS:
        return f"{last.upper() if len(parts) > 1 else last} {_bare(argument).partition('?')[0]}"
    return "" if last in _DULL_CALLS else f"{last} {_bare(argument).partition('?')[0]}"


def _is_dull(parts: Sequence[str], names: Names) -> bool:
    root, last = parts[0], parts[-1]
    if last in _TELLING and root in names.local and len(parts) > 1:
        return False
    if last in _DULL_CALLS or root in _DULL_ROOTS or root in names.dull:
        return True
    return _OPTION.fullmatch(last) is not None or (last in _LOOKUPS and root not in names.local)


def _is_path(argument: str) -> bool:
    return _quoted(argument) and re.match(r"[\"'`](?:\$\{[^}]*\})?/\w", argument) is not None


def _failure(kind: str, argument: str) -> str:
    """`throws Kind "what it says"`; the plain kinds are left out where they say something."""
    said = _HOLE.sub("*", argument.lstrip("f").strip("\"'`")) if _quoted(argument) else ""
    if " " in said and prose.says_nothing(said):
        said = ""
    kind = "" if kind in ("Error", "Exception", "ValueError") and said else kind
    short = f'"{_short(said)}"' if said else ""
    return " ".join(filter(None, ("throws", kind, short))) if kind or short else ""


def _short(said: str) -> str:
    """The beginning of a message, cut between words."""
    whole = re.sub(r"\$\{.*", "*", said)
    if len(whole) <= (_MESSAGE if whole.isascii() else _MESSAGE_WIDE):
        return whole
    if not whole.isascii():
        return whole[:_MESSAGE_WIDE]
    return f"{re.split(r'[^A-Za-z0-9_]+(?=[A-Za-z0-9_]*$)', whole[:_MESSAGE])[0]}…"


def _quoted(argument: str) -> bool:
    return argument[-1:] in _QUOTES and _SAID.match(argument.lstrip("f")) is not None


def _special(parts: Sequence[str], argument: str, second: str) -> str:
    """Steps that say more than a call: events, cache keys, transactions, locks, answers."""
    last, before = parts[-1], parts[-2]
    if step := _event(last, argument, second):
        return step
    if last in _TRANSACTION and (argument or last != "Begin" or _SERVICE.match(before)):
        return "transaction"
    if last in _LOCK:
        return "lock"
    if _CACHE.match(before) and _quoted(argument):
        return f"{before}.{last} {_bare(argument)}"
    return _answer(last, argument) or _written(last, before, argument)


def _answer(last: str, argument: str) -> str:
    if last in _ANSWER and argument.isdigit():
        return argument
    return last if _REFUSAL.fullmatch(last) else ""


def _written(last: str, before: str, argument: str) -> str:
    wrote = last in _ORM_WRITE and _is_record(before, argument)
    return f"{last} {_bare(argument)}" if wrote else ""


def _event(last: str, argument: str, second: str) -> str:
    if last not in _PUBLISH and last not in _LISTEN:
        return ""
    topic = next((value for value in (argument, second) if _is_topic(value)), "")
    return f"{'publish' if last in _PUBLISH else 'subscribe'} {_bare(topic)}" if topic else ""


def _is_record(before: str, argument: str) -> bool:
    """Whether something is written through an object mapper: a record, or a table's variable."""
    written = argument.startswith("&") or before in ("db", "tx", "trx")
    return written and not _quoted(argument) and bool(argument)


def _is_topic(value: str) -> bool:
    bare = _bare(value)
    return _quoted(value) or (bare[:1].isupper() and bare != "Context")


def _bare(argument: str) -> str:
    inner = argument.lstrip("f&").strip("\"'`")
    return _HOLE.sub("*", inner if _quoted(argument) else inner.rpartition(".")[2])


def _plain(parts: Sequence[str], names: Names) -> str:
    """A call as it is written, without what stands for the object itself."""
    if _is_dull(parts, names):
        return ""
    root, last = parts[0], parts[-1]
    bound = root in names.local or root in names.outside
    if len(parts) == 1:
        return root if root in names.own or root in names.local else ""
    mine = root in ("this", "self", "cls") or (len(root) <= 3 and root.islower())
    if len(parts) == 2 and (root in names.types or (mine and not bound)):
        return last if last in names.own else ""
    if mine or bound or root in names.own or _SERVICE.search(parts[-2]):
        return ".".join(parts[-2:])
    return ""
