"""Shell facts, by regular expressions."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from aoci_agent.aoci.facts import common, prose, secrets
from aoci_agent.aoci.facts.language import Source
from aoci_agent.aoci.facts.lines import in_lines
from aoci_agent.aoci.facts.model import Facts, Import, Symbol
from aoci_agent.aoci.facts.settings import told
from aoci_agent.aoci.wordset import wordset

_FUNCTION = re.compile(r"^[ \t]*+(?:function[ \t]++([A-Za-z_][\w:.-]*+)[ \t]*+(?:\(\))?|([A-Za-z_][\w:.-]*+)[ \t]*+\(\))[ \t]*+\n?[ \t]*+[{(]", re.MULTILINE)  # fmt: skip
_COMMAND = re.compile(r"(?:^|[;&|(`]|\bthen\b|\bdo\b|\belse\b)[ \t]*(?:(?:exec|sudo|time|nohup|if|while|!)[ \t]+){0,3}([a-z][\w.-]*|\./[\w./-]+)(?![\w=(/])(?:[ \t]+((?:-m[ \t]+|run[ \t]+)?[a-z][\w:./-]*))?", re.MULTILINE)  # fmt: skip
_SCRIPT = re.compile(r"(?:^|[;&|(][ \t]*|[ \t])(?:source|\.|bash|sh|zsh|python3?|node|ruby|perl|php)[ \t]+[\"']?(?:\$\{?\w+\}?/)?([\w./-]+\.(?:sh|bash|py|js|mjs|cjs|rb|pl|php|env|zsh))\b|(?:^|[;&|(][ \t]*)[\"']?(?:\$\{?\w+\}?|\.)/([\w./-]+\.sh)\b", re.MULTILINE)  # fmt: skip
_READ = re.compile(r"\$\{([A-Z][A-Z0-9_]{2,})(?::?[-?=+]|\})|\$([A-Z][A-Z0-9_]{2,})")
_ASSIGNED = re.compile(
    r"^[ \t]*(?:export[ \t]+|readonly[ \t]+|local[ \t]+|declare[ \t]+(?:-\w+[ \t]+)?)?([A-Za-z_]\w*)=([^\n]*)",
    re.MULTILINE,
)
_SELF = re.compile(r"\b([A-Z_][A-Z0-9_]{2,60})=\"?\$\{([A-Z_][A-Z0-9_]*)[:-]")
_DEFAULT = re.compile(r"\$\{([A-Z][A-Z0-9_]{2,}):?[-=]([^}\n]{0,60})\}")
_CASE = re.compile(r"^[ \t]*+((?:[\w-]++\|)*+-{0,2}[a-z][\w-]*+)\)", re.MULTILINE)
_OPTION = re.compile(r"^[ \t]*(?:-\w\|)?(--[a-z][\w-]*)(?:=\*)?(?:\|[^)\n]{0,60})?\)", re.MULTILINE)
_URL = re.compile(r"https?://[\w.-]+(?::\d+)?(?:/[\w./-]*)?")
_WORDS = wordset(
    "if then else elif fi for do done while until case esac in function select echo printf set unset export exit"
    " cd local return source read test eval shift trap true false readonly declare break continue sleep cat grep"
    " sed awk head tail cut tr sort uniq wc tee xargs basename dirname date which command type let pwd seq touch"
    " print info warn error log die usage main dev null exec sudo time nohup umask wait kill ls rm mkdir cp mv chmod"
    " chown find ln expr pushd popd getopts shopt id whoami hostname uname"
)
_MOST = 5000  # assignments looked at
_MINOR = wordset("ls rm mkdir cp mv chmod chown find ln")
_USUAL = wordset(
    "PATH HOME USER PWD SHELL BASH_SOURCE IFS LANG TERM EUID UID RANDOM PIPESTATUS FUNCNAME LINENO OPTARG OPTIND RED GREEN YELLOW BLUE NC CYAN BOLD RESET PURPLE WHITE"
)


def shell(source: Source) -> Facts:
    """Shell scripts: functions, what they run and read, options, settings at the top."""
    source = in_lines(source)
    text = _no_heredocs(source.text)
    lines = source.lines
    defined = _functions(source.text, lines)
    bare = re.sub(r"^[ \t]*#[^\n]*", "", text, flags=re.MULTILINE)
    assigned = [(m[1], m[2].strip()) for m in islice(_ASSIGNED.finditer(bare), _MOST)]
    runs = list(_commands(bare, defined))
    options = common.unique(_OPTION.findall(bare), 12)
    verbs = (
        _verbs(bare)
        if re.search(r"case[ \t]+\"?\$\{?(?:1|command|cmd|action|ACTION|COMMAND|CMD)\b", bare)
        else ()
    )
    notes = [
        *told("runs", runs, 12), *told("verbs", verbs), *told("options", options),
        *told("asks", (url for url in _URL.findall(bare) if "github.com" not in url), 5),
        *told("defaults", (f"{key}={value}" for key, value in _DEFAULT.findall(bare) if secrets.plain_value(key, value)), 6),
    ]  # fmt: skip
    kept = {name for name, read in _SELF.findall(bare) if name == read}
    own = {name for name, _ in assigned} - kept
    env = sorted({a or b for a, b in _READ.findall(bare)} - own - _USUAL)
    scripts = common.unique((a or b for a, b in _SCRIPT.findall(bare)), 16)
    return Facts(
        "shell",
        doc=_doc(lines),
        symbols=defined,
        imports=tuple(Import(script, (("*", 1),)) for script in scripts),
        env=common.unique(env, 16),
        tables=common.sql_tables(source.text),
        constants=_constants(assigned),
        notes=tuple(map(secrets.masked, notes)),
    )


def _doc(lines: list[str]) -> str:
    block = prose.leading_comment(lines, ("#",))
    return secrets.masked(prose.clean(block))


def _no_heredocs(text: str) -> str:
    """The text without here-documents: their lines are another language's."""
    kept: list[str] = []
    end = ""
    for line in text.split("\n"):
        if end:
            end = "" if line.strip() == end else end
            continue
        kept.append(line)
        found = re.search(r"<<-?[ \t]*[\"'\\]?([A-Za-z_]\w*)", line) if "<<" in line else None
        end = found[1] if found else ""
    return "\n".join(kept)


def _functions(text: str, lines: list[str]) -> tuple[Symbol, ...]:
    found: dict[str, Symbol] = {}
    line, start = 0, 0
    for match in _FUNCTION.finditer(text):
        line += text.count("\n", start, match.start())
        start = match.start()
        name = match[1] or match[2]
        doc = prose.first_sentence(prose.comment_above(lines, line, "#"))
        found.setdefault(
            name, Symbol(name, "function", line + 1, not name.startswith("_"), "", doc)
        )
        if len(found) >= 80:
            break
    return tuple(found.values())


def _commands(text: str, defined: Sequence[Symbol]) -> Iterator[str]:
    """Programs a script starts, the telling ones first."""
    text = re.sub(r"\\\n[ \t]*", " ", re.sub(r"\"[^\"\n]*\"|'[^'\n]*'", '""', text))
    text = re.sub(r"^[ \t]*[^\s()$`\"']{1,80}\)", "", text, flags=re.MULTILINE)  # labels of a case
    known = _WORDS.union(symbol.name for symbol in defined)
    found = dict.fromkeys((name, argument) for name, argument in _COMMAND.findall(text))
    yield from (" ".join(filter(None, pair)) for pair in found if pair[0] not in known)
    yield from dict.fromkeys(name for name, _ in found if name in _MINOR)


def _verbs(text: str) -> list[str]:
    return [
        verb
        for verb in _CASE.findall(text)
        if not verb.startswith("-") and verb not in ("y", "n", "yes", "no")
    ]


def _constants(assigned: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Settings in capitals with a plain value."""
    shown: list[str] = []
    for name, value in assigned:
        plain = secrets.plain_value(name, value)
        if (
            name.isupper()
            and name not in _USUAL
            and plain
            and "$(" not in plain
            and "\\033" not in plain
        ):
            shown.append(f"{name}={prose.cut(plain, 50)}")
    return common.unique(shown, 10)
