"""Where the program is started without what it is used to (R34): it works, or says why in one line."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from support.asking import hear
from support.ended import PROGRAM, ended

from aoci_agent.agent.models.recorded import RecordingModel
from aoci_agent.agent.models.scripted import ScriptedModel
from aoci_agent.agent.record import SessionRecord, read_record
from aoci_agent.agent.resume import read
from aoci_agent.agent.sessions import use_of
from aoci_agent.base.sealed import sealed
from aoci_agent.policies.conversation import AssistantMessage

Property = Callable[[str, object], None]
NOWHERE = "/proc/nowhere"  # can be made by nobody, the superuser neither
WORKS: Mapping[str, Mapping[str, str | None]] = {
    "no terminal type": {"TERM": None},
    "an unknown terminal": {"TERM": "no-such-terminal"},
    "a dumb terminal": {"TERM": "dumb", "NO_COLOR": "1"},
    "twenty columns": {"COLUMNS": "20", "LINES": "5"},
    "odd columns": {"COLUMNS": "many"},
    "no language": {"LANG": None, "LC_ALL": "C"},
    "an unknown language": {"LC_ALL": "xx_YY.UTF-99"},
    "an unknown time zone": {"TZ": "Nowhere/Town"},
    "no home, a place of its own": {"HOME": None},
    "a home that is not there": {"HOME": NOWHERE},
    "no path": {"PATH": None},
}


async def asked(root: Path, replies: Path, changed: Mapping[str, str | None]) -> tuple[int, str]:
    env = os.environ | {"AOCI_AGENT_HOME": str(root.parent / "state")}
    wanted: dict[str, str | None] = {**env, **changed}
    done = await ended(
        (*PROGRAM, "-p", "why?", "--fake-responses", str(replies)),
        cwd=root,
        env={name: value for name, value in wanted.items() if value is not None},
    )
    return done.code, done.out + done.err


def records(folder: Path) -> list[Path]:
    return list(folder.glob("state/data/sessions/*/*.jsonl"))


async def prepared(folder: Path) -> tuple[Path, Path]:
    root, replies = folder / "shop", folder / "replies.jsonl"
    root.mkdir()
    (root / "a.py").write_text("A = 1\n")
    await hear(RecordingModel(ScriptedModel([AssistantMessage("Because.")]), replies))
    return root, replies


@pytest.mark.gate("R34")
@pytest.mark.gate_only
async def test_what_is_missing_costs_nothing(tmp_path: Path, record_property: Property) -> None:
    record_property("cases", len(WORKS))
    root, replies = await prepared(tmp_path)
    for name, changed in WORKS.items():
        code, told = await asked(root, replies, changed)
        assert (code, "Because." in told) == (0, True), f"{name}: {told}"
        assert "Traceback" not in told, name


@pytest.mark.gate("R34")
async def test_a_place_that_cannot_be_written_is_named_in_one_line(tmp_path: Path) -> None:
    root, replies = await prepared(tmp_path)
    code, told = await asked(root, replies, {"AOCI_AGENT_HOME": NOWHERE})
    assert code == 1
    assert NOWHERE in told
    assert "Traceback" not in told


@pytest.mark.gate("R34")
async def test_a_clock_that_jumped_does_not_keep_a_session_from_going_on(tmp_path: Path) -> None:
    root, replies = await prepared(tmp_path)
    assert (await asked(root, replies, {}))[0] == 0
    (record,) = records(tmp_path)
    events = list(read_record(record))
    for at in (0.0, -1e9, 4e12):
        lines = [sealed({k: v for k, v in e.items() if k != "crc"} | {"at": at}) for e in events]
        record.write_bytes(b"".join(lines))
        assert len(read(record).messages) == 2
        assert use_of(record).sums.turns == 1
        SessionRecord(record).close()
