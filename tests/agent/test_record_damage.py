"""A damaged record: every line that is whole is kept, what is not is said, and it can be gone on with."""

import json
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.fakes import call, says

from aoci_agent.agent.events import (
    Event,
    Grew,
    Notice,
    SessionStarted,
    StepFinished,
    StepStarted,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from aoci_agent.agent.meter import StepRecord, Totals
from aoci_agent.agent.models.model import Usage
from aoci_agent.agent.record import SessionRecord, read_record
from aoci_agent.agent.resume import find, newest, read
from aoci_agent.agent.sessions import use_of
from aoci_agent.base.errors import BadUsage
from aoci_agent.base.sealed import LONGEST
from aoci_agent.policies.conversation import ToolMessage, said
from aoci_agent.tools.tool import Preview, ToolResult

CALL = call("look", "a.py")
STARTED = SessionStarted("one", "/r", "m", "aoci", "ask", "", "p", "", "", "")
RESULT = ToolResult("grüße \u2028 😀 {} \\n " * 9)
EVENTS: tuple[Event, ...] = (
    STARTED,
    TurnStarted('why? {"type": "Notice"}'),
    Grew((said("why?"), says("", CALL))),
    StepStarted(1, 900),
    StepFinished(StepRecord(1, "m", "aoci", Usage(1_000)), Totals()),
    ToolStarted(CALL, Preview("text", "look")),
    Grew((ToolMessage(CALL.id, "look", RESULT.text),)),
    ToolFinished(CALL, RESULT, "done", 0.1),
    Grew((says("so"),)),
    TurnFinished("done", "so", Totals()),
    Notice("a last word"),
)


def record(folder: Path) -> tuple[Path, list[bytes]]:
    path = folder / "one.jsonl"
    made = SessionRecord(path)
    for event in EVENTS:
        made.write(event)
    made.close()
    return path, path.read_bytes().splitlines(keepends=True)


def events(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines]


@pytest.mark.gate("R10", "S11")
def test_cut_at_every_byte_of_the_last_two_lines(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    path, lines = record(tmp_path)
    whole = b"".join(lines)
    first = len(whole) - len(lines[-1]) - len(lines[-2])
    record_property("cases", len(whole) - first)
    beside = path.with_name("one.jsonl.bad")
    for cut in range(first, len(whole)):
        path.write_bytes(whole[:cut])
        kept = events(lines[: whole[: cut + 1].count(b"\n")])  # the end of a line is no loss
        assert list(read_record(path)) == kept
        assert (find(tmp_path), use_of(path).sums.turns) == (path, 1)
        again = SessionRecord(path)
        again.write(Notice("after"))
        again.close()
        now = list(read_record(path))
        assert now[:-1] == kept
        assert now[-1]["text"] == "after"
        torn = whole[sum(map(len, lines[: len(kept)])) : cut]
        assert bool(again.torn) == bool(torn)
        assert (beside.read_bytes() if beside.exists() else b"") == torn
        beside.unlink(missing_ok=True)


@pytest.mark.gate("R10", "S11")
def test_blocks_of_zeros_anywhere(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    path, lines = record(tmp_path)
    whole = b"".join(lines)
    places = range(0, len(whole), 37)
    record_property("cases", 2 * len(places))
    for at in places:
        for put in (
            whole[:at] + bytes(512) + whole[at:],
            whole[:at] + bytes(64) + whole[at + 64 :],
        ):
            path.write_bytes(put)
            untouched = [line for line in lines if line in put]
            assert [e for e in read_record(path) if e in events(untouched)] == events(untouched)
            assert use_of(path).sums.damaged >= 1
            if lines[0] in untouched:
                assert read(path).unread >= 1


@pytest.mark.gate("R10", "S11")
def test_every_bit_of_the_first_check_sum(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Nothing before it says that this record has check sums at all."""
    path, lines = record(tmp_path)
    seal = range(8 * (len(lines[0]) - 21), 8 * (len(lines[0]) - 1))
    record_property("cases", len(seal))
    for bit in seal:
        put = bytearray(b"".join(lines))
        put[bit // 8] ^= 1 << bit % 8
        path.write_bytes(put)
        assert list(read_record(path)) == events(lines[1:])


@pytest.mark.gate("R10", "S11")
def test_five_hundred_bits(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    path, lines = record(tmp_path)
    whole = b"".join(lines)
    record_property("cases", 1_000)
    dice = random.Random(10)
    for _ in range(500):
        bit = dice.randrange(len(whole) * 8)
        put = bytearray(whole)
        put[bit // 8] ^= 1 << bit % 8
        path.write_bytes(put)
        ends = [sum(map(len, lines[: n + 1])) for n in range(len(lines))]
        hit = next(n for n, end in enumerate(ends) if bit // 8 < end)
        kept = events([line for n, line in enumerate(lines) if n != hit])
        found = list(read_record(path))
        assert [event for event in found if event in kept] == kept
        assert all(event in events(lines) for event in found)
        assert newest(tmp_path) == [path]
        assert (read(path).session_id, use_of(path).session_id) == ("one", "one")
    put = bytearray(whole * 40)
    for _ in range(500):
        bit = dice.randrange(len(put) * 8)
        put[bit // 8] ^= 1 << bit % 8
    path.write_bytes(put)
    assert len(list(read_record(path))) >= sum(
        bytes(put[at : at + len(line)]) == line for at, line in _places(lines * 40)
    )
    assert all(event in events(lines) for event in read_record(path))


def _places(lines: Sequence[bytes]) -> list[tuple[int, bytes]]:
    ends = [0]
    for line in lines:
        ends.append(ends[-1] + len(line))
    return list(zip(ends, lines, strict=False))


@pytest.mark.gate("R10")
def test_a_damaged_line_in_the_middle_stays_and_is_said(tmp_path: Path) -> None:
    path, lines = record(tmp_path)
    broken = [*lines[:3], b"\x00" * 99 + b"\n", *lines[3:]]
    path.write_bytes(b"".join(broken))
    again = SessionRecord(path)
    again.close()
    assert again.torn == ""
    assert path.read_bytes() == b"".join(broken)
    assert read(path).unread == 1


def test_a_file_that_is_no_record_is_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_bytes(b"my notes\nwithout an end")
    SessionRecord(path).close()
    assert path.read_bytes() == b"my notes\nwithout an end"


@pytest.mark.gate("T35")
def test_a_line_of_a_gigabyte_is_not_taken_into_memory(tmp_path: Path) -> None:
    path, lines = record(tmp_path)
    with path.open("ab") as file:
        file.truncate(len(b"".join(lines)) + LONGEST + 9)  # zeros that take no room
        file.seek(0, 2)
        file.write(b"\n" + lines[-1])
    assert list(read_record(path)) == events([*lines, lines[-1]])
    assert read(path).unread == 1


@pytest.mark.gate("R36")
def test_a_record_of_the_form_before_is_read_and_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_bytes((Path(__file__).parent / "records/form_1.jsonl").read_bytes())
    before = read(path)
    assert (before.turns, before.unread, len(before.messages)) == (1, 0, 4)
    assert before.messages[-1] == says("It is two.")
    again = SessionRecord(path)
    again.write(Grew((said("sure?"),)))
    again.close()
    assert again.torn == ""
    assert read(path).messages == (*before.messages, said("sure?"))
    flipped = bytearray(path.read_bytes())
    flipped[-60] ^= 1
    path.write_bytes(flipped)
    assert read(path).messages == before.messages


@pytest.mark.gate("R36")
def test_a_record_of_a_newer_form_is_refused_and_not_touched(tmp_path: Path) -> None:
    path, lines = record(tmp_path)
    newer = b"".join(lines).replace(b'"schema": 2', b'"schema": 3')
    path.write_bytes(re.sub(rb', "crc": "\w{8}"\}', b', "sum": "x"}', newer) + b'{"type": "Gr')
    whole = path.read_bytes()
    for opened in (SessionRecord, read):
        with pytest.raises(BadUsage, match="newer version"):
            opened(path)
    assert path.read_bytes() == whole


@pytest.mark.gate("T35")
def test_what_a_record_says_of_permissions_and_paths_is_only_told(tmp_path: Path) -> None:
    """A record is data: nothing in it was allowed, run, or read by whoever resumes it."""
    path = tmp_path / "theirs.jsonl"
    hostile = call("bash", "rm -rf ../..", "x")
    lines: list[dict[str, Any]] = [
        {"type": "SessionStarted", "session_id": "../../x", "model": "m", "policy": "p"}
        | {"prefix_id": "\x1b[2J", "mode": "full-auto"},
        {"type": "TurnStarted", "prompt": "\x1b]52;c;aGk=\x07"},
        {"type": "Grew", "messages": [{"text": "", "calls": [vars_of(hostile)], "reasoning": ""}]},
        {"type": "ApprovalAnswered", "call_id": "x", "decision": {"answer": "session"}},
        {"type": "ToolStarted", "call": {"id": ["x"]}, "preview": None},
        {"type": "Grew", "messages": [{"call_id": 5}, None, "text"]},
        {"type": "StepFinished", "record": {"__reduce__": "os.system"}, "session": []},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + "[" * 100_000 + "\n")
    made = read(path)
    assert [type(message).__name__ for message in made.messages] == [
        "AssistantMessage",
        "ToolMessage",
    ]
    assert made.unread == 3
    assert made.session_id == "theirs"
    assert made.steps == []


def vars_of(made: Any) -> dict[str, str]:
    return {"id": made.id, "name": made.name, "arguments": made.arguments}
