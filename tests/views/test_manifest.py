import json
from typing import Any

import pytest

from aoci_agent.views.manifest import Artifact, Manifest, ViewRecord, dump, parse

WHOLE = Manifest(
    generation="abc-1",
    commit="f" * 40,
    dirty="",
    files=3,
    source="s" * 32,
    views={
        "lexical": ViewRecord(
            "fresh",
            {"schema": "1"},
            "s" * 32,
            {"words.npy": Artifact(10, "h" * 32), "empty": Artifact(0, "e" * 32)},
            {"units": 4},
            {"build": 0.5},
        ),
        "graph": ViewRecord("failed", error="it broke"),
    },
)


def changed(*path: str, to: Any) -> bytes:
    value = json.loads(dump(WHOLE))
    place = value
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = to
    return json.dumps(value).encode()


def test_what_is_written_is_read() -> None:
    assert parse(dump(WHOLE)) == WHOLE
    assert WHOLE.capabilities["lexical_search"]
    assert not WHOLE.capabilities["navigation"]
    assert WHOLE.views["lexical"].bytes == 10


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b'{"schema": 1, "schema": 1}',
        dump(WHOLE)[:-20],
        dump(WHOLE) + b" " * 5_000_000,
        changed("schema", to=2),
        changed("surprise", to=1),
        changed("files", to="3"),
        changed("files", to=-1),
        changed("files", to=True),
        changed("generation", to="../elsewhere"),
        changed("generation", to="."),
        changed("views", "lexical", "status", to="splendid"),
        changed("views", "lexical", "artifacts", to={"a/b": {"size": 1, "hash": ""}}),
        changed("views", "lexical", "artifacts", "words.npy", "size", to=-1),
        changed("views", "lexical", "config", to={"schema": "2"}),
        changed("views", "lexical", "counts", to={"units": 1.5}),
        changed("views", "lexical", "seconds", to={"build": float("nan")}),
        changed("views", "../x", to=json.loads(dump(WHOLE))["views"]["graph"]),
        changed("capabilities", "navigation", to=True),
    ],
)
@pytest.mark.gate("R24", "T22", "S11")
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse(data)
