"""The litellm judge, against stand-in workers."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

import pytest

from aoci_agent.agent.models.litellm_client import Worker
from aoci_agent.agent.models.reranking import LitellmJudge
from aoci_agent.agent.models.retry import Patience
from aoci_agent.agent.models.whole import WholeAnswers
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.base.process import Peer

HEAD = """
import json, sys
def say(**message): print(json.dumps(message), flush=True)
def give(number, *results):
    say(id=number, chunk={"results": [dict(index=i, relevance_score=s) for i, s in results]})
    say(id=number, done=True)
def hear():
    asked = json.loads(sys.stdin.readline() or "null")
    return asked and (asked["id"], asked["call"], asked["body"])
"""


async def _no_sleep(_: float) -> None:
    pass


@contextmanager
def judge(program: str, folder: Path) -> Generator[LitellmJudge]:
    async def start() -> Worker:
        argv = [sys.executable, "-c", HEAD + dedent(program)]
        return Worker(await Peer.start(argv, cwd=folder, env={}))

    patience = Patience(tries=2, sleep=_no_sleep)
    made = LitellmJudge(WholeAnswers("cohere/rerank-x", {}, patience=patience, start=start))
    try:
        yield made
    finally:
        made.close()


def test_scores_are_in_the_order_of_the_texts(tmp_path: Path) -> None:
    program = """
        number, call, body = hear()
        assert (call, body["query"], body["top_n"]) == ("rerank", "tax", 3), body
        give(number, (2, 0.9), (0, 0.25))
        hear()
    """
    with judge(program, tmp_path) as made:
        assert made.scores("tax", ["a", "b", "c"]) == [0.25, 0.0, 0.9]
        assert made.scores("tax", []) == []


def test_a_busy_provider_is_asked_again(tmp_path: Path) -> None:
    program = """
        number, _, _ = hear()
        say(id=number, error={"status": 429, "kind": "RateLimitError", "message": "no", "headers": {}})
        number, _, _ = hear()
        give(number, (0, 0.5))
        hear()
    """
    with judge(program, tmp_path) as made:
        assert made.scores("tax", ["a"]) == [0.5]


@pytest.mark.parametrize(
    ("results", "told"), [("", "ranked nothing"), ("(7, 0.5)", "was not given")]
)
def test_answers_that_make_no_sense(tmp_path: Path, results: str, told: str) -> None:
    program = f"""
        number, _, _ = hear()
        give(number, {results})
        hear()
    """
    with judge(program, tmp_path) as made, pytest.raises(ModelUnavailable, match=told):
        made.scores("tax", ["a"])
