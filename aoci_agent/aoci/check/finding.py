"""One thing a check found, and the table of all checks (`reference/aoci.md` section 5)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad it is. Errors make `index check` exit with 1."""

    ERROR = "error"
    WARN = "warn"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Finding:
    """`path` is the file or table the entry is about; `line` its place in index.aoci, 0 unknown."""

    check: str
    severity: Severity
    path: str
    message: str
    line: int = 0
    repairable: bool = False  # by `index update --fix`


CHECKS: Mapping[str, str] = {
    "G1": "the line cannot be read, stands twice, in the wrong place, or may hold a secret",
    "G2": "text that speaks to a model instead of about the code",
    "T1": "a tag code no dictionary knows",
    "T2": "a tag that is not spelt canonically, or with the wrong size",
    "F1": "the entry is not what the file gives now",
    "F2": "no record of where the entry came from",
    "P1": "the source changed under words written by hand",
    "C1": "a file without an entry",
    "C2": "an entry without a file",
    "R1": "a reference to no file",
    "R2": "a reference the code does not show",
    "R3": "a strong connection that is not named",
    "A1": "something offered that the file does not have",
    "A2": "something public and used that is not named",
    "S1": "a name that occurs nowhere in the source",
    "B1": "an entry far over its length",
    "B2": "the index is over its target or its limit",
    "D1": "a table that is not what the code defines",
    "D2": "a table used in SQL that nothing defines",
    "D3": "two sources define a table differently",
    "X2": "a request no route answers",
    "N1": "the same words for several files",
}
