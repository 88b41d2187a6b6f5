"""Commands that want a person or print without end, started from a program on a real terminal."""

import json
import shutil
from typing import Any

import pytest
from support.ptys import terminal

ASKING = (
    "read line",
    "read line </dev/tty",
    "python3",
    "ssh -o ConnectTimeout=1 nobody@localhost",
    "git -c credential.helper= push https://localhost:9/x.git HEAD",
    "sudo -k true",
    "less /etc/passwd",
    "su nobody",
    "stty -echo",
    "cat",
    "more /etc/passwd",
)
FLOODS = (
    "head -c 100000000 /dev/zero | tr '\\0' x",
    "head -c 100000000 /dev/zero | tr '\\0' '\\n'",
    "head -c 60000000 /dev/urandom",
    "yes",
    "head -c 30000000 /dev/zero | tr '\\0' '\\377'",
)


def ran(seconds: float, *lines: str) -> tuple[list[list[Any]], int]:
    """What `command_program` reports: per command code, timed out, characters; and KB of growth."""
    with terminal("command_program.py", str(seconds), *lines) as it:
        assert it.wait() == 0, it.output
        assert it.restored
        told = it.output.decode().rpartition("RESULT ")[2]
        outcomes, grown = json.loads(told)
        return outcomes, grown


@pytest.mark.gate("R20")
def test_no_command_waits_for_the_person_at_the_terminal() -> None:
    lines = [line for line in ASKING if shutil.which(line.split()[0]) or line.startswith("read")]
    outcomes, _ = ran(5, *lines)
    waited = [line for line, (_, late, _) in zip(lines, outcomes, strict=True) if late]
    assert waited == []


@pytest.mark.gate("R20")
def test_what_waits_all_the_same_is_ended() -> None:
    lines = (
        "sleep 100",
        "trap '' TERM; while :; do sleep 0.05; done",
        "vim /etc/passwd || sleep 9",
    )
    outcomes, _ = ran(0.3, *lines)
    assert [late for _, late, _ in outcomes] == [True] * len(lines)


@pytest.mark.gate("R21")
@pytest.mark.parametrize("line", FLOODS)
def test_output_without_end_costs_no_memory(line: str) -> None:
    outcomes, grown = ran(60, line)
    code, late, characters = outcomes[0]
    assert (code, late) == (None, False)  # ended for its output, not for its time
    assert characters < 100_000
    assert grown < 50_000
