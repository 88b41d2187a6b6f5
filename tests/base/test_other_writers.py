"""Editors and formatters that write the same files at the same time: no save of theirs is lost."""

import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import editor_program
from support.desk import Desk

from aoci_agent.base.errors import ForModel, TryAgain
from aoci_agent.base.files import Workspace, content_id
from aoci_agent.base.replace import PREFIX

TOKEN = re.compile(rb"person \d+;")
Write = Callable[[bytes, bytes], None]  # what was read, and what is to be written for it


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "a.py").write_bytes(b"person 0;\n")
    with Workspace(tmp_path) as opened:
        yield opened


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "project", tmp_path / "spill")
    yield desk
    desk.workspace.close()


def against_an_editor(file: Path, how: str, saves: int, write: Write) -> tuple[int, int]:
    """How many saves were lost while `write` wrote without pause, and how often it did."""
    argv = [sys.executable, str(editor_program.__file__), str(file), how, str(saves)]
    editor = subprocess.Popen(argv, stdout=subprocess.PIPE)
    written = 0
    while editor.poll() is None:
        seen = file.read_bytes()
        token = TOKEN.search(seen)  # none in a file that was just emptied
        try:
            write(seen, b"agent saw " + (token[0] if token else b"") + b"\n" + b"agent\n" * 300)
            written += 1
        except ForModel:
            continue
    assert editor.stdout is not None
    return int(editor.communicate()[0]), written


def check_no_loss(workspace: Workspace, how: str, saves: int) -> None:
    def write(seen: bytes, new: bytes) -> None:
        workspace.write_bytes("a.py", new, expect=content_id(seen))

    lost, written = against_an_editor(workspace.root / "a.py", how, saves, write)
    assert lost == 0
    assert written > 0
    assert list(workspace.root.glob(f"{PREFIX}*")) == []


@pytest.mark.gate("R06", "S14")
@pytest.mark.parametrize("how", ["rename", "inplace"])
def test_no_save_of_an_editor_is_lost(
    workspace: Workspace, how: str, record_property: Callable[[str, object], None]
) -> None:
    record_property("cases", 100)
    check_no_loss(workspace, how, 100)


@pytest.mark.gate_only
@pytest.mark.gate("R06", "S14")
@pytest.mark.parametrize("how", ["rename", "inplace"])
def test_none_of_a_thousand_saves_is_lost(
    workspace: Workspace, how: str, record_property: Callable[[str, object], None]
) -> None:
    record_property("cases", 1_000)
    check_no_loss(workspace, how, 1_000)


@pytest.mark.gate("R06", "S14", control=True)
def test_a_writer_that_does_not_look_again_loses_saves(workspace: Workspace) -> None:
    file = workspace.root / "a.py"
    lost, _ = against_an_editor(
        file, "rename", 16, lambda _, new: workspace.write_bytes("a.py", new)
    )
    assert lost > 0


def test_a_file_that_is_being_saved_is_left_alone(workspace: Workspace) -> None:
    file = workspace.root / "a.py"
    before = content_id(file.read_bytes())
    with file.open("r+b", buffering=0) as opened:
        with pytest.raises(TryAgain, match=r"a\.py is being saved by another program"):
            workspace.write_bytes("a.py", b"agent\n", expect=before)
        opened.write(b"by hand")
    with pytest.raises(TryAgain, match="changed since"):
        workspace.write_bytes("a.py", b"agent\n", expect=before)
    assert file.read_bytes() == b"by hand0;\n"
    workspace.write_bytes("a.py", b"agent\n", expect=content_id(b"by hand0;\n"))
    assert file.read_bytes() == b"agent\n"


@pytest.mark.gate("R35")
async def test_a_formatter_after_our_write_means_read_again(desk: Desk) -> None:
    """What was written is known; what a formatter makes of it is not, and is never written over."""
    await desk.call("write", path="a.py", content="x=1\ny=2\n")
    desk.put("a.py", "x = 1\ny = 2\n")
    with pytest.raises(TryAgain, match="changed since it was read: read it again"):
        await desk.call("write", path="a.py", content="x=3\n")
    result = await desk.call("edit", path="a.py", old="y = 2", new="y = 4")
    assert "the file had changed since you read it" in result.text
    assert desk.text("a.py") == "x = 1\ny = 4\n"
    await desk.call("read", path="a.py")
    await desk.call("write", path="a.py", content="x=3\n")
    assert desk.text("a.py") == "x=3\n"


@pytest.mark.gate("R35")
async def test_a_formatter_that_runs_at_every_write_spoils_nothing(desk: Desk) -> None:
    file = desk.put("a.py", "value_0=0\n")
    done = threading.Event()

    def formatter() -> None:
        while not done.is_set():
            text = file.read_text()
            if (tidy := re.sub(r"(?<! )=(?! )", " = ", text)) != text:
                editor_program.save(file, tidy.encode(), "rename")

    thread = threading.Thread(target=formatter)
    thread.start()
    try:
        made = 0
        for number in range(60):
            await desk.call("read", path="a.py")
            whole = file.read_text() + f"value_{number + 1}={number}\n"
            try:
                await desk.call("write", path="a.py", content=whole)
                made += 1
            except ForModel:
                continue
    finally:
        done.set()
        thread.join()
    lines = file.read_text().splitlines()
    assert made > 0
    assert all(re.fullmatch(r"value_\d+ ?= ?\d+", line) for line in lines)
