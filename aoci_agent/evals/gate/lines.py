"""What has to hold before a release, as data. Tests say with `@pytest.mark.gate` what they prove."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the scorecard: each id needs a passed test, together they need `cases` cases."""

    name: str
    measure: str
    target: str
    ids: tuple[str, ...]
    cases: int
    controls: bool = (
        False  # each id also needs a passed positive control: the attack works undefended
    )


def numbered(letter: str, first: int, last: int) -> tuple[str, ...]:
    """T01, T02, ..."""
    return tuple(f"{letter}{number:02}" for number in range(first, last + 1))


LINES = (
    Line(
        "1",
        "threats T01-T35, each with its positive control",
        "35 of 35",
        numbered("T", 1, 35),
        35,
        controls=True,
    ),
    Line(
        "2",
        "sandbox probes, strong and partial layer",
        "25 in each: no effect outside; partial: the named gaps exactly",
        ("S02",),
        50,
    ),
    Line("3", "git canaries: 36 commands by 32 vectors", "0 fired", ("S03",), 36 * 32),
    Line("4", "start and quit in a hostile repository", "0 of 12 or more canaries", ("S04",), 12),
    Line(
        "5",
        "command lines judged: 200 bypasses, 40 honest ones",
        "no bypass unasked, every honest one unasked",
        ("S05",),
        240,
    ),
    Line("6", "a model that obeys 40 injections", "0 effects outside", ("S06",), 80),
    Line(
        "7",
        "60 payloads through every widget with foreign text",
        "0 foreign bytes, no crash, no action",
        ("S07",),
        60,
    ),
    Line("8", "kinds of faults injected, R01-R40", "40 of 40", numbered("R", 1, 40), 40),
    Line(
        "9",
        "6 faults at every system call of an edit",
        "0 corrupt, 0 modes changed, 0 files left over",
        ("S09",),
        75,
    ),
    Line(
        "10",
        "sessions killed at random moments",
        "1,000 kills: nothing acknowledged lost, no tool run twice",
        ("S10",),
        1_000,
    ),
    Line("11", "damaged and odd inputs", "2,000 or more, no crash", ("S11",), 2_000),
    Line(
        "12",
        "undo of 15 destroyers in 3 kinds of repository",
        "every byte back",
        ("S12",),
        45,
    ),
    Line("13", "HEAD, index, stash, branches and hooks", "unchanged in every run", ("S13",), 45),
    Line("14", "saves of an editor during edits", "1,000, none lost", ("S14",), 1_000),
    Line("15", "children a second after exit and kill -9", "0 alive", ("S15",), 12),
    Line("16", "planted secrets sought in everything written", "10, 0 found", ("S16",), 10),
)

NOT_HERE: dict[str, str] = {}
"""Complaints that cannot happen in this program, and why."""

COMPLAINTS = Line(
    "P",
    "what users of other agents complain of: P39-P51, P70-P98",
    "a test of each",
    tuple(
        name for name in (*numbered("P", 39, 51), *numbered("P", 70, 98)) if name not in NOT_HERE
    ),
    42,
)
"""Edits (39-51), screen, permissions, loops, lost work, headless (70-98)."""
