"""The ladder on any conversation: it stays valid, keeps the person's words, and is the same every time."""

from hypothesis import given, settings, strategies as st
from support.conversations import asked, conversations, opening_of, size, valid

from aoci_agent.base import tokens
from aoci_agent.policies.conversation import (
    AssistantMessage,
    Message,
    ToolMessage,
    UserMessage,
    said,
)
from aoci_agent.policies.digest import Digest, Shares, bounded, digest_of, summarised
from aoci_agent.policies.ladder import KEPT, cut_newest, digest, first_kept, shrink, size_of
from aoci_agent.policies.pinned import Notebook
from aoci_agent.policies.validity import INTERRUPTED, mended
from aoci_agent.tools.tool import Check

TURNS = st.sampled_from(["runs", "is over"])
WIDE = Shares(100_000, 100_000)


@settings(max_examples=50)
@given(conversations(), st.integers(0, 2000), TURNS)
def test_shrinking_keeps_everything_but_old_outputs(
    messages: tuple[Message, ...], goal: int, turn: str
) -> None:
    opening = opening_of(messages) if turn == "runs" else None
    shrunk = shrink(messages, goal, size, opening)
    assert shrunk == shrink(messages, goal, size, opening)
    assert valid(shrunk)
    assert len(shrunk) == len(messages)
    assert size_of(shrunk, size) <= size_of(messages, size)
    assert asked(shrunk) == asked(messages)
    outputs = [at for at, m in enumerate(messages) if isinstance(m, ToolMessage)]
    assert all(shrunk[at] == messages[at] for at in outputs[-KEPT:])
    for before, after in zip(messages, shrunk, strict=True):
        if isinstance(before, ToolMessage):
            assert after.text.split("\n")[0] == before.text.split("\n")[0]
        if isinstance(before, AssistantMessage) or (
            isinstance(before, UserMessage) and not before.candidates
        ):
            assert after == before
    todo = [m for m in messages if isinstance(m, ToolMessage) and m.name == "todo"]
    assert not todo or todo[-1] in shrunk


@settings(max_examples=50)
@given(conversations())
def test_with_room_nothing_changes(messages: tuple[Message, ...]) -> None:
    room = size_of(messages, size)
    assert shrink(messages, room, size) is messages
    assert cut_newest(messages, room, size) == messages


@settings(max_examples=50)
@given(conversations(), st.integers(0, 2000))
def test_shrinking_again_changes_nothing(messages: tuple[Message, ...], goal: int) -> None:
    once = shrink(messages, goal, size)
    assert shrink(once, goal, size) == once


@settings(max_examples=50)
@given(conversations(), st.integers(0, 2000), TURNS, st.data())
def test_a_digest_keeps_words_order_and_pairs(
    messages: tuple[Message, ...], goal: int, turn: str, data: st.DataObject
) -> None:
    opening = opening_of(messages) if turn == "runs" else None
    kept = first_kept(messages, goal, size, opening)
    made = digest(messages, kept, opening, "Files changed: a.py")
    assert made == digest(messages, kept, opening, "Files changed: a.py")
    assert valid(made.messages)
    assert asked(made.messages) == asked(messages)
    assert isinstance(made.messages[0], Digest)
    assert "Files changed: a.py" in made.messages[0].text
    assert all(words in made.messages[0].text for words in asked(made.messages[:1]))
    if opening is not None:
        assert made.opening is not None
        assert made.messages[made.opening] == messages[opening]
        steps = messages[opening + 1 :]
        last = next((m for m in reversed(steps) if isinstance(m, AssistantMessage)), None)
        assert last is None or last in made.messages
    again = first_kept(made.messages, data.draw(st.integers(0, 800)), size, made.opening)
    more = digest(made.messages, again, made.opening, "")
    assert valid(more.messages)
    assert asked(more.messages) == asked(messages)


@settings(max_examples=50)
@given(conversations(), st.integers(0, 400), st.integers(0, 400))
def test_a_digest_within_its_shares_says_what_it_left_out(
    messages: tuple[Message, ...], words: int, answers: int
) -> None:
    whole = digest_of(messages, "")
    made = bounded(whole, Shares(words, answers), tokens.estimate)
    assert bounded(made, Shares(words, answers), tokens.estimate) == made
    before = [one.asked for one in whole.past if one.asked]
    after = [one.asked for one in made.past if one.asked]
    assert len(after) + made.left_out == len(before)
    assert not made.left_out or f"{made.left_out} more requests" in made.text
    if sum(map(tokens.estimate, before)) <= words:
        assert after == before
    for asked_then, asked_now in zip(before[-len(after) + 1 :], after[1:], strict=False):
        assert asked_now == asked_then or asked_now.endswith("was cut]")
    assert bounded(whole, WIDE, tokens.estimate) == whole


@settings(max_examples=50)
@given(conversations(), st.integers(0, 1500))
def test_the_newest_outputs_are_cut_last_and_the_pairs_stay(
    messages: tuple[Message, ...], goal: int
) -> None:
    made = cut_newest(messages, goal, size)
    assert valid(made)
    assert asked(made) == asked(messages)
    assert size_of(made, size) <= size_of(messages, size)


@settings(max_examples=100)
@given(conversations(), st.data())
def test_what_an_interruption_or_a_damaged_line_left_is_mended(
    messages: tuple[Message, ...], data: st.DataObject
) -> None:
    assert mended(messages) == messages
    gone = data.draw(st.sets(st.integers(0, max(0, len(messages) - 1))))
    torn = [m for at, m in enumerate(messages) if at not in gone]
    made = mended(torn)
    assert valid(made)
    kept = [m for m in torn if not isinstance(m, ToolMessage)]
    assert [m for m in made if not isinstance(m, ToolMessage)] == kept
    new = [m for m in made if m not in torn]
    assert all(m.text == INTERRUPTED for m in new)


def test_a_summary_takes_the_place_of_what_was_said() -> None:
    messages = (said("why?"), AssistantMessage("because"), said("and?"), AssistantMessage("so"))
    made = summarised(digest_of(messages, "Last check: pytest: passed"), "It was explained.")
    assert asked((made,)) == ["why?", "and?"]
    assert "because" not in made.text
    assert "You: so" in made.text
    assert "It was explained." in made.text
    assert "Last check: pytest: passed" in made.text


def test_the_notebook_keeps_what_history_loses() -> None:
    book = Notebook()
    edit = ToolMessage(
        *("1", "edit", "edited a.py\nΔ a.py[x]: old", True, "edit a.py"),
        changed=("a.py",),
        check=Check("pytest", False, ("test_a",)),
    )
    later = ToolMessage(
        "2", "edit", "edited a.py\nΔ a.py[x]: new", True, "edit a.py", changed=("a.py",)
    )
    book.saw([edit, later, ToolMessage("3", "todo", "[ ] one\n[x] two", True, "todo")])
    told = book.pinned.told(1000, tokens.estimate)
    for fact in (
        "[ ] one",
        "[x] two",
        "Files changed: a.py",
        "pytest: failed (test_a)",
        "[x]: new",
    ):
        assert fact in told
    assert "old" not in told


def test_of_many_facts_the_newest_stay_and_the_list_is_whole() -> None:
    book = Notebook()
    book.saw(
        ToolMessage(str(n), "edit", "", True, f"edit f{n}.py", changed=(f"f{n}.py",))
        for n in range(500)
    )
    todo = "\n".join(f"[ ] item {n}" for n in range(50))
    book.saw([ToolMessage("t", "todo", todo, True, "todo")])
    told = book.pinned.told(400, tokens.estimate)
    assert todo in told
    assert "f499.py" in told
    assert "earlier)" in told
    assert tokens.estimate(told) <= 420
