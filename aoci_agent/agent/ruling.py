"""What permissions say about a call."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """The outcome of judging a call."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Ruling:
    """The verdict, why, which parts of a command line need consent, and what "always" would add.

    `always` holds rules as a person could write them; it is empty where "always" is not offered.
    """

    verdict: Verdict
    reason: str = ""
    parts: tuple[str, ...] = ()
    always: tuple[str, ...] = ()


ALLOWED = Ruling(Verdict.ALLOW)
