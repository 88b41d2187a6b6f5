"""Policies as a provider sees them: what a real session sends under each."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli.test_headless import FREE, calling, repository, run
from support.endpoint import FakeEndpoint, says as saying

__all__ = ["repository"]  # the fixture

HEADING = "Candidate places for this request"
QUESTION = "why is the price of a parcel twice its weight?"


def sent(endpoint: FakeEndpoint) -> list[list[dict[str, Any]]]:
    return [post.body["messages"] for post in endpoint.posts]


async def ask(endpoint: FakeEndpoint, repository: Path, policy: str, *more: str) -> Any:
    return await run(
        endpoint, repository, "-p", QUESTION, "-m", "openai/x", "--policy", policy, *more
    )


@pytest.mark.parametrize("policy", ["eager", "eager,no-index", "eager,snippets"])
async def test_eager_sends_code_with_the_question(
    endpoint: FakeEndpoint, repository: Path, policy: str
) -> None:
    endpoint.answers = [saying("because")]
    done = await ask(endpoint, repository, policy)
    assert done.code == 0, done.err
    system, user = sent(endpoint)[0]
    assert ("prices.py[" in system["content"]) == ("no-index" not in policy)
    assert user["content"].startswith(f"{QUESTION}\n\n{HEADING}")
    assert "shop/prices.py:" in user["content"]
    assert "def price(weight: int)" in user["content"]
    assert user["content"].endswith(f"policy {policy}]")


async def test_compact_rewrites_once_after_the_first_read(
    endpoint: FakeEndpoint, repository: Path
) -> None:
    endpoint.answers = [
        calling("grep", {"pattern": "weight"}),
        calling("read", {"path": "shop/prices.py"}),
        calling("read", {"path": "README.md"}),
        saying("because"),
    ]
    done = await ask(endpoint, repository, "compact")
    assert done.code == 0, done.err
    first, second, third, last = sent(endpoint)
    assert second[: len(first)] == first
    assert [message["role"] for message in third] == ["system", "user"]
    assert third[0] == first[0]
    assert third[1]["content"].startswith(QUESTION)
    assert HEADING not in third[1]["content"]
    assert "Files read: shop/prices.py" in third[1]["content"]
    assert "return weight * 2" in third[1]["content"]
    assert last[: len(third)] == third  # once
    assert len(last) == len(third) + 2


async def test_a_question_holding_the_heading_is_not_cut(
    endpoint: FakeEndpoint, repository: Path
) -> None:
    endpoint.answers = [calling("read", {"path": "shop/prices.py"}), saying("because")]
    question = f"Who prints '{HEADING}' about the price of a weight?"
    words = ("-p", question, "-m", "openai/x", "--policy", "compact")
    assert (await run(endpoint, repository, *words)).code == 0
    assert sent(endpoint)[1][1]["content"].startswith(f"{question}\n\n[The search up to here")


async def test_a_folder_with_nothing_to_search_says_so_and_goes_on(
    endpoint: FakeEndpoint, tmp_path: Path
) -> None:
    empty = tmp_path / "work" / "empty"
    empty.mkdir(parents=True)
    endpoint.answers = [saying("nothing here")]
    done = await ask(endpoint, empty, "eager")
    assert (done.code, done.out) == (0, "nothing here\n")
    assert "no code goes with this question" in done.err


async def test_an_unknown_policy_is_refused_before_anything_is_sent(
    endpoint: FakeEndpoint, repository: Path
) -> None:
    done = await ask(endpoint, repository, "eager,fast")
    assert done.code == 2
    assert "there is no policy 'eager,fast'" in done.err
    assert not endpoint.posts


async def test_the_next_session_sends_the_same_index_and_what_changed_behind_it(
    endpoint: FakeEndpoint, repository: Path
) -> None:
    for number in range(20):
        (repository / "shop" / f"part{number}.py").write_text(
            f'"""Part {number} of the shop, which has many of them."""\n\n\ndef part_{number}():\n    pass\n'
        )
    endpoint.answers = [saying("one"), saying("two")]
    assert (await ask(endpoint, repository, "aoci")).code == 0
    with (repository / "shop" / "part7.py").open("a") as file:
        file.write("\n\ndef gift_wrap():\n    pass\n")
    done = await ask(endpoint, repository, "aoci", "--output-format", "json")
    assert done.code == 0
    before, after = (messages[0]["content"] for messages in sent(endpoint))
    assert after.startswith(before)
    assert after.removeprefix(before).strip().startswith("Δ shop/part7.py[")
    assert "gift_wrap" in after.removeprefix(before)
    assert "1 changed since" in json.loads(done.out)["index"]


async def test_an_edit_tells_the_new_entry_and_the_index_tool_knows_it(
    endpoint: FakeEndpoint, repository: Path
) -> None:
    new = "return weight * 2\n\n\ndef gift_wrap() -> int:\n    return 1\n"
    edit: dict[str, object] = {"path": "shop/prices.py", "old": "return weight * 2\n", "new": new}
    endpoint.answers = [
        calling("read", {"path": "shop/prices.py"}),
        calling("edit", edit),
        calling("index", {"query": "shop/prices.py"}),
        calling("index", {"query": "gift wrap"}),
        saying("done"),
        saying("nothing checks it"),
    ]
    assert (await ask(endpoint, repository, "aoci", "--mode", "full-auto", *FREE)).code == 0
    first, _, edited, shown, searched, *_ = sent(endpoint)
    told = edited[-1]["content"].splitlines()[-1]
    assert told.startswith("Δ shop/prices.py[")
    assert "gift_wrap" in told
    assert "gift_wrap" not in first[0]["content"]
    assert edited[0] == first[0]  # the layer above stays
    assert "gift_wrap" in shown[-1]["content"]
    assert "gift_wrap" in searched[-1]["content"]
