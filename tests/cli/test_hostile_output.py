"""What the commands print about a repository whose names, texts and answers are hostile."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.commits import git
from support.ended import PROGRAM, ended
from support.endpoint import FakeEndpoint, calls, refuses, says
from support.hostile import ALL, ESCAPES

from aoci_agent.base.terminal import clean

WHOLE = " ".join(text for text in ALL if "\ud800" not in text)
# The counter of a long build goes over its own line; it is the program's.
COUNTER = re.compile(r"\r\x1b\[K")


def safe(name: str) -> str:
    """Fit for a file's name."""
    return (
        name.replace("/", "|")
        .replace("\0", "")[:60]
        .encode(errors="surrogatepass")
        .decode(errors="ignore")
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / f"shop{safe(ESCAPES[0])}"
    folder.mkdir()
    for number, text in enumerate(ALL[::4]):
        source = f'"""{text}"""\n\n\ndef take{number}(a):\n    """Needle {text}."""\n    return {text!r}\n'
        name = f"n{number}{safe(text)}.py"
        (folder / name).write_bytes(source.encode(errors="surrogatepass"))
    git(folder, "init", "-q")
    git(folder, "add", "-A").check_returncode()
    return folder


async def printed(repository: Path, *words: str, endpoint: FakeEndpoint | None = None) -> str:
    """Standard output and error of the program, as they are."""
    env = {"PATH": os.environ["PATH"], "HOME": str(repository.parent), "LANG": "C.UTF-8"}
    if endpoint is not None:
        env["OPENAI_API_BASE"] = endpoint.url
    done = await ended((*PROGRAM, *words), cwd=repository, env=env)
    return COUNTER.sub("", done.out + done.err)


def harmless(text: str) -> bool:
    """Nothing in it but what may be shown, and no traceback."""
    return clean(text) == text and "Traceback" not in text


COMMANDS = (
    ("index", "build"),
    ("search", "--regex", "Needle.*"),
    ("sessions", "list"),
    ("index", "show", WHOLE.replace("\0", "")),
    ("index", "stats"),
    ("index", "show", "n0a[|]b.py"),
    ("index", "search", "needle"),
    ("index", "check"),
    ("index", "status"),
    ("search", "Needle"),
    ("doctor",),
    ("trust", "show"),
    ("rewind",),
    ("search", WHOLE.replace("\0", "")),
    ("--cwd", "/nowhere" + WHOLE.replace("\0", "")),
    ("-p", "x", "-m", WHOLE.replace("\0", "")),
    ("nonsense" + WHOLE.replace("\0", ""),),
)


@pytest.mark.gate("T18")
@pytest.mark.parametrize(
    "commands", [COMMANDS[:4], pytest.param(COMMANDS[4:], marks=pytest.mark.gate_only)]
)
async def test_no_command_prints_a_foreign_control(
    repository: Path,
    commands: tuple[tuple[str, ...], ...],
    record_property: Callable[[str, object], None],
) -> None:
    shown = {words: await printed(repository, *words) for words in commands}
    assert [words[:2] for words, text in shown.items() if not harmless(text)] == []
    assert any("␛" in text for text in shown.values())
    record_property("cases", len(commands) * len(ALL[::4]))


@pytest.mark.gate("T18", "S07")
async def test_a_headless_run_prints_no_foreign_control(
    endpoint: FakeEndpoint, repository: Path
) -> None:
    read = calls("read", json.dumps({"path": f"n1{safe(ALL[4])}.py", "limit": 5}))
    endpoint.answers = [read, calls(f"tool{WHOLE}", json.dumps({"x": WHOLE})), says(WHOLE)]
    told = await printed(repository, "-p", "x", "-m", "openai/x", endpoint=endpoint)
    assert harmless(told)
    assert "␛" in told
    endpoint.answers = [refuses(400, WHOLE)]
    assert harmless(await printed(repository, "-p", "x", "-m", "openai/x", endpoint=endpoint))
    assert harmless(await printed(repository, "sessions", "list"))


@pytest.mark.gate("T18", control=True)
def test_a_plain_print_lets_it_through() -> None:
    program = "import sys; print(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", program, ESCAPES[0]], capture_output=True, check=True
    )
    assert ESCAPES[0].encode() in done.stdout
