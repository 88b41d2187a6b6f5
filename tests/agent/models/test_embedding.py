"""The litellm embedder: against stand-in workers, and once for real."""

import asyncio
import json
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from support.endpoint import Answer, FakeEndpoint, refuses, serving

from aoci_agent.agent.models.embedding import LitellmEmbedder
from aoci_agent.agent.models.litellm_client import Worker
from aoci_agent.agent.models.retry import Patience
from aoci_agent.agent.models.whole import WholeAnswers
from aoci_agent.base.errors import ModelUnavailable
from aoci_agent.base.process import Peer

NAME = "openai/some-embedding"

HEAD = """
import json, struct, sys
from base64 import b64encode
def say(**message): print(json.dumps(message), flush=True)
def hear(): return json.loads(sys.stdin.readline() or "null")
def vector(*numbers): return b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode()
def give(number, *vectors):
    say(id=number, chunk={"vectors": vectors, "usage": {"prompt_tokens": 5}})
    say(id=number, done=True)
def refuse(number, status):
    say(id=number, error={"status": status, "kind": "E", "message": "no", "headers": {}})
"""
LENGTHS = """
while (asked := hear()):
    give(asked["id"], *(vector(len(text), 1) for text in asked["body"]["input"]))
"""


async def _no_sleep(_: float) -> None:
    pass


@contextmanager
def embedder(
    program: str, folder: Path, name: str = NAME, env: dict[str, str] | None = None
) -> Generator[LitellmEmbedder]:
    async def start() -> Worker:
        argv = [sys.executable, "-c", HEAD + dedent(program)]
        return Worker(await Peer.start(argv, cwd=folder, env={}))

    patience = Patience(tries=3, sleep=_no_sleep)
    made = LitellmEmbedder(WholeAnswers(name, env or {}, patience=patience, start=start))
    try:
        yield made
    finally:
        made.close()


def test_texts_become_rows_of_length_one(tmp_path: Path) -> None:
    with embedder(LENGTHS, tmp_path) as made:
        rows = made.embed(["", "ab", "abcd"])
        assert made.dimensions == 2
        assert made.embed([]).shape == (0, 2)
        assert made.tokens == 5
    assert rows.dtype == np.float32
    expected = [[0, 1], [2 / 5**0.5, 1 / 5**0.5], [4 / 17**0.5, 1 / 17**0.5]]
    assert np.allclose(rows, expected)


def test_a_closed_one_starts_again(tmp_path: Path) -> None:
    with embedder(LENGTHS, tmp_path) as made:
        first = made.embed(["ab"])
        made.close()
        assert np.array_equal(made.embed(["ab"]), first)


def test_a_busy_provider_is_asked_again(tmp_path: Path) -> None:
    program = """
        refuse(hear()["id"], 429)
        refuse(hear()["id"], 503)
        give(hear()["id"], vector(1, 0))
        hear()
    """
    with embedder(program, tmp_path) as made:
        assert made.embed(["a"]).tolist() == [[1.0, 0.0]]


def test_a_provider_that_stays_busy_is_unavailable(tmp_path: Path) -> None:
    program = "while (asked := hear()): refuse(asked['id'], 429)"
    with embedder(program, tmp_path) as made, pytest.raises(ModelUnavailable, match="429"):
        made.embed(["a"])


def test_a_refused_key_is_not_asked_again(tmp_path: Path) -> None:
    program = "refuse(hear()['id'], 401); give(hear()['id'], vector(1, 0))"
    with (
        embedder(program, tmp_path) as made,
        pytest.raises(ModelUnavailable, match="401"),
    ):
        made.embed(["a"])


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ("vector(1, 0)", "1 vectors for 2 texts"),
        ("vector(1, 0), vector(1)", "2 vectors for 2 texts"),
        ("vector(), vector()", "2 vectors for 2 texts"),
        ("vector(1, 0), vector(1, float('nan'))", "numbers that are none"),
    ],
)
def test_an_answer_that_makes_no_sense_is_refused(
    tmp_path: Path, vectors: str, message: str
) -> None:
    program = f"give(hear()['id'], {vectors}); hear()"
    with embedder(program, tmp_path) as made, pytest.raises(ModelUnavailable, match=message):
        made.embed(["a", "b"])


def test_vectors_of_another_length_than_before_are_refused(tmp_path: Path) -> None:
    program = "give(hear()['id'], vector(1, 0)); give(hear()['id'], vector(1)); hear()"
    with embedder(program, tmp_path) as made:
        assert made.dimensions == 2
        with pytest.raises(ModelUnavailable, match="1 numbers, not 2"):
            made.embed(["a"])


def test_a_provider_is_told_which_side_a_text_is_on(tmp_path: Path) -> None:
    program = """
        while (asked := hear()):
            query = asked["body"]["input_type"] == "query"
            give(asked["id"], vector(float(query), float(not query)))
    """
    with embedder(program, tmp_path, "voyage/voyage-code-3") as made:
        assert made.embed(["a"]).tolist() == [[0.0, 1.0]]
        assert made.embed(["a"], query=True).tolist() == [[1.0, 0.0]]


def test_what_the_table_knows_is_not_asked(tmp_path: Path) -> None:
    with embedder("sys.exit(1)", tmp_path, "openai/text-embedding-3-small") as made:
        assert made.dimensions == 1536
        assert made.limit == 8_000


def test_another_server_is_another_model(tmp_path: Path) -> None:
    names: set[str] = set()
    for url in ("", "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"):
        env = {"OPENAI_API_BASE": url} if url else {}
        with embedder("", tmp_path, env=env) as made:
            names.add(made.name)
    assert len(names) == 3


def test_a_name_no_provider_knows_is_refused() -> None:
    with pytest.raises(ModelUnavailable, match="no provider"):
        LitellmEmbedder(WholeAnswers("nobody/model", {}))


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_a_real_worker_embeds_through_an_endpoint() -> None:
    """One process that imports litellm, talking to a server on loopback."""
    vectors = [{"object": "embedding", "index": at, "embedding": [at, 1.0]} for at in (0, 1)]
    usage = {"prompt_tokens": 7, "total_tokens": 7}
    given = {"object": "list", "model": "m", "data": vectors, "usage": usage}
    answer = Answer(json.dumps(given).encode(), kind="application/json")
    async with serving(refuses(503, "busy"), answer) as server:
        env = {"OPENAI_API_BASE": server.url, "OPENAI_API_KEY": "k" * 20}
        made = LitellmEmbedder(WholeAnswers(NAME, env, patience=Patience(sleep=_no_sleep)))
        try:
            rows = await asyncio.to_thread(made.embed, ["one", "two"])
        finally:
            await asyncio.to_thread(made.close)
        _was_asked(server)
    assert np.allclose(rows, [[0, 1], [0.5**0.5, 0.5**0.5]])
    assert made.tokens == 7


def _was_asked(server: FakeEndpoint) -> None:
    assert [seen.path for seen in server.posts] == ["/v1/embeddings"] * 2
    body = server.posts[-1].body
    assert (body["model"], body["input"]) == ("some-embedding", ["one", "two"])
    assert "dimensions" not in body
