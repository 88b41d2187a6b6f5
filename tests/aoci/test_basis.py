"""The base that is sent again while it may be cached, with what changed behind it."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from aoci_agent.aoci.basis import Bases
from aoci_agent.aoci.model import Entry, HeaderLine, Index, Tag
from aoci_agent.aoci.render import Rendered, render
from aoci_agent.policies.layers import fixed_layers

BUDGET = 20_000


def index(*changed: str, files: int = 60, header: str = "a shop") -> Index:
    entries = [
        Entry(
            "src",
            f"part{n:03}.py",
            Tag("B", "So", 5, "", "S"),
            "new words for it" if f"part{n:03}.py" in changed else f"part {n} of the shop and more",
            (),
            (f"call_{n}", f"other_{n}"),
        )
        for n in range(files)
    ]
    return Index((HeaderLine("overview", header),), tuple(entries))


def sent(folder: Path, what: Index, **how: object) -> Rendered:
    return Bases(folder).shown(what, BUDGET, **how)  # pyright: ignore[reportArgumentType]


def test_the_same_index_gives_the_same_bytes(tmp_path: Path) -> None:
    assert sent(tmp_path, index()) == sent(tmp_path, index()) == render(index(), BUDGET)


def test_a_change_leaves_the_base_and_follows_it(tmp_path: Path) -> None:
    before = sent(tmp_path, index())
    after = sent(tmp_path, index("part007.py"))
    assert (after.header, after.entries) == (before.header, before.entries)
    assert after.changes.startswith("Δ src/part007.py[BSo5S]: F:new words for it | A:call_7")
    assert after.content_id != before.content_id
    assert after.tokens > before.tokens
    assert after.status.endswith("1 changed since")
    names = [layer.name for layer in fixed_layers("rules", after)]
    assert names == ["rules", "index header", "index", "index changes"]


def test_files_that_came_and_went_are_told(tmp_path: Path) -> None:
    sent(tmp_path, index(files=59))
    assert "Δ src/part059.py[" in sent(tmp_path, index()).changes
    assert sent(tmp_path, index(files=58)).changes == "Δ src/part058.py: gone"


def test_changes_over_a_fifth_render_all_anew(tmp_path: Path) -> None:
    sent(tmp_path, index())
    many = index(*(f"part{n:03}.py" for n in range(20)))
    assert sent(tmp_path, many) == render(many, BUDGET)
    few = index(*(f"part{n:03}.py" for n in range(21)))  # against the new base only one differs
    assert sent(tmp_path, few).changes.count("Δ") == 1


def test_a_new_header_renders_all_anew(tmp_path: Path) -> None:
    sent(tmp_path, index())
    other = index("part001.py", header="a library")
    assert sent(tmp_path, other) == render(other, BUDGET)


def test_a_base_nobody_can_hold_any_more_is_dropped(tmp_path: Path) -> None:
    sent(tmp_path, index())
    (file,) = tmp_path.iterdir()
    long_ago = time.time() - 7200
    os.utime(file, (long_ago, long_ago))
    changed = index("part001.py")
    assert sent(tmp_path, changed) == render(changed, BUDGET)


def test_a_session_that_ends_was_using_its_base_until_then(tmp_path: Path) -> None:
    bases = Bases(tmp_path)
    bases.shown(index(), BUDGET)
    (file,) = tmp_path.iterdir()
    os.utime(file, (0, 0))
    bases.close()
    assert sent(tmp_path, index("part001.py")).changes


def test_tags_and_budgets_have_bases_of_their_own(tmp_path: Path) -> None:
    sent(tmp_path, index())
    assert sent(tmp_path, index("part001.py"), tags=False).changes == ""
    bare = sent(tmp_path, index("part001.py", "part002.py"), tags=False).changes
    assert bare.startswith("Δ src/part002.py: F:new words")
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("damage", ["", "{}", '{"form": 1}', "[]", '{"form": 1, "rendered": {}}'])
def test_a_damaged_base_is_no_base(tmp_path: Path, damage: str) -> None:
    sent(tmp_path, index())
    (file,) = tmp_path.iterdir()
    file.write_text(damage)
    changed = index("part001.py")
    assert sent(tmp_path, changed) == render(changed, BUDGET)


def test_the_budget_is_hard_for_base_and_changes_together(tmp_path: Path) -> None:
    whole = render(index(), BUDGET)
    bases = Bases(tmp_path)
    bases.shown(index(), whole.tokens + 5)
    after = bases.shown(index("part001.py"), whole.tokens + 5)
    assert after.changes == ""
    assert after.tokens <= whole.tokens + 5


def test_a_folder_that_cannot_be_written_renders_anew(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    nowhere = Bases(tmp_path / "file" / "below")
    assert nowhere.shown(index(), BUDGET) == render(index(), BUDGET)
    nowhere.close()


def test_notes_do_not_follow_in_a_change(tmp_path: Path) -> None:
    sent(tmp_path, index())
    noted = index("part001.py")
    entries = tuple(
        replace(entry, extra="N:long words") if entry.name == "part001.py" else entry
        for entry in noted.entries
    )
    assert "N:" not in sent(tmp_path, replace(noted, entries=entries)).changes
