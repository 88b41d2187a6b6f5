"""`eval policies` on a repository made here: every policy in real sessions, resumed, and scored."""

import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.commits import git

from aoci_agent.agent.models.model import Piece, Provenance, Reply, Request
from aoci_agent.agent.models.scripted import ScriptedModel
from aoci_agent.agent.session import Session
from aoci_agent.cli import main
from aoci_agent.cli.measuring_sessions import opened
from aoci_agent.evals import policies
from aoci_agent.evals.policies_run import Opening
from aoci_agent.evals.policies_score import AGAIN, CONTRACT
from aoci_agent.policies.conversation import AssistantMessage

NAMES = ("grep-read", "aoci", "eager", "compact", "compact,no-index,snippets")
CART = (
    "class Cart:\n    def add(self, item):\n        self.items.append(item)\n\n"
    "    def total_price(self):\n        # a coupon's discount is subtracted from the cart\n"
    "        return sum(item.price for item in self.items)\n"
)
TAX = "RATES = {}\n\n\ndef rate_of(country):\n    return RATES[country]\n"
QUERY = "total_price forgets the discount of a coupon"


@pytest.fixture
def made(tmp_path: Path) -> list[str]:
    """Cases and clones, as arguments."""
    root = tmp_path / "clones" / "acme__shop"
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    for path, text in (("cart.py", CART), ("tax.py", TAX), ("README.md", "# Shop\n")):
        (root / path).write_text(text)
        git(root, "add", "-A")
        git(root, "commit", "-qm", path)
    commit = git(root, "rev-parse", "HEAD").stdout.strip()
    case = {"repo": "acme/shop", "base_commit": commit, "gold_files": ["cart.py"]}
    rows = [
        case
        | {"instance_id": "one", "query": QUERY, "gold_functions": ["cart.py:Cart.total_price"]},
        case | {"instance_id": "two", "query": "x", "gold_functions": ["cart.py:Cart.gone"]},
        case
        | {"instance_id": "three", "query": "x", "repo": "not/here", "gold_functions": ["a:b"]},
    ]
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    chosen = [word for name in NAMES for word in ("--policy", name)]
    return [str(file), "--repos", str(root.parent), *chosen]


@pytest.mark.slow
def test_every_policy_is_run_on_every_case_and_compared(
    made: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep = tmp_path / "rows.jsonl"
    assert main(["eval", "policies", *made, "--keep", str(keep), "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert "left out: no clone of not/here" in err
    told = json.loads(out)
    assert (told["cases"], [one["policy"] for one in told["policies"]]) == (1, list(NAMES))
    for one in told["policies"]:
        assert (one["recall"], one["files"], one["failed"], one["forced"]) == (1.0, 1.0, 0, 0)
        assert one["trajectory"] == sum(one["tokens"].values())
        if one["policy"] != "grep-read":
            assert one["recall_delta"] == {"mean": 0.0, "low": 0.0, "high": 0.0}
            assert one["admitted"]
    rows = [json.loads(line) for line in keep.read_text().splitlines()]
    trajectories = {row["policy"]: row["calls"] for row in rows}
    assert trajectories["grep-read"][0] == "grep total_price"
    assert trajectories["aoci"] == ["read cart.py"]
    assert trajectories["compact"] == ["read cart.py", "[policy compact]"]
    # a run that was stopped while it wrote goes on
    keep.write_text("".join(f"{json.dumps(row)}\n" for row in rows[:-1]) + '{"case": "on')
    assert main(["eval", "policies", *made, "--keep", str(keep), "--prices", *"0000"]) == 0
    out, err = capsys.readouterr()
    assert [line.partition(":")[0] for line in err.splitlines()[1:]] == [
        "1/1 one compact,no-index,snippets"
    ]
    assert out.count("0.0000") == len(NAMES)


class Silent(ScriptedModel):
    """Calls nothing, answers when tools are forbidden, and reports no usage for its last words."""

    async def stream(self, request: Request) -> AsyncGenerator[Piece]:
        async for piece in super().stream(request):
            estimated = isinstance(piece, Reply) and request.extra.get("tool_choice") == "none"
            yield _unmeasured(piece) if estimated and isinstance(piece, Reply) else piece


def _unmeasured(reply: Reply) -> Reply:
    return replace(reply, usage=replace(reply.usage, tokens_from=Provenance.ESTIMATED))


def test_a_live_model_is_asked_again_without_tools_and_missing_usage_is_no_smaller_sum(
    made: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    models: list[Silent] = []

    def opener(opening: Opening) -> Session:
        assert opening.model == "some/model"
        session = opened(replace(opening, model=""))
        model = Silent(
            [AssistantMessage("In the cart."), AssistantMessage("Locations: cart.py:5-7")]
        )
        models.append(model)
        session.agent.model = model
        return session

    options = [*made[:3], "--policy", "grep-read", "--model", "some/model", "--format", "json"]
    assert policies.main(options, opener) == 0
    (told,) = json.loads(capsys.readouterr().out)["policies"]
    assert (told["recall"], told["precision"], told["forced"], told["steps"]) == (1.0, 1.0, 1, 2)
    assert (told["tokens"], told["trajectory"]) == (None, None)
    first, second = models[0].requests
    assert CONTRACT in first.prefix.system
    assert CONTRACT not in first.messages[0].text
    assert second.prefix == first.prefix
    assert second.messages[-1].text == AGAIN
    assert second.extra == {"tool_choice": "none"}


def test_a_session_that_fails_scores_nothing(
    made: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    def opener(opening: Opening) -> Session:
        session = opened(replace(opening, model=""))
        session.agent.model = ScriptedModel([])
        return session

    options = [*made[:3], "--policy", "aoci", "--model", "m", "--format", "json"]
    assert policies.main(options, opener) == 0
    told: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["policies"]
    assert [(one["failed"], one["recall"], one["forced"]) for one in told] == [(1, 0.0, 0)] * 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["{dir}/none.jsonl", "--repos", "{dir}"], "cannot read {dir}/none.jsonl: No such file"),
        (["{dir}/bad.jsonl", "--repos", "{dir}"], "bad.jsonl:2 is no case: it lacks 'repo'"),
        (["{dir}/list.jsonl", "--repos", "{dir}"], "list.jsonl:1 is no case"),
        (["{dir}/ok.jsonl", "--repos", "{dir}"], "no case has a clone"),
        (["{dir}/ok.jsonl", "--repos", "{dir}/nowhere"], "nowhere is no folder"),
        (["{dir}/ok.jsonl", "--repos", "{dir}", "--cases", "0"], "--cases: at least 1"),
        (["{dir}/ok.jsonl", "--repos", "{dir}", "--prices", "1", "1", "-1", "1"], "--prices"),
        (["{dir}/ok.jsonl", "--repos", "{dir}", "--policy", "magic"], "no policy 'magic'"),
    ],
)
def test_what_cannot_be_measured_is_named(
    words: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = json.dumps(
        {"instance_id": "a", "repo": "not/here", "base_commit": "0" * 40, "query": "x"}
        | {"gold_files": ["a.py"], "gold_functions": ["a.py:f"]}
    )
    (tmp_path / "ok.jsonl").write_text(good + "\n")
    (tmp_path / "bad.jsonl").write_text(good + '\n{"base_commit": "0", "instance_id": "b"}\n')
    (tmp_path / "list.jsonl").write_text("[1]\n")
    argv = ["eval", "policies", *(word.format(dir=tmp_path) for word in words)]
    try:
        code = main(argv)
    except SystemExit as stop:
        code = stop.code
    assert code in (1, 2)
    err = capsys.readouterr().err
    assert told.format(dir=tmp_path) in err
    assert "bug" not in err
