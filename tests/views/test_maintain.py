import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.commits import git
from support.wordcount import WordCount, named, words

from aoci_agent.base.errors import ForUser, NotPossible
from aoci_agent.base.files import Workspace
from aoci_agent.base.git import Repository
from aoci_agent.views import proofs
from aoci_agent.views.maintain import RepositoryViews
from aoci_agent.views.manifest import Manifest, config_digest, parse
from aoci_agent.views.model import Location, Source
from aoci_agent.views.standard import standard_views

Open = Callable[..., RepositoryViews]


def manifest(cache: Path) -> Manifest:
    return parse((cache / "views/manifest.json").read_bytes())


def test_built_once_then_loaded(opened: Open, cache: Path, small: Path) -> None:
    first = opened()
    assert first.fresh().behind == {}
    assert words(first).count("alpha") == 2
    before = sorted(small.rglob("*"))
    second = opened()
    second.fresh()
    assert words(second).derived == []  # loaded, nothing derived
    assert words(second).digest() == words(first).digest()
    kept = manifest(cache).views["words"]
    assert (kept.status, kept.counts) == ("fresh", {"files": 2})
    assert manifest(cache).dirty == ""
    assert sorted(small.rglob("*")) == before  # nothing is written into the work tree


def test_only_what_changed_is_derived_before_an_answer(opened: Open, small: Path) -> None:
    views = opened()
    views.fresh()
    (small / "src/b.py").write_text("gamma = alpha\n")
    words(views).derived.clear()
    freshness = views.fresh()
    assert freshness.changed == ("src/b.py",)
    assert words(views).derived == ["src/b.py"]
    assert words(views).count("gamma") == 1
    assert words(views).count("beta") == 0
    assert views.fresh().changed == ()


def test_a_session_starts_from_what_the_last_one_published(
    opened: Open, small: Path, cache: Path
) -> None:
    first = opened()
    first.fresh()
    (small / "c.py").write_text("gamma = 1\n")
    first.fresh()
    assert first.publish()
    assert not first.publish()  # nothing moved since
    assert manifest(cache).dirty != ""
    (small / "a.py").unlink()
    second = opened()
    second.fresh()
    assert words(second).derived == []
    assert words(second).count("alpha") == 1
    assert words(second).count("gamma") == 1


def test_a_failing_view_costs_the_others_nothing(opened: Open, cache: Path, small: Path) -> None:
    views = opened(named("good"), named("bad", "build"))
    freshness = views.fresh()
    assert set(freshness.behind) == {"bad"}
    assert words(views, "good").count("alpha") == 2
    assert not views.has("bad")
    with pytest.raises(NotPossible, match="build does not work"):
        views.view("bad")
    kept = manifest(cache).views
    assert kept["bad"].status == "failed"
    assert "build does not work" in kept["bad"].error
    assert kept["good"].status == "fresh"
    (small / "a.py").write_text("delta = 1\n")
    later = opened(named("good"), named("bad"))
    assert later.fresh().behind == {}
    assert words(later, "bad").count("delta") == 1


def test_a_view_that_cannot_be_had_is_said(small: Path, cache: Path) -> None:
    def missing() -> WordCount:
        raise ForUser("faiss is not installed", "pip install 'aoci-agent[dense]'")

    views = RepositoryViews(Workspace(small), None, cache, {"dense": missing, "words": WordCount})
    assert "aoci-agent[dense]" in views.fresh().behind["dense"]
    assert words(views).count("alpha") == 2
    views.close()


def test_an_update_that_fails_becomes_a_rebuild(opened: Open, small: Path) -> None:
    views = opened(WordCount("apply"))
    views.fresh()
    (small / "a.py").write_text("alpha = omega\n")
    freshness = views.fresh()
    assert freshness.behind == {}
    assert "apply does not work" in freshness.notes[0]
    assert words(views).count("omega") == 1


def test_a_view_that_can_not_follow_answers_from_before_and_says_so(
    opened: Open, small: Path
) -> None:
    view = WordCount()
    views = opened(view)
    views.fresh()
    view.broken = "apply"
    build, view.build = view.build, view.load  # type: ignore[method-assign, assignment]
    (small / "a.py").write_text("alpha\n" * 3)
    hits = [Location("a.py", 1, 9), Location("src/b.py", 1, 1), Location("gone.py", 1, 1)]
    assert "words" in views.fresh().behind
    assert words(views).count("alpha") == 2
    checked = views.checked("words", hits)
    assert [(c.hit.path, c.start, c.end, c.fresh) for c in checked] == [
        ("a.py", 1, 3, False),
        ("src/b.py", 1, 1, True),
    ]
    view.build = build
    (small / "a.py").write_text("alpha\n" * 4)
    assert views.fresh().behind == {}
    assert words(views).count("alpha") == 5


def test_a_hit_on_a_file_changed_since_is_stale_and_cut(opened: Open, small: Path) -> None:
    views = opened()
    (small / "a.py").write_text("one\n" * 100)
    views.fresh()
    (small / "a.py").write_text("one\ntwo\n")
    (small / "src/b.py").unlink()
    hits = [Location("a.py", 50, 90), Location("src/b.py", 1, 1)]
    assert [(c.start, c.end, c.fresh) for c in views.checked("words", hits)] == [(2, 2, False)]


def test_a_failed_proof_makes_updates_rebuilds(opened: Open, cache: Path, small: Path) -> None:
    config = config_digest(WordCount().config)
    proofs.keep(cache / "views", "words", config, {"a..b": False, "b..c": True})
    views = opened()
    views.fresh()
    words(views).derived.clear()
    (small / "a.py").write_text("omega\n")
    views.fresh()
    assert words(views).derived == ["a.py", "src/b.py"]
    proofs.keep(cache / "views", "words", config, {"c..d": True})
    assert proofs.read(cache / "views")["words"].told.startswith("failed their proof on 1 of 3")
    proofs.keep(cache / "views", "words", config, {"a..b": True})
    words(views).derived.clear()
    (small / "a.py").write_text("omega 2\n")
    views.fresh()
    assert words(views).derived == ["a.py"]


def test_a_branch_switch_in_mid_session(opened: Open, small: Path) -> None:
    views = opened()
    views.fresh()
    before = words(views).digest()
    git(small, "switch", "-qc", "other")
    (small / "src/b.py").unlink()
    (small / "src/c.py").write_text("gamma\n")
    git(small, "add", "-A")
    git(small, "commit", "-qm", "second")
    views.fresh()
    assert words(views).count("gamma") == 1
    git(small, "switch", "-q", "main")
    assert set(views.fresh().changed) == {"src/b.py", "src/c.py"}
    assert words(views).digest() == before


def test_files_that_move_while_they_are_read_are_read_again(opened: Open, small: Path) -> None:
    class Racing(WordCount):
        raced = False

        def build(self, source: Source) -> None:
            if not self.raced:
                self.raced = True
                views.tree.release()
                (small / "src/b.py").write_text("moved = 1\n")
            super().build(source)

    views = opened(Racing())
    assert views.fresh().behind == {}
    assert words(views).count("moved") == 1


def test_threads_get_whole_answers(opened: Open, small: Path) -> None:
    views = opened()
    views.fresh()
    wrong: list[int] = []

    def ask() -> None:
        for _ in range(15):
            with views.answering("words") as now:
                total = words(now).count("total")
                if words(now).count("half") * 2 != total:
                    wrong.append(total)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(10):
        staged = small / "staged"
        staged.write_text("half total total\n" * number)
        staged.replace(small / "a.py")
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_views_of_a_session_answer_in_any_thread(small: Path, cache: Path) -> None:
    makers = standard_views(cache, "hash")
    views = RepositoryViews(Workspace(small), Repository.find(small), cache, makers)
    views.fresh()
    (small / "src/b.py").write_text("def beta():\n    return 1\n")
    found: list[object] = []

    def ask() -> None:
        with views.answering() as now:
            graph: Any = now.view("graph")
            lexical: Any = now.view("lexical")
            found.extend(graph.named("beta"))
            found.extend(lexical.search("beta", limit=1))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert len(found) == 2
    assert views.publish()
    views.close()
