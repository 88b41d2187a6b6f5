"""What takes effect by itself in a folder, what trust is given for, and where that is kept."""

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest
from base.test_git_canaries import PROGRAMS

from aoci_agent.base.armed import settings_that_run
from aoci_agent.base.errors import ForUser
from aoci_agent.base.git import Repository
from aoci_agent.base.trust import Fingerprint, Kind, deciding, fingerprint
from aoci_agent.base.trust_store import State, TrustStore

KINDS = deciding(servers=False)
WITH_SERVERS = deciding(servers=True)


def git(root: Path, *words: str) -> None:
    argv = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
    subprocess.run(argv, cwd=root, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    for name in ("AGENTS.md", "conftest.py", "Makefile", "tsconfig.json", "src.py"):
        (folder / name).write_text(f"{name}\n")
    return folder


@pytest.fixture
def repository(root: Path) -> Path:
    git(root, "init", "-q", "-b", "main")
    return root


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return TrustStore(tmp_path / "data" / "trust.json")


def look(root: Path) -> Fingerprint:
    return fingerprint(root, Repository.find(root))


def state(store: TrustStore, root: Path) -> State:
    return store.decide(root, look(root), KINDS).state


def by_kind(found: Fingerprint, kind: Kind) -> list[str]:
    return [item.name for item in found.items if item.kind is kind]


def test_what_is_found_is_sorted_by_why_it_counts(repository: Path) -> None:
    hook = repository / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    hook.chmod(0o755)
    (repository / "node_modules/.bin").mkdir(parents=True)
    found = look(repository)
    assert by_kind(found, Kind.INSTRUCTIONS) == ["AGENTS.md"]
    assert by_kind(found, Kind.GIT) == ["git hook pre-commit"]
    assert by_kind(found, Kind.SERVERS) == ["tsconfig.json"]
    assert by_kind(found, Kind.SHOWN) == ["Makefile", "conftest.py", "node_modules/.bin/"]


def test_the_id_names_the_content(root: Path) -> None:
    first = look(root)
    assert first.id_of(KINDS) == look(root).id_of(KINDS)
    (root / "tsconfig.json").write_text("{}")
    assert look(root).id_of(KINDS) == first.id_of(KINDS)
    assert look(root).id_of(WITH_SERVERS) != first.id_of(WITH_SERVERS)


@pytest.mark.gate("T02")
def test_nothing_is_trusted_before_a_person_says_so(root: Path, store: TrustStore) -> None:
    assert state(store, root) is State.UNKNOWN
    store.record(root, look(root), trusted=True)
    assert state(store, root) is State.TRUSTED
    store.record(root, look(root), trusted=False)
    assert state(store, root) is State.REFUSED
    assert store.revoke(root)
    assert state(store, root) is State.UNKNOWN


@pytest.mark.gate("T16")
@pytest.mark.parametrize(
    ("name", "text", "after"),
    [
        ("AGENTS.md", "new rules", State.CHANGED),
        (".git/hooks/post-checkout", "#!/bin/sh\n", State.CHANGED),
        (".git/config", "[core]\n\tfsmonitor = ./evil\n", State.CHANGED),
        (".git/config", "[core]\n\tpager = ./evil\n", State.CHANGED),
        (".git/config", '[remote "origin"]\n\turl = https://elsewhere.example/x\n', State.CHANGED),
        (".git/config", '[branch "x"]\n\tmerge = refs/heads/x\n', State.TRUSTED),
        ("conftest.py", "other", State.TRUSTED),
        ("Makefile", "other", State.TRUSTED),
        ("src.py", "other", State.TRUSTED),
        ("tsconfig.json", '{"plugins": 1}', State.TRUSTED),
        (".envrc", "new", State.TRUSTED),
    ],
)
def test_only_what_takes_effect_by_itself_takes_trust_away(
    repository: Path, store: TrustStore, name: str, text: str, after: State
) -> None:
    store.record(repository, look(repository), trusted=True)
    path = repository / name
    path.parent.mkdir(exist_ok=True)
    with path.open("a" if name == ".git/config" else "w") as file:
        file.write(text)
    if "hooks" in name:
        path.chmod(0o755)
    trust = store.decide(repository, look(repository), KINDS)
    assert trust.state is after
    assert bool(trust.changed) is (after is State.CHANGED)


def test_a_servers_file_counts_where_servers_are_wanted(root: Path, store: TrustStore) -> None:
    store.record(root, look(root), trusted=True)
    assert store.decide(root, look(root), WITH_SERVERS).given
    (root / "tsconfig.json").write_text('{"plugins": 1}')
    assert store.decide(root, look(root), WITH_SERVERS).changed == ("tsconfig.json",)


def test_the_changed_hook_counts_and_the_one_that_is_gone_too(
    repository: Path, store: TrustStore
) -> None:
    folder = repository / "tools" / "hooks"
    folder.mkdir(parents=True)
    hook = folder / "pre-commit"
    hook.write_text("#!/bin/sh\n")
    hook.chmod(0o755)
    git(repository, "config", "core.hooksPath", "tools/hooks")
    store.record(repository, look(repository), trusted=True)
    hook.write_text("#!/bin/sh\nevil\n")
    assert "git hook pre-commit" in store.decide(repository, look(repository), KINDS).changed
    hook.unlink()
    assert "git hook pre-commit (gone)" in store.decide(repository, look(repository), KINDS).changed


@pytest.mark.gate("T08")
def test_every_setting_that_can_run_a_program_counts(repository: Path) -> None:
    for number, name in enumerate(PROGRAMS):
        git(repository, "config", name, f"./program-{number}")
    (repository / ".git" / "included").write_text("[diff]\n\texternal = ./x\n")
    git(repository, "config", "include.path", "included")
    found = Repository.find(repository)
    assert found is not None
    counted = {name.lower() for name, _ in settings_that_run(found.hardened)}
    assert {name.lower() for name in PROGRAMS} <= counted
    assert "core.bare" not in counted


def test_a_persons_own_git_settings_are_not_the_repositorys(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    mine.write_text("[core]\n\tpager = less\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(mine))
    assert by_kind(look(repository), Kind.GIT) == []


def test_claude_md_counts_only_without_agents_md(root: Path) -> None:
    (root / "CLAUDE.md").write_text("claude")
    assert by_kind(look(root), Kind.INSTRUCTIONS) == ["AGENTS.md"]
    assert "CLAUDE.md" in by_kind(look(root), Kind.SHOWN)
    (root / "AGENTS.md").unlink()
    assert by_kind(look(root), Kind.INSTRUCTIONS) == ["CLAUDE.md"]


def test_a_part_of_a_repository_has_the_instructions_above_it(repository: Path) -> None:
    part = repository / "services" / "pay"
    part.mkdir(parents=True)
    (part / "AGENTS.md").write_text("near")
    found = look(part)
    assert [one.name for one in found.instructions] == ["../../AGENTS.md", "AGENTS.md"]


@pytest.mark.gate("T05")
@pytest.mark.parametrize("target", ["../secret", "/etc/passwd", "AGENTS.md"])
def test_instructions_that_lead_out_are_not_read(root: Path, target: str) -> None:
    (root.parent / "secret").write_text("secret")
    (root / "AGENTS.md").unlink()
    (root / "AGENTS.md").symlink_to(target)
    assert look(root).instructions == ()


@pytest.mark.gate("T07")
def test_a_pipe_is_neither_read_nor_waited_for(root: Path) -> None:
    (root / "AGENTS.md").unlink()
    os.mkfifo(root / "AGENTS.md")
    os.mkfifo(root / "rust-toolchain")
    found = look(root)
    assert found.instructions == ()
    assert next(item.digest for item in found.items if item.name == "rust-toolchain") == "?"


@pytest.mark.gate("T02")
def test_trust_of_a_folder_is_not_trust_of_those_in_it(root: Path, store: TrustStore) -> None:
    part = root / "part"
    part.mkdir()
    store.record(root, look(root), trusted=True)
    assert state(store, part) is State.UNKNOWN
    twin = root.parent / "shop-evil"
    twin.mkdir()
    assert state(store, twin) is State.UNKNOWN


def test_a_link_to_a_folder_is_the_folder(root: Path, store: TrustStore) -> None:
    link = root.parent / "link"
    link.symlink_to(root)
    store.record(link, look(link), trusted=True)
    assert state(store, root) is State.TRUSTED
    link.unlink()
    link.mkdir()
    assert state(store, link) is State.UNKNOWN


@pytest.mark.gate("T02")
def test_a_store_inside_the_folder_trusts_nothing(root: Path) -> None:
    store = TrustStore(root / ".local" / "trust.json")
    with pytest.raises(ForUser, match="could then trust itself"):
        store.record(root, look(root), trusted=True)
    elsewhere = TrustStore(root.parent / "trust.json")
    elsewhere.record(root, look(root), trusted=True)
    (root / ".local").mkdir()
    (root / ".local" / "trust.json").write_bytes((root.parent / "trust.json").read_bytes())
    assert state(store, root) is State.UNKNOWN


@pytest.mark.gate("T29")
def test_the_file_is_the_owners_alone_and_no_link_is_followed(
    root: Path, store: TrustStore, tmp_path: Path
) -> None:
    store.record(root, look(root), trusted=True)
    file = tmp_path / "data" / "trust.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    victim = tmp_path / "victim"
    victim.write_text("mine")
    file.unlink()
    file.symlink_to(victim)
    store.record(root, look(root), trusted=True)
    assert victim.read_text() == "mine"
    assert not file.is_symlink()


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"version": 2, "folders": {}}', b"\0" * 9, b'{"version": 1}']
)
def test_a_damaged_file_trusts_nothing_and_is_written_anew(
    root: Path, store: TrustStore, tmp_path: Path, damage: bytes
) -> None:
    store.record(root, look(root), trusted=True)
    (tmp_path / "data" / "trust.json").write_bytes(damage)
    assert state(store, root) is State.UNKNOWN
    store.record(root, look(root), trusted=True)
    assert state(store, root) is State.TRUSTED


def test_decisions_of_other_folders_stay(root: Path, store: TrustStore, tmp_path: Path) -> None:
    other = tmp_path / os.fsdecode(b"b\xff")
    other.mkdir()
    store.record(root, look(root), trusted=True)
    store.record(other, look(other), trusted=False)
    assert [one.trusted for one in store.decided()] == [False, True]
    assert (state(store, root), state(store, other)) == (State.TRUSTED, State.REFUSED)
    json.loads((tmp_path / "data" / "trust.json").read_text())
