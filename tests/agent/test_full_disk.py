"""A full disk (R11): no line is torn, nothing runs that is not written down, and it goes on afterwards."""

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import full_disk

from aoci_agent.agent.events import Notice, StepStarted, TurnStarted
from aoci_agent.agent.record import SessionRecord, read_record
from aoci_agent.base.errors import ForUser


@pytest.mark.gate("R11")
def test_a_record_on_a_disk_that_fills_up(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    ways = [["unshare", "-m"]] if os.geteuid() == 0 else []
    ways += [["unshare", "-Urm"]]
    mount = "mount -t tmpfs -o size=3m none state && exec "
    able = next((way for way in ways if _can(way, tmp_path)), None)
    if able is None:
        pytest.skip("no file system can be mounted here")
    command = f'{mount} "$0" "$@"'
    program = [sys.executable, full_disk.__file__, str(tmp_path)]
    ran = subprocess.run(
        [*able, "sh", "-c", command, *program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["before"]["reason"] == "done"
    for moment in ("full", "still full"):
        assert told[moment]["reason"] == "model"
        assert told["record"] in told[moment]["message"]
        assert "No space left" in told[moment]["message"]
    assert told["unrecorded"] == []
    assert told["after"] == {"reason": "done", "message": ""}
    assert {"first", "last"} <= set(told["ran"])
    assert "sixth" not in told["ran"]
    assert (told["same"], told["unread"]) == (True, 0)


def _can(way: list[str], folder: Path) -> bool:
    if shutil.which("unshare") is None:
        return False
    tried = [*way, "sh", "-c", "mount -t tmpfs -o size=1m none state"]
    return subprocess.run(tried, cwd=folder, capture_output=True, check=False).returncode == 0


@pytest.mark.gate("R11")
def test_a_line_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """A file that may not grow: what fits of a line is taken back."""
    record = SessionRecord(tmp_path / "one.jsonl")
    record.write(TurnStarted("go"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = record.path.stat().st_size
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 40, hard))
        for event in (Notice("x" * 90), StepStarted(1, 9)):
            with pytest.raises(ForUser, match=r"one\.jsonl.*File too large"):
                record.write(event)
            assert record.path.stat().st_size == size
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    record.write(Notice("after"))
    record.close()
    assert [event["type"] for event in read_record(record.path)] == ["TurnStarted", "Notice"]
