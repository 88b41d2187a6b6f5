"""`-p` as a user runs it: a real process, a real repository, an endpoint on loopback."""

import asyncio
import itertools
import json
import os
import shutil
import signal
from pathlib import Path

import pytest
from support.commits import git
from support.ended import PROGRAM, Ended, ended
from support.endpoint import Answer, FakeEndpoint, calls, refuses, says as saying

from aoci_agent.base.errors import Exit

# Commands run at once, whatever the machine has of sandboxes: these tests are about other things.
FREE = ("--trust", "--dangerously-no-sandbox")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "shop").mkdir(parents=True)
    (folder / "shop" / "prices.py").write_text(
        '"""Prices of the shop."""\n\n\ndef price(weight: int) -> int:\n    return weight * 2\n'
    )
    (folder / "README.md").write_text("# Shop\n\nSells things by weight.\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A").check_returncode()
    return folder


def command(
    endpoint: FakeEndpoint | None, home: Path, *words: str
) -> tuple[list[str], dict[str, str]]:
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    if endpoint is not None:
        env["OPENAI_API_BASE"] = endpoint.url
    return [*PROGRAM, *words], env


async def run(
    endpoint: FakeEndpoint | None, repository: Path, *words: str, stdin: bytes = b""
) -> Ended:
    argv, env = command(endpoint, repository.parent, *words)
    return await ended(argv, cwd=repository, env=env, stdin=stdin)


def names_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


async def appears(path: Path) -> None:
    for _ in range(400):
        if path.exists():  # noqa: ASYNC240 - written by another process
            return
        await asyncio.sleep(0.05)
    raise AssertionError(path)


def calling(tool: str, arguments: dict[str, object]) -> Answer:
    return calls(tool, json.dumps(arguments))


EDIT: dict[str, object] = {"path": "shop/prices.py", "old": "weight * 2", "new": "weight * 3"}
CHECK: dict[str, object] = {"command": "python3 -m unittest --help >/dev/null && echo checked"}


@pytest.mark.gate("P96")
async def test_text_answer_alone_on_stdout(endpoint: FakeEndpoint, repository: Path) -> None:
    endpoint.answers = [saying("It is in shop/prices.py.")]
    done = await run(endpoint, repository, "-p", "where are prices?", "-m", "openai/x")
    assert (done.code, done.out) == (Exit.DONE, "It is in shop/prices.py.\n")
    assert "1 step, 100 prompt" in done.err


async def test_the_prefix_is_the_same_bytes_over_steps_edits_and_sessions(
    endpoint: FakeEndpoint, repository: Path
) -> None:
    endpoint.answers = [
        calling("read", {"path": "shop/prices.py"}),
        calling("edit", EDIT),
        saying("done"),
        saying("nothing checks it"),
        saying("again"),
    ]
    first = await run(
        endpoint, repository, "-p", "x", "-m", "openai/x", "--mode", "full-auto", *FREE
    )
    second = await run(endpoint, repository, "-p", "y", "-m", "openai/x", "--mode", "read-only")
    assert (first.code, second.code) == (0, 0)
    bodies = [post.body for post in endpoint.posts]
    session, later = bodies[:4], bodies[4:]
    heads = {json.dumps([body["tools"], body["messages"][0]]) for body in session}
    assert len(heads) == 1
    assert "prices.py[" in session[0]["messages"][0]["content"]
    for before, after in itertools.pairwise(session):
        assert after["messages"][: len(before["messages"])] == before["messages"]
    edited = session[2]["messages"][-1]["content"]
    assert "edited shop/prices.py" in edited
    assert later[0]["messages"][0]["content"].startswith("You are aoci-agent")


async def test_same_commit_gives_the_same_prefix_in_every_session(
    endpoint: FakeEndpoint, repository: Path
) -> None:
    endpoint.answers = [saying("ok")]
    for mode in ("ask", "full-auto"):
        await run(endpoint, repository, "-p", "x", "-m", "openai/x", "--mode", mode, *FREE)
    raw = [json.dumps([p.body["tools"], p.body["messages"][0]]) for p in endpoint.posts]
    assert raw[0] == raw[1]


async def test_nothing_is_written_into_the_repository_by_asking(
    endpoint: FakeEndpoint, repository: Path
) -> None:
    endpoint.answers = [saying("ok")]
    before = names_in(repository)
    await run(endpoint, repository, "-p", "x", "-m", "openai/x")
    assert names_in(repository) == before


async def test_grep_read_sends_no_index(endpoint: FakeEndpoint, repository: Path) -> None:
    endpoint.answers = [saying("ok")]
    await run(endpoint, repository, "-p", "x", "-m", "openai/x", "--policy", "grep-read")
    assert "prices.py[" not in endpoint.posts[0].body["messages"][0]["content"]


@pytest.mark.gate("P96", "P97")
async def test_what_would_ask_is_denied_and_has_its_own_exit_code(
    endpoint: FakeEndpoint, repository: Path
) -> None:
    endpoint.answers = [calling("edit", EDIT), saying("I could not edit.")]
    done = await run(endpoint, repository, "-p", "x", "-m", "openai/x", "--output-format", "json")
    assert done.code == Exit.DENIED
    assert done.result["exit_code"] == Exit.DENIED
    assert "edit" in done.result["denied_actions"][0]
    assert "weight * 2" in (repository / "shop" / "prices.py").read_text()


@pytest.mark.gate("P96")
async def test_json_is_one_object_with_buckets_and_provenance(
    endpoint: FakeEndpoint, repository: Path
) -> None:
    endpoint.answers = [saying("ok")]
    done = await run(endpoint, repository, "-p", "x", "-m", "openai/x", "--output-format", "json")
    usage = done.result["usage"]
    assert (usage["fresh"], usage["cache_read"], usage["output"]) == (40, 60, 7)
    assert done.result["reason"] == "done"
    assert done.result["index"].startswith("2 of 2 entries")


async def test_stream_json_is_one_event_a_line(endpoint: FakeEndpoint, repository: Path) -> None:
    endpoint.answers = [calling("bash", CHECK), saying("ok")]
    words = (
        "-p",
        "x",
        "-m",
        "openai/x",
        "--output-format",
        "stream-json",
        "--mode",
        "full-auto",
        *FREE,
    )
    done = await run(endpoint, repository, *words)
    types = [json.loads(line)["type"] for line in done.out.splitlines()]
    assert types[:2] == ["SessionStarted", "TurnStarted"]
    assert types[-2:] == ["TurnFinished", "Result"]
    assert {"StepStarted", "ToolStarted", "ToolFinished", "StepFinished"} <= set(types)


async def test_piped_input_is_added_to_the_prompt(endpoint: FakeEndpoint, repository: Path) -> None:
    endpoint.answers = [saying("ok")]
    await run(endpoint, repository, "-p", "explain", "-m", "openai/x", stdin=b"the log\n")
    assert endpoint.posts[0].body["messages"][1]["content"].startswith("explain\n\nthe log")


async def test_step_limit_has_its_exit_code(endpoint: FakeEndpoint, repository: Path) -> None:
    endpoint.answers = [calling("glob", {"pattern": "*.py"})]
    done = await run(endpoint, repository, "-p", "x", "-m", "openai/x", "--max-steps", "2")
    assert done.code == Exit.LIMIT
    assert "--max-steps" in done.err


async def test_children_never_see_the_keys(endpoint: FakeEndpoint, repository: Path) -> None:
    endpoint.answers = [calling("bash", {"command": "env"}), saying("ok")]
    argv, env = command(
        endpoint, repository.parent, "-p", "x", "-m", "openai/x", "--mode", "full-auto", *FREE
    )
    env |= {"OPENAI_API_KEY": "sk-secret-value", "ANTHROPIC_API_KEY": "sk-other-value"}
    await ended(argv, cwd=repository, env=env)
    told = json.dumps(endpoint.posts[-1].body)
    assert "PATH=" in told
    assert "sk-secret-value" not in told
    assert "sk-other-value" not in told


@pytest.mark.gate("P92", "R22")
async def test_interrupt_stops_the_command_and_says_130(
    endpoint: FakeEndpoint, repository: Path
) -> None:
    script = "echo partly; touch started; sleep 60; touch finished"
    endpoint.answers = [calling("bash", {"command": script})]
    words = ("-p", "x", "-m", "openai/x", "--mode", "full-auto", "--output-format", "stream-json")
    argv, env = command(endpoint, repository.parent, *words, *FREE)
    child = await asyncio.create_subprocess_exec(
        *argv, cwd=repository, env=env, stdin=-3, stdout=-1, stderr=-1
    )
    await appears(repository / "started")
    child.send_signal(signal.SIGINT)
    out, _ = await child.communicate()
    assert child.returncode == Exit.INTERRUPTED
    assert not (repository / "finished").exists()
    finished, result = list(map(json.loads, out.splitlines()))[-2:]
    assert (finished["type"], finished["status"]) == ("ToolFinished", "interrupted")
    assert finished["result"]["text"].startswith("Interrupted by the person; ")
    assert finished["result"]["text"].endswith("\npartly")
    assert (result["reason"], result["exit_code"]) == ("interrupted", Exit.INTERRUPTED)
    endpoint.answers = [saying("so")]
    await run(endpoint, repository, "-p", "go on", "--continue", "-m", "openai/x")
    told = [one["content"] for one in endpoint.posts[-1].body["messages"] if one["role"] == "tool"]
    assert told == [finished["result"]["text"]]


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
async def test_temporary_files_last_for_the_session_and_end_with_it(
    endpoint: FakeEndpoint, repository: Path
) -> None:
    scripts = ("echo kept > /tmp/one", "cat /tmp/one")
    endpoint.answers = [*(calling("bash", {"command": one}) for one in scripts), saying("ok")]
    words = ("-p", "x", "-m", "openai/x", "--mode", "full-auto", "--trust")
    done = await run(endpoint, repository, *words)
    if done.code == Exit.LIMIT:
        pytest.skip(done.err)
    told = [one["content"] for one in endpoint.posts[-1].body["messages"] if one["role"] == "tool"]
    assert told == ["exit 0\n(no output)", "exit 0\nkept"]
    (left,) = repository.parent.glob(".cache/aoci-agent/*/box/tmp")
    assert names_in(left) == ["lock"]


async def test_a_recorded_run_can_be_replayed_without_an_endpoint(
    endpoint: FakeEndpoint, repository: Path
) -> None:
    file = str(repository.parent / "replies.jsonl")
    endpoint.answers = [calling("glob", {"pattern": "*.py"}), saying("one file")]
    live = await run(endpoint, repository, "-p", "x", "-m", "openai/x", "--record-responses", file)
    replayed = await run(None, repository, "-p", "x", "--fake-responses", file)
    assert (replayed.code, replayed.out) == (live.code, live.out) == (0, "one file\n")


@pytest.mark.parametrize(
    ("words", "env", "code", "names"),
    [
        (("-p", "x"), {}, Exit.FAILED, "no model is chosen"),
        (("-p", "x", "-m", "anthropic/claude-x"), {}, Exit.FAILED, "ANTHROPIC_API_KEY"),
        (("-p", "x", "-m", "nonsense/name"), {}, Exit.FAILED, "nonsense"),
        (("-p", "x", "-m", "local:missing.gguf"), {}, Exit.FAILED, "missing.gguf"),
        (
            ("-p", "x", "-m", "openai/x"),
            {"OPENAI_API_BASE": "http://127.0.0.1:9/v1"},
            Exit.FAILED,
            "127.0.0.1:9",
        ),
        (("-p", "x", "--cwd", "/nowhere"), {}, Exit.FAILED, "/nowhere"),
        (("-p", "x", "--cwd", "/"), {}, Exit.FAILED, "too broad"),
        (("-p", "x", "--fake-responses", "/nowhere.jsonl"), {}, Exit.USAGE, "/nowhere.jsonl"),
        (("-p", "x"), {"AOCI_AGENT_MODE": "yolo"}, Exit.USAGE, "AOCI_AGENT"),
    ],
)
async def test_bad_input_is_named_in_one_line_with_the_way_out(
    repository: Path, words: tuple[str, ...], env: dict[str, str], code: Exit, names: str
) -> None:
    argv, base = command(None, repository.parent, *words)
    done = await ended(argv, cwd=repository, env=base | env)
    assert (done.code, done.out) == (code, "")
    complaint = [line for line in done.err.splitlines() if line.startswith("aoci-agent:")]
    assert len(complaint) == 1
    assert names in complaint[0]
    assert "Traceback" not in done.err


async def test_an_error_of_the_model_name_is_told_by_the_endpoint(
    endpoint: FakeEndpoint, repository: Path
) -> None:
    endpoint.answers = [refuses(404, "model not found")]
    endpoint.models = ["x-large"]
    done = await run(endpoint, repository, "-p", "x", "-m", "openai/x")
    assert done.code == Exit.FAILED
    assert "x" in done.err
    assert done.out == ""


LOOPBACK = {"OPENAI_API_BASE": "http://127.0.0.1:9/v1"}


@pytest.mark.parametrize(
    ("words", "env", "names"),
    [
        (("-p", "x", "-m", "openai/x"), {"OPENAI_API_BASE": "http://[::1"}, "OPENAI_API_BASE"),
        (("-p", "x", "-m", "openai/x"), {"OPENAI_API_BASE": "http://h:99999"}, "OPENAI_API_BASE"),
        (("-p", "x", "-m", "openai/x"), {"OPENAI_API_KEY": "sk-a\nb"}, "OPENAI_API_KEY"),
        (("-p", "x", "--cwd", "~no-such-user"), {}, "no-such-user"),
        (("-p", "x", "--cwd", "a" * 300), {}, "aaa"),
        (("-p", "x"), {"AOCI_AGENT_HOME": "~no-such-user"}, "AOCI_AGENT_HOME"),
        (("-p", "x"), {"AOCI_AGENT_HOME": "./here"}, "AOCI_AGENT_HOME"),
        (("-p", "x", "-m", "openai/x", "--record-responses", "README.md"), LOOPBACK, "README.md"),
    ],
)
async def test_odd_values_are_named_not_crashed_on(
    repository: Path, words: tuple[str, ...], env: dict[str, str], names: str
) -> None:
    argv, base = command(None, repository.parent, *words)
    done = await ended(argv, cwd=repository, env=base | env)
    assert done.code in (Exit.FAILED, Exit.USAGE)
    assert done.out == ""
    assert names in done.err
    assert "a bug stopped" not in done.err
    assert (repository / "README.md").read_text().startswith("# Shop")


@pytest.mark.gate("P96")
async def test_an_error_before_the_turn_is_one_json_result_too(repository: Path) -> None:
    words = ("-p", "x", "-m", "nonsense/x", "--output-format", "json")
    done = await run(None, repository, *words)
    assert done.code == done.result["exit_code"] == Exit.FAILED
    assert "nonsense" in done.result["message"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
async def test_a_full_disk_under_stdout_is_said(repository: Path) -> None:
    argv, env = command(None, repository.parent, "index", "stats")
    with Path("/dev/full").open("w") as full:  # noqa: ASYNC230
        child = await asyncio.create_subprocess_exec(
            *argv, cwd=repository, env=env, stdin=-3, stdout=full, stderr=-1
        )
        _, err = await child.communicate()
    assert child.returncode == Exit.FAILED
    assert "cannot write the result" in err.decode()


async def test_a_damaged_git_index_and_no_home_still_list_the_files(repository: Path) -> None:
    (repository / ".git" / "index").write_bytes(b"garbage")
    argv, env = command(None, repository.parent, "index", "stats")
    del env["HOME"]
    env["AOCI_AGENT_HOME"] = str(repository.parent / "own")
    done = await ended(argv, cwd=repository, env=env)
    assert (done.code, "2 of 2 indexable" in done.out) == (0, True), done.err


async def test_a_build_that_cannot_be_saved_fails(repository: Path) -> None:
    (repository / ".aoci-agent").write_text("in the way")
    done = await run(None, repository, "index", "build")
    assert done.code == Exit.FAILED
    assert "not saved" in done.out
    (repository / ".aoci-agent").unlink()
    again = await run(None, repository, "index", "build")
    assert (again.code, again.err) == (0, "")
