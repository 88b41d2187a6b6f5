"""What may be a credential never becomes a fact: by the name it has, or by its look."""

import re

from aoci_agent.base.secrets import MARK, Mask

# A constant `NAME="value"`: by the name, or by the look of the value.
_CONSTANT = re.compile(
    r"^\w*(?:secret|token|passw|passwd|api_?key|private|credential)\w*=[rbf]?[\"']"
    r"|=[rbf]?[\"'](?=[\w+/=.-]*\d)(?=[\w+/=.-]*[a-zA-Z])[\w+/=.-]{20,}[\"']\Z",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"secret|token|passw|passphrase|pwd|_pass\b|api_?-?key|private|credential|salt|signature|cert\b|dsn"
    r"|access_?-?key|webhook|licen[cs]e_?-?key|auth\b|\bkey\b|_key\b|encrypt|connection_?string|session",
    re.IGNORECASE,
)
_COUNT = re.compile(r"expir|ttl|_?len|size|limit|max|min|count|algorithm|timeout|enabled", re.I)
_RANDOM = re.compile(r"(?=\D*\d)(?=[^a-zA-Z]*[a-zA-Z])[\w+=-]{20,}\Z|[0-9a-fA-F]{16,}\Z")
_FORMS = Mask()
_LONGEST = 80  # characters of a value worth telling
_HIDDEN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"://[^\s:/@]{0,80}:[^\s/@]{1,200}@"), "://"),
    (
        re.compile(
            r"\b([\w-]{0,40}(?:passw(?:or)?d|secret|token|api_?key|credential)[\w-]{0,20})"
            r"(=[\"']?|:(?=\S)[\"']?|: (?=\S*\d))(?![${<=:/])[^\s\"',;)]{4,}[\"']?",
            re.IGNORECASE,
        ),
        r"\1",
    ),
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w+/=.-]{12,}"), r"\1"),
)


def is_secret(constant: str) -> bool:
    """Whether `NAME="value"` may hold a credential."""
    return _CONSTANT.search(constant) is not None


def plain_value(name: str, value: str) -> str:
    """The value of a setting where it is plainly no secret, else ""."""
    value = value.strip().strip("\"'")
    named = _NAME.search(name) and not (_COUNT.search(name) and len(value) < 12)
    if not value or len(value) > _LONGEST or named or _RANDOM.match(value):
        return ""
    return masked(value)


def masked(text: str) -> str:
    """Text without logins in addresses, values behind the names of secrets, and known key forms."""
    for pattern, kept in _HIDDEN:
        text = pattern.sub(kept, text)
    return MARK.sub("…", _FORMS.mask(text))


def holds_key(text: str) -> bool:
    """Whether a text holds a login in an address or one of the known forms of keys."""
    login, _ = _HIDDEN[0]
    return bool(login.search(text)) or _FORMS.mask(text) != text
