"""Language servers of every temper, hosted for real: a scripted program plays them."""

import gc
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from aoci_agent.views.model import Location
from aoci_agent.views.navigate.answer import NoAnswer, Provenance
from aoci_agent.views.navigate.live import LiveNavigator
from aoci_agent.views.navigate.servers import Row
from aoci_agent.views.navigate.status import Bounds, Status, kept

pytestmark = pytest.mark.gate("R38")

PROGRAM = Path(__file__).parents[2] / "support" / "fake_lsp.py"
MODES = (
    *("ok", "crash", "crash once", "no start", "hang", "garbage", "endless line", "huge"),
    *("broken json", "odd shapes", "error", "asks", "memory"),
)
PATIENCE = 20.0


@dataclass
class Desk:
    """A repository with one file for every mode, and its language servers."""

    root: Path
    scratch: Path
    live: LiveNavigator

    def path(self, mode: str) -> str:
        return f"a.m{MODES.index(mode)}"

    def log(self, mode: str) -> list[dict[str, Any]]:
        text = (self.scratch / f"{MODES.index(mode)}.log").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def told(self, mode: str, method: str) -> list[Any]:
        return [line["params"] for line in self.log(mode) if line.get("method") == method]

    def status(self, mode: str) -> Status:
        return next(status for status in self.live.status() if status.name == mode)

    def why(self, mode: str, *expected: str) -> str:
        """Ask until there is no answer for one of these reasons."""
        end = time.monotonic() + PATIENCE
        why = ""
        while time.monotonic() < end:
            try:
                self.live.definition(self.path(mode), 1, 0)
                why = "it answered"
            except NoAnswer as error:
                why = str(error)
            if any(words in why for words in expected):
                return why
            time.sleep(0.02)
        raise AssertionError(why)


def rows(scratch: Path) -> list[Row]:
    return [
        Row(
            mode,
            group=mode,
            command=sys.executable,
            languages={f".m{at}": "fake"},
            arguments=("-I", "-S", str(PROGRAM), mode, str(scratch / f"{at}.log")),
            told={"colour": {"sky": "blue"}},
        )
        for at, mode in enumerate(MODES)
    ]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("live")
    root, scratch = folder / "repository", folder / "scratch"
    root.mkdir()
    for at in range(len(MODES)):
        (root / f"a.m{at}").write_text("one\ntwo 😀 three\n\n", encoding="utf-8")
    count = len(MODES)
    bounds = Bounds(servers=count, memory=100_000_000, backoff=0.005, hung=0.3, look=0.1)
    live = LiveNavigator(
        root, scratch, lambda: (), trusted=True, rows=rows(scratch), limit=0.4, bounds=bounds
    )
    live.warm("a.m0")
    yield Desk(root, scratch, live)
    live.close()


def test_an_answer_is_in_lines_from_1_and_columns_in_characters(desk: Desk) -> None:
    path = desk.path("ok")
    found = desk.live.definition(path, 1, 1)
    assert found.places[0].location == Location(path, 2, 2, 1)
    assert found.provenance is Provenance.LIVE
    answer = desk.live.definition(path, 2, 6)  # past the emoji, which is two units
    assert desk.told("ok", "textDocument/definition")[-1]["position"] == {"line": 1, "character": 7}
    assert answer.places[0].location.start == 3


def test_places_outside_are_named_and_repeated_ones_said_once(desk: Desk) -> None:
    found = desk.live.references(desk.path("ok"), 1, 0)
    assert [place.location for place in found.places] == [Location(desk.path("ok"), 1, 1, 0)]
    assert "outside the repository: /elsewhere/x.py:5" in found.note


def test_hover_symbols_and_what_is_not_offered(desk: Desk) -> None:
    assert desk.live.hover(desk.path("ok"), 1, 0).text == "def f()\nSays hello."
    assert "outside the repository: /else:3" in desk.live.symbols("thing").note
    with pytest.raises(NoAnswer, match="does not offer"):
        desk.live.callers(desk.path("ok"), 1, 0)


def test_a_changed_file_is_shown_and_told(desk: Desk) -> None:
    path = desk.path("ok")
    desk.live.hover(path, 1, 0)
    (desk.root / path).write_text("changed\n", encoding="utf-8")
    desk.live.hover(path, 1, 0)
    assert desk.told("ok", "textDocument/didChange")[-1]["contentChanges"] == [
        {"text": "changed\n"}
    ]
    (desk.root / "b.m0").write_text("new\n", encoding="utf-8")
    desk.live.tell(["b.m0", "c.other", "d.m0"])
    desk.live.hover(path, 1, 0)
    changes = desk.told("ok", "workspace/didChangeWatchedFiles")[-1]["changes"]
    assert [(Path(change["uri"]).name, change["type"]) for change in changes] == [
        ("b.m0", 1),
        ("b.m0", 2),
        ("d.m0", 3),
    ]


def test_it_gets_a_clean_offline_environment(desk: Desk) -> None:
    env = desk.log("ok")[0]["env"]
    assert env["GOPROXY"] == "off"
    assert env["CARGO_NET_OFFLINE"] == "true"
    assert "AOCI_AGENT_COMMAND" in env  # found and ended with everything else
    assert not {name for name in env if "KEY" in name or "TOKEN" in name}


def test_it_is_asked_nothing_but_the_truth(desk: Desk) -> None:
    hello = desk.told("ok", "initialize")[0]
    assert hello["rootUri"] == f"file://{desk.root}"
    assert hello["initializationOptions"] == {"colour": {"sky": "blue"}}
    assert hello["capabilities"]["general"] == {"positionEncodings": ["utf-16"]}


def test_a_server_that_falls_every_time_is_given_up(desk: Desk) -> None:
    why = desk.why("crash", "does not work here")
    assert "exit code 3: Error: out of luck" in why
    status = desk.status("crash")
    assert (status.state, status.restarts) == ("failed", 3)
    assert len([line for line in desk.log("crash") if "pid" in line]) == 4


def test_a_server_that_fell_once_is_started_again(desk: Desk) -> None:
    desk.why("crash once", "it answered")
    status = desk.status("crash once")
    assert (status.state, status.restarts, status.version) == ("ready", 1, "v1.2.3")


def test_a_stand_in_is_no_server(desk: Desk) -> None:
    why = desk.why("no start", "does not work here")
    assert "exit code 1: error: Unknown binary 'fake' in the toolchain" in why


def test_a_silent_server_costs_the_limit_once_and_is_replaced(desk: Desk) -> None:
    desk.why("hang", "did not answer within")
    why = desk.why("hang", "it said nothing for")
    assert desk.status("hang").restarts >= 1, why
    assert desk.told("hang", "$/cancelRequest") == []  # it does not even read


@pytest.mark.parametrize("mode", ["garbage", "endless line", "huge"])
def test_nonsense_ends_the_server(desk: Desk, mode: str) -> None:
    desk.why(mode, "broke the protocol")
    assert desk.status(mode).restarts >= 1


def test_a_message_that_cannot_be_read_is_dropped(desk: Desk) -> None:
    desk.why("broken json", "did not answer within")
    assert desk.status("broken json").state == "ready"


def test_shapes_nobody_promised_are_no_places(desk: Desk) -> None:
    assert desk.live.definition(desk.path("odd shapes"), 1, 0).places == ()


def test_a_refusal_is_told(desk: Desk) -> None:
    assert "error refused: not today" in desk.why("error", "not today")


def test_a_server_may_ask_back(desk: Desk) -> None:
    desk.live.definition(desk.path("asks"), 1, 0)
    desk.live.definition(desk.path("asks"), 1, 0)
    replies = {
        line["id"]: line for line in desk.log("asks") if "method" not in line and "id" in line
    }
    assert replies["workspace/configuration"]["result"] == [{"colour": {"sky": "blue"}}]
    assert replies["window/nonsense"]["error"]["code"] == -32601
    assert replies["workspace/applyEdit"]["result"]["applied"] is False


def test_a_server_that_grows_too_large_is_ended(desk: Desk) -> None:
    why = desk.why("memory", "of memory")
    assert "it took" in why
    assert desk.status("memory").peak > 100_000_000


def test_its_state_is_written_down_for_doctor(desk: Desk) -> None:
    desk.live.definition(desk.path("ok"), 1, 0)
    desk.live.status()
    assert "ok" in {status.name for status in kept(desk.scratch)}


@pytest.mark.parametrize("path", ["missing.m0", "../outside.m0", "pipe.m0", "link.m0"])
def test_only_files_of_the_repository_are_shown(desk: Desk, path: str) -> None:
    if path == "pipe.m0" and not (desk.root / path).exists():
        os.mkfifo(desk.root / path)
    if path == "link.m0":
        (desk.root.parent / "secret.m0").write_text("secret", encoding="utf-8")
        (desk.root / path).symlink_to(desk.root.parent / "secret.m0")
    with pytest.raises(NoAnswer, match="no file of the repository"):
        desk.live.definition(path, 1, 0)


@pytest.mark.gate("T24")
def test_an_untrusted_repository_starts_nothing(tmp_path: Path) -> None:
    root, scratch = tmp_path / "r", tmp_path / "s"
    root.mkdir()
    live = LiveNavigator(root, scratch, lambda: (), trusted=False, rows=rows(scratch))
    with pytest.raises(NoAnswer, match=r'navigation = "auto"'):
        live.definition("a.m0", 1, 0)
    live.close()
    assert not scratch.exists()


@pytest.mark.gate("T24", "T27")
def test_a_program_inside_the_repository_is_not_taken(tmp_path: Path) -> None:
    program = tmp_path / "node_modules" / ".bin" / "fake-server"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\ntouch ran\n", encoding="utf-8")
    program.chmod(0o755)
    row = Row("fake", "fake", str(program), {".m0": "x"}, install="get it")
    live = LiveNavigator(tmp_path, tmp_path / "s", lambda: (), trusted=True, rows=[row])
    with pytest.raises(NoAnswer, match=r"no language server for fake is installed \(get it\)"):
        live.definition("a.m0", 1, 0)
    live.close()
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.gate("T24", control=True)
def test_the_same_program_outside_of_it_would_run(tmp_path: Path) -> None:
    root, ran = tmp_path / "r", tmp_path / "ran"
    root.mkdir()
    (root / "a.m0").write_text("one\n")
    program = tmp_path / "fake-server"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n", encoding="utf-8")
    program.chmod(0o755)
    row = Row("fake", "fake", str(program), {".m0": "x"})
    bounds = Bounds(backoff=0.005)
    live = LiveNavigator(root, tmp_path / "s", lambda: (), trusted=True, rows=[row], bounds=bounds)
    Desk(root, tmp_path / "s", live).why("ok", "does not work here")
    live.close()
    assert ran.exists()


def host_of(scratch: Path) -> int:
    """The process that started the last server."""
    started = [line for line in (scratch / "0.log").read_text().splitlines() if '"pid"' in line]
    stat = Path(f"/proc/{json.loads(started[-1])['pid']}/stat").read_text(encoding="utf-8")
    return int(stat.rpartition(")")[2].split()[1])


@pytest.mark.parametrize(
    "blow", [pytest.param(signal.SIGSTOP, marks=pytest.mark.slow), signal.SIGKILL]
)
def test_a_host_that_hangs_or_dies_is_replaced(tmp_path: Path, blow: signal.Signals) -> None:
    root, scratch = tmp_path / "r", tmp_path / "s"
    root.mkdir()
    (root / "a.m0").write_text("x\n", encoding="utf-8")
    live = LiveNavigator(root, scratch, lambda: (), trusted=True, rows=rows(scratch), limit=0.4)
    live.warm("a.m0")
    first = host_of(scratch)
    os.kill(first, blow)
    desk = Desk(root, scratch, live)
    # The next one may be there within the limit: then the blow is not noticed at all.
    said = desk.why("ok", "no answer within", "ended", "still starting", "is gone", "it answered")
    desk.why("ok", "it answered")
    assert host_of(scratch) != first, said
    live.close()
    assert not Path(f"/proc/{first}").exists()


def test_closing_while_the_host_starts_leaves_nothing(tmp_path: Path) -> None:
    root, scratch = tmp_path / "r", tmp_path / "s"
    root.mkdir()
    (root / "a.m0").write_text("x\n", encoding="utf-8")
    live = LiveNavigator(root, scratch, lambda: (), trusted=True, rows=rows(scratch), limit=0.02)
    with pytest.raises(NoAnswer, match="still starting"):
        live.definition("a.m0", 1, 0)
    live.close()
    gc.collect()  # a process or a pipe left open would be a warning, and warnings are errors


def test_two_servers_at_a_time_and_none_left_at_the_end(tmp_path: Path) -> None:
    root, scratch = tmp_path / "r", tmp_path / "s"
    root.mkdir()
    for name in ("a.m0", "a.m9", "a.m11"):
        (root / name).write_text("x\n", encoding="utf-8")
    live = LiveNavigator(
        root, scratch, lambda: (), trusted=True, rows=rows(scratch), limit=PATIENCE
    )
    for name in ("a.m0", "a.m9", "a.m11"):
        live.definition(name, 1, 0)
    states = {status.name: status.state for status in live.status()}
    assert states == {"ok": "off", "odd shapes": "ready", "asks": "ready"}
    live.definition("a.m0", 1, 0)
    pids = [status.pid for status in live.status() if status.pid]
    assert len(pids) == 2
    live.close()
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
