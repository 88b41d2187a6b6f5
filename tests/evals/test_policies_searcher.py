"""The scripted searcher: what it sees, and what it does next, from the text of a request alone."""

import asyncio
import json
from math import isclose

import pytest

from aoci_agent.agent.models.model import Reply, Request
from aoci_agent.agent.models.prices import Price
from aoci_agent.evals.policies_blocks import blocks_of
from aoci_agent.evals.policies_score import Span
from aoci_agent.evals.policies_searcher import ROUND, Searcher, decided
from aoci_agent.evals.policies_sight import Entry, entries_of, noted, sight_of
from aoci_agent.evals.policies_words import fit, names_in, weights_of
from aoci_agent.policies.candidates import Candidate, Form, delivered
from aoci_agent.policies.compact import Compact
from aoci_agent.policies.conversation import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
    said,
)
from aoci_agent.policies.layers import Layer, Prefix

QUESTION = "`total_price` forgets the discount\nThe cart's total_price is too high with a coupon."
NOTE = "[2026-11-30; mode read-only; policy compact]"
CART = (
    "class Cart:\n    def add(self, item):\n        self.items.append(item)\n\n"
    "    def total_price(self):\n        # without a coupon there is no discount\n"
    "        return sum(item.price for item in self.items)\n"
)
INDEX = (
    "#AOCI 1\n#scope: all\n=== shop/\ncart.py[SSh7M]: F:cart | A:Cart, total_price(coupon)\n"
    "tax.py[SSh7L]: F:taxes of a cart | A:rate_of(country)\n=== ./\nREADME.md: F:the shop, total_price"
)


def asked(*messages: Message, system: str = "rules", **extra: object) -> Request:
    return Request(Prefix((), (Layer("rules", system),)), messages, extra=dict(extra))


def question(candidates: tuple[Candidate, ...] = (), form: Form = Form.BLOCKS) -> UserMessage:
    return said(QUESTION, delivered(candidates, form), NOTE)


def step(name: str, result: str, **arguments: object) -> tuple[AssistantMessage, ToolMessage]:
    call = ToolCall(f"{name}{len(result)}", name, json.dumps(arguments))
    path = str(arguments.get("path", ""))
    read = (path,) if name == "read" else ()
    answer = ToolMessage(
        call.id, name, result, title=f"read {path}" if read else "grep x", read=read
    )
    return AssistantMessage("", (call,)), answer


def numbered(text: str, first: int = 1) -> str:
    return "\n".join(f"{at}\t{line}" for at, line in enumerate(text.splitlines(), first))


def calls(message: AssistantMessage) -> list[tuple[str, dict[str, object]]]:
    return [(call.name, json.loads(call.arguments)) for call in message.calls]


def candidates() -> tuple[Candidate, ...]:
    return (
        Candidate("shop/tax.py", 40, 42, "def rate_of(country):\n    return RATES[country]"),
        Candidate("shop/cart.py", 205, 207, "def total_price(self):\n    return discount(coupon)"),
        Candidate("CHANGES.md", 1, 2, "total_price, discount, coupon, cart"),
    )


def test_with_nothing_else_it_greps_for_the_rarest_names() -> None:
    assert names_in(QUESTION)[0] == "total_price"
    first = calls(decided(asked(question())))
    assert len(first) == ROUND
    assert first[0] == ("grep", {"pattern": "total_price", "limit": 50})


def test_it_reads_where_the_rarest_hits_are_and_not_in_tests() -> None:
    found = "shop/cart.py\n105\tdef total_price(self):\ntests/test_cart.py\n1\ttotal_price()\n2\ttotal_price()"
    told = decided(asked(question(), *step("grep", found, pattern="total_price")))
    assert calls(told) == [("read", {"path": "shop/cart.py", "offset": 75, "limit": 160})]


def test_what_came_with_the_question_is_read_first_the_best_of_it_before_the_rest() -> None:
    request = asked(question(candidates()))
    assert calls(decided(request))[0][1] == {"path": "shop/cart.py", "offset": 175, "limit": 160}
    both = [arguments["path"] for _, arguments in calls(decided(request, together=2))]
    assert both == ["shop/cart.py", "shop/tax.py"]


@pytest.mark.parametrize("form", Form)
def test_delivered_blocks_are_seen_in_both_forms(form: Form) -> None:
    sight = sight_of(asked(question(candidates(), form)))
    assert sight.question == QUESTION
    assert [one.span for one in sight.delivered][:2] == [
        *(Span("shop/tax.py", 40, 42), Span("shop/cart.py", 205, 207)),
    ]
    assert sight.delivered[0].text.startswith("def rate_of(country):\n    return")


def test_it_looks_into_the_file_whose_entry_has_the_name() -> None:
    request = asked(question(), system=f"rules\n\n{INDEX}")
    assert entries_of(request) == {
        "shop/cart.py": Entry("F:cart | A:Cart, total_price(coupon)", long=False),
        "shop/tax.py": Entry("F:taxes of a cart | A:rate_of(country)", long=True),
        "README.md": Entry("F:the shop, total_price", long=False),
    }
    assert calls(decided(request)) == [("read", {"path": "shop/cart.py"})]


def test_a_long_file_of_the_index_is_searched_before_it_is_read() -> None:
    words = said("the rate of a country is wrong in taxes", "", NOTE)
    request = asked(words, system=INDEX)
    assert calls(decided(request))[0][0] == "grep"
    pattern = calls(decided(request))[0][1]["pattern"]
    found = step(
        "grep", "shop/tax.py\n400\tdef rate_of(country):", pattern=pattern, path="shop/tax.py"
    )
    again = calls(decided(asked(words, *found, system=INDEX)))
    assert again == [("read", {"path": "shop/tax.py", "offset": 370, "limit": 160})]


def test_a_block_that_fits_ends_the_search() -> None:
    read = step("read", numbered(CART), path="shop/cart.py")
    told = decided(asked(question(), *read))
    assert not told.calls
    assert told.text.startswith("Locations: shop/cart.py:5-7")


def test_without_tools_it_answers_with_the_best_it_has() -> None:
    told = decided(asked(question(candidates()), tool_choice="none"))
    assert told.text.startswith("Locations: shop/cart.py:205-207")
    assert decided(asked(question(), tool_choice="none")).text == "Locations: none"


def test_it_says_what_is_best_so_far_and_reads_its_own_note() -> None:
    told = decided(asked(question(candidates())))
    assert told.text.startswith("So far: shop/cart.py:205-207 (0.")
    again = sight_of(asked(question(), AssistantMessage(told.text)))
    assert next(iter(again.notes)) == Span("shop/cart.py", 205, 207)
    assert noted([]) == ""


def test_after_a_rewriting_it_knows_what_the_digest_tells_and_nothing_else() -> None:
    read = numbered("import os\n\n\ndef other():\n    pass", 30)
    reply, answer = step("read", read, path="shop/tax.py")
    reply = AssistantMessage("So far: shop/cart.py:205-207 (0.40)", reply.calls)
    turn = (question(candidates()), reply, answer)
    rewritten = Compact().after_step(turn)
    assert rewritten is not None
    sight = sight_of(asked(*rewritten))
    assert sight.question == QUESTION
    assert sight.delivered == ()
    assert sight.known == {"shop/tax.py"}
    assert sight.pages["shop/tax.py"].lines[33] == "def other():"
    assert sight.notes == {Span("shop/cart.py", 205, 207): 0.4}
    told = calls(decided(asked(*rewritten)))
    assert told == [("read", {"path": "shop/cart.py", "offset": 175, "limit": 160})]


def test_only_the_text_decides() -> None:
    bare = UserMessage(question(candidates()).text)
    reply, answer = step("read", numbered(CART), path="shop/cart.py")
    stripped = ToolMessage(answer.call_id, "", answer.text)
    full = decided(asked(question(candidates()), reply, answer))
    assert decided(asked(bare, reply, stripped)) == full


def test_blocks_are_found_in_any_language() -> None:
    code = {
        "a.go": "package a\n\nfunc (c *Cart) Total() int {\n\treturn 1\n}\n\nfunc New() *Cart {\n}",
        "a.js": "'use strict';\nres.vary = function(field) {\n};\n\nconst add = (a, b) => {\n};",
        "A.java": "package a;\npublic class A {\n  public int total(int a) throws E {\n    if (a) {\n    }\n  }\n}",
        "a.rs": "use a;\npub(crate) fn total() {}\n\nimpl Cart {\n    fn add(&self) {\n    }\n}",
    }
    heads = {
        path: [
            block.head.strip() for block in blocks_of(path, dict(enumerate(text.split("\n"), 1)))
        ][1:]
        for path, text in code.items()
    }
    assert heads == {
        "a.go": ["func (c *Cart) Total() int {", "func New() *Cart {"],
        "a.js": ["res.vary = function(field) {", "const add = (a, b) => {"],
        "A.java": ["public class A {", "public int total(int a) throws E {"],
        "a.rs": ["pub(crate) fn total() {}", "impl Cart {", "fn add(&self) {"],
    }


def test_a_longer_block_fits_less() -> None:
    weights = weights_of(QUESTION)
    near = fit(weights, CART, "def total_price(self):", 7)
    assert near > fit(weights, CART, "", 7) > fit(weights, CART, "", 480) > 0
    assert fit(weights, "nothing alike", "", 7) == 0
    assert fit({}, CART, "", 7) == 0


def test_it_reports_simulated_usage_at_the_stated_prices() -> None:
    async def reply(request: Request) -> Reply:
        searcher = Searcher(Price(3e-6, 15e-6, 0.3e-6, 3.75e-6))
        pieces = [piece async for piece in searcher.stream(request)]
        assert isinstance(pieces[-1], Reply)
        return pieces[-1]

    usage = asyncio.run(reply(asked(question(), system="word " * 5_000))).usage
    assert usage.cache_write % 128 == 0
    assert usage.cache_read == 0
    expected = usage.fresh * 3e-6 + usage.cache_write * 3.75e-6 + usage.output * 15e-6
    assert usage.cost is not None
    assert isclose(usage.cost, expected)
