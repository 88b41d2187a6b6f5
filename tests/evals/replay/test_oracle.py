"""The quotes of the gold model: replayed one after the other they make the new text."""

import json

import pytest
from hypothesis import given, reject, strategies as st

from aoci_agent.agent.models.model import Reply, Request
from aoci_agent.base.errors import NotPossible
from aoci_agent.evals.replay.oracle import gold
from aoci_agent.policies.layers import Prefix

_LINES = st.lists(
    st.one_of(st.sampled_from(("\n", "}\n", "  x\n")), st.integers(0, 99).map("line {}\n".format)),
    min_size=3,
    max_size=15,
).map("".join)


async def calls_of(
    before: str | None, after: str | None, seed: int
) -> list[tuple[str, dict[str, str]]]:
    model = gold({"f": before}, {"f": after}, "", seed)
    request = Request(Prefix((), ()), ())
    made: list[tuple[str, dict[str, str]]] = []
    while True:
        async for piece in model.stream(request):
            if isinstance(piece, Reply):
                calls = piece.message.calls
                made += [(call.name, json.loads(call.arguments)) for call in calls]
                if not calls:
                    return made


@given(_LINES, _LINES, st.integers(0, 5))
async def test_the_edits_make_the_new_text(before: str, after: str, seed: int) -> None:
    text = before
    try:
        calls = await calls_of(before, after, seed)
    except NotPossible:
        reject()  # nothing of it stands once in the text
    for name, arguments in calls:
        if name == "edit" and not arguments["old"].startswith("no line"):
            assert text.count(arguments["old"]) == 1
            text = text.replace(arguments["old"], arguments["new"])
    assert text == after


@pytest.mark.parametrize(
    ("before", "after", "tool"), [(None, "new\n", "write"), ("old\n", None, "bash")]
)
async def test_files_come_and_go(before: str | None, after: str | None, tool: str) -> None:
    assert any(name == tool for name, _ in await calls_of(before, after, 0))
