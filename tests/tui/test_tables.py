"""What /cost, /context, /policy and /budget show, as text."""

from dataclasses import replace

from support.fake_session import LAYERS, USAGE, gauge_of, step

from aoci_agent.agent.budget import Budget
from aoci_agent.agent.gauge import Gauge
from aoci_agent.agent.limits import Limits
from aoci_agent.agent.meter import total
from aoci_agent.agent.models.model import Provenance, Usage
from aoci_agent.agent.preview import Choice, choices
from aoci_agent.agent.saving import Saving
from aoci_agent.tui.account_lines import budget_lines, saving_line
from aoci_agent.tui.context_map import bar, context_map
from aoci_agent.tui.cost_table import cost_table
from aoci_agent.tui.policy_table import policy_table

ESTIMATED = Usage(1200, 0, 0, 64, cost=None, tokens_from=Provenance.ESTIMATED)
SAVING = Saving(("a.py", "b.py"), 4.0, 34_000, 0.041, 120_000, 0.013, 0)


def test_the_table_marks_provenance_step_by_step() -> None:
    records = [step().record, step(ESTIMATED, 2).record]
    lines = cost_table(records, total(records)).splitlines()
    assert lines[1].split()[:7] == ["1", "1.2k", "58k", "1.9k", "640", "0", "$0.021"]
    assert lines[2].split()[:7] == ["2", "~1.2k", "~0", "~0", "~64", "~0", "$?"]
    assert lines[3].split()[0] == "all"
    assert "$?" in lines[3]
    assert "1 call without a known price; the rest: $0.021" in lines


def test_writes_for_an_hour_have_a_column_when_there_are_any() -> None:
    plain, hour = step().record, step(replace(USAGE, cache_write_1h=1_500)).record
    assert cost_table([plain], total([plain])).splitlines()[0].split()[3:5] == ["write", "output"]
    lines = cost_table([hour], total([hour])).splitlines()
    assert lines[0].split()[3:6] == ["write", "1h", "output"]
    assert lines[1].split()[3:5] == ["1.9k", "1.5k"]


def test_who_named_the_price_and_a_dispute_over_it_are_said() -> None:
    agreed = step(replace(USAGE, price_from="provider", own_cost=0.0209)).record
    disputed = step(replace(USAGE, price_from="provider", own_cost=0.025), 2).record
    lines = cost_table([agreed, disputed], total([agreed, disputed])).splitlines()
    assert "provider" in lines[1]
    assert "≠" not in lines[1]
    assert lines[2].endswith("≠ ours $0.025")
    assert any(line.startswith("1 with a cost of the provider") for line in lines)


def test_a_cut_step_and_a_side_call_are_named() -> None:
    cut = replace(step(ESTIMATED).record, finish="cut")
    side = replace(step(USAGE, 2).record, side=True)
    lines = cost_table([cut, side], total([cut, side])).splitlines()
    assert lines[1].endswith("cut")
    assert lines[2].endswith("summary")
    assert "1 cut in the middle: what they took is estimated" in lines


def test_a_turn_has_a_row_of_its_own_and_a_long_session_its_newest_steps() -> None:
    records = [step(USAGE, number).record for number in range(1, 101)]
    lines = cost_table(records, total(records), total(records[-3:])).splitlines()
    assert lines[0] == "the newest 30 of 100 steps"
    assert lines[2].split()[0] == "71"
    turn = next(line for line in lines if line.lstrip().startswith("turn"))
    assert turn.split()[1:3] == ["3.6k", "174k"]
    index = next(line for line in lines if line.startswith("index  "))
    assert index.split()[1:4] == ["~40k", "~119k", "~4.0M"]


def test_the_map_adds_up_to_the_gauge_and_says_what_is_left() -> None:
    told = context_map(gauge_of(step().record))
    assert told.startswith("context: the last request as the provider counted it")
    lines = {line[:18].strip(): line for line in told.splitlines()}
    assert lines["in use"].split()[2:4] == ["62k", "31%"]
    assert lines["kept for a reply"].split()[4:6] == ["8.2k", "4%"]
    assert lines["left"].split()[1:3] == ["130k", "65%"]
    assert lines["index"].split()[1] == "~40k"
    assert "window 200k" in lines


def test_the_map_before_a_call_is_an_estimate_and_an_unknown_window_is_said() -> None:
    told = context_map(Gauge(LAYERS, 0, None, 8_192))
    assert "no call has measured it yet" in told
    assert "the window of this model is not known" in told
    assert "left" not in told.split("window")[0]
    assert "~61k" in told


def test_the_map_says_what_came_since_the_last_reply() -> None:
    told = context_map(Gauge({"conversation": 900}, 100, 8_000, 1_300, since=300))
    assert told.startswith("context: the last request and its reply, and what came since")
    assert "~1.0k" in told


def test_a_window_that_is_overrun_is_said() -> None:
    told = context_map(Gauge({"conversation": 9_000}, 100, 8_000, 1_300, Provenance.MEASURED))
    assert "this is more than the window holds" in told
    assert "left" in told


def test_bars_have_eighths_and_anything_is_visible() -> None:
    assert (bar(0, 100), bar(1, 100_000), bar(50, 100, 4)) == ("", "▏", "██")
    assert bar(300, 100, 4) == "████"


def test_the_policies_stand_beside_each_other() -> None:
    rows = (
        Choice("grep-read", False, {"tools": 1100, "conversation": 900}, Usage(2_000), 1_100),
        Choice("aoci", True, LAYERS, replace(USAGE, cost=0.03), 60_000),
        Choice("eager", False, LAYERS, USAGE, 0, ("no candidates yet",)),
        Choice("eager,snippets", False, LAYERS, USAGE, 0),
    )
    lines = policy_table(rows, 50_000).splitlines()
    assert lines[1].split() == ["○", "grep-read", "~1.1k", "-", "-", "~900", "~2.0k", "-", "$?"]
    assert lines[2].split()[:3] == ["●", "aoci", "~1.9k"]
    assert lines[2].split()[6:] == ["~61k", "~58k", "~$0.030", "w"]
    assert lines[3].endswith(" cw")
    assert lines[4].split()[1] == ",snippets"
    assert "c: no code was searched for yet" in lines
    assert "w: more than the window holds; room is made first" in lines
    assert not any(line.startswith("i:") for line in lines)


def test_a_policy_that_does_not_fit_is_not_priced() -> None:
    rows = (
        Choice("grep-read", True, {"tools": 900}, Usage(900, cost=0.003), 0),
        Choice("aoci", False, LAYERS, replace(USAGE, cost=0.03), 60_000, fits=False),
    )
    lines = policy_table(rows, 50_000).splitlines()
    assert "~$0.003" in lines[1]
    assert lines[2].endswith("~61k  does not fit")
    assert "$" not in lines[2]
    assert any(line.startswith("does not fit: tools, rules and index") for line in lines)


def test_no_row_of_the_policies_is_wider_than_a_small_terminal() -> None:
    layers = {"tools": 9_900, "index": 9_900, "candidates": 9_900, "tool results": 9_900}
    wants = ("no index", "no candidates yet")
    rows = tuple(
        Choice(policy.name, False, layers, Usage(9_900, 9_900, cost=0.0567), 0, wants)
        for policy in choices()
    )
    inside = 80 - 2 - 1  # padding and scrollbar of the transcript
    assert max(map(len, policy_table(rows, 9_000).splitlines())) <= inside


def test_the_saving_is_labelled_and_a_loss_is_not_hidden() -> None:
    assert saving_line(SAVING) == (
        "index this turn (estimate): saved ~$0.028; 2 files opened without a search, about 4.0 "
        "exploring steps (a stated guess) not taken: ~34k, ~$0.041; the index took ~120k, ~$0.013"
    )
    loss = replace(SAVING, files=("a.py",), cost=0.004, sessions=3)
    assert "(estimate): cost ~$0.009 more than it saved; 1 file opened" in saving_line(loss)
    assert "measured in your own sessions" in saving_line(loss)
    nothing = replace(SAVING, files=(), steps=0.0, tokens=0, cost=0.0)
    assert saving_line(nothing).endswith(
        "no file was opened without a search; the index took ~120k, ~$0.013"
    )
    unpriced = replace(SAVING, cost=None, index_cost=None)
    assert "cost ~86k tokens more than it saved" in saving_line(unpriced)
    assert "$" not in saving_line(unpriced)


def test_limits_show_what_is_used() -> None:
    told = budget_lines(Budget(Limits(cost=0.5)).lines(total([step().record])))
    assert "$0.0210 of $0.50 (--max-cost)" in told
    assert "61,740 tokens, no limit (--max-tokens)" in told
