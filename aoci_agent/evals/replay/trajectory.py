"""What an agent did in a cell, step by step, from the record of its session."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aoci_agent.agent.record import read_record


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that happened. `kind`: call, text, rewrite, notice or end."""

    step: int
    kind: str
    title: str
    ok: bool = True
    detail: str = ""  # what came of a call, in one line
    tokens: int | None = None  # of the model call that led to it; on its first act only


def acts_of(record: Path) -> tuple[Act, ...]:
    """The acts of a session; none where there is no record. Damaged lines are passed over."""
    return tuple(_acts(record)) if record.exists() else ()


def _acts(record: Path) -> Iterator[Act]:
    step, tokens = 0, None
    for event in read_record(record):
        match event.get("type"):
            case "StepFinished":
                step, tokens = step + 1, _tokens(event)
            case "ToolFinished":
                title = str(event.get("title") or event["call"]["name"])
                summary = str(event["result"].get("summary", ""))
                ok = event.get("status") == "done"
                yield Act(step, "call", title, ok, summary, tokens)
                tokens = None
            case "HistoryRewritten":
                yield Act(step, "rewrite", str(event.get("reason", "")))
            case "Notice" if event.get("level") != "info":
                yield Act(step, "notice", str(event.get("text", "")), ok=False)
            case "TurnFinished":
                words = str(event.get("text") or event.get("message") or "")
                yield Act(
                    step,
                    "end",
                    str(event.get("reason", "")),
                    event.get("reason") == "done",
                    words,
                    tokens,
                )
            case _:
                pass


def _tokens(event: Mapping[str, Any]) -> int | None:
    usage = event.get("record", {}).get("usage", {})
    parts = [usage.get(name) for name in ("fresh", "cache_read", "cache_write", "output")]
    return None if any(part is None for part in parts) else sum(parts)
