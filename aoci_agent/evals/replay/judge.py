"""A model as judge of the defects of a change: what it is asked, how its answer is read, where that is kept.

It sees the task, the fix and the change, and neither who made it nor with which model. A verdict
counts only with what it quotes: evidence that is no line of the change makes it void, which is not a no.
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.resources import files
from json import JSONDecoder
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from aoci_agent.agent.models.model import Request
from aoci_agent.base.files import atomic_write
from aoci_agent.base.secrets import Mask
from aoci_agent.base.tokens import cut_middle
from aoci_agent.evals.replay.cell import Spent
from aoci_agent.evals.replay.store import DIFF
from aoci_agent.policies.conversation import UserMessage
from aoci_agent.policies.layers import Layer, Prefix

CLASSES = ("multi-path", "refresh", "contract", "schema", "dropped")
JUDGED = "judged.json"
_LONGEST = 24_000  # tokens of one text that is shown
Answer = Literal["yes", "no", "void"]


class Case(NamedTuple):
    """What is shown of a cell."""

    prompt: str
    fix: str  # a diff; "" where nobody knows it
    change: str
    passed: bool

    def request(self) -> Request:
        """What the judge is asked. Blocks are marked by a word that no text in them can know."""
        verdict = "passed" if self.passed else "failed"
        blocks = {
            "task": self.prompt,
            "fix": self.fix or "(not known)",
            "change to judge": self.change,
        }
        word = _digest("\0".join(blocks.values()))
        parts = [f"<<<{word} {name}\n{text}\n{word}>>>" for name, text in blocks.items()]
        asked = "\n\n".join((*parts, f"With the change to judge, the hidden tests {verdict}."))
        prefix = Prefix((), (Layer("rules", rubric()),))
        return Request(prefix, (UserMessage(asked, harness=True),))


class Finding(BaseModel):
    """Of one class. `evidence` is what was quoted, also where it is no line of the change."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    answer: Answer
    evidence: str = ""


class Judgement(BaseModel):
    """What one model said of one change under one version of the rubric."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rubric: str
    model: str
    change: str  # digest of the diff
    findings: dict[str, Finding]
    spent: Spent
    reply: str = ""  # as it began, where all of it is void

    @property
    def key(self) -> tuple[str, str, str]:
        """What is not judged twice."""
        return self.rubric, self.model, self.change

    @property
    def void(self) -> bool:
        """Whether it says neither of a defect nor, of every class, that there is none."""
        return bool(self.said("void")) and not self.said("yes")

    def said(self, answer: Answer) -> list[str]:
        """The classes with that answer."""
        return [name for name in CLASSES if self.findings[name].answer == answer]


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    judgements: tuple[Judgement, ...]


@cache
def rubric() -> str:
    """The text of the rubric."""
    return files(__package__ or "").joinpath("judge.md").read_text("utf-8").strip()


def version() -> str:
    """`rubric 1 3f5a...`: its number, and its digest, so that no change of it goes unnoticed."""
    return f"{rubric().partition(chr(10))[0]} {_digest(rubric())}"


def case_of(prompt: str, fix: str, change: str, mask: Mask, *, passed: bool) -> Case:
    """As it may be sent: without credentials, and cut where it is too long."""
    shown = [cut_middle(mask.mask(text), _LONGEST).text for text in (prompt, fix, change)]
    return Case(shown[0], shown[1], shown[2], passed)


def read_answer(text: str, change: str) -> dict[str, Finding]:
    """The answer to a case. A class without an answer is void: all are where it cannot be read."""
    told, lines = _object(text), set(_lines(change))
    return {name: _finding(told.get(name), lines) for name in CLASSES}


def change_in(place: Path) -> tuple[str, str]:
    """The diff of a cell and its digest; ("", "") where nothing was changed."""
    with suppress(OSError):
        data = (place / DIFF).read_bytes()
        if data.strip():
            return data.decode("utf-8", "replace"), hashlib.blake2b(data, digest_size=8).hexdigest()
    return "", ""


def judgements_in(place: Path) -> list[Judgement]:
    """All of a cell, the newest last; a file that is damaged counts for nothing."""
    try:
        return list(_Kept.model_validate_json((place / JUDGED).read_bytes()).judgements)
    except (OSError, ValidationError):
        return []


def judgements_of(place: Path) -> list[Judgement]:
    """Those of the change as it is now."""
    _, change = change_in(place)
    return [one for one in judgements_in(place) if one.change == change]


def keep(place: Path, made: Judgement) -> None:
    """Write a judgement down beside those there are; the same one again replaces it."""
    others = [one for one in judgements_in(place) if one.key != made.key]
    kept = _Kept(judgements=(*others, made))
    atomic_write(place / JUDGED, kept.model_dump_json(indent=1).encode())


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _object(text: str) -> Mapping[str, Any]:
    """The last JSON object of a text that names a class: a model may think aloud before it."""
    found: Mapping[str, Any] = {}
    at = text.find("{")
    while at >= 0:
        try:
            value, end = JSONDecoder().raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(value, dict) and set(CLASSES) & set(cast("dict[str, Any]", value)):
                found = cast("dict[str, Any]", value)
            else:
                end = at + 1
        at = text.find("{", end)
    return found


def _finding(told: object, lines: set[str]) -> Finding:
    said = cast("dict[str, Any]", told) if isinstance(told, dict) else {}
    answer, evidence = str(said.get("answer")).lower(), str(said.get("evidence") or "")
    line = evidence.strip()
    quoted = line in lines or (line[:1] in ("+", "-") and line[1:].strip() in lines)
    if answer == "yes" and quoted:
        return Finding(answer="yes", evidence=evidence)
    if answer == "no" and (quoted or not evidence.strip()):
        return Finding(answer="no", evidence=evidence)
    return Finding(answer="void", evidence=evidence)


def _lines(change: str) -> Iterator[str]:
    """The lines of the hunks without mark and indentation; one that is only brackets proves nothing."""
    inside = False
    for line in change.split("\n"):
        inside = line.startswith("@@ ") or (inside and not line.startswith("diff --git "))
        if inside and line[:1] in ("+", "-", " ") and any(map(str.isalnum, line)):
            yield line[1:].strip()
