import pytest
from support.fake_session import USAGE, step

from aoci_agent.agent.meter import total
from aoci_agent.agent.models.model import Usage
from aoci_agent.tui.figures import buckets, money, percent, seconds, tokens


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (640, "640"),
        (1_200, "1.2k"),
        (9_949, "9.9k"),
        (9_950, "10k"),
        (61_000, "61k"),
        (999_499, "999k"),
        (999_500, "1.0M"),
        (1_340_000, "1.3M"),
    ],
)
def test_tokens_are_short(count: int, text: str) -> None:
    assert tokens(count) == text
    assert tokens(count, estimated=True) == f"~{text}"


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (None, "$?"),
        (0.0, "$0.00"),
        (0.00001, "<$0.0001"),
        (0.0004, "$0.0004"),
        (0.021, "$0.021"),
        (0.34, "$0.34"),
        (12.5, "$12.50"),
    ],
)
def test_money_never_rounds_to_zero_and_unknown_is_no_zero(cost: float | None, text: str) -> None:
    assert money(cost) == text


def test_an_estimated_price_is_marked() -> None:
    assert money(0.5, estimated=True) == "~$0.50"
    assert money(None, estimated=True) == "$?"


def test_a_share_is_whole_only_when_it_is() -> None:
    assert (percent(0.9492), percent(0.999), percent(1.0)) == ("95%", "99%", "100%")


def test_times_are_short() -> None:
    assert (seconds(0.42), seconds(12.2), seconds(185)) == ("0.4s", "12s", "3m05s")


def test_buckets_never_overlap() -> None:
    totals = total([step(USAGE).record])
    assert buckets(totals) == "up 1.2k down 640 R 58k W 1.9k hit 95%"
    assert buckets(total([step(Usage(fresh=10)).record])) == "up 10 down 0 R 0 W 0 hit 0%"
