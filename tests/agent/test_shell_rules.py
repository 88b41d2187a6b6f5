"""Rules of the person that restrict, met by commands that do the same another way."""

from pathlib import Path

import pytest
from support.permitted import permitted

from aoci_agent.agent.mode import Mode
from aoci_agent.agent.permissions import Permissions
from aoci_agent.agent.rules import Rules
from aoci_agent.agent.ruling import Ruling, Verdict
from aoci_agent.tools.tool import Effect, Preview


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    for name in ("src/a.py", "src/b.py", "notes.txt", "run.sh"):
        (tmp_path / name).write_text("x\n")
    return tmp_path


def judge(permissions: Permissions, line: str) -> Ruling:
    return permissions.judge("bash", Effect.RUN, Preview("command", "", line, line))


@pytest.mark.gate("T11", "P98")
@pytest.mark.parametrize(
    "line",
    [
        "echo x > src/b.py",
        "cat notes.txt >> src/b.py",
        "cd src && rm b.py",
        "rm -f src/*.py",
        "tee src/b.py < notes.txt",
        "cp notes.txt src/b.py",
        "mv src/b.py notes.txt",
        "sed -i s/a/b/ ./src/b.py",
        "truncate -s 0 src/b.py",
        "bash -c 'rm src/b.py'",
        "env A=1 touch src/b.py",
    ],
)
def test_a_rule_for_edits_holds_for_commands_that_change_the_file(
    workspace: Path, line: str
) -> None:
    rules = Rules.parse(deny=["edit(src/b.py)"])
    for mode in (Mode.ASK, Mode.FULL_AUTO):
        assert judge(permitted(mode, rules=rules, root=workspace), line).verdict is Verdict.DENY


def test_a_rule_for_edits_leaves_reading_and_running_alone(workspace: Path) -> None:
    free = permitted(
        Mode.FULL_AUTO, rules=Rules.parse(deny=["edit(src/**)", "edit"]), root=workspace
    )
    lines = ("cat src/b.py", "python src/b.py", "cp src/b.py copy.py", "rm notes.txt", "make")
    assert [one for one in lines if judge(free, one).verdict is not Verdict.ALLOW] == []


@pytest.mark.gate("T11", "P98")
def test_a_shell_in_a_command_is_looked_into(workspace: Path) -> None:
    rules = Rules.parse(deny=["bash(rm *)", "bash(git push *)"])
    free = permitted(Mode.FULL_AUTO, rules=rules, root=workspace)
    cases = {
        'bash -c "rm victim"': Verdict.DENY,
        "sh -c 'ls && git push origin'": Verdict.DENY,
        "env sh -c 'sh -c \"rm x\"'": Verdict.DENY,
        "timeout 5 bash -c 'sudo rm x'": Verdict.DENY,
        "bash -c '$x victim'": Verdict.DENY,  # it may be rm
        "bash -c 'eval x'": Verdict.ASK,
        "bash -c 'for f in *; do echo $f; done'": Verdict.ASK,
        "bash -c 'ls; make all'": Verdict.ALLOW,
        "bash run.sh": Verdict.ALLOW,
    }
    assert {line: judge(free, line).verdict for line in cases} == cases
    bare = permitted(Mode.FULL_AUTO, root=workspace)
    assert judge(bare, "sh -c 'git push'").verdict is Verdict.ASK
    assert judge(bare, "bash -c 'rm x'").verdict is Verdict.ALLOW
