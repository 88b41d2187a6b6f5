"""What an endpoint's refusal means: the one place where HTTP answers become our errors."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

from aoci_agent.agent.models.model import Busy, ContextOverflow
from aoci_agent.base.errors import AgentError, ModelUnavailable
from aoci_agent.base.terminal import one_line

OVERFLOW = re.compile(
    r"context.{0,12}(length|window|size)|maximum context|exceed_context|too many (input )?tokens"
    r"|(prompt|input|request).{0,20}too (long|large)|reduce the length"
    r"|token count.{0,40}exceeds|input length.{0,40}exceed",
    re.IGNORECASE,
)
NO_MONEY = re.compile(
    r"insufficient[_ ](quota|balance|credits?|funds)|billing|out of credit", re.IGNORECASE
)
SHORTEST_KEY = 8  # characters
# Shapes of keys that providers echo in their messages, besides the key we know we sent.
KEYS = re.compile(r"\b(?:sk|pk|gsk|xai|AIza|key|ghp|hf)[-_][A-Za-z0-9*_\-.]{6,}|AIza[\w\-]{20,}")

TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})


@dataclass(frozen=True, slots=True)
class Caller:
    """Who was asked what: the words an error message needs. `key` is only used to mask it."""

    model: str
    server: str  # "https://api.openai.com/v1", or a provider's name
    key_variable: str = ""
    key: str = ""

    def tidy(self, text: str, width: int = 300) -> str:
        """A provider's words on one safe line, with every key masked."""
        if len(self.key) >= SHORTEST_KEY:  # masking "k" would mask the message
            text = text.replace(self.key, "***")
        return one_line(KEYS.sub("***", text), width)


def refusal(
    status: int, body: str, caller: Caller, headers: Mapping[str, str] | None = None
) -> AgentError:
    """The error for an HTTP status that is not 200. `headers` have lower-case names."""
    words = caller.tidy(said(body))
    if status in (400, 413, 422) and OVERFLOW.search(body):
        return ContextOverflow(f"the request is longer than {caller.model} can read: {words}")
    if status == 402 or (status in (403, 429) and NO_MONEY.search(body)):
        return ModelUnavailable(
            f"{caller.server} refuses for lack of credit: {words}", "check the account's balance"
        )
    if status in (401, 403):
        return _key_refused(status, words, caller)
    if status == 404:
        return unknown_model(body, caller)
    if status in TRANSIENT or status >= 500:
        return Busy(f"{caller.server} answers {status}: {words}", retry_after(headers or {}))
    return ModelUnavailable(
        f"{caller.server} refused the request ({status}): {words}",
        "if this looks like a setting, check --model and the settings file",
    )


def unknown_model(body: str, caller: Caller, names: Iterable[str] = ()) -> ModelUnavailable:
    """404: with the closest of the names the endpoint does know."""
    from difflib import get_close_matches

    known = list(names)
    wanted = caller.model.partition("/")[2] or caller.model
    close = get_close_matches(wanted, known, n=3, cutoff=0.4) or known[:5]
    hint = f"it knows: {', '.join(close)}" if close else "check the model name and the base URL"
    words = caller.tidy(said(body))
    return ModelUnavailable(
        f"{caller.server} does not know the model {wanted}: {words}", one_line(hint, 300)
    )


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait, from Retry-After (seconds or a date) or its millisecond cousin."""
    millis = _number(headers.get("retry-after-ms"))
    if millis is not None:
        return millis / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if value is None or seconds is not None:
        return seconds
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())


def said(body: str) -> str:
    """The human part of an error body, whatever its shape."""
    try:
        data: object = json.loads(body)
    except ValueError:
        return re.sub(r"<[^>]{1,200}>", " ", body[:4000])  # an HTML page of some proxy
    for _ in range(4):
        if isinstance(data, list) and data:
            data = cast("list[object]", data)[0]
        if not isinstance(data, dict):
            break
        fields = cast("dict[str, Any]", data)
        data = next(
            (fields[k] for k in ("error", "message", "detail", "msg") if fields.get(k)), body
        )
    return data if isinstance(data, str) else body


def stream_status(error: object) -> int:
    """The status a mid-stream error object carries, 500 when it names none."""
    if isinstance(error, dict):
        fields = cast("dict[str, Any]", error)
        for key in ("code", "status", "status_code"):
            number = _number(str(fields.get(key)))
            if number is not None and 400 <= number < 600:
                return int(number)
        if OVERFLOW.search(json.dumps(fields, default=str)):
            return 400
    return 500


def _key_refused(status: int, words: str, caller: Caller) -> ModelUnavailable:
    hint = (
        f"set {caller.key_variable} to a key that may use {caller.model}"
        if caller.key_variable
        else "check the key of this provider"
    )
    return ModelUnavailable(f"{caller.server} refused the key ({status}): {words}", hint)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 <= number < 1e9 else None
