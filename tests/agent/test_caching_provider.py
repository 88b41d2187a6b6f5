"""The provider of other tests: its cache keeps what the rules of real ones say, by literal numbers.

`word * n` is n tokens, a message has 3 more before them and 1 after; nothing else is counted.
"""

import json
from typing import Any

import pytest
from support.caching_provider import encoded, laid_out
from support.prefix_cache import AutomaticCache, MarkedCache, Refused, Split

Json = dict[str, Any]
WORD = " hello"
MARK: Json = {"cache_control": {"type": "ephemeral"}}
HOUR: Json = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


def said(words: int, mark: Json | None = None, role: str = "user", word: str = WORD) -> Json:
    text = word * words
    return {"role": role, "content": [{"type": "text", "text": text} | mark] if mark else text}


def asked(*messages: Json, tools: list[Json] | None = None) -> Json:
    return {"messages": list(messages)} | ({"tools": tools} if tools else {})


def automatic(*requests: tuple[float, Json]) -> list[Split]:
    cache = AutomaticCache()
    return [cache.take("m", laid_out(body), at) for at, body in requests]


def marked(*requests: tuple[float, Json]) -> list[Split]:
    cache = MarkedCache()
    return [cache.take("m", laid_out(body), at) for at, body in requests]


def test_a_word_is_a_token_and_a_message_has_four_more() -> None:
    assert len(encoded(WORD * 500)) == 500
    assert len(laid_out(asked(said(10, role="system"), said(5))).ids) == 10 + 4 + 5 + 4


def test_tools_and_calls_are_counted_as_their_json() -> None:
    tool: Json = {"type": "function", "function": {"name": "look", "parameters": {}}}
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    made = {"role": "assistant", "content": None, "tool_calls": [call]}
    counted = len(encoded('[{"name":"look","parameters":{}}]')) + len(encoded("look{}")) + 4
    assert len(laid_out(asked(made, tools=[tool])).ids) == counted


def test_automatic_reads_whole_steps_of_128_from_1024_on() -> None:
    short, long = asked(said(1019)), asked(said(1020))  # 1023 and 1024 tokens
    assert automatic((0, short), (1, short)) == [Split(1023), Split(1023)]
    assert automatic((0, long), (1, long)) == [Split(1024), Split(1024, read=1024)]
    longer = asked(said(1020), said(300))
    found = automatic((0, long), (1, longer), (2, asked(said(1020), said(300), said(1))))
    assert [one.read for one in found] == [0, 1024, 1280]  # 1328 tokens: ten steps of 128
    assert [one.fresh for one in found] == [1024, 304, 53]


def test_automatic_reads_what_is_shared_inside_a_message_too() -> None:
    first, second = asked(said(2000)), asked(said(1500), said(100, word=" other"))
    assert [one.read for one in automatic((0, first), (1, second))] == [0, 1408]  # of 1503


def test_a_prefix_lives_five_minutes_from_its_last_use() -> None:
    body = asked(said(2000))
    found = automatic((0, body), (299, body), (598, body), (898, body))
    assert [one.read for one in found] == [0, 1920, 1920, 0]


def test_caches_belong_to_one_model() -> None:
    cache, body = AutomaticCache(), laid_out(asked(said(2000)))
    assert [cache.take(model, body, 0).read for model in "aab"] == [0, 1920, 0]


def test_marked_reads_and_writes_up_to_marks_only() -> None:
    system = said(2000, MARK, "system")  # 3 + 2000 up to the mark, and 1
    found = marked(
        (0, asked(system, said(10))),
        (1, asked(system, said(10), said(20, MARK))),
        (2, asked(system, said(10), said(20, MARK), said(30))),
        (3, asked(said(2000, role="system"), said(10))),
    )
    assert found == [
        Split(2018, read=0, write_5m=2003),
        Split(2042, read=2003, write_5m=38),
        Split(2076, read=2041),
        Split(2018),
    ]
    assert [one.fresh for one in found] == [15, 1, 35, 2018]


def test_marked_keeps_nothing_below_the_minimum() -> None:
    body = asked(said(1000, MARK, "system"), said(100, MARK))
    assert marked((0, body), (1, body)) == [Split(1108, write_5m=1107), Split(1108, read=1107)]
    small = asked(said(1000, MARK, "system"), said(10))
    assert marked((0, small), (1, small)) == [Split(1018), Split(1018)]


def test_marks_of_an_hour_outlive_those_of_five_minutes() -> None:
    body = asked(said(2000, HOUR, "system"), said(100, MARK))
    found = marked((0, body), (299, body), (599, body), (4198, body), (4498, body), (8098, body))
    assert found == [
        Split(2108, write_5m=104, write_1h=2003),
        Split(2108, read=2107),
        Split(2108, read=2003, write_5m=104),
        Split(2108, read=2003, write_5m=104),
        Split(2108, read=2003, write_5m=104),
        Split(2108, write_5m=104, write_1h=2003),
    ]


def test_a_mark_looks_back_twenty_blocks() -> None:
    one = [said(1, role="user") for _ in range(30)]
    system = said(2000, role="system")
    first = asked(system, said(1, MARK))
    near = asked(system, said(1), *one[:18], said(1, MARK))
    far = asked(system, said(1), *one[:19], said(1, MARK))
    assert [found.read for found in marked((0, first), (1, near))] == [0, 2008]
    assert [found.read for found in marked((0, first), (1, far))] == [0, 0]


def test_too_many_marks_and_marks_in_a_bad_order_are_refused() -> None:
    with pytest.raises(Refused, match="maximum of 4"):
        marked((0, asked(*(said(300, MARK) for _ in range(5)))))
    with pytest.raises(Refused, match="1h"):
        marked((0, asked(said(2000, MARK), said(10, HOUR))))


def test_the_layout_does_not_depend_on_marks() -> None:
    plain, with_marks = asked(said(50), said(60)), asked(said(50, MARK), said(60, HOUR))
    assert laid_out(plain).ids == laid_out(with_marks).ids
    assert json.dumps(plain) != json.dumps(with_marks)
