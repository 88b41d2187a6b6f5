import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.wordcount import WordCount, named, words

from aoci_agent.views.maintain import RepositoryViews
from aoci_agent.views.manifest import Manifest, parse

Open = Callable[..., RepositoryViews]


def manifest(cache: Path) -> Manifest:
    return parse((cache / "views/manifest.json").read_bytes())


def artifact(cache: Path, name: str = "words") -> Path:
    return next((cache / "views/generations").glob(f"*/{name}/words.json"))


@pytest.mark.parametrize("damage", ["cut", "flipped", "gone", "manifest", "stats", "lock"])
@pytest.mark.gate("R24", "S11")
def test_damage_leads_to_a_rebuild_that_is_said(
    opened: Open, cache: Path, small: Path, damage: str
) -> None:
    first = opened()
    first.fresh()
    first.close()
    file = artifact(cache)
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:-3])
    elif damage == "flipped":
        file.write_bytes(file.read_bytes().replace(b"1", b"7", 1))
    elif damage == "gone":
        file.unlink()
    elif damage == "manifest":
        (cache / "views/manifest.json").write_bytes(b'{"schema": 1')
    elif damage == "stats":
        (file.parents[1] / "stats.json").write_bytes(b"[")
    else:
        (file.parents[1] / "lock").unlink()
    (small / "c.py").write_text("alpha\n")
    second = opened()
    freshness = second.fresh()
    assert words(second).count("alpha") == 3
    assert freshness.behind == {}
    assert damage == "lock" or freshness.notes
    third = opened()
    assert third.fresh().notes == ()
    assert words(third).derived == []


def test_other_settings_build_anew(opened: Open, cache: Path) -> None:
    opened().fresh()
    other = opened(WordCount(version="2"))
    assert "other settings" in " ".join(other.fresh().notes)
    assert words(other).derived
    assert manifest(cache).views["words"].config == {"version": "2"}


def test_a_disk_that_refuses_leaves_the_views_in_memory(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    views = opened(folder=tmp_path / "file")  # nothing can be made below a file
    notes = views.fresh().notes
    assert len([note for note in notes if "in memory only" in note]) == 1
    assert words(views).count("alpha") == 2
    assert not views.publish()
    assert views.fresh().notes == ()


def test_a_view_that_cannot_be_saved_still_answers(opened: Open, cache: Path) -> None:
    views = opened(WordCount("save"), named("good"))
    assert "save does not work" in " ".join(views.fresh().notes)
    assert words(views).count("alpha") == 2
    assert manifest(cache).views["words"].status == "failed"
    assert manifest(cache).views["good"].status == "fresh"


def test_a_full_disk_is_said_and_leaves_the_last_generation(
    opened: Open, cache: Path, small: Path
) -> None:
    class Full(WordCount):
        def save(self, folder: Path) -> None:
            (folder / "words.json").write_text("half")
            raise OSError(errno.ENOSPC, "No space left on device")

    first = opened()
    first.fresh()
    before = manifest(cache)
    (small / "a.py").write_text("omega\n")
    views = opened(Full())
    views.fresh()
    assert not views.publish()
    assert "No space left" in " ".join(views.fresh().notes)
    assert words(views).count("omega") == 1
    assert manifest(cache) == before
    assert [path.name for path in (cache / "views/generations").iterdir()] == [before.generation]


def test_damage_of_a_view_not_asked_for_does_not_spread(
    opened: Open, cache: Path, small: Path
) -> None:
    first = opened(named("one"), named("two"))
    first.fresh()
    first.close()
    artifact(cache, "two").unlink()
    (small / "a.py").write_text("omega\n")
    second = opened(named("one"), named("two"))
    second.fresh("one")
    assert second.publish()
    assert manifest(cache).views["one"].status == "fresh"
    assert manifest(cache).views["two"].status == "absent"
    assert second.fresh().behind == {}
    assert words(second, "two").count("omega") == 1


def test_a_generation_in_use_is_kept_and_an_unused_one_is_not(
    opened: Open, cache: Path, small: Path
) -> None:
    reader = opened()
    reader.fresh()
    (held,) = (cache / "views/generations").iterdir()
    crashed = cache / "views/generations/crashed-1"
    crashed.mkdir()
    (crashed / "lock").touch()
    for number in range(2):
        (small / "a.py").write_text(f"number = {number}\n")
        writer = opened()
        writer.fresh()
        assert writer.publish()
        writer.close()
    left = {path.name for path in (cache / "views/generations").iterdir()}
    assert left == {held.name, manifest(cache).generation}
    reader.close()
    (small / "a.py").write_text("number = 9\n")
    last = opened()
    last.fresh()
    last.publish()
    last.close()
    assert [path.name for path in (cache / "views/generations").iterdir()] == [
        manifest(cache).generation
    ]


BUILDER = """
import sys, json
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from support.wordcount import WordCount, named, words
from aoci_agent.base.files import Workspace
from aoci_agent.views.maintain import RepositoryViews
views = RepositoryViews(Workspace(Path(sys.argv[1])), None, Path(sys.argv[2]), {"words": WordCount})
behind = dict(views.fresh().behind)
print(json.dumps([len(views.view("words").derived), views.view("words").digest(), behind]))
views.close()
"""


def test_builders_side_by_side_build_once(small: Path, cache: Path) -> None:
    tests = str(Path(__file__).parents[1])
    argv = [sys.executable, "-c", BUILDER, str(small), str(cache), tests]
    running = [subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    told = [json.loads(process.communicate()[0]) for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert sorted(derived for derived, _, _ in told) == [0, 0, 2]
    assert len({digest for _, digest, _ in told}) == 1
    assert all(behind == {} for _, _, behind in told)


def test_a_cache_that_can_only_be_read(opened: Open, cache: Path, small: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root writes everywhere")
    opened().fresh()
    for folder, _, _ in os.walk(cache):
        Path(folder).chmod(0o500)
    try:
        (small / "a.py").write_text("alpha = omega\n")
        views = opened()
        views.fresh()
        assert words(views).derived == ["a.py"]
        assert not views.publish()
    finally:
        for folder, _, _ in os.walk(cache):
            Path(folder).chmod(0o700)


def test_losing_the_cache_in_mid_session_is_no_harm(opened: Open, cache: Path, small: Path) -> None:
    views = opened()
    views.fresh()
    shutil.rmtree(cache)
    (small / "a.py").write_text("omega\n")
    views.fresh()
    assert words(views).count("omega") == 1
    assert views.publish()
    assert manifest(cache).views["words"].status == "fresh"
