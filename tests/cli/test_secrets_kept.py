"""Planted credentials, asked and printed and answered: they are in nothing that is kept, shown or sent."""

import asyncio
import base64
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from support.endpoint import Answer, calls, says, serving

from aoci_agent.base.errors import Exit

BODY = "Zq3vT8kLm2Xw9RbN5yHc7JdF4gSp6AeU1oQiVtKxMzWnBrCyGhDjLsPaEfTuRkVm0Z9Y8X7W6V5U4T3S2R1Q"


def key(at: int, size: int) -> str:
    return (BODY * 3)[at : at + size]


ENV = {
    "OPENAI_API_KEY": "sk-proj-" + key(1, 80),
    "ANTHROPIC_API_KEY": "sk-ant-api03-" + key(2, 95),
    "GEMINI_API_KEY": "AIza" + key(3, 35),
    "GROQ_API_KEY": "gsk_" + key(4, 52),
    "COMPANY_TOKEN": "of-no-known-form-" + key(5, 12),
}
STRIPE, PASSWORD = "sk_live_" + key(6, 24), key(7, 18)
LINES = [key(at, 70) for at in range(8, 14)]
PRIVATE = "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----\n"
SOURCE, PRINTED, REMOTE = "ghp_" + key(15, 36), "xoxb-123456789012-" + key(16, 24), key(17, 20)
ASKED, ANSWERED, WRITTEN = (
    start + key(at, 36) for start, at in (("ghp_", 21), ("gho_", 22), ("ghs_", 23))
)
SAID = (ASKED, ANSWERED, WRITTEN)
PLANTED = [*ENV.values(), STRIPE, PASSWORD, LINES[2], SOURCE, PRINTED, REMOTE, *SAID]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    for secret, plain in ((".env", "settings.ini"), ("id_rsa", "deploy.txt")):
        text = f"STRIPE={STRIPE}\nDB=postgres://shop:{PASSWORD}@db.example.org/x\n"
        text = text if secret == ".env" else PRIVATE.format("\n".join(LINES))
        for name in (secret, plain):  # the first are guarded by their names also
            (root / name).write_text(text)
    (root / "app.py").write_text(
        f'"""The shop."""\n\nTOKEN = "{SOURCE}"\n\n\ndef sell():\n    pass\n'
    )
    (root / "check.py").write_text(f'print("FAILED: sent {PRINTED[:20]}" "{PRINTED[20:]}")\n')
    (root / ".git/config").write_text(
        f'[remote "o"]\n\turl = https://b:{REMOTE}@git.example.org/x\n'
    )
    (tmp_path / "notes.txt").write_text(f"the token is {ENV['COMPANY_TOKEN']}, keep it\n")
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    return root


COMMANDS = (
    "env; env | base64 -w0",
    "tr '\\0' '\\n' < /proc/$PPID/environ",
    "cat .env id_rsa",
    "cat settings.ini deploy.txt",
    "grep -rn '' . ; grep -r --color=always . .",
    "cat .git/config",
    "python3 check.py; python3 check.py >&2",
    "for i in $(seq 30000); do echo line $i; done; cat settings.ini app.py deploy.txt; seq 90000",
    "cat ../notes.txt; base64 -w0 ../notes.txt",
)
TOOLS = (
    ("read", {"path": "app.py"}),
    ("read", {"path": ".env"}),
    ("read", {"path": "id_rsa"}),
    ("read", {"path": "settings.ini"}),
    ("read", {"path": "deploy.txt"}),
    ("grep", {"pattern": "TOKEN|STRIPE|BEGIN"}),
    ("edit", {"path": "app.py", "old": "    pass", "new": "    return 1"}),
    ("bash", {"command": "git diff; tail -3 app.py"}),
)


def replies() -> list[Answer]:
    made = [calls("bash", json.dumps({"command": command})) for command in COMMANDS]
    made += [calls(name, json.dumps(arguments)) for name, arguments in TOOLS]
    made.append(
        calls("bash", json.dumps({"command": f"echo {WRITTEN} | wc -c > ran.txt"}), ANSWERED)
    )
    return [*made, says(f"All was printed, also {ANSWERED} and no more.")]


async def program(repository: Path, url: str, *words: str) -> tuple[int | None, bytes]:
    env = {name: value for name, value in os.environ.items() if not name.endswith("_KEY")} | ENV
    env |= {"AOCI_AGENT_HOME": str(repository.parent / "home"), "OPENAI_BASE_URL": url}
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "aoci_agent", *words),
        cwd=repository,
        env=env,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await child.communicate()
    return child.returncode, out


def hits(blobs: Iterable[tuple[str, bytes]]) -> Iterator[str]:
    for name, blob in blobs:
        lower = blob.lower()  # as words of a text are kept
        yield from (f"{name}: {one[:14]}" for one in PLANTED if one.lower().encode() in lower)
        secret = base64.b64encode(ENV["COMPANY_TOKEN"].encode()).rstrip(b"=")[:-1]
        yield from (f"{name}: in base64" for _ in "1" if secret in blob)


@pytest.mark.gate("T12", "S16")
async def test_what_is_planted_is_in_nothing_that_is_kept_or_sent(repository: Path) -> None:
    """Without a sandbox: what keeps them is the mask alone."""
    flags = ("--mode", "full-auto", "--trust", "--dangerously-no-sandbox")
    words = ("-p", f"use {ENV['COMPANY_TOKEN']} and {ASKED}", "-m", "openai/x", *flags)
    async with serving(*replies()) as server:
        code, out = await program(repository, server.url, *words, "--output-format", "stream-json")
        sent = [(f"request {at}", seen.raw) for at, seen in enumerate(server.posts)]
    assert code in (Exit.DONE, Exit.DENIED), out[-2_000:].decode()
    assert len(sent) > len(COMMANDS) + len(TOOLS)
    assert out.count(b"<secret: ") > 20
    assert b"it is not sent" in out
    assert (repository / "ran.txt").read_text() == "41\n"  # a call runs as the model meant it
    await program(repository, server.url, "views", "build")
    home = repository.parent / "home"
    kept = [(str(file), file.read_bytes()) for file in home.rglob("*") if file.is_file()]
    assert any("/output/" in name for name, _ in kept)
    assert any(name.endswith(".jsonl") for name, _ in kept)
    found = list(hits([*sent, *kept, ("output", out)]))
    assert not found, "\n".join(found)
    assert f'TOKEN = "{SOURCE}"' in (repository / "app.py").read_text()
    assert "return 1" in (repository / "app.py").read_text()


@pytest.mark.gate("T12", control=True)
async def test_without_the_mask_they_would_be_there(repository: Path) -> None:
    """The same commands, run by a shell: every credential is in what they print."""
    program = "\n".join(COMMANDS)
    child = await asyncio.create_subprocess_exec(
        *("bash", "-c", program),
        cwd=repository,
        env=os.environ | ENV,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    out, _ = await child.communicate()
    assert len(set(hits([("", out)]))) >= len(PLANTED) - len(SAID)
