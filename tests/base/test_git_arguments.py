"""Names that look like options, addresses that run programs, and a lock that is the person's."""

import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from support.commits import found, git

from aoci_agent.base.errors import NotPossible

NAMES = ("-rf", "--upload-pack=x", "--output=made", "-c", "--exec=touch made", "$(touch made)")
AUDITED = """
import sys
from pathlib import Path

started = []
sys.addaudithook(lambda event, args: started.append(args) if event in EVENTS else None)
EVENTS = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system")
from aoci_agent.base.git import Repository

repository = Repository.find(Path(sys.argv[1]))
assert repository is not None
repository.head(), repository.branch(), repository.listed(), repository.is_dirty()
repository.hooks(), repository.deciding(repository.root), list(repository.blobs_of(repository.head()))
print("\\n".join(str(args[1]) + "|" + str((args[3] or {}).get("GIT_CONFIG_GLOBAL")) for args in started))
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for name in NAMES:
        (folder / name).write_text("text\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")
    return folder


@pytest.mark.gate("T09")
def test_names_like_options_are_names(root: Path) -> None:
    repository = found(root)
    assert repository.files() == sorted(NAMES)
    for name in NAMES:
        assert repository.listed(only=[name]) == ([name], [])
        assert repository.git("log", "--format=%s", "--", name) == "first\n"
        assert repository.git("show", f"HEAD:{name}") == "text\n"
        assert repository.listed(Path(name)) is not None
    assert sorted(path.name for path in root.iterdir()) == sorted([*NAMES, ".git"])


@pytest.mark.gate("T09")
def test_a_branch_like_an_option_is_a_branch(root: Path) -> None:
    head = found(root).head()
    refs = root / ".git" / "refs" / "heads"
    (refs / "--upload-pack=x").write_text(f"{head}\n")
    (root / ".git" / "HEAD").write_text("ref: refs/heads/--upload-pack=x\n")
    repository = found(root)
    assert repository.branch() == "--upload-pack=x"
    assert repository.head() == head
    with pytest.raises(NotPossible, match="not a reading command"):
        repository.git("log", "--upload-pack=x")


@pytest.mark.gate("T09")
@pytest.mark.parametrize("command", ["fetch", "clone", "ls-remote", "pull", "remote", "archive"])
def test_no_address_is_ever_asked(root: Path, command: str) -> None:
    with pytest.raises(NotPossible, match="not a reading command"):
        found(root).git(command, "ext::sh -c touch% made")
    for reading in ("log", "show", "rev-parse", "ls-tree"):
        with pytest.raises(NotPossible):
            found(root).git(reading, "ext::sh -c touch% made")
    assert not (root / "made").exists()


@pytest.mark.gate("T09", control=True)
def test_the_address_runs_a_program_for_plain_git(root: Path) -> None:
    argv = ["git", "-c", "protocol.ext.allow=always", "ls-remote", "ext::sh -c touch% made"]
    subprocess.run(argv, cwd=root, check=False, capture_output=True, timeout=20)
    assert (root / "made").exists()


@pytest.mark.gate("T09")
def test_gitpython_starts_nothing(
    root: Path, record_property: Callable[[str, object], None]
) -> None:
    argv = [sys.executable, "-c", AUDITED, str(root)]
    done = subprocess.run(argv, check=True, capture_output=True, text=True, timeout=60)
    started = [line.rpartition("|") for line in done.stdout.splitlines()]
    record_property("cases", len(started))
    assert len(started) > 5
    # Its import looks for a git that does not exist; ours alone cuts off or reads settings.
    ours = re.compile(r"'config', '--(system|global)'|\['/nonexistent/git', 'version'\]")
    assert [line for line in started if line[2] != "/dev/null" and not ours.search(line[0])] == []


@pytest.mark.gate("R25")
def test_a_person_commits_while_we_look(
    root: Path, record_property: Callable[[str, object], None]
) -> None:
    repository = found(root)
    failures: list[str] = []
    done = threading.Event()

    def person() -> None:
        for number in range(12):
            (root / "work.py").write_text(f"{number}\n")
            for command in (["add", "work.py"], ["commit", "-q", "-m", f"work {number}"]):
                asked = git(root, *command)
                failures.extend([asked.stderr] if asked.returncode else [])
        done.set()

    thread = threading.Thread(target=person)
    thread.start()
    polls = 0
    while not done.is_set() or polls < 20:
        repository.is_dirty()
        repository.files()
        polls += 1
    thread.join()
    record_property("cases", polls)
    assert failures == []
