import pytest

from aoci_agent.tui.pastes import Pastes

LONG = "\n".join(f"line {number}" for number in range(42))


def test_a_short_paste_is_left_alone() -> None:
    assert Pastes().fold("one\ntwo") == "one\ntwo"


@pytest.mark.gate("P72")
def test_a_long_paste_becomes_one_label_and_comes_back_whole() -> None:
    pastes = Pastes()
    label = pastes.fold(LONG)
    assert label == "[pasted 42 lines]"
    assert pastes.unfold(f"look: {label} why?") == f"look: {LONG} why?"


def test_one_very_long_line_is_folded_too() -> None:
    assert Pastes().fold("x" * 5000) == "[pasted 5000 characters]"


def test_labels_of_equal_size_differ() -> None:
    pastes = Pastes()
    first, second = pastes.fold(LONG), pastes.fold(LONG.upper())
    assert first != second
    assert pastes.unfold(second + first) == LONG.upper() + LONG


def test_a_label_inside_a_paste_is_not_unfolded_twice() -> None:
    pastes = Pastes()
    first = pastes.fold(LONG)
    second = pastes.fold(f"{first}\n{LONG}")
    assert pastes.unfold(second) == f"{first}\n{LONG}"


def test_a_deleted_label_leaves_nothing() -> None:
    pastes = Pastes()
    pastes.fold(LONG)
    assert pastes.unfold("plain") == "plain"
