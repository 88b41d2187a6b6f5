"""Columns in characters and in UTF-16 units, against what Python's own encoder says."""

from hypothesis import given, strategies as st

from aoci_agent.views.navigate.columns import from_units, lines_of, to_units

LINES = st.text(st.characters(exclude_characters="\n\r", exclude_categories=()), max_size=30)


@given(LINES, st.integers(0, 40))
def test_there_and_back(line: str, column: int) -> None:
    units = to_units(line, column)
    assert units == sum(2 if ord(character) > 0xFFFF else 1 for character in line[:column])
    assert from_units(line, units) == min(column, len(line))


@given(LINES, st.integers(-3, 80))
def test_any_number_of_units_is_a_column_of_the_line(line: str, units: int) -> None:
    assert 0 <= from_units(line, units) <= len(line)


def test_inside_a_pair_is_that_character() -> None:
    assert from_units("a😀b", 2) == 1


def test_only_line_feeds_end_lines() -> None:
    assert lines_of("a\r\nb\x0cc\u2028d\n") == ["a", "b\x0cc\u2028d", ""]
