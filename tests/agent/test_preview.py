"""The forecast of a call, the gauge, and the table of policies: all from what was really sent."""

from dataclasses import replace

import pytest
from support.fakes import call, harness, look, says

from aoci_agent.agent.events import TextDelta
from aoci_agent.agent.forecast import Ahead, Sent, forecast
from aoci_agent.agent.gauge import gauge
from aoci_agent.agent.ledger import Piece, index_share
from aoci_agent.agent.meter import Meter
from aoci_agent.agent.models.model import Provenance, Reply, Request, StreamCut, Usage
from aoci_agent.agent.models.rates import rates_for
from aoci_agent.agent.preview import Coming, choices, kept_line, preview, request_under
from aoci_agent.aoci.render import Rendered
from aoci_agent.policies.candidates import Candidate
from aoci_agent.policies.catalog import policy_named
from aoci_agent.policies.conversation import UserMessage
from aoci_agent.policies.layers import Layer, Prefix
from aoci_agent.policies.policy import Material

CLAUDE, GPT = "anthropic/claude-sonnet-5-5", "openai/gpt-5.2"
PIECES = (Piece("tools", 1_000), Piece("rules", 500), Piece("index", 6_000), Piece("hello", 500))
MORE = (*PIECES, Piece("answer", 200))


def sent(usage: Usage, model: str = CLAUDE, at: float = 0.0) -> Sent:
    return Sent(PIECES, {}, usage, model, at)


def ahead(
    pieces: tuple[Piece, ...], last: Sent | None, model: str = CLAUDE, now: float = 1.0
) -> tuple[int, int, int]:
    usage = forecast(pieces, last, rates_for(model), model, now=now).usage
    assert usage.tokens_from is Provenance.ESTIMATED
    return usage.fresh, usage.cache_read, usage.cache_write


def test_a_first_call_reads_nothing() -> None:
    assert ahead(PIECES, None) == (0, 0, 8_000)  # marked: all of it is written
    assert ahead(PIECES, None, GPT) == (8_000, 0, 0)
    assert ahead(PIECES, None, "house/unheard-of") == (8_000, 0, 0)


def test_the_next_call_reads_what_the_last_one_left() -> None:
    assert ahead(MORE, sent(Usage(cache_write=8_000))) == (0, 8_000, 200)
    assert ahead(MORE, sent(Usage(8_000), GPT), GPT) == (200, 8_000, 0)
    assert ahead(MORE, sent(Usage(400, 7_600), "house/x"), "house/x") == (200, 8_000, 0)


def test_a_changed_layer_leaves_what_is_before_it() -> None:
    other = (PIECES[0], PIECES[1], Piece("another index", 3_000), PIECES[3])
    assert ahead(other, sent(Usage(cache_write=8_000))) == (0, 1_500, 3_500)


def test_the_providers_own_count_scales_ours() -> None:
    assert ahead(MORE, sent(Usage(cache_write=9_600))) == (0, 9_600, 240)


def test_nothing_is_cached_by_another_model_or_after_its_time_or_below_the_minimum() -> None:
    assert ahead(MORE, sent(Usage(cache_write=8_000), "anthropic/claude-opus-5"))[1] == 0
    assert ahead(MORE, sent(Usage(cache_write=8_000)), now=301.0)[1] == 0
    small = (Piece("rules", 300), Piece("hello", 200))
    tiny = Sent(small, {}, Usage(500), GPT, 0.0)
    assert ahead(small, tiny, GPT) == (500, 0, 0)


def test_marks_that_cached_nothing_promise_nothing() -> None:
    assert ahead(MORE, sent(Usage(8_000)))[1] == 0


def test_what_a_switch_keeps_is_said() -> None:
    def kept(read: int) -> Ahead:
        return Ahead(Usage(cache_read=read))

    assert kept_line(kept(0), kept(0)).startswith("nothing")
    assert kept_line(kept(9_000), kept(9_000)) == "all ~9,000 cached tokens stay"
    assert kept_line(kept(9_000), kept(1_500)) == (
        "~1,500 of ~9,000 cached tokens stay, ~7,500 are sent anew"
    )
    assert kept_line(kept(9_000), kept(0)) == "none of the ~9,000 cached tokens stay"


@pytest.mark.parametrize(
    ("usage", "share"),
    [
        (Usage(fresh=8_000), (6_000, 0, 0)),
        (Usage(fresh=400, cache_read=7_600), (0, 6_000, 0)),
        (Usage(cache_read=2_500, cache_write=5_500), (0, 1_000, 5_000)),
        (Usage(fresh=6_000, cache_read=2_000), (5_500, 500, 0)),
    ],
)
def test_the_index_has_its_share_of_every_bucket(usage: Usage, share: tuple[int, int, int]) -> None:
    layers = {
        "tools": 1_000,
        "rules": 500,
        "index header": 500,
        "index": 5_500,
        "conversation": 500,
    }
    part = index_share(usage, layers)
    assert (part.fresh, part.cache_read, part.cache_write) == share


async def test_the_gauge_is_the_last_request_and_its_reply() -> None:
    h = harness([says("", call("look", "a")), says("done"), says("more")], look(), window=9_000)
    prompts: list[int] = []
    for _ in range(2):
        await h.turn()
        last = h.agent.meter.records[-1].usage
        now = gauge(h.agent.meter, h.agent.conversation, h.model)
        assert (now.prompt, now.output) == (last.prompt, last.output)
        assert now.provenance is Provenance.MEASURED
        assert now.left == 9_000 - now.used - now.reserve
        prompts.append(now.prompt)
    assert h.agent.meter.session.prompt > prompts[-1]  # sums are another number


async def test_the_gauge_falls_at_once_when_history_does_and_is_then_an_estimate() -> None:
    h = harness([says("word " * 500), says("short")], look())
    await h.turn("question " * 500)
    full = gauge(h.agent.meter, h.agent.conversation, h.model)
    h.agent.conversation.clear()
    now = gauge(h.agent.meter, h.agent.conversation, h.model)
    assert (now.provenance, now.output) == (Provenance.ESTIMATED, 0)
    assert 0 < now.prompt < full.prompt - 500  # tools and rules are still there
    await h.turn("hello")
    measured = gauge(h.agent.meter, h.agent.conversation, h.model)
    assert measured.provenance is Provenance.MEASURED


async def test_what_came_after_an_interruption_is_counted_and_marked() -> None:
    h = harness([says("done"), says("half an answer " * 40)], look())
    await h.turn()
    before = gauge(h.agent.meter, h.agent.conversation, h.model)
    turn = h.agent.run("and why? " * 200, "", FOUND)
    async for event in turn:
        if isinstance(event, TextDelta):
            break
    await turn.aclose()
    now = gauge(h.agent.meter, h.agent.conversation, h.model)
    counted = [h.agent.meter.size(message) for message in h.agent.conversation.messages[2:]]
    assert (now.provenance, now.output) == (Provenance.ESTIMATED, before.output)
    assert now.since == now.used - before.used
    assert abs(now.since - sum(counted) * (before.prompt / _local(h.agent.meter))) <= 2
    assert now.since > 400


def _local(meter: Meter) -> int:
    assert meter.sent is not None
    return sum(meter.sent.parts.values())


async def test_a_side_call_and_another_model_are_no_measure_of_the_conversation() -> None:
    h = harness([says("done"), says("a summary")], look())
    await h.turn()
    before = gauge(h.agent.meter, h.agent.conversation, h.model)
    side = Request(Prefix((), ()), (UserMessage("summarise " * 900),))
    running = h.agent.meter.start(side, h.model, "summary", side=True)
    async for piece in h.model.stream(side):
        running.saw(piece)
    assert running.finish().usage.prompt > before.prompt
    assert gauge(h.agent.meter, h.agent.conversation, h.model) == before
    h.model.name = "another"
    now = gauge(h.agent.meter, h.agent.conversation, h.model)
    assert now.provenance is Provenance.ESTIMATED


async def test_the_gauge_counts_tools_and_layers_before_any_call() -> None:
    h = harness([], look())
    now = gauge(h.agent.meter, h.agent.conversation, h.model)
    assert now.layers["tools"] > 0
    assert now.layers["rules"] > 0
    assert (now.window, now.left) == (None, None)


async def test_a_provider_without_usage_and_a_cut_stream_leave_an_estimate() -> None:
    silent = Reply(says("x"), Usage(fresh=70, tokens_from=Provenance.ESTIMATED), "stop", "m")
    h = harness([silent, StreamCut("cut", "half"), says("whole")], look())
    await h.turn()
    assert gauge(h.agent.meter, h.agent.conversation, h.model).provenance is Provenance.ESTIMATED
    await h.turn()
    assert h.agent.meter.session.estimated
    assert h.agent.meter.session.cut == 1


INDEX = Rendered("#AOCI", "a.py[S]: F:prices " * 400, 1, 1, 4_000, 0, "id")
FOUND = (Candidate("a.py", 1, 40, "\n".join(["line of code"] * 40), "price"),)


async def test_every_policy_is_told_with_what_it_would_send() -> None:
    h = harness([says("done")], look(), policy=policy_named("aoci"))
    material = Material("be good", INDEX)
    conversation, meter = h.agent.conversation, h.agent.meter
    conversation.prefix = Prefix(conversation.prefix.tools, conversation.policy.layers(material))
    await h.turn("where is the price?")
    coming = Coming(
        *(conversation.prefix.tools, material, conversation.messages),
        *("where is the price?", "[today]", FOUND),
    )
    rows = {
        row.name: row
        for row in preview(
            choices(),
            coming,
            "aoci",
            predict=lambda request: meter.ahead(meter.pieces(request), h.model),
            parts=meter.parts,
        )
    }
    assert list(rows)[:4] == ["grep-read", "aoci", "eager", "eager,snippets"]
    assert len(rows) == 10
    assert [name for name, row in rows.items() if row.current] == ["aoci"]
    assert rows["aoci"].layers["index"] > 2_000
    assert abs(rows["aoci"].layers["index"] - rows["compact"].layers["index"]) <= 1  # rounding
    assert "index" not in rows["eager,no-index"].layers
    assert rows["eager"].layers["candidates"] > rows["eager,snippets"].layers["candidates"] > 0
    assert "candidates" not in rows["aoci"].layers
    assert rows["aoci"].shared > rows["grep-read"].shared > 0
    request = request_under(policy_named("aoci"), coming)
    assert rows["aoci"].usage.prompt == round(
        sum(piece.tokens for piece in meter.pieces(request))
        * (meter.sent.scale if meter.sent else 0)
    )
    assert len(h.model.requests) == 1  # nothing was asked


async def test_what_a_policy_will_not_get_is_said() -> None:
    h = harness([], look())
    coming = Coming((), Material("be good", None), (UserMessage("hi"),), searched=False)
    rows = preview(
        (policy_named("aoci"), policy_named("eager")),
        coming,
        "aoci",
        predict=lambda request: h.agent.meter.ahead(h.agent.meter.pieces(request), h.model),
        parts=h.agent.meter.parts,
    )
    assert [row.without for row in rows] == [("no index",), ("no index", "no candidates yet")]
    assert all(row.fits for row in rows)


async def test_a_policy_without_room_in_the_window_does_not_fit_and_layers_sum_to_the_prompt() -> (
    None
):
    h = harness([Reply(says("done"), Usage(fresh=900), "stop", "m")], look())
    await h.turn("where?")
    coming = Coming((), Material("be good", INDEX), h.agent.conversation.messages, "and?")
    rows = preview(
        (policy_named("grep-read"), policy_named("aoci")),
        coming,
        "aoci",
        predict=lambda request: h.agent.meter.ahead(h.agent.meter.pieces(request), h.model),
        parts=h.agent.meter.parts,
        window=3_000,
    )
    assert [row.fits for row in rows] == [True, False]
    assert [sum(row.layers.values()) for row in rows] == [row.usage.prompt for row in rows]


async def test_the_forecast_is_what_a_perfect_cache_then_charges() -> None:
    """The scripted model's cache is a real one: prediction and measure are compared step by step."""
    lines = [says("", call("look", str(number))) for number in range(8)]
    h = harness([*lines, says("done")], look())
    h.model.name = "moonshot/made-up"  # automatic, without a minimum
    h.agent.conversation.prefix = replace(
        h.agent.conversation.prefix, layers=(Layer("rules", "be good " * 2_000),)
    )
    await h.turn()
    records = h.agent.meter.records
    for record in records[1:]:
        assert record.usage.cache_read > 4_000
    coming = h.agent.conversation.request(None)
    predicted = h.agent.meter.ahead(h.agent.meter.pieces(coming), h.model)
    last = records[-1].usage
    assert abs(predicted.kept - last.prompt) <= 1
