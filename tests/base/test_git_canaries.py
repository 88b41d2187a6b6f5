import contextlib
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from aoci_agent.base.errors import NotPossible
from aoci_agent.base.git import Repository

HOOKS = [
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-rebase",
    "post-checkout",
    "post-merge",
    "pre-push",
    "pre-receive",
    "update",
    "post-receive",
    "post-update",
    "reference-transaction",
    "push-to-checkout",
    "pre-auto-gc",
    "post-rewrite",
    "sendemail-validate",
    "fsmonitor-watchman",
    "post-index-change",
]
PROGRAMS = {
    "core.pager": "pager",
    "core.editor": "editor",
    "sequence.editor": "sequence-editor",
    "core.askPass": "askpass",
    "core.sshCommand": "ssh",
    "core.gitProxy": "git-proxy",
    "core.alternateRefsCommand": "alternate-refs",
    "diff.external": "diff-external",
    "gpg.program": "gpg",
    "gpg.ssh.program": "gpg-ssh",
    "gpg.x509.program": "gpg-x509",
    "interactive.diffFilter": "diff-filter",
    "diff.evil.textconv": "textconv",
    "diff.evil.command": "diff-command",
    "filter.evil.clean": "clean",
    "filter.evil.smudge": "smudge",
    "filter.a=b.clean": "clean-equals",
    "filter.long.process": "process",
    "merge.evil.driver": "merge-driver",
    "tar.evil.command": "tar",
    "uploadpack.packObjectsHook": "pack-objects",
    "remote.origin.uploadpack": "uploadpack",
    "pager.log": "pager-log",
    "pager.status": "pager-status",
    "trailer.evil.command": "trailer",
    "browser.evil.cmd": "browser",
    "difftool.evil.cmd": "difftool",
    "hook.evil.command": "config-hook",
    "credential.https://evil.example.helper": "credential-url",
}
PLAIN = {
    "log.showSignature": "true",
    "filter.evil.required": "true",
    "hook.evil.event": "post-index-change",
    "status.submoduleSummary": "true",
    "diff.submodule": "log",
    "submodule.recurse": "true",
    "protocol.allow": "always",
    "protocol.ext.allow": "always",
    "extensions.worktreeConfig": "true",
    "diff.ignoreSubmodules": "none",
    "submodule.sub.ignore": "none",
    "grep.fallbackToNoIndex": "true",
}
WHO = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}
READS = [
    ("status",),
    ("status", "--porcelain=v2", "-z"),
    ("diff",),
    ("diff", "--cached"),
    ("diff", "HEAD", "--stat"),
    ("diff-files", "-p"),
    ("diff-index", "-p", "HEAD"),
    ("log", "-p"),
    ("log", "--format=%G? %GS %an"),
    ("log", "--format=%(trailers)"),
    ("show", "HEAD"),
    ("show", "HEAD:file.txt"),
    ("blame", "file.txt"),
    ("grep", "text"),
    ("ls-files", "-m", "-o"),
    ("ls-tree", "-r", "HEAD"),
    ("cat-file", "-p", "HEAD:file.txt"),
    ("cat-file", "-p", "1234567890123456789012345678901234567890"),
    ("check-ignore", "file.txt"),
    ("check-attr", "-a", "file.txt"),
    ("describe", "--always", "--dirty"),
    ("rev-parse", "HEAD"),
    ("rev-list", "--all"),
    ("for-each-ref",),
    ("shortlog", "HEAD"),
    ("worktree", "list"),
    ("name-rev", "HEAD"),
    ("status", "--ignored"),
    ("status", "--porcelain", "-z", "--untracked-files=normal"),
    ("diff", "--name-only"),
    ("diff", "--word-diff", "HEAD"),
    ("diff-tree", "-p", "HEAD~1", "HEAD"),
    ("log", "-S", "text", "--oneline"),
    ("log", "--graph", "--all", "--stat"),
    ("show", "--stat", "HEAD"),
    ("blame", "-p", "other.eq"),
    ("grep", "-n", "text", "HEAD"),
    ("ls-files", "-z", "-t", "--stage", "--cached", "--others", "--exclude-standard"),
    ("merge-base", "HEAD", "HEAD~1"),
    ("show-ref",),
    ("symbolic-ref", "HEAD"),
]
WRITES = [  # never ours: they show that the rest of the traps is armed
    ("st",),
    ("add", "-A"),
    ("commit", "-qam", "x"),
    ("commit", "-q", "--allow-empty", "-S", "-m", "signed"),
    ("commit", "-q", "--allow-empty"),
    ("commit", "-q", "--allow-empty", "-m", "x", "--trailer", "evil=1"),
    ("archive", "--format=evil", "HEAD"),
    ("checkout", "-q", "-b", "side", "HEAD~1"),
    ("commit", "-q", "--allow-empty", "-m", "aside"),
    ("checkout", "-q", "-f", "main"),
    ("merge", "-q", "--no-ff", "-m", "m", "side"),
    ("rebase", "-q", "-i", "HEAD~1"),
    ("stash",),
    ("push", ".", "HEAD:refs/heads/pushed"),
    ("fetch", "ssh://evil.example/x"),
    ("fetch", "git://evil.example/x"),
    ("submodule", "update"),
    ("-p", "log"),
    ("add", "-p"),
    ("difftool", "-y", "-t", "evil", "HEAD~1"),
    ("-c", "gc.auto=1", "-c", "gc.autoDetach=false", "gc", "--auto"),
    ("-c", "gpg.format=ssh", "-c", "user.signingKey=k", "tag", "-s", "-m", "x", "signed"),
    ("-c", "gpg.format=x509", "tag", "-s", "-m", "x", "signed509"),
    ("commit", "-q", "--amend", "--allow-empty", "-m", "y"),
    ("web--browse", "-b", "evil", "http://evil.example"),
    ("format-patch", "-1", "--always", "-o", "patches", "HEAD~1"),
    ("am", "patches/0001-two.patch"),
    ("am", "--abort"),
]


def plain(root: Path, *args: str) -> None:
    """git as everyone runs it; failures are fine, only what it starts matters."""
    environment = {"PATH": os.environ["PATH"], **WHO}
    for role in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{role}_NAME": "a", f"GIT_{role}_EMAIL": "a@b"}
    argv = ["git", "-c", "protocol.file.allow=always", *args]
    null = subprocess.DEVNULL
    running = subprocess.Popen(
        argv,
        cwd=root,
        env=environment,
        stdin=null,
        stdout=null,
        stderr=null,
        start_new_session=True,
    )
    try:
        running.wait(timeout=1)  # a trap speaks no protocol, so git may wait for it for ever
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)


def script(canaries: Path, name: str) -> str:
    path = canaries.parent / "scripts" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n: > '{canaries}/{name}'\nexec cat\n")
    path.chmod(0o755)
    return str(path)


def armed(base: Path) -> tuple[Path, Path]:
    """A repository in which everything that can run a program does, and where that shows."""
    canaries, root = base / "canaries", base / "repo"
    canaries.mkdir(parents=True)
    for folder in (root, base / "library"):
        folder.mkdir()
        plain(folder, "init", "-q", "-b", "main")
        (folder / "file.txt").write_text("text\n")
        (folder / "other.eq").write_text("text\n")
        (folder / "long.lp").write_text("text\n")
        plain(folder, "add", ".")
        plain(folder, "commit", "-q", "-m", "one")
    plain(root, "submodule", "--quiet", "add", str(base / "library"), "sub")
    attributes = "*.txt filter=evil diff=evil merge=evil\n*.eq filter=a=b\n*.lp filter=long\n"
    (root / ".gitattributes").write_text(attributes + "*.inc diff=included\n")
    (root / "x.inc").write_text("text\n")
    plain(root, "add", ".")
    plain(root, "commit", "-q", "-m", "two")
    sign(root)
    arm(root, canaries)
    arm_submodule(root, canaries)
    for name in ("file.txt", "other.eq", "long.lp", "x.inc", "sub/file.txt"):
        (root / name).write_text("more text\n")
    return root, canaries


def sign(root: Path) -> None:
    """Give HEAD a signature, so that showing it asks the signature program."""
    raw = subprocess.check_output(["git", "cat-file", "commit", "HEAD"], cwd=root).decode()
    head, _, message = raw.partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----"
    commit = f"{head}\n{signature}\n\n{message}".encode()
    made = subprocess.check_output(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"], cwd=root, input=commit
    )
    (root / ".git" / "refs" / "heads" / "main").write_bytes(made)


def arm(root: Path, canaries: Path) -> None:
    for hook in HOOKS:
        path = root / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n: > '{canaries}/hook-{hook}'\n")
        path.chmod(0o755)
    for key, name in PROGRAMS.items():
        plain(root, "config", key, script(canaries, name))
    for key, value in PLAIN.items():
        plain(root, "config", key, value)
    plain(root, "config", "alias.st", f"!{script(canaries, 'alias')}")
    plain(root, "config", "credential.helper", f"!{script(canaries, 'credential')}")
    plain(root, "config", "submodule.sub.update", f"!{script(canaries, 'submodule-update')}")
    plain(root, "config", "remote.origin.promisor", "true")
    plain(root, "config", "remote.origin.url", f"ext::{script(canaries, 'ext-transport')}")
    plain(root, "config", "extensions.partialClone", "origin")
    (root / ".git" / "included").write_text(
        f'[diff "included"]\n\ttextconv = {script(canaries, "included-textconv")}\n'
    )
    (root / ".git" / "on-branch").write_text(
        f'[diff "included"]\n\tcommand = {script(canaries, "on-branch-command")}\n'
    )
    plain(root, "config", "include.path", "included")
    plain(root, "config", "includeIf.onbranch:main.path", "on-branch")
    (root / ".git" / "config.worktree").write_text(
        f"[core]\n\tfsmonitor = {script(canaries, 'fsmonitor')}\n"
    )


def arm_submodule(root: Path, canaries: Path) -> None:
    inside = root / ".git" / "modules" / "sub"
    (inside / "info").mkdir(exist_ok=True)
    (inside / "info" / "attributes").write_text("*.txt filter=evil diff=evil\n")
    for key in ("core.fsmonitor", "diff.external", "diff.evil.textconv", "filter.evil.clean"):
        program = script(canaries, f"submodule-{key}")
        plain(root, "config", "-f", str(inside / "config"), key, program)


def fired(canaries: Path) -> set[str]:
    return {path.name for path in canaries.iterdir()}


@pytest.fixture(scope="module")
def trap(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return armed(tmp_path_factory.mktemp("armed"))


@pytest.mark.slow
@pytest.mark.gate("T08", "S03", control=True)
def test_the_traps_work_on_plain_git(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    root, canaries = armed(tmp_path / "control")
    for path in canaries.iterdir():
        path.unlink()
    for args in READS:
        plain(root, *args)
    by_reading = fired(canaries)
    assert by_reading >= {
        "fsmonitor",
        "clean",
        "clean-equals",
        "process",
        "diff-external",
        "textconv",
        "gpg",
        "on-branch-command",
        "ext-transport",
        "submodule-core.fsmonitor",
        "hook-post-index-change",
    }
    for args in WRITES:
        plain(root, *args)
    by_writing = fired(canaries) - by_reading
    assert by_writing >= {"alias", "tar", "hook-pre-commit", "hook-reference-transaction"}
    record_property("cases", len(by_reading | by_writing))
    assert len(by_reading | by_writing) >= 32


@pytest.mark.gate("T08", "S03")
def test_nothing_is_armed_before_the_question(trap: tuple[Path, Path]) -> None:
    root, canaries = trap
    for path in canaries.iterdir():
        path.unlink()
    assert Repository.find(root) is not None
    assert fired(canaries) == set()


@pytest.mark.gate("T08", "S03")
def test_no_method_fires_a_trap(trap: tuple[Path, Path]) -> None:
    root, canaries = trap
    for path in canaries.iterdir():
        path.unlink()
    repository = Repository.find(root)
    assert repository is not None
    assert len(repository.head()) == 40
    assert repository.branch() == "main"
    assert "file.txt" in repository.files()
    assert repository.submodules() == ["sub"]
    assert repository.is_dirty()
    assert fired(canaries) == set()


@pytest.mark.gate("T08", "S03")
@pytest.mark.parametrize("args", READS, ids=" ".join)
def test_no_reading_command_fires_a_trap(
    trap: tuple[Path, Path],
    args: tuple[str, ...],
    record_property: Callable[[str, object], None],
) -> None:
    root, canaries = trap
    record_property("cases", len(list((canaries.parent / "scripts").iterdir())) + len(HOOKS))
    for path in canaries.iterdir():
        path.unlink()
    repository = Repository.find(root)
    assert repository is not None
    refusal = ""
    try:
        repository.git(*args)
    except NotPossible as error:
        refusal = str(error)
    assert "reading command" not in refusal
    assert "unknown" not in refusal
    assert fired(canaries) == set()


def test_the_reads_still_work_where_they_should(trap: tuple[Path, Path]) -> None:
    repository = Repository.find(trap[0])
    assert repository is not None
    assert "+more text" in repository.git("diff", "--", "file.txt")
    assert "+text" in repository.git("log", "-p", "--", "file.txt")
    assert repository.git("show", "HEAD:file.txt") == "text\n"


@pytest.mark.parametrize("where", ["include", "gitignore", "exclude"])
def test_a_pipe_in_place_of_a_file_does_not_hang_for_ever(tmp_path: Path, where: str) -> None:
    plain(tmp_path, "init", "-q")
    os.mkfifo(tmp_path / "pipe")
    if where == "include":
        plain(tmp_path, "config", "include.path", str(tmp_path / "pipe"))
    if where == "gitignore":
        os.mkfifo(tmp_path / ".gitignore")
    if where == "exclude":
        plain(tmp_path, "config", "core.excludesFile", str(tmp_path / "pipe"))
    repository = Repository.find(tmp_path)
    if where == "include":
        assert repository is None
        return
    assert repository is not None
    if where == "exclude":
        assert repository.files() == []
