from collections.abc import Mapping
from pathlib import Path

from support.commits import git
from support.wordcount import WordCount

from aoci_agent.base.git import Repository
from aoci_agent.base.text import content_id
from aoci_agent.views.ledger import Cost, Ledger, medians, projected
from aoci_agent.views.model import Delta, Source
from aoci_agent.views.proofs import Proof, keep, read
from aoci_agent.views.verify import Way, newest_transitions, verify


class Files:
    """A state of a repository, from a mapping."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = {path: content_id(text.encode()) for path, text in sorted(files.items())}
        self._texts = files

    def read(self, path: str) -> bytes:
        return self._texts[path].encode()


STATES = {
    "a": Files({"x.py": "one two", "y.py": "three"}),
    "b": Files({"x.py": "one two two", "z.py": "three"}),
    "c": Files({"x.py": "four", "z.py": "three"}),
}


class Forgetful(WordCount):
    """Does not notice that files go."""

    def apply(self, source: Source, delta: Delta) -> None:
        super().apply(source, Delta(delta.added, delta.changed))


def test_an_honest_view_passes_and_a_forgetful_one_does_not() -> None:
    ways = [
        Way("honest", "one", WordCount),
        Way("forgetful", "two", Forgetful),
        Way("broken", "three", lambda: WordCount("apply")),
    ]
    honest, forgetful, broken = verify(ways, [("a", "b"), ("b", "c")], STATES.__getitem__)
    assert honest.holds
    assert len(honest.equal) == 2
    assert honest.speed_up > 0
    assert [bool(trial.difference) for trial in forgetful.trials] == [True, False]
    assert "files 3, not 2" in forgetful.trials[0].difference
    assert forgetful.row  # what was missed once stays wrong
    assert not forgetful.holds
    assert "apply does not work" in broken.trials[0].difference


def test_transitions_are_the_newest_commits_that_touch_source(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    commits: list[str] = []
    for name in ("a.py", "b.py", "notes.md", "c.go", "d.py"):
        (tmp_path / name).write_text("x = 1\n")
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", name)
        commits.append(git(tmp_path, "rev-parse", "HEAD").stdout.strip())
    repository = Repository.find(tmp_path)
    assert repository is not None
    first, b, notes, go, last = commits
    assert newest_transitions(repository, 2, last) == [(notes, go), (go, last)]
    assert newest_transitions(repository, 9, last) == [(first, b), (b, go), (go, last)]
    assert newest_transitions(repository, 9, first) == []


def test_a_proof_that_makes_no_sense_is_none(tmp_path: Path) -> None:
    assert read(tmp_path) == {}
    keep(tmp_path, "words", "config", {"a..b": True})
    assert read(tmp_path) == {"words": Proof("config", {"a..b": True})}
    for wrong in ("[]", "{", '{"words": {}}', '{"words": 3}'):
        (tmp_path / "proofs.json").write_text(wrong)
        assert read(tmp_path) == {}


def test_the_ledger_is_bounded_and_survives_nonsense(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    for _ in range(40):
        ledger.new += [Cost("lexical", "update", 0.1 * n, 5, 1) for n in range(100)]
        ledger.write()
    file = tmp_path / "ledger.jsonl"
    assert file.stat().st_size < 250_000
    with file.open("a") as appended:
        appended.write('nonsense\n{"view": 1}\n[]\n')
    ledger.new += [Cost("lexical", "query", 0.2), Cost("lexical", "query", 0.4)]
    ledger.write()
    costs = medians(Ledger(tmp_path).read())
    assert round(costs["lexical"]["query"], 6) == 0.3
    assert 4.5 < costs["lexical"]["update"] < 5.5


def test_the_projection() -> None:
    seconds = {"build": 10.0, "load": 1.0, "query": 0.1, "update": 0.2}
    one, *_, hundred = projected(seconds, queries=10, updates=5)
    assert (one.isolated, one.resident) == (13.0, 13.0)
    assert round(hundred.isolated, 6) == 0.1 + 1 + 2
    assert round(hundred.resident, 6) == 0.11 + 2
