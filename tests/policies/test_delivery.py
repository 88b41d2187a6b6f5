"""What eager and compact deliver with a question, and what compact makes of a turn."""

import pytest

from aoci_agent.base.errors import BadUsage
from aoci_agent.policies.candidates import Candidate, Form, apart, delivered
from aoci_agent.policies.catalog import policy_named
from aoci_agent.policies.conversation import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
    said,
)
from aoci_agent.policies.policy import Material
from aoci_agent.tools.tool import Check

LINES = "\n".join(f"line {n}" for n in range(1, 201))
FOUND = (
    Candidate("a.py", 1, 200, LINES, "big"),
    Candidate("b.py", 3, 5, "def f():\n\n    x = 1\n    y = 2\n    z = 3\n    return z", "f"),
)


def searched(*messages: Message) -> tuple[Message, ...]:
    opening = policy_named("compact").opening(FOUND)
    return (said("why does f fail?", opening, "[today; mode ask]"), *messages)


def called(name: str, title: str, **facts: object) -> tuple[AssistantMessage, ToolMessage]:
    call = ToolCall(f"id-{title}", name, "{}")
    return (
        AssistantMessage(f"I look at {title}.", (call,)),
        ToolMessage(call.id, name, f"<{title}>", title=title, **facts),  # pyright: ignore[reportArgumentType]
    )


def test_overlapping_blocks_give_way_to_better_ones() -> None:
    ranked = [
        Candidate("a.py", 10, 20, "one"),
        Candidate("a.py", 20, 30, "two"),  # shares line 20
        Candidate("b.py", 10, 20, "three"),
        Candidate("built/b.js", 1, 9, " three\n"),  # a copy
        Candidate("a.py", 21, 30, "four"),
        Candidate("c.py", 1, 1, "five"),
    ]
    kept = [(one.path, one.start) for one in apart(ranked, 3)]
    assert kept == [("a.py", 10), ("b.py", 10), ("a.py", 21)]


def test_blocks_are_whole_and_long_ones_say_what_is_left_out() -> None:
    text = delivered(FOUND, Form.BLOCKS)
    assert "1. a.py:1-200 big\n    line 1\n" in text
    assert "line 150\n    [50 more lines]\n2. b.py:3-5 f" in text
    assert "    return z" in text


def test_snippets_are_the_first_four_lines_that_hold_something() -> None:
    text = delivered(FOUND, Form.SNIPPETS)
    assert "2. b.py:3-5 f\n    def f():\n        x = 1\n        y = 2\n        z = 3\n" in text
    assert "return z" not in text


def test_nothing_found_delivers_nothing() -> None:
    assert policy_named("eager").opening(()) == ""
    assert said("q", "", "note").text == "q\n\nnote"


@pytest.mark.parametrize(
    ("choice", "name", "index"),
    [
        ("eager", "eager", True),
        ("eager,no-index", "eager,no-index", False),
        ("compact, snippets", "compact,snippets", True),
        ("compact,no-index,snippets", "compact,no-index,snippets", False),
        ("compact,index,blocks", "compact", True),
    ],
)
def test_options_stand_behind_the_name(choice: str, name: str, *, index: bool) -> None:
    policy = policy_named(choice)
    assert (policy.name, policy.wants_index, policy.wants_candidates) == (name, index, 10)
    assert policy_named(policy.name) == policy
    assert [layer.name for layer in policy.layers(Material("r", None))] == ["rules"]


@pytest.mark.parametrize("choice", ["eager,fast", "aoci,no-index", "grep-read,index", "", ","])
def test_an_option_that_means_nothing_is_refused(choice: str) -> None:
    with pytest.raises(BadUsage, match="there is no policy"):
        policy_named(choice)


def test_compact_waits_for_a_read_that_succeeded() -> None:
    compact = policy_named("compact")
    assert compact.after_step(searched(*called("grep", "grep f", read=()))) is None
    assert compact.after_step(searched(*called("read", "read a.py", ok=False))) is None
    assert compact.after_step(searched(*called("read", "read src", read=()))) is None  # a folder


def test_compact_leaves_one_message_with_what_was_found() -> None:
    turn = searched(
        *called("grep", "grep f"),
        *called("read", "read a.py", read=("a.py",)),
        *called("edit", "edit a.py", changed=("a.py",)),
        *called("test", "test a", check=Check("pytest a", passed=False, failing=("t1",))),
        *called("read", "read b.py", read=("b.py",)),
    )
    after = policy_named("compact").after_step(turn)
    assert after is not None
    (message,) = after
    assert isinstance(message, UserMessage)
    assert message.text.startswith("why does f fail?\n\n")
    assert message.text.endswith("\n\n[today; mode ask]")
    assert "Called: grep f; read a.py; edit a.py; test a; read b.py" in message.text
    assert "Files read: a.py, b.py\nFiles changed: a.py" in message.text
    assert "Last check: pytest a: failed (t1)" in message.text
    assert "You said: I look at read b.py." in message.text
    assert "read b.py:\n<read b.py>" in message.text
    assert "<read a.py>" not in message.text
    assert "Candidate places" not in message.text
    assert (message.question, message.candidates) == ("why does f fail?", "")
    assert policy_named("compact").after_step(turn) == after  # the same every time


def test_reads_of_one_step_stay_together() -> None:
    one, two, grep = (ToolCall(name, name, "{}") for name in ("r1", "r2", "g"))
    turn = searched(
        *called("read", "read a.py", read=("a.py",)),
        AssistantMessage("both", (one, grep, two)),
        ToolMessage("r1", "read", "<read b.py>", title="read b.py", read=("b.py",)),
        ToolMessage("g", "grep", "<grep>", title="grep x"),
        ToolMessage("r2", "read", "<read c.py>", title="read c.py", read=("c.py",)),
    )
    after = policy_named("compact").after_step(turn)
    assert after is not None
    assert "read b.py:\n<read b.py>\n\nread c.py:\n<read c.py>\n\nGo on" in after[0].text
    assert "<read a.py>" not in after[0].text
    assert "<grep>" not in after[0].text


def test_a_question_that_quotes_the_heading_is_kept_whole() -> None:
    opening = policy_named("compact").opening(FOUND)
    question = f"what prints this?\n{opening}\nand this: [The search up to here was cut"
    turn = (said(question, opening), *called("read", "read a.py", read=("a.py",)))
    after = policy_named("compact").after_step(turn)
    assert after is not None
    assert after[0].text.startswith(question + "\n\n[The search up to here")
