"""Command lines against permissions: what runs unasked, and what never does."""

import os
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from support.permitted import permitted
from support.shell_lines import BYPASSES, HONEST, TYPICAL

from aoci_agent.agent.mode import Mode
from aoci_agent.agent.permissions import Permissions
from aoci_agent.agent.rules import Rules, parse_rule
from aoci_agent.agent.ruling import Ruling, Verdict
from aoci_agent.tools.shell.reader import read_line
from aoci_agent.tools.tool import Effect, Preview

Record = Callable[[str, object], None]
PROGRAMS = ("rg", "tree", "jq", "node", "python", "file", "column")
FILES = {
    "README.md": "# x\n", "src/a.py": "def a(): ...\n", "src/b.py": "def b(): ...\n", "package.json": "{}",
    "tests/test_a.py": "", ".env": "KEY=1\n", "deploy/.env": "KEY=2\n", ".env.production": "KEY=3\n",
    "server.pem": "x", "credentials.json": "{}", ".aws/credentials": "x", "id_rsa": "x", ".npmrc": "x",
}  # fmt: skip


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with secrets and with links to them and out of it."""
    base = tmp_path_factory.mktemp("judge")
    root, outside = base / "ws", base / "outside"
    outside.mkdir()
    (outside / "passwd").write_text("x")
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "link-to-env").symlink_to(".env")
    (root / "link-out").symlink_to(outside / "passwd")
    (root / "link-dir").symlink_to(outside)
    (root / "src-links").mkdir()
    (root / "src-links/a").symlink_to("../.env")
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that this machine may not have, so that only the words decide."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in PROGRAMS:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{folder}")


def judge(permissions: Permissions, line: str, *, network: bool = False) -> Ruling:
    return permissions.judge(
        "bash", Effect.RUN, Preview("command", "", line, line), network=network
    )


def allowed(permissions: Permissions, line: str) -> bool:
    return judge(permissions, line).verdict is Verdict.ALLOW


def ask_mode(root: Path, *allow: str, trusted: bool = True) -> Permissions:
    return permitted(Mode.ASK, rules=Rules.parse(allow=allow), root=root, trusted=trusted)


@pytest.mark.gate("S05", "T03")
@pytest.mark.parametrize("mode", [Mode.ASK, Mode.AUTO_EDIT])
@pytest.mark.parametrize("rules", [(), TYPICAL], ids=["default rules", "typical rules"])
def test_no_bypass_runs_unasked(
    workspace: Path, mode: Mode, rules: tuple[str, ...], record_property: Record
) -> None:
    permissions = permitted(mode, rules=Rules.parse(allow=rules), root=workspace)
    passed = [line for line in BYPASSES if allowed(permissions, line)]
    assert passed == []
    assert len(BYPASSES) >= 220
    record_property("cases", len(BYPASSES))


@pytest.mark.gate("T03", control=True)
def test_judging_by_how_a_line_begins_lets_them_through() -> None:
    beginnings = [rule.removeprefix("bash(").removesuffix("*)") for rule in TYPICAL]
    through = [line for line in BYPASSES if f"{line} ".startswith(tuple(beginnings))]
    assert len(through) >= 150


@pytest.mark.gate("S05", "P82")
def test_honest_commands_run_unasked(workspace: Path, record_property: Record) -> None:
    permissions = ask_mode(workspace)
    refused = [
        (line, judge(permissions, line).reason) for line in HONEST if not allowed(permissions, line)
    ]
    assert refused == []
    assert len(HONEST) >= 45
    record_property("cases", len(HONEST))


@pytest.mark.gate("T03")
def test_in_an_untrusted_folder_none_runs_unasked(workspace: Path) -> None:
    permissions = ask_mode(workspace, *TYPICAL, trusted=False)
    assert [line for line in (*HONEST, *BYPASSES) if allowed(permissions, line)] == []


TAILS = st.sampled_from(
    [
        "rm -rf src",
        "touch x",
        "sh x.sh",
        "./x",
        "python x.py",
        "git push",
        "cat .env",
        "> x",
        "ls $(id)",
    ]
)
JOINS = st.sampled_from(
    [";", "&&", "||", "|", "|&", "&", "\n", " ; ", " && ", "\n\n", " | ", ";;", "&\n"]
)


@pytest.mark.gate("T03")
@settings(max_examples=80)
@given(
    honest=st.sampled_from(HONEST), join=JOINS, tail=TAILS, pad=st.sampled_from(["", " ", "  \t"])
)
def test_any_honest_line_with_a_dangerous_tail_asks(
    workspace: Path, honest: str, join: str, tail: str, pad: str
) -> None:
    assert not allowed(ask_mode(workspace, *TYPICAL), f"{honest}{join}{pad}{tail}")


@pytest.mark.gate("T08")
@pytest.mark.parametrize(
    "arm",
    [
        ["config", "core.fsmonitor", "./x"],
        ["config", "diff.x.textconv", "./x"],
        ["config", "core.hooksPath", "hooks"],
        ["config", "pager.log", "./x"],
        ["config", "filter.x.clean", "./x"],
    ],
)
def test_git_asks_where_the_repository_names_programs(tmp_path: Path, arm: list[str]) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    assert allowed(ask_mode(tmp_path), "git status")
    subprocess.run(["git", "-C", tmp_path, *arm], check=True)
    assert not allowed(ask_mode(tmp_path), "git status")


def test_a_hook_that_reading_runs_makes_git_ask(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    hook = tmp_path / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    hook.chmod(0o755)
    assert not allowed(ask_mode(tmp_path), "git diff")


@pytest.mark.gate("T27")
def test_a_program_found_in_the_workspace_asks(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = workspace / "bin"
    fake.mkdir(exist_ok=True)
    (fake / "ls").write_text("#!/bin/sh\n")
    (fake / "ls").chmod(0o755)
    assert allowed(ask_mode(workspace), "ls")
    monkeypatch.setenv("PATH", f"{fake}:{os.environ['PATH']}")
    assert not allowed(ask_mode(workspace), "ls")


@pytest.mark.gate("P79", "P80")
def test_always_offers_the_part_that_asked_and_matches_again(workspace: Path) -> None:
    permissions = ask_mode(workspace)
    line = "grep -n x src/a.py && python3 -c 'print(1)' | head -3"
    ruling = judge(permissions, line)
    assert ruling.parts == ("python3 -c 'print(1)'",)
    assert ruling.always == ("bash(python3 -c 'print(1)')",)
    permissions.grant(ruling.always)
    assert allowed(permissions, line)
    assert allowed(permissions, "python3 -c 'print(1)'")
    assert not allowed(permissions, "python3 -c 'print(2)'")
    assert not allowed(permissions, "python3 -c 'print(1)' x")


@pytest.mark.gate("P81")
def test_always_never_covers_what_destroys(workspace: Path) -> None:
    permissions = ask_mode(workspace)
    ruling = judge(permissions, "make all && rm -rf ./tmp > log && git push")
    assert ruling.parts == ("make all", "rm -rf ./tmp > log", "git push")
    assert ruling.always == ()  # it would ask again all the same
    alone = judge(permissions, "make all && npm run build")
    assert alone.always == ("bash(make all)", "bash(npm run build)")
    permissions.grant(alone.always)
    again = judge(permissions, "make all && rm -rf ./tmp")
    assert (again.verdict, again.parts, again.always) == (Verdict.ASK, ("rm -rf ./tmp",), ())


@settings(max_examples=60)
@given(
    st.lists(
        st.text(alphabet="ab*?'\"\\ $(){}[]-=\n", min_size=1, max_size=6), min_size=1, max_size=4
    )
)
def test_what_always_shows_is_exactly_what_it_grants(workspace: Path, words: list[str]) -> None:
    line = f"prog {shlex.join(words)}"
    ruling = judge(ask_mode(workspace), line)
    for text in ruling.always:
        part = read_line(line).parts[0]
        rule = parse_rule(text)
        assert rule.exact
        assert rule.covers(part.words)
        assert part.argv == ("prog", *words)


@pytest.mark.gate("P98")
def test_deny_wins_over_ask_and_ask_over_allow(workspace: Path) -> None:
    rules = Rules.parse(
        allow=["bash(make *)", "bash(rm *)", "bash(rm -rf build)"],
        ask=["bash(make deploy*)"],
        deny=["bash(make wipe)", "bash(shutdown *)", "bash(git push *)"],
    )
    permissions = permitted(Mode.ASK, rules=rules, root=workspace)
    cases = {
        "make all": Verdict.ALLOW,
        "make deploy": Verdict.ASK,
        "make deploy-all && make all": Verdict.ASK,
        "make wipe": Verdict.DENY,
        "make all; make wipe": Verdict.DENY,
        "ls | sudo shutdown now": Verdict.DENY,
        "env A=1 /sbin/shutdown now": Verdict.DENY,
        "if true; then shutdown now; fi": Verdict.DENY,
        "git -C . push origin": Verdict.DENY,
        "make all $(shutdown now)": Verdict.DENY,
        "rm x": Verdict.ASK,  # a wildcard never covers what destroys
        "rm -rf build": Verdict.ALLOW,  # an exact rule does
        "rm -rf build > x": Verdict.ASK,
        "rm -rf build x": Verdict.ASK,
    }
    assert {line: judge(permissions, line).verdict for line in cases} == cases
    free = permitted(Mode.FULL_AUTO, rules=rules, root=workspace)
    assert judge(free, "make all; make wipe").verdict is Verdict.DENY
    assert judge(free, "make deploy").verdict is Verdict.ASK
    assert judge(free, "eval 'make x'").verdict is Verdict.ASK
    assert judge(free, "rm x").verdict is Verdict.ALLOW


@pytest.mark.gate("T11", "T13")
def test_full_auto_asks_for_what_leaves_the_box(workspace: Path) -> None:
    free = permitted(Mode.FULL_AUTO, root=workspace)
    runs = (
        "rm -rf src",
        "for f in *; do echo $f; done",
        "python - <<EOF\nx\nEOF",
        "make",
        "cat /usr/include/x.h",
    )
    asks = (
        *(
            "git push",
            "npm publish",
            "gh pr create",
            "ssh h",
            "scp a h:",
            "docker push x",
            "curl x",
        ),
        *(
            "cat /etc/passwd",
            "cat ../x",
            "cat ~/x",
            "cat .env",
            "cp .env x",
            "sed -i s/a/b/ .git/config",
        ),
        *("cat link-out", "env git push", "echo x > .aoci-agent/x"),
    )
    assert [line for line in runs if not allowed(free, line)] == []
    assert [line for line in asks if allowed(free, line)] == []


@pytest.mark.gate("T13")
@pytest.mark.parametrize("mode", [Mode.ASK, Mode.AUTO_EDIT, Mode.FULL_AUTO])
def test_the_network_asks_each_time(workspace: Path, mode: Mode) -> None:
    permissions = permitted(
        mode, rules=Rules.parse(allow=["bash", "bash(ls)", "test"]), root=workspace
    )
    for _ in range(2):
        ruling = judge(permissions, "ls", network=True)
        assert (ruling.verdict, ruling.always) == (Verdict.ASK, ())
        permissions.grant(ruling.always)


def test_the_rule_for_reading_holds_for_commands(workspace: Path) -> None:
    permissions = permitted(Mode.ASK, rules=Rules.parse(deny=["read(src/b.py)"]), root=workspace)
    assert allowed(permissions, "cat src/a.py")
    assert not allowed(permissions, "cat src/b.py")
    assert not allowed(permissions, "cat src/*.py")


def test_a_rule_that_opens_the_door_still_knows_where_the_shell_is(workspace: Path) -> None:
    permissions = ask_mode(workspace, "bash(cd *)")
    assert allowed(permissions, "cd src && cat a.py")
    assert not allowed(permissions, "cd link-dir && cat passwd")


@pytest.fixture
def odd_names(workspace: Path) -> Iterator[Path]:
    """Links to the outside whose names look like patterns, or are met by one."""
    links = [workspace / name for name in ("[x]*", "[y]z", "outer", "src/outer")]
    for link in links:
        link.symlink_to(workspace.parent / "outside/passwd")
    yield workspace
    for link in links:
        link.unlink()


@pytest.mark.gate("T03")
@pytest.mark.parametrize(
    "line",
    [
        "grep -v *",  # the first name is the pattern, the others are read
        "rg -v *",
        "jq *",
        "cat [x]*",  # finds nothing, so bash hands over the pattern, which is a link's name
        "cat '[y]'*",
        r"cat \[y\]*",
        "cat out*",
        "cd src && cat out*",
        "cd src && cat outer",
    ],
)
def test_a_pattern_is_judged_by_all_it_may_stand_for(odd_names: Path, line: str) -> None:
    assert not allowed(ask_mode(odd_names), line)
    assert not allowed(ask_mode(odd_names, "bash(cat *)", "bash(cd *)"), line)


def test_a_wildcard_covers_nothing_in_a_folder_that_is_not_known(workspace: Path) -> None:
    permissions = ask_mode(workspace, "bash(cat *)", "bash(cd *)")
    assert not allowed(permissions, "cd && cat notes.txt")
    assert allowed(permissions, "cd src && cat a.py")


@pytest.mark.parametrize(
    "line",
    [
        "cat < src/b.py",
        "cd src && cat b.py",
        "cd src && cat ?.py",
        "cat ./src/b.py",
        "cat src/../src/b.py",
    ],
)
@pytest.mark.parametrize("mode", [Mode.ASK, Mode.FULL_AUTO])
def test_the_rule_for_reading_is_met_by_other_ways_to_name_a_file(
    workspace: Path, line: str, mode: Mode
) -> None:
    permissions = permitted(mode, rules=Rules.parse(deny=["read(src/b.py)"]), root=workspace)
    ruling = judge(permissions, line)
    assert (ruling.verdict, ruling.always) == (Verdict.DENY, ())
