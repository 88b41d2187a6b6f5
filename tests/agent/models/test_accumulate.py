"""Odd, broken and hostile replies (safety.md R15): each becomes calls the loop can answer, or an error."""

from typing import Any

import pytest
from support.endpoint import call_delta, delta

from aoci_agent.agent.models.accumulate import MAX_ARGUMENTS, Accumulator, Finished
from aoci_agent.agent.models.model import MalformedReply, StreamCut

Chunk = dict[str, Any]


def read(*chunks: object, done: bool = True, taken: tuple[str, ...] = ()) -> Finished:
    gathered = Accumulator(taken)
    for chunk in chunks:
        list(gathered.feed(chunk))
    return gathered.finished(done=done)


def seen(finished: Finished) -> list[tuple[str, str, str]]:
    return [(call.id, call.name, call.arguments) for call in finished.message.calls]


def parts(*tool_calls: object) -> Chunk:
    return delta(tool_calls=list(tool_calls))


def function(name: object = None, arguments: object = None, **more: object) -> Chunk:
    given = {"name": name, "arguments": arguments}
    return {"function": {key: v for key, v in given.items() if v is not None}, **more}


END = delta("tool_calls")

# id, chunks, calls as (id, name, arguments)
TOLERATED: list[tuple[str, list[object], list[tuple[str, str, str]]]] = [
    ("empty arguments", [call_delta(0, "read", "", "a"), END], [("a", "read", "{}")]),
    ("a quoted nothing", [call_delta(0, "read", '""', "a"), END], [("a", "read", "{}")]),
    (
        "null arguments",
        [parts(function("read", None, index=0, id="a")), END],
        [("a", "read", "{}")],
    ),
    ("the word null", [call_delta(0, "read", "null", "a"), END], [("a", "read", "{}")]),
    ("space only", [call_delta(0, "read", "  \n", "a"), END], [("a", "read", "{}")]),
    ("truncated", [call_delta(0, "read", '{"path": "a', "a"), END], [("a", "read", '{"path": "a')]),
    ("two objects", [call_delta(0, "read", "{}{}", "a"), END], [("a", "read", "{}{}")]),
    ("single quotes", [call_delta(0, "r", "{'p': 1}", "a"), END], [("a", "r", "{'p': 1}")]),
    ("a list", [call_delta(0, "read", "[1]", "a"), END], [("a", "read", "[1]")]),
    ("a bare string", [call_delta(0, "read", '"a.py"', "a"), END], [("a", "read", '"a.py"')]),
    ("prose", [call_delta(0, "read", "the file a.py", "a"), END], [("a", "read", "the file a.py")]),
    ("NaN", [call_delta(0, "read", '{"n": NaN}', "a"), END], [("a", "read", '{"n": NaN}')]),
    ("unknown tool", [call_delta(0, "fly", "{}", "a"), END], [("a", "fly", "{}")]),
    ("padded name", [call_delta(0, " read\n", "{}", "a"), END], [("a", "read", "{}")]),
    ("no id", [call_delta(0, "read", "{}"), END], [("call00000", "read", "{}")]),
    ("empty id", [call_delta(0, "read", "{}", ""), END], [("call00000", "read", "{}")]),
    (
        "number as id",
        [parts(function("read", "{}", index=0, id=7)), END],
        [("call00000", "read", "{}")],
    ),
    (
        "the same id twice",
        [call_delta(0, "read", "{}", "a"), call_delta(1, "bash", "{}", "a"), END],
        [("a", "read", "{}"), ("call00001", "bash", "{}")],
    ),
    (
        "index 0 for every call",
        [call_delta(0, "read", "{}", "a"), call_delta(0, "bash", "{}", "b"), END],
        [("a", "read", "{}"), ("b", "bash", "{}")],
    ),
    (
        "no index at all",
        [parts(function("read", "{", id="a")), parts(function(None, "}")), END],
        [("a", "read", "{}")],
    ),
    (
        "no index, id in every part",
        [
            parts(function("read", '{"a"', id="a"), function("bash", "{", id="b")),
            parts(function(None, "}", id="b"), function(None, ":1}", id="a")),
            END,
        ],
        [("a", "read", '{"a":1}'), ("b", "bash", "{}")],
    ),
    (
        "interleaved",
        [
            call_delta(0, "read", "{", "a"),
            call_delta(1, "bash", "{", "b"),
            call_delta(0, None, "}"),
            call_delta(1, None, "}"),
            END,
        ],
        [("a", "read", "{}"), ("b", "bash", "{}")],
    ),
    (
        "indices with gaps",
        [call_delta(3, "read", "{}", "a"), call_delta(9, "bash", "{}", "b"), END],
        [("a", "read", "{}"), ("b", "bash", "{}")],
    ),
    (
        "name in every part",
        [call_delta(0, "read", "{", "a"), call_delta(0, "read", "}", "a"), END],
        [("a", "read", "{}")],
    ),
    (
        "name in pieces",
        [call_delta(0, "re", "", "a"), call_delta(0, "ad", "{}"), END],
        [("a", "read", "{}")],
    ),
    (
        "arguments as an object",
        [parts(function("read", {"path": "ä"}, index=0, id="a")), END],
        [("a", "read", '{"path": "ä"}')],
    ),
    ("no name", [call_delta(0, None, '{"a": 1}', "a"), END], [("a", "", '{"a": 1}')]),
    ("an empty call", [parts({}), parts(None, 3, "x"), END], []),
    ("function is text", [parts({"index": 0, "function": "read"}), END], []),
    ("tool_calls is no list", [delta(tool_calls={"a": 1}), END], []),
    ("finish says stop", [call_delta(0, "read", "{}", "a"), delta("stop")], [("a", "read", "{}")]),
    ("odd finish", [call_delta(0, "read", "{}", "a"), delta("eos_token")], [("a", "read", "{}")]),
]


@pytest.mark.parametrize(
    ("chunks", "expected"), [x[1:] for x in TOLERATED], ids=[x[0] for x in TOLERATED]
)
@pytest.mark.gate("R15", "S11")
def test_odd_calls(chunks: list[object], expected: list[tuple[str, str, str]]) -> None:
    finished = read(*chunks)
    assert seen(finished) == expected
    assert finished.finish == ("calls" if expected else "stop")


REFUSED: list[tuple[str, list[object]]] = [
    ("a list", [[]]),
    ("text", ["hello"]),
    ("null", [None]),
    ("nothing", []),
    ("no choices", [{"object": "error"}]),
    ("choices is text", [{"choices": "x"}]),
    ("choice is null", [{"choices": [None]}]),
    ("huge arguments", [call_delta(0, "read", '{"a": "' + "x" * MAX_ARGUMENTS, "a")]),
    ("huge arguments in pieces", [call_delta(0, "read", "x" * 300_000, "a")] * 4),
    ("huge text", [delta(content="x" * 1_000_000)] * 9),
    ("thousands of calls", [call_delta(at, "read", "{}", f"c{at}") for at in range(1000)]),
]


@pytest.mark.parametrize("chunks", [x[1] for x in REFUSED], ids=[x[0] for x in REFUSED])
@pytest.mark.gate("R15", "S11")
def test_absurd_replies(chunks: list[object]) -> None:
    with pytest.raises(MalformedReply):
        read(*chunks)


def test_ids_of_the_conversation_are_not_used_again() -> None:
    chunks = [call_delta(0, "read", "{}", "call_0"), call_delta(1, "read", "{}", ""), END]
    ids = [call.id for call in read(*chunks, taken=("call_0", "call00001")).message.calls]
    assert len({*ids, "call_0", "call00001"}) == 4
    assert all(len(given) == 9 and given.isalnum() for given in ids)
    again = read(*chunks, taken=("call_0", "call00001"))
    assert ids == [call.id for call in again.message.calls]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"),
        ([{"type": "image"}, None, 3], ""),
        (7, ""),
        (None, ""),
    ],
)
def test_content_in_other_shapes(content: object, text: str) -> None:
    assert read(delta(content=content), delta("stop")).message.text == text


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("length", "length"),
        ("content_filter", "filtered"),
        ("stop", "stop"),
        ("tool_calls", "stop"),
    ],
)
def test_finish_reasons_without_calls(reason: str, finish: str) -> None:
    assert read(delta(content="x"), delta(reason)).finish == finish


def test_a_call_cut_by_the_length_limit_says_so() -> None:
    finished = read(call_delta(0, "write", '{"text": "abc', "a"), delta("length"))
    assert finished.finish == "length"
    assert seen(finished) == [("a", "write", '{"text": "abc')]


def test_usage_is_found_wherever_it_is() -> None:
    usage = {"prompt_tokens": 5}
    last = delta("stop")
    assert read(delta("stop"), {"choices": [], "usage": usage}).usage == usage
    assert read(last | {"x_groq": {"usage": usage}}).usage == usage
    assert read(last | {"choices": [last["choices"][0] | {"usage": usage}]}).usage == usage
    assert read(last | {"usage": usage}, {"choices": [], "usage": None}).usage == usage
    assert read(last).usage is None


def test_halves_of_characters_are_joined_or_replaced() -> None:
    halves = read(delta(content="a\ud83d"), delta(content="\ude00b"), delta("stop"))
    assert halves.message.text == "a\U0001f600b"
    assert read(delta(content="x\udcffy"), delta("stop")).message.text == "x\ufffdy"


def test_no_end_is_a_cut() -> None:
    with pytest.raises(StreamCut):
        read(delta(content="abc"), done=False)
