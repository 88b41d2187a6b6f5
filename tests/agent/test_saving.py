"""What the index saved: which files count as its finds, and the arithmetic of the estimate."""

import json
from pathlib import Path

from aoci_agent.agent.events import StepFinished, ToolFinished
from aoci_agent.agent.explored import explored_in
from aoci_agent.agent.meter import StepRecord, Totals, total
from aoci_agent.agent.models.model import Usage
from aoci_agent.agent.record import SessionRecord, as_json
from aoci_agent.agent.saving import Exploring, Finds, saving
from aoci_agent.policies.candidates import Candidate
from aoci_agent.policies.conversation import ToolCall, ToolMessage
from aoci_agent.tools.tool import ToolResult


def did(name: str, text: str = "", read: str = "", changed: str = "") -> ToolFinished:
    result = ToolResult(text, read=(read,) if read else (), changed=(changed,) if changed else ())
    return ToolFinished(ToolCall("1", name, "{}"), result, "done", 0.1)


def found(
    *events: ToolFinished, prompt: str = "", candidates: tuple[Candidate, ...] = ()
) -> list[str]:
    finds = Finds(lambda path: path != "new.py")
    finds.begin(prompt, candidates)
    for event in events:
        finds.saw(event)
    return finds.turn


def test_a_file_opened_without_a_search_is_a_find() -> None:
    assert found(did("read", "text", read="shop/prices.py")) == ["shop/prices.py"]
    assert found(did("edit", changed="shop/prices.py")) == ["shop/prices.py"]


def test_each_file_counts_once() -> None:
    assert found(did("read", read="a.py"), did("edit", changed="a.py")) == ["a.py"]


def test_what_anything_else_named_is_no_find() -> None:
    opened = did("read", read="shop/prices.py")
    for name in ("grep", "glob", "search", "symbols", "definition", "references", "bash"):
        assert found(did(name, "shop/prices.py:3: def price"), opened) == []
    assert found(did("read", "shop/\nprices.py\n__init__.py"), opened) == []  # a listing
    assert found(opened, prompt="mend shop/prices.py.") == []
    assert found(opened, candidates=(Candidate("shop/prices.py", 1, 2, ""),)) == []


def test_looking_into_the_index_is_no_search() -> None:
    assert found(did("index", "prices.py[S]: F:prices"), did("read", read="prices.py")) != []


def test_new_files_and_writes_are_no_finds() -> None:
    assert found(did("write", changed="prices.py"), did("read", read="prices.py")) == []
    assert found(did("read", read="new.py")) == []  # the index does not name it


def test_a_later_turn_and_a_resumed_session_know_what_was_open() -> None:
    finds = Finds(lambda _: True)
    finds.remember(
        [ToolMessage("1", "read", "x", read=("a.py",)), ToolMessage("2", "grep", "b.py:1")]
    )
    finds.begin("go on")
    for path in ("a.py", "b.py", "c.py"):
        finds.saw(did("read", read=path))
    assert finds.turn == ["c.py"]
    finds.begin("and now?")
    finds.saw(did("read", read="c.py"))
    assert finds.turn == []


def turn(cost: float | None = 0.10, index_cost: float | None = 0.02) -> Totals:
    """Five steps of 10,000 prompt tokens and 200 of output; the index is 4,000 of each prompt."""
    index = Usage(cache_read=4_000, cost=None if index_cost is None else index_cost / 5)
    usage = Usage(cache_read=10_000, output=200, cost=None if cost is None else cost / 5)
    return total([StepRecord(n, "m", "aoci", usage, index=index) for n in range(5)])


def test_the_default_is_two_steps_a_file_of_this_turns_size_without_the_index() -> None:
    told = saving(["a.py", "b.py"], turn(), Exploring())
    assert told is not None
    assert (told.steps, told.tokens) == (4.0, 4 * 6_200)
    assert (told.index_tokens, round(told.index_cost or 0, 9)) == (20_000, 0.02)
    assert round(told.cost or 0, 9) == round(4 * 0.08 / 5, 9)
    assert told.net_tokens == 4_800
    assert round(told.net_cost or 0, 9) == 0.044


def test_own_measures_replace_the_default() -> None:
    told = saving(["a.py"], turn(), Exploring(3.0, 3_100, 7))
    assert told is not None
    assert (told.steps, told.tokens, told.sessions) == (3.0, 9_300, 7)
    assert round(told.cost or 0, 9) == round(3 * 0.016 / 2, 9)  # half the size of a step


def test_a_loss_is_negative_and_no_index_is_nothing() -> None:
    told = saving([], turn(), Exploring())
    assert told is not None
    assert told.net_tokens == -20_000
    assert told.net_cost == -0.02 or round(told.net_cost or 0, 9) == -0.02
    assert (
        saving(["a.py"], total([StepRecord(1, "m", "grep-read", Usage(fresh=9))]), Exploring())
        is None
    )


def test_without_a_price_there_are_no_dollars() -> None:
    for one in (turn(cost=None), turn(index_cost=None)):
        told = saving(["a.py"], one, Exploring())
        assert told is not None
        assert told.net_cost is None
        assert told.tokens > 0


def explore(path: Path, *, index: int = 0, files: int = 3) -> None:
    """A session that greps twice, then reads one file, for each file."""
    record = SessionRecord(path)
    for number in range(files):
        for name in ("grep", "glob", "read"):
            usage = Usage(fresh=1_000, cache_read=500, output=100)
            step = StepRecord(number, "m", "grep-read", usage, {"index": index} if index else {})
            record.write(StepFinished(step, Totals()))
            record.write(did(name, "x", read=f"f{number}.py" if name == "read" else ""))
    record.close()


def test_exploring_is_measured_in_sessions_without_the_index(tmp_path: Path) -> None:
    assert explored_in(tmp_path / "none") == Exploring()
    explore(tmp_path / "1.jsonl", index=400)
    assert explored_in(tmp_path) == Exploring()
    explore(tmp_path / "2.jsonl")
    assert explored_in(tmp_path) == Exploring(2.0, 1_600, 1)


def test_a_step_that_also_reads_is_no_exploring_and_damage_is_passed_over(tmp_path: Path) -> None:
    explore(tmp_path / "1.jsonl")
    mixed = [as_json(StepFinished(StepRecord(9, "m", "x", Usage(fresh=50)), Totals()))]
    mixed += [as_json(did("grep")), as_json(did("read", read="z.py"))]
    with (tmp_path / "1.jsonl").open("a") as file:
        file.write('{"type": "StepFinished"\n{"type": "ToolFinished", "call": 3}\n')
        file.writelines(json.dumps(line) + "\n" for line in mixed)
    assert explored_in(tmp_path) == Exploring(6 / 4, 1_600, 1)
