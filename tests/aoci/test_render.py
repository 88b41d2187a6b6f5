from dataclasses import replace

from aoci_agent.aoci.lines import measure
from aoci_agent.aoci.model import Entry, HeaderLine, Index, Tag
from aoci_agent.aoci.render import render
from aoci_agent.aoci.stats import stats
from aoci_agent.base import tokens

LEVELS = (9, 8, 7, 5, 3, 1)


def make(count: int) -> Index:
    rows = [
        Entry(
            f"area{number % 7}/part{number % 3}",
            f"file {number}.py" if number % 11 == 0 else f"file{number}.py",
            Tag("T" if number % 5 == 0 else "S", "Ab", LEVELS[number % 6], "", "M"),
            f"does the thing number {number} for everyone who asks",
            ("other/place", "some/where"),
            ("First", "Second.method"),
            "raises Trouble; uses httpcore",
        )
        for number in range(count)
    ]
    rows.sort(key=lambda entry: (entry.directory, entry.name))
    return Index((HeaderLine("overview", "A thing."),), tuple(rows))


def test_everything_is_shown_when_it_fits() -> None:
    rendered = render(make(40), 60_000)
    assert (rendered.shown, rendered.total, rendered.tier) == (40, 40, 0)
    assert rendered.status.startswith("40 of 40 entries, ")
    assert "\n\n" not in rendered.entries
    assert not rendered.entries.endswith("\n")
    assert "#overview: A thing." in rendered.header


def test_every_budget_is_kept_and_every_file_stays_findable() -> None:
    index = make(300)
    seen: set[int] = set()
    for budget in (60_000, *range(12_000, 2_000, -200), 1_500, 700):
        rendered = render(index, budget)
        seen.add(rendered.tier)
        whole = tokens.count(f"{rendered.header}\n\n{rendered.entries}")
        assert whole <= budget, (budget, rendered.status)
        assert rendered.tokens <= budget
        if rendered.tier < 4:
            assert all(entry.name in rendered.entries for entry in index.entries)
    assert {0, 1, 2, 3, 4} <= seen


def test_tiers_keep_the_important_longest() -> None:
    index = make(300)
    *_, rendered = (r for b in range(9_000, 3_000, -50) if (r := render(index, b)).tier == 3)
    nine = next(e for e in index.entries if e.tag.importance == 9 and e.tag.layer == "S")
    five = next(e for e in index.entries if e.tag.importance == 5 and " " not in e.name)
    assert f"{nine.name}[{nine.tag.layer}Ab9M]: F:does the thing" in rendered.entries
    assert f"{five.name}[" not in rendered.entries
    assert five.name in rendered.entries


def test_what_a_tier_leaves_of_the_budget_is_used() -> None:
    index = make(300)
    for budget in range(20_000, 5_000, -1_000):
        rendered = render(index, budget)
        if 0 < rendered.tier < 4:
            assert rendered.tokens > budget - 100, rendered.status


def test_the_same_index_gives_the_same_bytes() -> None:
    first, second = render(make(120), 5_000), render(make(120), 5_000)
    assert first == second
    assert first.content_id != render(make(121), 5_000).content_id


def test_remembered_counts_change_nothing() -> None:
    index = make(50)
    counts, _ = measure(index, {})
    counted = Index(index.header, index.entries, (), counts)
    assert render(counted, 4_000) == render(index, 4_000)
    assert measure(index, counts) == (counts, {})


def test_tags_can_be_left_out() -> None:
    assert "[" not in render(make(5), 60_000, tags=False).entries


def test_an_empty_index_renders() -> None:
    rendered = render(Index(), 1_000)
    assert (rendered.entries, rendered.shown, rendered.total) == ("", 0, 0)


def test_stats_add_up() -> None:
    figures = stats(make(30), indexable=60)
    assert (figures.entries, figures.coverage) == (30, 0.5)
    assert set(figures.elements) == {"names", "tags", "F", "R", "A", "S"}
    assert 0 < figures.per_entry < figures.tokens
    assert figures.documented == 30


def test_notes_come_last_and_leave_room() -> None:
    index = make(60)
    noted = replace(
        index, entries=tuple(replace(e, extra=f"N:note of {e.name} " * 4) for e in index.entries)
    )
    whole = render(index, 10**6).tokens
    for budget in (whole * 2, int(whole * 1.3), whole + 60):
        rendered = render(noted, budget)
        shown = rendered.entries.count(" | N:")
        assert rendered.shown == 60
        assert rendered.tokens <= budget
        assert shown == (60 if budget == whole * 2 else shown)
    assert render(noted, whole + 60).entries.count(" | N:") == 0
    assert "# N: notes" in render(noted, whole * 2).header
    assert "# N: notes" not in render(index, whole * 2).header
