"""What commands destroy comes back, byte for byte, under git, in a worktree and without git."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from support.net import Net, state, users, workspace

ANYWHERE = (
    'rm -rf -- * ; ls',
    'rm -rf "$PWD"',
    "rm -rf src bin notes a.py",
    "find . -mindepth 1 -delete",
    "find . -type f -not -path './.git*' -delete",
    "mv -f a.py src/b.py",
    "mv -f data.bin empty",
    "sed -i 's/print/PRINT/' a.py src/b.py",
    "truncate -s 0 data.bin a.py",
    "> a.py ; > private.key",
    "dd if=/dev/zero of=data.bin bs=1k count=8 conv=notrunc",
    "chmod -x bin/run.sh ; chmod 777 private.key src",
    "chmod -R 000 src ; chmod 000 a.py data.bin",
    "ln -sf /etc/hostname a.py ; ln -sfn /tmp folder-link ; ln -sf data.bin new.txt",
    "rm -r src ; ln -s notes src",
    "rm empty ; mkdir empty ; echo x > empty/file",
    "mv src source ; mv notes src ; mv bin/run.sh run",
    "python3 -c \"import os\nfor d, _, fs in os.walk('.'):\n  for f in fs:\n    p = os.path.join(d, f)\n    if '.git' not in p and os.path.exists(p): open(p, 'wb').write(b'gone')\"",
    "rm -rf empty-folder build .env",
    "for i in $(seq 60); do mkdir -p new/$i; echo $i > new/$i/f; done; cp -r src copy",
    "touch -d '2001-01-01' a.py ; printf x >> a.py ; touch -d '2001-01-01' a.py",
)  # fmt: skip
WITH_GIT = (
    "git reset --hard",
    "git reset --hard other",
    "git clean -fdx",
    "git checkout .",
    "git checkout -f other",
    "git stash -u",
    "git restore --source other . ",
    "git rm -rf -q .",
    "git switch -f --detach HEAD~0 && git clean -ffdxq",
    "rm -rf .git",
)


ALL = (*ANYWHERE, *WITH_GIT)
Keep = Callable[[str, object], None]


@pytest.mark.gate("R07", "S12", "S13", "P87", "P88", "P89", "P90")
@pytest.mark.parametrize(
    ("kind", "commands"),
    [
        pytest.param("git", WITH_GIT, id="git"),
        pytest.param("none", ANYWHERE, id="none"),
        pytest.param("git", ANYWHERE, id="all-git", marks=pytest.mark.gate_only),
        pytest.param("worktree", ALL, id="all-worktree", marks=pytest.mark.gate_only),
    ],
)
async def test_every_byte_mode_and_link_comes_back(
    kind: str, commands: tuple[str, ...], tmp_path: Path, record_property: Keep
) -> None:
    root = workspace(tmp_path, kind)
    main = tmp_path / "main" if kind == "worktree" else root
    folder = main / ".git"
    before, mine = state(root), users(root, folder)
    if kind != "none":
        shutil.copytree(folder, tmp_path / "git", symlinks=True)
    net = Net(root, tmp_path / "store")
    for turn, command in enumerate(commands, 1):
        await net.asks(command)
        await net.runs(command)
        after, left = state(root), users(root, folder)
        assert after != before or (left != mine and command == "rm -rf .git"), command
        assert (await net.back(turn)).failed == {}, command
        assert_same(state(root), before, command)
        assert users(root, folder) == (left or mine), (
            f"undoing {command} changed what is the person's"
        )
        if turn % 5 == 0:
            await net.redo()
            assert_same(state(root), after, f"redo of {command}")
            await net.redo()
            assert_same(state(root), before, f"undo of the redo of {command}")
        if command in WITH_GIT:
            shutil.rmtree(folder)
            shutil.copytree(tmp_path / "git", folder, symlinks=True)
        assert users(root, folder) == mine, f"{command}: the person's state is not what it was"
    await net.back(1)
    assert_same(state(root), before, "all of them together")
    await net.close()
    record_property("cases", len(commands))


def assert_same(now: Mapping[bytes, object], then: Mapping[bytes, object], what: str) -> None:
    differ = [path for path in sorted(now.keys() | then.keys()) if now.get(path) != then.get(path)]
    assert not differ, f"{what}: {len(differ)} differ: {differ[:8]}"
