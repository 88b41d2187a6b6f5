import pytest
from support.fake_session import USAGE, FakeSession, FakeStatus, finished, gauge_of, step
from support.screens import running

from aoci_agent.agent.approval import Mode
from aoci_agent.agent.meter import total
from aoci_agent.agent.models.model import Provenance, Usage
from aoci_agent.base.terminal import cell_width
from aoci_agent.tui.widgets.footer import Figures, fields, fit


def footer(
    width: int, usage: Usage = USAGE, status: FakeStatus | None = None, *, bar: bool = False
) -> str:
    record = step(usage).record
    sums = total([record])
    status = status or FakeStatus()
    gauge = gauge_of(record, status.window)
    return fit(fields(Figures(status, gauge, sums, sums), bar=bar), width).plain


def test_the_whole_shape() -> None:
    assert footer(160) == (
        "aoci | ctx 62k/200k 31% [index ~40k] | ask box strong"
        " | turn $0.021 up 1.2k down 640 R 58k W 1.9k hit 95% | $0.021 | anthropic/claude-sonnet-5-5"
    )


def test_a_wide_screen_has_a_bar() -> None:
    assert footer(150, bar=True).startswith("aoci | ctx ██░░░░░░ 62k/200k 31% [index ~40k] | ask")
    full = footer(150, Usage(fresh=300_000), bar=True)
    assert "ctx ████████ 300k/200k 150%" in full
    assert "ctx 1.0k/?" in footer(150, Usage(fresh=1000), FakeStatus(window=None), bar=True)


def test_before_the_first_call_the_prefix_is_counted_and_marked() -> None:
    shown = fit(fields(Figures(FakeStatus(), gauge_of(None))), 100).plain
    assert shown.startswith("aoci | ctx ~42k/200k 21% [index ~40k] | ask")


def test_at_80_columns_index_cost_and_mode_are_still_there() -> None:
    shown = footer(78)
    assert shown == "aoci | ctx 62k/200k 31% [index ~40k] | ask box strong | turn $0.021 | $0.021"


@pytest.mark.parametrize("width", [*range(1, 30), 40, 60, 78, 100, 120])
def test_it_never_overflows(width: int) -> None:
    status = FakeStatus(model="本地/非常长的模型名字" * 3, policy="策略策略")
    assert cell_width(footer(width, status=status)) <= width


def test_a_model_on_this_machine_has_tokens_and_no_dollars() -> None:
    free = Usage(1000, 0, 0, 10, cost=0.0, cost_from=Provenance.MEASURED, price_from="local")
    shown = footer(140, free)
    assert "turn local up 1.0k down 10" in shown
    assert "$" not in shown


def test_unknown_price_and_window_are_no_zeros() -> None:
    shown = footer(140, Usage(fresh=1000, output=10), FakeStatus(window=None))
    assert "ctx 1.0k/?" in shown
    assert "turn $?" in shown
    assert "$0.00" not in shown


def test_estimates_are_marked() -> None:
    usage = Usage(1000, 0, 0, 10, cost=0.5, tokens_from=Provenance.ESTIMATED)
    shown = footer(140, usage)
    assert "ctx ~1.0k/200k" in shown
    assert "turn ~$0.50 up ~1.0k down ~10" in shown


@pytest.mark.parametrize(
    ("used", "style"), [(100_000, "$muted"), (141_000, "$text-warning"), (181_000, "$text-error")]
)
def test_the_gauge_is_coloured_at_70_and_90_percent(used: int, style: str) -> None:
    record = step(Usage(fresh=used)).record
    gauge = fields(Figures(FakeStatus(), gauge_of(record)))[1][-1]
    assert [span.style for span in gauge.spans] == [style]


def test_full_auto_is_coloured_as_a_warning() -> None:
    mode = fields(Figures(FakeStatus(mode=Mode.FULL_AUTO)))[2][0]
    assert "error" in str(mode.spans[0].style)


@pytest.mark.parametrize(
    ("sandbox", "style"),
    [("strong", "muted"), ("partial", "warning"), ("NONE", "error"), ("OFF", "error")],
)
def test_what_holds_commands_is_always_told(sandbox: str, style: str) -> None:
    shown = fields(Figures(FakeStatus(sandbox=sandbox, trusted=False)))[2]
    assert shown[0].plain == f"ask untrusted box {sandbox}"
    assert all(style in str(form.spans[-1].style) for form in shown)
    assert f"box {sandbox}" in footer(60, status=FakeStatus(sandbox=sandbox))


async def test_it_follows_the_width_of_the_terminal() -> None:
    async with running(FakeSession([step(), finished()]), (150, 24)) as it:
        await it.send("go")
        await it.until_shown("| ask box strong | turn $0.021")
        await it.pilot.resize_terminal(40, 24)
        await it.until(lambda: "anthropic" not in it.screen.splitlines()[-1])
        assert cell_width(it.screen.splitlines()[-1]) <= 40
