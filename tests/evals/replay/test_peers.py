"""Other agents as solvers: run in the sandbox, measured by the proxy, judged like any cell."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from support.endpoint import Answer, FakeEndpoint, delta, events, refuses
from support.peer_place import FAKE, KEY, TASK, Place, billed, serving, unboxed
from support.solving_endpoint import AFTER, FILE, HIDDEN, SolvingEndpoint

from aoci_agent.base.errors import BadUsage, NotPossible
from aoci_agent.evals.replay import oracle
from aoci_agent.evals.replay.attempt import Opening
from aoci_agent.evals.replay.cell import Cell
from aoci_agent.evals.replay.exchange import REQUESTS
from aoci_agent.evals.replay.peers.catalog import PEERS
from aoci_agent.evals.replay.peers.peer import Job, Peer
from aoci_agent.evals.replay.peers.program import (
    argv_of,
    needed,
    peer_named,
    program_of,
    version_of,
)
from aoci_agent.evals.replay.peers.running import OUTPUT, Peered
from aoci_agent.evals.replay.store import Run, RunFolder
from aoci_agent.evals.replay.task import Budget


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize("options", [(), ("--stream",)])
def test_an_agent_solves_a_task_and_its_tokens_are_what_the_endpoint_billed(
    place: Place, options: tuple[str, ...]
) -> None:
    for killed in ("work-agent", "other-agent"):
        (place.tree.parent / killed / "home/.profile").mkdir(parents=True)
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.solve(endpoint, *options)
    assert (worked.reason, worked.broke, worked.steps, worked.commands) == ("done", False, 4, 4)
    assert (place.tree / FILE).read_text() == AFTER
    assert worked.spent.tokens == billed(endpoint)
    assert [line.asked for line in place.exchanges] == ["mine"] * 4
    left = {path.name for path in place.tree.iterdir()}
    assert left == {".git", FILE}  # not the log it wrote
    assert {path.name for path in place.state.iterdir()} == {OUTPUT}
    assert list(place.tree.parent.iterdir()) == [place.tree]


_ONE = {"codex": "openai/solver", "claude": "anthropic/solver"}  # they have one dialect
_LED = [
    (name, model)
    for name in PEERS
    for model in ("openai/solver", "anthropic/solver")
    if _ONE.get(name, model) == model
]


@pytest.mark.parametrize(("name", "model"), _LED)
def test_each_agent_is_led_to_the_endpoint_in_its_dialect_and_measured(
    name: str, model: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    peer = PEERS[name]
    monkeypatch.setenv(peer.variable, str(place.install(place.agents / peer.program)))
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.run(endpoint, peer, boxed=False, model=model)
    output = (place.state / OUTPUT).read_text()
    assert (worked.reason, worked.broke) == ("done", False), output
    assert (place.tree / FILE).read_text() == AFTER
    assert worked.spent.tokens == billed(endpoint)
    assert worked.steps == len(endpoint.posts) == (1 if name == "aider" else 4)
    assert worked.commands == {"aider": 0, "codex": 3, "claude": 3}.get(name, 4)
    expected = "messages" if model.startswith("anthropic") else "chat"
    assert {line.api for line in place.exchanges} == {"responses" if name == "codex" else expected}
    assert not any(line.asked for line in place.exchanges)  # its own settings name the model
    key = {
        seen.headers.get("x-api-key", seen.headers.get("authorization")) for seen in endpoint.posts
    }
    assert key <= {KEY, f"Bearer {KEY}"}
    assert KEY not in output
    assert worked.version.startswith("digest ")


@pytest.mark.parametrize("boxed", [True, False])
def test_it_reaches_the_proxy_and_never_the_key_and_in_the_sandbox_nothing_else(
    place: Place, *, boxed: bool
) -> None:
    with serving(SolvingEndpoint()) as endpoint:
        variables = {"PATH": f"/of the task:{os.environ['PATH']}"}
        worked = place.solve(endpoint, "--look", boxed=boxed, variables=variables)
        seen = endpoint.posts[0].headers["authorization"]
    output = (place.state / OUTPUT).read_text()
    told = json.loads(output.splitlines()[0])
    assert "unreachable" in told["network"] or not boxed
    assert told["secrets"] == told["cell"] == []
    assert told["login"].startswith("/of the task:")
    assert told["there"] == str(place.tree)
    assert worked.reason == "done", output
    assert (place.tree / FILE).read_text() == AFTER
    assert seen == f"Bearer {KEY}"
    assert all(KEY not in file.read_text() for file in place.cell.rglob("*") if file.is_file())


def test_beyond_its_budget_it_is_refused_and_ended_and_judged_all_the_same(place: Place) -> None:
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.solve(endpoint, "--greedy", budget=Budget(steps=2))
    assert (worked.reason, worked.broke, worked.steps) == ("steps", False, 2)
    assert place.exchanges[-1].ended == "budget"
    assert "used up" in (place.state / OUTPUT).read_text()


def test_one_that_goes_on_without_its_model_is_ended(place: Place) -> None:
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.solve(endpoint, "--greedy", "--slow", budget=Budget(steps=1))
    assert (worked.reason, worked.broke) == ("steps", False)


def test_one_that_hangs_is_ended_when_its_time_is_over(place: Place) -> None:
    place.program.write_text(f"#!{sys.executable} -I\nimport time\ntime.sleep(60)\n")
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.solve(endpoint, budget=Budget(time=1.0))
    assert (worked.reason, worked.broke, worked.steps) == ("time", False, 0)


@pytest.mark.parametrize("boxed", [True, False])
def test_what_it_left_running_is_ended_with_it(place: Place, *, boxed: bool) -> None:
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.solve(endpoint, "--daemon", boxed=boxed)
    assert worked.reason == "done"
    number = int((place.tree / "daemon").read_text())
    assert boxed or not Path("/proc", str(number)).exists()
    found = (file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline"))
    assert not any(os.fsencode(place.program) in words for words in _there(found))


def _there(found: Iterator[bytes]) -> Iterator[bytes]:
    """Those of processes that have not ended meanwhile."""
    while True:
        try:
            yield next(found)
        except StopIteration:
            return
        except OSError:
            continue


def test_two_cells_at_once_have_their_own_ports_and_counts(tmp_path: Path) -> None:
    places = [Place(tmp_path / name) for name in ("one", "two")]
    with (
        serving(SolvingEndpoint()) as one,
        serving(SolvingEndpoint()) as two,
        ThreadPoolExecutor() as pool,
    ):
        endpoints = (one, two)
        begun = [
            pool.submit(*both) for both in zip((p.solve for p in places), endpoints, strict=True)
        ]
        worked = [ended.result() for ended in begun]
    for place, endpoint, ended in zip(places, endpoints, worked, strict=True):
        assert (ended.reason, ended.spent.tokens) == ("done", billed(endpoint))
        assert (place.tree / FILE).read_text() == AFTER


def test_its_version_is_its_packages_or_a_digest(tmp_path: Path) -> None:
    package = tmp_path / "lib/node_modules/@owner/agent"
    module = package / "dist/cli.js"
    module.parent.mkdir(parents=True)
    module.touch()
    (package / "package.json").write_text('{"version": "1.2.3"}')
    (package / "dist/package.json").write_text('{"type": "module"}')  # of no version
    linked = tmp_path / "bin/agent"
    linked.parent.mkdir()
    linked.symlink_to(module)
    assert version_of(FAKE, linked) == "1.2.3"
    (tmp_path / "package.json").write_text('{"version": "of another project"}')
    own = tmp_path / "bin/fake"
    own.write_text("one")
    digest = version_of(FAKE, own)
    own.write_text("two")
    assert digest.startswith("digest ")
    assert digest != version_of(FAKE, own)
    found = tmp_path / "lib/python3.11/site-packages/fake_agent-4.5.dist-info"
    found.mkdir(parents=True)
    assert version_of(replace(FAKE, install="pip install fake-agent"), own) == "4.5"


def test_what_the_sandbox_shows_of_it_is_never_a_home_or_keys_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    shown = {
        ".local/bin/mini": {".local/bin", ".local/lib"},  # not .local/share
        "bin/mini": {"bin"},
        "venvs/mini/bin/mini": {"venvs/mini"},
        ".nvm/versions/node/v20/bin/pi": {".nvm/versions/node/v20"},
        "tools/node_modules/.bin/codex": {"tools/node_modules"},
        "apps/claude": {"apps"},
    }
    (tmp_path / ".local/lib").mkdir(parents=True)
    for name, expected in shown.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
        found = {path for path in needed(tmp_path / name) if path.is_relative_to(tmp_path)}
        assert found == {tmp_path / one for one in expected}
    (tmp_path / "mini").touch()
    with pytest.raises(NotPossible, match="folder of its own"):
        needed(tmp_path / "mini")


def test_one_whose_time_is_over_is_ended(place: Place) -> None:
    with serving(FakeEndpoint([Answer(b"", stall=0)])) as endpoint:
        worked = place.solve(endpoint, budget=Budget(time=1.0))
    assert (worked.reason, worked.broke) == ("time", False)
    assert worked.spent.tokens is None  # what was asked is not known to have cost nothing


@pytest.mark.parametrize("status", [401, 404, 429, 503])
def test_a_fault_of_the_endpoint_is_the_infrastructures(place: Place, status: int) -> None:
    with serving(FakeEndpoint([refuses(status, f"no: {KEY}")])) as endpoint:
        worked = place.solve(endpoint)
    assert "no: ***" in (place.state / OUTPUT).read_text()
    assert (worked.reason, worked.broke, worked.steps) == ("model", True, 0)
    assert f"/chat/completions with {status}" in worked.message
    assert KEY not in worked.message


def test_an_answer_that_breaks_off_is_the_infrastructures(place: Place) -> None:
    with serving(FakeEndpoint([Answer(events(delta(content="so"), done=False))])) as endpoint:
        worked = place.solve(endpoint, "--stream")
    assert (worked.reason, worked.broke) == ("model", True)
    assert "broke off" in worked.message
    assert worked.spent.tokens is None


def test_one_that_cannot_start_says_why(place: Place) -> None:
    place.program.write_text(f"#!{sys.executable} -I\nraise SystemExit('a library is missing')\n")
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.solve(endpoint)
    assert worked.broke
    assert "a library is missing" in worked.message


def test_the_tasks_python_path_reaches_commands_and_not_the_agents_own_imports(
    place: Place, tmp_path: Path
) -> None:
    venv = tmp_path / "agents" / "bin" / "python"
    venv.symlink_to(sys.executable)
    assert argv_of(replace(FAKE, python=True), place.program)[:2] == [str(venv), "-I"]
    (place.tree / "socket.py").write_text("raise RuntimeError('of the project')\n")
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.run(
            endpoint,
            replace(FAKE, python=True),
            None,
            {"PYTHONPATH": str(place.tree)},
            boxed=False,
        )
    assert worked.reason == "done"


def test_the_harness_own_models_are_refused(place: Place) -> None:
    opening = Opening(place.tree, place.state, "fake", "", Budget())
    peered = Peered(FAKE, unboxed, {}, {})
    with pytest.raises(NotPossible, match="in this program only"):
        peered.solve(TASK, opening, oracle.idle())


@pytest.mark.parametrize("peer", PEERS.values(), ids=PEERS)
def test_one_that_is_not_installed_is_told_how(peer: Peer, tmp_path: Path) -> None:
    with pytest.raises(BadUsage) as told:
        program_of(peer, {peer.variable: str(tmp_path / "nowhere")})
    assert peer.install in (told.value.hint or "")
    assert peer.variable in (told.value.hint or "")


def test_an_unknown_name_is_told_which_are_known() -> None:
    with pytest.raises(BadUsage, match="no agent 'x'"):
        peer_named("x")


@pytest.mark.parametrize("peer", PEERS.values(), ids=PEERS)
def test_no_command_line_or_file_of_an_agent_has_the_key_or_this_home(
    peer: Peer, tmp_path: Path
) -> None:
    job = Job("do it", "http://127.0.0.1:1/v1", "some/model", tmp_path)
    told = [*peer.words(job), *peer.variables(job).values(), *peer.files(job).values()]
    assert any("127.0.0.1:1" in one for one in told)
    assert any("some/model" in one for one in told)
    assert "do it" in peer.words(job)
    assert str(Path.home()) not in "".join(told)
    for name, text in peer.files(job).items():
        assert not Path(name).is_absolute()
        if name.endswith(".json"):
            json.loads(text)


@pytest.mark.gate_only
@pytest.mark.slow
@pytest.mark.parametrize(("name", "model"), _LED)
def test_the_real_agent_solves_the_task_in_the_sandbox(name: str, model: str, place: Place) -> None:
    peer = PEERS[name]
    found = os.environ.get(peer.variable) or shutil.which(peer.program)
    if not found:
        pytest.skip(f"{name} is not installed: {peer.install}, or set {peer.variable}")
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.run(endpoint, peer, boxed=True, model=model)
    assert worked.reason == "done", worked.message
    assert worked.version
    (place.tree / "test_calc.py").write_text(HIDDEN)
    check = [
        sys.executable,
        "-I",
        "-c",
        "import sys; sys.path.insert(0, '.'); import test_calc as t; t.test_add()",
    ]
    subprocess.run(check, cwd=place.tree, check=True)
    assert worked.spent.tokens == billed(endpoint)


def test_an_attempt_that_died_is_charged_for_what_the_proxy_wrote_down(
    place: Place, tmp_path: Path
) -> None:
    cell = Cell(task="add", solver="fake", model="openai/solver")
    made = Run(repository="r", tasks=(TASK,), solvers=("fake",), models=("openai/solver",))
    folder = RunFolder(tmp_path / "run")
    folder.create(made)
    folder.place(cell).mkdir(parents=True)
    with serving(SolvingEndpoint()) as endpoint:
        worked = place.solve(endpoint)
    whole = (place.cell / REQUESTS).read_bytes()
    (folder.place(cell) / REQUESTS).write_bytes(whole + whole[:40])  # the last line was torn off
    assert folder.died(cell, "killed").spent == worked.spent
    _, attempts, charged = folder.begin(cell)
    assert (attempts, charged) == (1, worked.spent)
