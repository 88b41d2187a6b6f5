"""Files, names and texts as strangers make them: each is read, changed or refused, and never more."""

import asyncio
import os
import random
import socket
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.desk import Desk

from aoci_agent.base.errors import ForModel, NotPossible, TryAgain

Record = Callable[[str, object], None]
NAMES = [
    b"-x", b"--help", b"-rf", b"--", b" ", b" lead", b"trail ", b"two  spaces", b"new\nline", b"tab\tname",
    b"\rreturn", b"bell\x07", b"esc\x1b[31mred", b"del\x7f", b"caf\xe9", b"\xff\xfe", b"\x80", b"x" * 255,
    "é.py".encode(), "e\u0301.py".encode(), "İı.py".encode(), "ß.py".encode(), "日本語.py".encode(),
    "한국어.py".encode(), "👩‍💻.py".encode(), "\u202egpj.py".encode(), "\u200b.py".encode(), "a\u2028b.py".encode(),
    b"quote'.py", b'double".py', b"back`tick.py", b"$(touch made).py", b"; touch made", b"|pipe", b"*", b"[a].py",
    b"{a,b}.py", b"!bang", b"#hash", b"~", b"~root", b"%s%n", b"a:b", b"CON", b"nul.txt", b"...", b".hidden",
]  # fmt: skip


async def outcome(desk: Desk, tool: str, **arguments: Any) -> str:
    """What a call says, refusal or not. Anything but an answer fails; so does hanging."""
    try:
        return (await asyncio.wait_for(desk.call(tool, **arguments), 30)).text
    except ForModel as error:
        return f"refused: {error}"


@pytest.mark.gate("R30", "S11", "T17")
async def test_odd_names_through_every_tool(desk: Desk, record_property: Record) -> None:
    for raw in NAMES:
        name = os.fsdecode(raw)
        desk.put(name, "needle = 1\n")
        assert await outcome(desk, "read", path=name) == "1\tneedle = 1", name
        said = await outcome(desk, "edit", path=name, old="needle = 1", new="needle = 2")
        assert said.startswith("edited"), said
        assert "wrote" in await outcome(desk, "write", path=name, content="needle = 3\n"), name
        assert desk.text(name) == "needle = 3\n"
    found = await outcome(desk, "grep", pattern="needle")
    assert "needle = 3" in found
    assert "refused" not in await outcome(desk, "glob", pattern="**/*")
    await outcome(desk, "search", query="needle")
    assert names(desk.root) == sorted(NAMES)
    record_property("cases", 6 * len(NAMES))


@pytest.mark.gate("R30", "S11")
async def test_odd_names_are_made_as_they_are_named(desk: Desk, record_property: Record) -> None:
    for raw in NAMES:
        path = f"new/{os.fsdecode(raw)}"
        assert (await outcome(desk, "write", path=path, content="x\n")).startswith("created"), raw
    assert names(desk.root / "new") == sorted(NAMES)
    record_property("cases", len(NAMES))


def names(folder: Path) -> list[bytes]:
    return sorted(os.fsencode(path.name) for path in folder.iterdir())


SPECIAL: dict[str, Callable[[Path], object]] = {
    "fifo": os.mkfifo,
    "socket": lambda path: socket.socket(socket.AF_UNIX).bind(str(path)),
    "zero": lambda path: path.symlink_to("/dev/zero"),
    "stdin": lambda path: path.symlink_to("/dev/stdin"),
    "tty": lambda path: path.symlink_to("/dev/tty"),
    "environ": lambda path: path.symlink_to("/proc/self/environ"),
    "memory": lambda path: path.symlink_to("/proc/self/mem"),
    "root": lambda path: path.symlink_to("/"),
    "loop": lambda path: path.symlink_to("loop"),
    "folder": Path.mkdir,
    "huge": lambda path: _sparse(path, 5_000_000_000),
    "image": lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0" * 99),
    "elf": lambda path: path.write_bytes(b"\x7fELF" + bytes(range(256)) * 9),
}


def _sparse(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


@pytest.mark.gate("T07", "T31", "S11")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("kind", SPECIAL)
async def test_what_is_no_text_file_is_refused_at_once(
    desk: Desk, kind: str, record_property: Record
) -> None:
    SPECIAL[kind](desk.root / kind)
    before = os.lstat(desk.root / kind)
    calls: list[dict[str, str]] = [
        {"tool": "edit", "path": kind, "old": "a", "new": "b"},
        {"tool": "write", "path": kind, "content": "b"},
        {"tool": "read", "path": kind},
    ]
    for call in calls if kind != "folder" else calls[:2]:
        said = await outcome(desk, **call)
        assert said.startswith("refused: "), said
        assert kind in said
    await outcome(desk, "grep", pattern="a")
    await outcome(desk, "glob", pattern="**")
    after = os.lstat(desk.root / kind)
    assert (before.st_ino, before.st_size, before.st_mode) == (
        after.st_ino,
        after.st_size,
        after.st_mode,
    )
    record_property("cases", len(calls) + 2)


@pytest.mark.gate("T07", control=True)
def test_a_plain_reader_waits_for_a_pipe_for_ever(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    child = os.fork()
    if child == 0:
        (tmp_path / "pipe").read_bytes()
        os._exit(0)
    for _ in range(20):
        os.sched_yield()
    assert os.waitpid(child, os.WNOHANG) == (0, 0)
    os.kill(child, 9)
    os.waitpid(child, 0)


@pytest.mark.gate("T07", "R02")
async def test_a_file_with_four_names_keeps_them_and_says_so(desk: Desk) -> None:
    desk.put("a.py", "x = 1\n")
    for number in range(3):
        os.link(desk.root / "a.py", desk.root / f"twin{number}.py")
    change = {"path": "twin1.py", "old": "x = 1", "new": "x = 2"}
    assert desk.preview("edit", **change).title == "edit twin1.py (a file with 4 names)"
    await desk.call("edit", **change)
    await desk.call("read", path="a.py")
    assert (
        desk.preview("write", path="a.py", content="").title == "write a.py (a file with 4 names)"
    )
    assert {path.read_text() for path in desk.root.iterdir()} == {"x = 2\n"}
    assert (desk.root / "a.py").stat().st_nlink == 4


@pytest.mark.gate("T31", "S11")
async def test_one_endless_line(desk: Desk, record_property: Record) -> None:
    desk.put("line.js", b"x" * 4_000_000 + b"needle")
    read = await outcome(desk, "read", path="line.js")
    assert len(read) < 3_000
    assert "more characters in this line not shown" in read
    assert len(await outcome(desk, "grep", pattern="needle")) < 3_000
    assert "edited" in await outcome(desk, "edit", path="line.js", old="needle", new="pin")
    desk.put("big.js", b"x" * 50_000_000)
    assert "over the limit" in await outcome(desk, "read", path="big.js")
    assert "over the limit" in await outcome(desk, "edit", path="big.js", old="x", new="y")
    record_property("cases", 6)


@pytest.mark.gate("T31", "S11")
async def test_deep_folders_and_circles(desk: Desk, record_property: Record) -> None:
    deep = "/".join(["d"] * 400)
    desk.put(f"{deep}/a.py", "needle\n")
    for number in range(5):
        (desk.root / f"circle{number}").symlink_to(".")
        (desk.root / "d" / f"up{number}").symlink_to("..")
    assert await outcome(desk, "read", path=f"{deep}/a.py") == "1\tneedle"
    assert (await outcome(desk, "grep", pattern="needle")).count("a.py") <= 2
    assert "refused" not in await outcome(desk, "glob", pattern="**/*.py")
    assert "refused" in await outcome(desk, "read", path="circle0/" * 500 + "x")
    assert "refused" in await outcome(desk, "read", path="/".join(["d"] * 4000))
    record_property("cases", 5)


@pytest.mark.gate("T31", "S11")
async def test_nothing_is_unpacked(desk: Desk, record_property: Record) -> None:
    with zipfile.ZipFile(desk.root / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("zeros", b"\0" * 30_000_000)
    for call in ({"tool": "read"}, {"tool": "edit", "old": "a", "new": "b"}):
        assert "binary content" in await outcome(desk, path="bomb.zip", **call)
    await outcome(desk, "grep", pattern="zeros")
    assert names(desk.root) == [b"bomb.zip"]
    record_property("cases", 3)


async def edit_at_random(desk: Desk, chooser: random.Random) -> bool:
    """One random file and one random edit of it: only the span changes, or nothing does."""
    alphabet = chooser.choice(
        (bytes(range(256)), b"ab \n\r\t", bytes(range(9, 256)), b"\x81\x83ab\n")
    )
    size = chooser.randrange(0, 300)
    data = bytes(chooser.choice(alphabet) for _ in range(size))
    mark = b"@@%d@@" % chooser.randrange(1000)
    at = chooser.randrange(len(data) + 1)
    data = data[:at] + b"\n" * chooser.randrange(2) + mark + data[at:]
    desk.put("any.bin", data)
    new = chooser.choice(("", "x", "two\nlines\n", "é", "日本", "\ud800", "\0"))
    said = await outcome(desk, "edit", path="any.bin", old=mark.decode(), new=new)
    now = desk.bytes("any.bin")
    if said.startswith("refused"):
        assert now == data
        return False
    start = data.index(mark)
    assert now.startswith(data[:start])
    assert now.endswith(data[start + len(mark) :])
    return True


async def edits_at_random(desk: Desk, count: int) -> None:
    chooser = random.Random(11)
    made = [await edit_at_random(desk, chooser) for _ in range(count)]
    assert count // 10 < sum(made) < count


@pytest.mark.gate("R05", "S11")
async def test_random_bytes_and_random_edits(desk: Desk, record_property: Record) -> None:
    record_property("cases", 100)
    await edits_at_random(desk, 100)


@pytest.mark.gate_only
@pytest.mark.gate("R05", "S11")
async def test_many_random_bytes_and_random_edits(desk: Desk, record_property: Record) -> None:
    record_property("cases", 2_000)
    await edits_at_random(desk, 2_000)


@pytest.mark.gate("T04", "T05", "S11")
async def test_names_that_lead_outside(desk: Desk, record_property: Record) -> None:
    evil = desk.root.parent / f"{desk.root.name}-evil"
    evil.mkdir()
    (evil / "secret").write_text("SECRET")
    (desk.root / "link").symlink_to(evil / "secret")
    (desk.root / "up").symlink_to(f"../{evil.name}")
    (desk.root / "chain").symlink_to("up/secret")
    (desk.root / "dangling").symlink_to(f"../{evil.name}/made")
    name = evil.name
    paths = [
        *(str(evil / "secret"), f"../{name}/secret", f"a/../../{name}/secret", "link", "up/secret"),
        *(
            "chain",
            "dangling",
            f"{desk.root}/../{name}/secret",
            f"..\\{name}\\secret",
            "/etc/passwd",
        ),
        *("/proc/self/environ", "//etc/passwd", "~/x", "file:///etc/passwd", "a\0b"),
    ]
    for path in paths:
        for call in (
            {"tool": "read"},
            {"tool": "edit", "old": "SECRET", "new": "x"},
            {"tool": "write", "content": "x"},
        ):
            if path in ("~/x", "file:///etc/passwd") and call["tool"] == "write":
                continue  # odd names of the workspace itself
            said = await outcome(desk, path=path, **call)
            assert said.startswith("refused"), (path, said)
            assert "SECRET" not in said.replace("old='SECRET'", "")
    assert names(evil) == [b"secret"]
    assert (evil / "secret").read_text() == "SECRET"
    record_property("cases", 3 * len(paths))


@pytest.mark.gate("T04", "T05", control=True)
def test_a_plain_prefix_and_a_plain_open_let_them_out(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws-evil").mkdir()
    (tmp_path / "ws-evil" / "secret").write_text("SECRET")
    (tmp_path / "ws" / "link").symlink_to("../ws-evil/secret")
    assert str(tmp_path / "ws-evil" / "secret").startswith(str(tmp_path / "ws"))
    assert (tmp_path / "ws" / "link").read_text() == "SECRET"


@pytest.mark.gate("R32")
async def test_a_removed_workspace_is_said(desk: Desk) -> None:
    desk.put("a.py", "x = 1\n")
    (desk.root / "a.py").unlink()
    desk.root.rmdir()
    with pytest.raises(TryAgain, match="does not exist"):
        await desk.call("read", path="a.py")
    with pytest.raises((NotPossible, TryAgain)):
        await desk.call("write", path="b.py", content="x\n")
    assert not desk.root.exists()


@pytest.mark.gate("R32")
async def test_a_renamed_workspace_is_followed(desk: Desk) -> None:
    desk.put("a.py", "x = 1\n")
    moved = desk.root.rename(desk.root.parent / "moved")
    desk.root.mkdir()
    await desk.call("edit", path="a.py", old="x = 1", new="x = 2")
    assert (moved / "a.py").read_text() == "x = 2\n"
    assert names(desk.root) == []


@pytest.mark.gate("R40")
async def test_a_step_that_failed_is_said_and_nothing_is_written_over(desk: Desk) -> None:
    for name in ("target", "a", "b", "c"):
        desk.put(name, f"precious {name}\n")
    made = await desk.call("bash", command="mkdir target")
    assert not made.ok
    assert made.text.startswith("exit 1\n")
    for name in ("a", "b", "c"):
        with pytest.raises(TryAgain, match="exists and was not read"):
            await desk.call("write", path="target", content=desk.text(name))
        said = await outcome(desk, "write", path=f"target/{name}", content=desk.text(name))
        assert said.startswith("refused"), said
    assert desk.text("target") == "precious target\n"
