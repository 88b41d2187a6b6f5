"""What refusals mean."""

from datetime import UTC, datetime

import pytest

from aoci_agent.agent.models.faults import Caller, refusal, retry_after, said, stream_status
from aoci_agent.agent.models.model import Busy, ContextOverflow

CALLER = Caller("m", "https://api.example/v1", "EXAMPLE_KEY", "k3y-of-mine")
NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:30 GMT"}, 30),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"error": {"message": "no", "type": "x"}}', "no"),
        ('{"error": "no"}', "no"),
        ('{"detail": [{"msg": "no"}]}', "no"),
        ('[{"error": {"message": "no"}}]', "no"),
        ('{"message": "no"}', "no"),
        ("no", "no"),
        ('{"a": 1}', '{"a": 1}'),
        ("", ""),
    ],
)
def test_the_human_part_of_a_body(body: str, words: str) -> None:
    assert said(body).strip() == words


@pytest.mark.parametrize(
    "secret",
    ["k3y-of-mine", "sk-ant-api03-abcdefgh", "gsk_abcdefghijk", "AIzaSyA1234567890abcdefgh"],
)
def test_keys_never_show(secret: str) -> None:
    shown = str(refusal(400, f"you sent {secret}!", CALLER))
    assert secret not in shown
    assert "***" in shown


def test_a_message_is_one_line_without_escapes() -> None:
    shown = str(refusal(500, "<html>\x1b[31mBad\r\n\tGateway</html>", CALLER))
    assert "\x1b" not in shown
    assert "\n" not in shown


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"code": 429}, 429),
        ({"code": "rate_limit_exceeded"}, 500),
        ({"status_code": 503}, 503),
        ({"message": "maximum context length exceeded"}, 400),
        ("overloaded", 500),
    ],
)
def test_errors_inside_a_stream(error: object, status: int) -> None:
    assert stream_status(error) == status


def test_too_large_for_the_server_is_an_overflow_too() -> None:
    assert isinstance(refusal(413, "Request too large for model", CALLER), ContextOverflow)
    assert isinstance(refusal(529, "overloaded", CALLER), Busy)
