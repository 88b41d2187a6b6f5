"""What is a credential by its own look, and the values this agent itself holds: shown as a mark.

A form is taken only where it is plain: a provider's prefix with the length and the disorder of a real
key. Names of variables say nothing here (`token = next(tokens)` is code); that is judged where
text is written about code, in `aoci/facts/secrets.py`.
"""

import base64
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast
from urllib.parse import quote

MARK = re.compile(r"<secret: [\w ]{1,40}, \d+ characters>")
LEAST = 12  # characters of a live value; a shorter one would be found in ordinary words
# Where a key may begin: not within a word, but behind an escape (of JSON, an address, a terminal's
# colour), and behind the "-" of a diff's removed line or of grep's lines around a match.
_AT = (
    r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=[0-9;\[]m)|(?<=%[0-9A-Fa-f]{2})|(?<=\\u00[0-9a-fA-F]{2})"
    r"|(?<=(?m:^)-)|(?<=\\n-)|(?<=[0-9;\[]m-)|(?<=[0-9]-))"
)
_OWN = "key of this agent"
_SHOWN = re.compile(r"[^\n]")
_KEY_NAME = re.compile(r"(?:_|\b)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|PAT)\Z")
# A line of a key's body as tools print it: behind a path, a number, a sign of a diff, in quotes.
_KEY_LINE = (
    r"(?:[ \t]*(?:[^\s:|]{0,200}[:|+-]\s?)?(?:\d{1,6}[:|\t-]\s?)?"
    r"[\"']?[A-Za-z0-9+/=]{32,80}[\"',\\]*(?:\\n|\r?\n|\Z))"
)
# The next run of just 40 characters, not far behind.
_NEAR = r"[\s\S]{1,120}?(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])"


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of credential: the literal that must be there, and the pattern whose group 1 is it."""

    name: str
    literal: str  # searched first: a text without it costs no pattern
    pattern: re.Pattern[str]
    holds: Callable[[str], bool] = bool


def disordered(text: str) -> bool:
    """Whether a text has a run of 16 letters and digits, of both some: no name looks so."""
    return any(
        sum(map(str.isdigit, run)) >= 2 and sum(map(str.isalpha, run)) >= 3
        for run in re.findall(r"[A-Za-z0-9]{16,}", text)
    )


def _both_cases(text: str) -> bool:
    return disordered(text) and text.lower() != text != text.upper()


def _of_slack(text: str) -> bool:
    """Numbers of a workspace and an app make it plain; what follows may by chance be letters only."""
    return disordered(text) or re.match(r"xox\w-\d{9,}-", text) is not None


def _login(text: str) -> bool:
    """Whether a password is no word of an example, nor a place where one is to be put."""
    return len(text) >= 8 and any(map(str.isdigit, text)) and not set(text) & set("${}<>%*[]")


def _form(name: str, literal: str, rest: str, holds: Callable[[str], bool] = bool) -> Form:
    return Form(name, literal, _key(re.escape(literal) + rest, re.escape(literal[:2])), holds)


def _key(pattern: str, begins: str) -> re.Pattern[str]:
    """Group 1 where a key may begin; what it `begins` with is looked for first, since that is quick."""
    return re.compile(f"(?={begins}){_AT}({pattern})")


FORMS: tuple[Form, ...] = (
    Form(
        "private key",
        "PRIVATE KEY",
        re.compile(
            r"(-----BEGIN [A-Z ]{0,24}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:[^-]|-(?!----)){64,20000}?-----END [A-Z ]{0,24}PRIVATE KEY(?: BLOCK)?-----"
            r"|-----BEGIN [A-Z ]{0,24}PRIVATE KEY(?: BLOCK)?-----[^\n\\]{0,8}(?:\\n|\r?\n)"
            rf"{_KEY_LINE}{{1,400}})",
        ),
        lambda text: re.search(r"[A-Za-z0-9+/=]{32}", text) is not None,
    ),
    _form("Anthropic key", "sk-ant-", r"[\w-]{20,200}"),
    _form("OpenRouter key", "sk-or-", r"[\w-]{24,100}", disordered),
    _form("Google key", "AIza", r"[\w-]{35}(?![\w-])"),
    _form("Google secret", "GOCSPX-", r"[\w-]{24,40}"),
    _form("Google token", "ya29.", r"[\w-]{30,400}"),
    Form("GitHub token", "gh", _key(r"gh[pousr]_[A-Za-z0-9]{30,255}", "gh")),
    _form("GitHub token", "github_pat_", r"\w{22,255}"),
    Form("GitLab token", "gl", _key(r"gl(?:pat|rt|dt|ptt|soat|ft)-[\w-]{18,100}", "gl")),
    _form("AWS key id", "AKIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _form("AWS key id", "ASIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    *(
        Form("AWS secret key", literal, re.compile(f"{pattern}{_NEAR}"), _both_cases)
        for literal, pattern in (
            ("AWS key id", "AWS key id, 20"),  # beside a key id, which was hidden before
            ("IA****", r"A[KS]IA\*{16}"),
            ("ecret", "[sS]ecret_?[aA]ccess_?[kK]ey"),
            ("SECRET_ACCESS_KEY", "SECRET_ACCESS_KEY"),
        )
    ),
    Form("Slack token", "xox", _key(r"xox[abeoprs]-[\w-]{16,200}", "xox"), _of_slack),
    Form(
        "Slack address",
        "hooks.slack.com",
        re.compile(r"hooks\.slack\.com/services/(T\w+/B\w+/\w{16,})"),
    ),
    Form("Stripe key", "k_", _key(r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,200}", "[sr]k_")),
    _form("Stripe secret", "whsec_", r"[A-Za-z0-9+/]{24,100}=*"),
    _form("npm token", "npm_", r"[A-Za-z0-9]{30,60}", disordered),
    _form("PyPI token", "pypi-", r"[\w-]{50,300}", disordered),
    _form("Hugging Face token", "hf_", r"[A-Za-z0-9]{30,60}"),
    _form("Groq key", "gsk_", r"[A-Za-z0-9]{30,80}", disordered),
    _form("xAI key", "xai-", r"[A-Za-z0-9]{40,120}"),
    _form("Perplexity key", "pplx-", r"[A-Za-z0-9]{30,80}"),
    _form("Replicate token", "r8_", r"[A-Za-z0-9]{30,50}"),
    _form("SendGrid key", "SG.", r"[\w-]{16,32}\.[\w-]{32,64}"),
    _form("Docker token", "dckr_pat_", r"[\w-]{20,60}"),
    _form("Vault token", "hvs.", r"[\w-]{24,200}", disordered),
    Form("DigitalOcean token", "_v1_", _key(r"do[opr]_v1_[0-9a-f]{64}", "do")),
    _form("OpenAI key", "sk-", r"[\w-]{20,240}", disordered),
    _form("web token", "eyJ", r"[\w-]{8,4000}\.eyJ[\w-]{8,8000}\.[\w-]{8,2000}"),
    Form(
        "bearer token",
        "earer ",
        re.compile(r"\b[bB]earer +([\w+/.~-]{20,2000}=*)"),
        disordered,
    ),
    Form(
        "password of an address",
        "://",
        re.compile(r"://[^\s:/@\"'<>]{0,80}:([^\s/@\"'<>]{3,200})@(?=[\w\[.-])"),
        _login,
    ),
)


class Mask:
    """Hides credentials in a text. `live` are values to be hidden wherever they stand.

    A live value is also found in the forms in which programs print it: quoted for an address, escaped
    in JSON or a shell, in base64 (alone or within something longer). Not found, and a named gap: a
    value that is cut, reversed, compressed, or spread over several lines or results.
    """

    def __init__(self, live: Iterable[str] = ()) -> None:
        values = sorted({value for value in live if len(value) >= LEAST}, key=len, reverse=True)
        found = {shape: len(value) for value in values for shape in reversed(_spellings(value))}
        self._live = found
        longest = sorted(map(re.escape, found), key=len, reverse=True)
        self._pattern = re.compile("|".join(longest)) if found else None

    @classmethod
    def of(cls, env: Mapping[str, str]) -> "Mask":
        """With the values of an environment whose names say that they are credentials."""
        return cls(value.strip() for name, value in env.items() if _is_key(name, value.strip()))

    def mask(self, text: str) -> str:
        """The text with every credential replaced by a mark that says what it was, and how long."""
        if self._pattern is not None:
            text = self._pattern.sub(self._known, text)
        return _hidden(text, _mark)

    def data(self, value: object) -> object:
        """A value made of mappings, sequences and plain values with every text in it masked."""
        if isinstance(value, str):
            return self.mask(value)
        if isinstance(value, Mapping):
            parts = cast("Mapping[object, object]", value)
            return {self.data(name): self.data(part) for name, part in parts.items()}
        if isinstance(value, list | tuple):
            return [self.data(part) for part in cast("Sequence[object]", value)]
        return value

    def _known(self, found: re.Match[str]) -> str:
        return f"<secret: {_name_of(found[0])}, {self._live[found[0]]} characters>"


def blanked(text: str) -> str:
    """The text with stars in the place of credentials: every line and column stays where it was."""
    return _hidden(text, _stars)


def quotes_mask(text: str) -> bool:
    """Whether a text holds a mark: what is behind it is not known to the one who wrote it."""
    return MARK.search(text) is not None


def _hidden(text: str, shown: Callable[[str, Form], str]) -> str:
    """The text with what is `shown` of each credential in its place."""
    for form in FORMS:
        if form.literal in text:
            text = form.pattern.sub(partial(_replaced, shown, form), text)
    return text


def _replaced(shown: Callable[[str, Form], str], form: Form, found: re.Match[str]) -> str:
    secret = found[1]
    if not form.holds(secret):
        return found[0]
    begin, end = found.start(1) - found.start(), found.end(1) - found.start()
    return found[0][:begin] + shown(secret, form) + found[0][end:]


def _mark(secret: str, form: Form) -> str:
    return f"<secret: {form.name}, {len(secret)} characters>"


def _stars(secret: str, form: Form) -> str:
    kept = len(form.literal) if secret.startswith(form.literal) else 0
    return secret[:kept] + _SHOWN.sub("*", secret[kept:])


def _name_of(value: str) -> str:
    for form in FORMS:
        if form.literal in value and (found := form.pattern.fullmatch(value)) and found[1] == value:
            return form.name
    return _OWN


def _is_key(name: str, value: str) -> bool:
    """Whether a variable holds a credential: by its name, and not a word, a path or a number."""
    if not _KEY_NAME.search(name.upper()) or len(value) < LEAST or value.startswith("/"):
        return False
    return any(map(str.isdigit, value)) or name.upper().endswith("_API_KEY")


def _spellings(value: str) -> list[str]:
    """A value as programs print it, itself first."""
    raw = value.encode("utf-8", "surrogateescape")
    made = [value, quote(value, safe=""), value.encode("unicode_escape").decode()]
    made += [value.replace('"', '\\"'), value.replace("'", "'\\''"), raw.hex()]
    for before in range(3):
        # The characters of base64 that depend on nothing but the value, at each of its three phases.
        whole = base64.b64encode(b"\0" * before + raw).decode()
        first, last = (0, 2, 3)[before], len(whole) - (0, 3, 2)[(before + len(raw)) % 3]
        core = whole[first:last].rstrip("=")
        made += [core, core.replace("+", "-").replace("/", "_")]
    return [spelling for spelling in made if len(spelling) >= LEAST]
