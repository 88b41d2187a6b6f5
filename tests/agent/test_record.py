"""The session record: what survives, and who may read it."""

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from aoci_agent.agent.conversation import Conversation
from aoci_agent.agent.events import Notice, TextDelta, TurnFinished, TurnStarted
from aoci_agent.agent.meter import Totals
from aoci_agent.agent.record import SessionRecord, read_record
from aoci_agent.base.errors import ForUser
from aoci_agent.policies.layers import Prefix
from aoci_agent.policies.plain import GrepRead


def test_events_are_lines_and_deltas_are_not(tmp_path: Path) -> None:
    record = SessionRecord(tmp_path / "s" / "one.jsonl")
    record.write(TurnStarted("hé\n\udcff"))
    record.write(TextDelta("x"))
    record.write(TurnFinished("done", "ok", Totals(cost=None)))
    record.close()
    lines = (tmp_path / "s" / "one.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["type"] for line in lines[1:]] == ["TurnFinished"]
    assert len(lines) == 2
    assert [e["type"] for e in read_record(record.path)] == ["TurnStarted", "TurnFinished"]


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    record = SessionRecord(tmp_path / "s" / "one.jsonl")
    record.close()
    assert stat.S_IMODE(record.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(record.path.parent.stat().st_mode) & 0o077 == 0


def test_a_torn_tail_is_cut_off_before_the_next_line(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_bytes(b'{"type": "Notice"}\n{"type": "Not')
    record = SessionRecord(path)
    record.write(Notice("after"))
    record.close()
    assert [e.get("text") for e in read_record(path)] == [None, "after"]


def test_a_line_that_a_full_disk_tore_takes_no_later_line_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = SessionRecord(tmp_path / "one.jsonl")
    conversation = Conversation(Prefix((), ()), GrepRead())
    conversation.begin("why?", "")
    write, left = os.write, [20]

    def full(file: int, data: bytes) -> int:
        if not left[0]:
            raise OSError(28, "No space left on device")
        written = write(file, data[: left[0]])
        left[0] -= written
        return written

    with monkeypatch.context() as disk:
        disk.setattr(os, "write", full)
        with pytest.raises(ForUser, match="No space left"):
            conversation.write_grown(record.write)
    conversation.write_grown(record.write)
    conversation.write_grown(record.write)
    record.close()
    assert [len(e["messages"]) for e in read_record(record.path)] == [1]


@pytest.mark.parametrize("cut", range(0, 60, 7))
def test_reading_never_fails_wherever_it_was_cut(tmp_path: Path, cut: int) -> None:
    record = SessionRecord(tmp_path / "one.jsonl")
    for i in range(3):
        record.write(Notice(f"number {i}"))
    record.close()
    data = record.path.read_bytes()
    record.path.write_bytes(data[: len(data) - cut])
    assert len(list(read_record(record.path))) >= 3 - 1 - cut // 40


def test_what_was_written_survives_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    code = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from aoci_agent.agent.record import SessionRecord\n"
        "from aoci_agent.agent.events import Notice\n"
        "record = SessionRecord(Path(sys.argv[1]))\n"
        "for i in range(10**6):\n"
        "    record.write(Notice(str(i)))\n"
        "    print(i, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        acknowledged = [int(child.stdout.readline()) for _ in range(50)]
        child.send_signal(signal.SIGKILL)
        acknowledged += [int(line) for line in child.stdout.read().splitlines()]
    written = [int(e["text"]) for e in read_record(path)]
    assert written[: len(acknowledged)] == acknowledged


def test_an_unwritable_place_is_named(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    with pytest.raises(ForUser, match="cannot write the session record"):
        SessionRecord(blocker / "one.jsonl")


def test_a_link_in_the_way_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine\n")
    (tmp_path / "one.jsonl").symlink_to(target)
    with pytest.raises(ForUser):
        SessionRecord(tmp_path / "one.jsonl")
    assert target.read_text() == "mine\n"
