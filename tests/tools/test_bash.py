"""Commands: how they ended, what they said, whether they were a test run."""

import asyncio

import pytest
from support.desk import Desk

from aoci_agent.base import tokens
from aoci_agent.base.errors import TryAgain
from aoci_agent.tools.output import plain


async def test_the_exit_code_comes_first(desk: Desk) -> None:
    desk.put("a.txt", "")
    good = await desk.call("bash", command="ls; pwd")
    assert (good.text, good.ok) == (f"exit 0\na.txt\n{desk.root}", True)
    bad = await desk.call("bash", command="echo oops >&2; exit 3")
    assert (bad.text, bad.ok) == ("exit 3\noops", False)
    assert (await desk.call("bash", command="true")).text == "exit 0\n(no output)"


async def test_a_command_that_runs_too_long_is_killed(desk: Desk) -> None:
    result = await desk.call("bash", command="echo begun; sleep 60", timeout=1)
    assert result.text.startswith("killed: still running after 1 s (raise timeout")
    assert result.text.endswith("begun")
    assert not result.ok


@pytest.mark.gate("R21")
async def test_long_output_is_cut_in_its_middle_and_kept_in_a_file(desk: Desk) -> None:
    result = await desk.call("bash", command="seq 1 20000")
    assert tokens.count(result.text) < 4_200
    assert result.text.startswith("exit 0\n1\n2\n")
    assert "\n20000\n[output was cut; all of it: " in result.text
    spill = result.text.rpartition("all of it: ")[2].removesuffix("]")
    assert spill.startswith(f"{desk.spill_dir}/")
    rest = await desk.call("bash", command=f"wc -l < {spill}; tail -1 {spill}")
    assert rest.text.split() == ["exit", "0", "20000", "20000"]


async def test_it_reads_nothing_and_has_no_terminal(desk: Desk) -> None:
    result = await desk.call("bash", command="cat; read x </dev/tty || echo none", timeout=20)
    assert result.text.startswith("exit 0\n")
    assert result.text.endswith("none")


async def test_bash_words_are_understood(desk: Desk) -> None:
    result = await desk.call("bash", command="a=(1 2 3); [[ ${#a[@]} == 3 ]] && echo <(true)")
    assert result.text.startswith("exit 0\n/dev/fd/")


async def test_cancelling_ends_the_command(desk: Desk) -> None:
    task = asyncio.create_task(desk.call("bash", command="touch begun; sleep 5.0713; touch ended"))
    async with asyncio.timeout(10):
        while not (desk.root / "begun").exists():  # noqa: ASYNC110 - a file tells no event
            await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (
        "sleep 5.0713"
        not in (await desk.call("bash", command="ps -ef | grep '[s]leep 5.0713'")).text
    )
    assert not (desk.root / "ended").exists()


def test_the_preview_is_the_exact_command(desk: Desk) -> None:
    command = "for a in *; do\n  echo $a\ndone"
    preview = desk.preview("bash", command=command)
    assert (preview.kind, preview.body, preview.key) == ("command", command, command)
    assert "\n" not in preview.title
    with pytest.raises(TryAgain, match="empty"):
        desk.preview("bash", command="  ")


def test_screen_control_is_left_out() -> None:
    assert plain("\x1b[1;31mred\x1b[0m \x1b]0;title\x07on\r\n") == "red on\n"
    assert plain("10%\r50%\r100%\ndone\r") == "100%\ndone\r"


PASSING = "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n"


@pytest.mark.parametrize(
    ("command", "passed", "failing"),
    [
        ("python3 -m unittest", False, ("test_x.A.test_b",)),
        ("python3 -m unittest test_x.A.test_a", True, ()),
        ("python3 -m unittest 2>&1 | tail -3", False, ()),
        ("python3 -m unittest test_x.A.test_a 2>&1 | tail -5", True, ()),
        ("python3 -m unittest || true", False, ("test_x.A.test_b",)),
        ("python3 -m unittest; echo finished", False, ("test_x.A.test_b",)),
    ],
)
async def test_a_test_run_is_a_check(
    desk: Desk,
    command: str,
    passed: bool,  # noqa: FBT001
    failing: tuple[str, ...],
) -> None:
    desk.put("test_x.py", PASSING + "    def test_b(self): self.fail('no')\n")
    check = (await desk.call("bash", command=command)).check
    assert check is not None
    assert (check.command, check.passed, check.failing) == (command, passed, failing)


async def test_a_verdict_nobody_can_know_is_not_given(desk: Desk) -> None:
    desk.put("test_x.py", PASSING)
    assert (await desk.call("bash", command="python3 -m unittest 2>/dev/null | cat")).check is None
    assert (await desk.call("bash", command="echo pytest")).check is None
