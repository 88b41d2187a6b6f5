"""`index diff|log|blame|rollback|export` on a real repository, through the front door."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aoci_agent.aoci.lock import load
from aoci_agent.aoci.parse import parse
from aoci_agent.base.errors import Exit
from aoci_agent.cli import main

FILES = {
    "shop/orders.py": '"""Orders and their states"""\n\n\nclass Order:\n    def pay(self): ...\n',
    "shop/mail.py": '"""Sends receipts"""\n\nimport smtplib\n\n\ndef send(to): ...\n',
}
WHO = {
    "GIT_AUTHOR_NAME": "ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}
INDEX, LOCK = ".aoci-agent/index.aoci", ".aoci-agent/lock.jsonl"


def git(folder: Path, *args: str) -> str:
    env = {**os.environ, **WHO}
    done = subprocess.run(
        ["git", *args], cwd=folder, env=env, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


class Desk:
    """A repository and the command in it."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str], folder: str = "") -> None:
        self.root, self.work, self._capsys = root, root / folder, capsys

    def put(self, name: str, text: str) -> None:
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def index(self, *args: str) -> tuple[int, str, str]:
        self._capsys.readouterr()
        try:
            code = main(["index", args[0], "--cwd", str(self.work), *args[1:]])
        except SystemExit as done:
            code = int(str(done.code))
        out = self._capsys.readouterr()
        return code, out.out, out.err

    def json(self, *args: str) -> Any:
        code, out, err = self.index(*args, "--json")
        assert code == Exit.DONE, err
        return json.loads(out)

    def commit(self, subject: str) -> str:
        assert self.index("build")[0] == Exit.DONE
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "--allow-empty", "-m", subject)
        return git(self.root, "rev-parse", "HEAD")

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.work / path).read_text("utf-8")
        assert old in text
        (self.work / path).write_text(text.replace(old, new), "utf-8")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    return tmp_path


@pytest.fixture(params=["", "part"])
def desk(home: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest) -> Desk:
    desk = Desk(home / "repo", capsys, request.param)
    for name, text in FILES.items():
        desk.put(name, text)
    git(desk.root, "init", "-q", "-b", "main")
    return desk


def test_diff_names_the_elements(desk: Desk) -> None:
    first = desk.commit("first")
    assert desk.index("diff")[1] == "no differences\n"
    desk.put("shop/mail.py", FILES["shop/mail.py"] + "\n\ndef resend(to): ...\n")
    desk.put("shop/new.py", '"""Something new."""\n')
    desk.index("build")
    code, out, _ = desk.index("diff")
    assert code == Exit.DONE
    lines = out.splitlines()
    assert "shop/mail.py  A +resend" in lines
    assert "shop/new.py  added" in lines
    second = desk.commit("second")
    assert desk.index("diff", first[:8], second)[1] == out
    rows = desk.json("diff", second, first)
    assert {"kind": "removed", "path": "shop/new.py"} in rows
    (mail,) = [row for row in rows if row["path"] == "shop/mail.py"]
    (api,) = [change for change in mail["changes"] if change["element"] == "A"]
    assert api["gone"] == ["resend"]


def test_diff_tells_moved_entries(desk: Desk) -> None:
    desk.commit("first")
    (desk.work / "lib").mkdir()
    (desk.work / "shop" / "mail.py").rename(desk.work / "lib" / "mail.py")
    desk.index("build")
    assert "lib/mail.py  moved from shop/mail.py" in desk.index("diff")[1]


def test_log_follows_an_entry_through_a_rename(desk: Desk) -> None:
    desk.commit("first")
    desk.put("other.py", '"""Elsewhere."""\n')
    desk.commit("elsewhere")
    desk.edit("shop/mail.py", "def send", "def post")
    desk.commit("post")
    (desk.work / "shop" / "mail.py").rename(desk.work / "shop" / "letters.py")
    desk.commit("moved")
    desk.edit("shop/letters.py", "Sends receipts", "Sends letters")
    desk.commit("words")
    rows = desk.json("log", "shop/letters.py")
    assert [row["commit"]["subject"] for row in rows] == ["words", "moved", "post", "first"]
    assert [row["path"] for row in rows][-2:] == ["shop/mail.py", "shop/mail.py"]
    assert rows[1]["change"].startswith("moved from shop/mail.py")
    assert rows[0]["commit"]["author"] == "ada"
    out = desk.index("log", "shop/letters.py", "--limit", "2")[1].splitlines()
    assert len(out) == 2
    assert "F Sends receipts" in out[0]


def test_log_follows_a_renamed_folder(desk: Desk) -> None:
    desk.commit("first")
    (desk.work / "shop").rename(desk.work / "store")
    desk.commit("moved")
    rows = desk.json("log", "store/orders.py")
    assert [row["commit"]["subject"] for row in rows] == ["moved", "first"]


def test_log_tells_that_an_entry_was_removed(desk: Desk) -> None:
    desk.commit("first")
    (desk.work / "shop" / "mail.py").unlink()
    desk.commit("gone")
    rows = desk.json("log", "shop/mail.py")
    assert [row["change"] for row in rows] == ["removed", "added"]


def test_odd_names_are_names(desk: Desk) -> None:
    for name in ("a+b(1).py", "[id].py", "é.py", "-rf.py"):
        desk.put(name, f'"""About {name[:2]} things."""\n')
    desk.commit("first")
    for name in ("a+b(1).py", "[id].py", "é.py", "./-rf.py"):
        rows = desk.json("log", "--", name) if name.startswith("-") else desk.json("log", name)
        assert [row["commit"]["subject"] for row in rows] == ["first"]


def test_blame_tells_commit_and_hand_for_each_element(desk: Desk) -> None:
    first = desk.commit("first")
    desk.edit(INDEX, "F:Sends receipts | ", "F:Mails receipts to buyers | ")
    second = desk.commit("by hand")
    rows = {row["element"]: row for row in desk.json("blame", "shop/mail.py")}
    assert list(rows) == ["F", "R", "A", "S", "tag"]
    assert (rows["F"]["by"], rows["F"]["commit"]["id"]) == ("human", second)
    assert (rows["A"]["by"], rows["A"]["commit"]["id"]) == ("machine", first)
    desk.edit("shop/mail.py", "def send", "def post")
    desk.index("build")
    rows = {row["element"]: row for row in desk.json("blame", "shop/mail.py")}
    assert rows["A"]["commit"] is None
    assert rows["F"]["commit"]["id"] == second
    out = desk.index("blame", "shop/mail.py")[1]
    assert "not committed" in out
    assert out.startswith("F   human   ")


def test_rollback_restores_the_words_and_marks_them_stale(desk: Desk) -> None:
    desk.edit("shop/mail.py", "Sends receipts", "Sends bills")
    first = desk.commit("first")
    anchor = load((desk.work / LOCK).read_text("utf-8")).records["shop/mail.py"].sem
    desk.put("shop/mail.py", '"""Posts letters"""\n\n\ndef post(to):\n    return to\n')
    desk.commit("second")
    before = (desk.work / INDEX).read_text("utf-8").splitlines()
    code, out, err = desk.index("rollback", "shop/mail.py@HEAD~1")
    assert code == Exit.DONE, err
    assert "taken back to HEAD~1" in out
    assert "stale: the source is not what it was then" in out
    after = (desk.work / INDEX).read_text("utf-8").splitlines()
    assert len([1 for a, b in zip(before, after, strict=True) if a != b]) == 1
    entry = parse("\n".join(after)).by_path["shop/mail.py"]
    assert entry.function == "Sends bills"
    assert entry.tag.size == "T"
    pins = load((desk.work / LOCK).read_text("utf-8")).records["shop/mail.py"].pins
    assert {pin.anchor for pin in pins.values()} == {anchor}
    assert "F" in pins
    desk.index("build")
    kept = parse((desk.work / INDEX).read_text("utf-8")).by_path["shop/mail.py"]
    assert kept.function == "Sends bills"
    assert desk.index("rollback", f"shop/mail.py@{first}")[1].endswith(
        "already stands as it did at " + first + "\n"
    )


def test_rollback_to_what_the_program_writes_pins_nothing(desk: Desk) -> None:
    desk.commit("first")
    desk.edit(INDEX, "F:Sends receipts | ", "F:Wrong words | ")
    desk.index("build")
    code, out, _ = desk.index("rollback", "shop/mail.py@HEAD")
    assert code == Exit.DONE
    assert "stale" not in out
    assert "pinned" not in out
    assert load((desk.work / LOCK).read_text("utf-8")).records["shop/mail.py"].pins == {}
    assert desk.index("diff")[1] == "no differences\n"


def test_rollback_finds_the_name_a_file_had(desk: Desk) -> None:
    desk.commit("first")
    (desk.work / "shop" / "mail.py").rename(desk.work / "shop" / "letters.py")
    desk.edit("shop/letters.py", "Sends receipts", "Sends letters")
    desk.commit("moved")
    code, out, err = desk.index("rollback", "shop/letters.py@HEAD~1")
    assert code == Exit.DONE, err
    assert "shop/letters.py[" in out
    assert "F:Sends receipts" in out


def test_an_at_sign_may_stand_in_path_and_revision(desk: Desk) -> None:
    desk.put("@scope/x.py", '"""Scoped."""\n')
    desk.commit("first")
    for target in ("@scope/x.py@HEAD", "@scope/x.py@HEAD@{0}", "@scope/x.py@@"):
        code, out, err = desk.index("rollback", target)
        assert (code, err) == (Exit.DONE, ""), target
        assert "already stands" in out


Case = Callable[[Desk], tuple[str, ...]]


@pytest.mark.parametrize(
    ("args", "message", "code"),
    [
        (("diff", "nowhere"), "no commit 'nowhere'", Exit.FAILED),
        (("diff", "HEAD", "--output=x"), "unrecognized arguments", Exit.USAGE),
        (("diff", "--", "--output=x"), "no commit '--output=x'", Exit.FAILED),
        (("diff", "HEAD:a"), "no commit 'HEAD:a'", Exit.FAILED),
        (("log", "no/such.py"), "no entry for 'no/such.py'", Exit.FAILED),
        (("log", "../outside.py"), "outside", Exit.USAGE),
        (("log", "shop/mail.py", "--limit", "0"), "--limit must be", Exit.USAGE),
        (("blame", "no/such.py"), "no entry for", Exit.FAILED),
        (("rollback", "shop/mail.py"), "names no revision", Exit.USAGE),
        (("rollback", "shop/mail.py@"), "names no revision", Exit.USAGE),
        (("rollback", "no/such.py@HEAD"), "no entry for 'no/such.py'", Exit.FAILED),
        (("rollback", "shop/mail.py@nowhere"), "no commit 'nowhere'", Exit.FAILED),
        (("rollback", "shop/mail.py@--all"), "no commit '--all'", Exit.FAILED),
    ],
)
def test_what_is_refused(desk: Desk, args: tuple[str, ...], message: str, code: Exit) -> None:
    desk.commit("first")
    done, _, err = desk.index(*args)
    assert done == code, err
    assert message in err


def test_what_was_never_committed_is_said(desk: Desk) -> None:
    git(desk.root, "add", "-A")
    git(desk.root, "commit", "-q", "-m", "without index")
    _, _, err = desk.index("diff")
    assert "never committed" in err
    desk.index("build")
    for args in (("diff",), ("log", "shop/mail.py"), ("rollback", "shop/mail.py@HEAD")):
        code, _, err = desk.index(*args)
        assert code == Exit.FAILED
        assert "never committed" in err
        assert "commit .aoci-agent/" in err
    rows = desk.json("blame", "shop/mail.py")
    assert {row["commit"] for row in rows} == {None}
    desk.commit("with index")
    _, _, err = desk.index("diff", "HEAD~1")
    assert "there is no index at 'HEAD~1'" in err


def test_a_part_of_a_repository_is_said(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (desk.root / "inside").mkdir()
    monkeypatch.chdir(desk.root / "inside")
    main(["index", "diff"])
    told = capsys.readouterr().err
    assert f"only inside/ is looked at; all of the repository: --cwd {desk.root.resolve()}" in told


def test_before_the_first_commit(desk: Desk) -> None:
    desk.index("build")
    for args in (("diff",), ("log", "shop/mail.py")):
        code, _, err = desk.index(*args)
        assert code == Exit.FAILED
        assert "no commit 'HEAD'" in err or "never committed" in err


def test_blame_before_the_first_commit(desk: Desk) -> None:
    desk.index("build")
    assert {row["commit"] for row in desk.json("blame", "shop/mail.py")} == {None}


def test_conflict_markers_are_settled_first(desk: Desk) -> None:
    desk.commit("first")
    desk.edit(INDEX, "F:Sends receipts", "F:x")
    desk.put(INDEX, "<<<<<<< HEAD\n" + (desk.work / INDEX).read_text("utf-8"))
    before = (desk.work / INDEX).read_text("utf-8")
    code, _, err = desk.index("rollback", "shop/mail.py@HEAD")
    assert code == Exit.FAILED
    assert "conflict markers" in err
    assert (desk.work / INDEX).read_text("utf-8") == before


def test_without_git(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk = Desk(home / "plain", capsys)
    desk.put("a.py", '"""A."""\n')
    for args in (("diff",), ("log", "a.py"), ("blame", "a.py"), ("rollback", "a.py@HEAD")):
        code, _, err = desk.index(*args)
        assert code == Exit.FAILED
        assert "no git repository here" in err


def test_an_entry_changed_on_both_sides_of_a_merge(desk: Desk) -> None:
    desk.commit("first")
    git(desk.root, "checkout", "-q", "-b", "side")
    desk.edit("shop/mail.py", "def send", "def post")
    desk.commit("side")
    git(desk.root, "checkout", "-q", "main")
    desk.put("other.py", '"""Elsewhere."""\n')
    desk.commit("main")
    git(desk.root, "merge", "-q", "--no-ff", "-m", "merge", "-X", "ours", "side")
    desk.commit("after")
    subjects = [row["commit"]["subject"] for row in desk.json("log", "shop/mail.py")]
    assert subjects == ["side", "first"]


def test_export_writes_and_does_not_overwrite(desk: Desk, tmp_path: Path) -> None:
    code, out, err = desk.index("export")
    assert code == Exit.DONE, err
    assert "#Written-By: aoci-agent" in out
    assert "/shop/===" in out
    target = tmp_path / "out"
    for layout, names in (
        ("single", ["aoci.txt"]),
        ("volumes", ["aoci.code.txt", "aoci.meta.txt"]),
    ):
        assert desk.index("export", "--format", layout, "--output", str(target / layout))[0] == 0
        assert set(names) <= {path.name for path in (target / layout).iterdir()}
    assert desk.index("export", "--output", str(target / "single"))[0] == Exit.DONE
    (target / "single" / "aoci.txt").write_text("by hand\n", "utf-8")
    code, _, err = desk.index("export", "--output", str(target / "single"))
    assert code == Exit.FAILED
    assert "written or changed by somebody else" in err
    assert (target / "single" / "aoci.txt").read_text("utf-8") == "by hand\n"
    assert desk.index("export", "--format", "volumes")[0] == Exit.USAGE
