import asyncio
import sys
from pathlib import Path

import pytest

from aoci_agent.base.errors import TryAgain
from aoci_agent.base.process import Peer

ECHO = "import sys\nfor line in sys.stdin:\n    print('<' + line.strip() + '>', flush=True)\n"


async def python(code: str, cwd: Path) -> Peer:
    return await Peer.start([sys.executable, "-I", "-c", code], cwd=cwd, env={"GIVEN": "1"})


async def send_for_a_while(peer: Peer) -> None:
    for _ in range(100):  # the first bytes still fit the pipe
        await peer.send(b"anyone there?")
        await asyncio.sleep(0.01)


async def test_lines_go_both_ways(tmp_path: Path) -> None:
    peer = await python(ECHO, tmp_path)
    lines = peer.lines()
    for word in (b"one", b"two"):
        await peer.send(word)
        assert await anext(lines) == b"<" + word + b">"
    assert peer.running
    await peer.stop()
    assert not peer.running
    await peer.stop()


async def test_long_lines_pass(tmp_path: Path) -> None:
    peer = await python(ECHO, tmp_path)
    await peer.send(b"x" * 5_000_000)
    assert len(await anext(aiter(peer.lines()))) == 5_000_002
    await peer.stop()


async def test_its_environment_is_scrubbed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "planted")
    code = "import os; print(os.environ.get('OPENAI_API_KEY'), os.environ['GIVEN'])"
    peer = await python(code, tmp_path)
    assert [line async for line in peer.lines()] == [b"None 1"]
    await peer.stop()


async def test_its_end_ends_the_lines(tmp_path: Path) -> None:
    peer = await python("import sys; print('a\\r'); sys.stderr.write('why'); sys.exit(1)", tmp_path)
    assert [line async for line in peer.lines()] == [b"a"]
    await asyncio.sleep(0.05)
    assert peer.stderr_tail == "why"
    with pytest.raises(ConnectionError):
        await send_for_a_while(peer)
    await peer.stop()


async def test_only_the_end_of_its_errors_is_kept(tmp_path: Path) -> None:
    code = "import sys; sys.stderr.write('x' * 3_000_000 + 'end'); sys.stderr.flush(); print('ok')"
    peer = await python(code, tmp_path)
    assert await anext(aiter(peer.lines())) == b"ok"
    await asyncio.sleep(0.05)
    assert peer.stderr_tail.endswith("end")
    assert len(peer.stderr_tail) < 20_000
    await peer.stop()


async def test_a_deaf_peer_is_ended(tmp_path: Path) -> None:
    code = "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint('up', flush=True)\ntime.sleep(300)"
    peer = await python(code, tmp_path)
    assert await anext(aiter(peer.lines())) == b"up"
    await peer.stop()
    assert not peer.running


async def test_a_missing_program_is_said(tmp_path: Path) -> None:
    with pytest.raises(TryAgain, match="no such program"):
        await Peer.start(["no-such-program"], cwd=tmp_path, env={})
